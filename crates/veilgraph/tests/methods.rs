//! Stories about methods: their list, their help, and parameters from flags and files.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use std::collections::BTreeSet;

use world::{World, assert_same_run, json};

/// Every method with the names of its parameters.
fn methods(home: &World) -> Vec<(String, BTreeSet<String>)> {
    let shown = home.shown("methods");
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let named =
        |parameters: &serde_json::Value| parameters.as_array().unwrap().iter().map(|it| text(&it["name"])).collect();
    shown.as_array().unwrap().iter().map(|it| (text(&it["name"]), named(&it["parameters"]))).collect()
}

#[test]
fn every_method_is_listed_with_its_promise_its_needs_and_its_parameters() {
    let home = World::new();
    let shown = home.shown("methods");
    let names: Vec<&str> = shown.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    let expected: Vec<&str> = veil_learn::method::entries().iter().map(|it| it.name).collect();
    assert_eq!(names, expected);
    for method in shown.as_array().unwrap() {
        for key in ["about", "trust", "status", "needs"] {
            assert!(!method[key].as_str().unwrap().is_empty(), "{key}: {method}");
        }
        let parameters = method["parameters"].as_array().unwrap();
        let named = |name: &str| parameters.iter().find(|it| it["name"] == name).unwrap();
        // A model in closed form has no epochs.
        if method["name"] != "moments" {
            assert_eq!(named("epochs")["expected"], "a whole number of at least 0");
            assert!(named("epochs")["default"].is_u64() && named("epochs")["group"] == "Training", "{method}");
        }
        for key in ["help", "group", "expected"] {
            assert!(parameters.iter().all(|it| !it[key].as_str().unwrap().is_empty()), "{key}: {method}");
        }
    }
    let table = home.veil("methods").succeeds().stdout();
    assert!(names.iter().all(|name| table.contains(name)), "{table}");
}

#[test]
fn help_of_a_method_fits_on_a_screen_and_is_about_this_method_alone() {
    let home = World::new();
    let methods = methods(&home);
    let all: BTreeSet<&String> = methods.iter().flat_map(|(_, parameters)| parameters).collect();
    let general = ["method", "out", "split", "ledger", "seed", "public-graph", "json", "quiet", "help"];
    for (method, parameters) in &methods {
        let help = home.veil(&format!("train --method {method} --help")).succeeds().stdout();
        assert!(help.lines().count() < 60, "{method}: {} lines\n{help}", help.lines().count());
        let flag = |line: &str| line.split_whitespace().find_map(|word| word.strip_prefix("--").map(str::to_owned));
        let listed = help.lines().filter(|line| line.trim_start().starts_with('-'));
        let listed: BTreeSet<String> = listed.filter_map(flag).collect();
        for name in &all {
            assert_eq!(listed.contains(*name), parameters.contains(*name), "{method}: {name}\n{help}");
        }
        let others: Vec<_> = listed.iter().filter(|it| !all.contains(it) && !general.contains(&it.as_str())).collect();
        assert!(others.is_empty(), "{method}: {others:?}\n{help}");
    }
}

#[test]
fn a_parameter_of_other_methods_is_refused_with_the_names_of_these() {
    let home = World::with_citation_graph();
    let readers: Vec<&str> =
        veil_learn::method::entries().iter().filter(|it| it.reads("delta")).map(|it| it.name).collect();
    let (last, others) = readers.split_last().unwrap();
    let of_delta = format!("delta is not a parameter of gnn: it belongs to {} and {last}", others.join(", "));
    for (flags, says) in [
        ("--method mlp --alpha 0.5", "alpha is not a parameter of mlp: only graph-privatizer reads it"),
        ("--method gnn --delta 1e-5", &*of_delta),
        ("--method lpgnet --rounds 2", "rounds is not a parameter of lpgnet: only degree-vectors reads it"),
        ("--method graph-privatizer --delta 0.2", "delta is not a parameter of graph-privatizer"),
    ] {
        home.veil(&format!("train graph {flags} --out run")).fails_with(2).says(says).says("epsilon-labels, ");
    }
    // ε = inf of something that is not released has no effect: tables have a column for it.
    home.veil("train graph --method mlp --epsilon-edges inf --epochs 2 --out run").succeeds();
}

#[test]
fn a_parameter_file_names_a_method_and_flags_override_it() {
    let home = World::with_citation_graph();
    home.write("experiment.toml", "method = \"lpgnet\"\nepsilon-edges = 4\nhidden = 8\nepochs = 3\n");
    home.veil("train graph --config experiment.toml --seed 1 --out file").succeeds();
    home.veil("train graph --method lpgnet --epsilon-edges 4 --hidden 8 --epochs 3 --seed 1 --out flags").succeeds();
    assert_same_run(&home, "file", "flags");
    home.veil("train graph --config experiment.toml --method dpgcn --epochs 2 --out other").succeeds();
    let record = json(&home, "other/run.json");
    assert_eq!((&record["method"], &record["parameters"]["epochs"]), (&"dpgcn".into(), &2.into()));
    // What the file sets is checked against the method of the flags.
    home.refuses(2, "train graph --config experiment.toml --method mlp --out no", "not a parameter of mlp");
}

/// Names of version 0.1 worked in 0.2, with a warning.
#[test]
fn names_that_were_deprecated_are_gone() {
    let home = World::with_citation_graph();
    for words in [
        "train graph --edges raw --out run",
        "privatize graph --edges lapgraph --epsilon-edges 4 --out run",
        "train graph --public graph --method class-sums --epsilon 4 --out run",
        "report sweep --out page.html",
    ] {
        home.veil(words).fails_with(2);
    }
    home.write("old.toml", "edges = \"raw\"\n");
    home.refuses(2, "train graph --config old.toml --out run", "unknown parameter edges");
    assert_eq!(home.list("."), ["graph", "old.toml"]);
}
