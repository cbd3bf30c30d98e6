//! Which method: an answer from public facts alone, and nothing else of a graph.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use std::fmt::Write;

use serde_json::Value;
use world::{World, entries, spent};

const OWNER: &str = "choose graph --trust owner --protect edge --epsilon 2";
const NOBODY: &str = "choose graph --trust nobody --protect edge --epsilon 2";

/// Thirty users in a ring. The numbers of nodes, features and classes are given; edges, features
/// and labels are shifted by `by`.
fn shifted(by: usize) -> World {
    let home = World::new();
    let mut files = ["src,dst\n", "node,feature,value\n", "node,label\n", "node,split\n"].map(str::to_owned);
    for node in 0..30 {
        writeln!(files[0], "{node},{}", (node + 1 + by) % 30).unwrap();
        writeln!(files[1], "{node},{},1", (node * (by + 1)) % 9).unwrap();
        writeln!(files[2], "{node},{}", (node / (by + 1)) % 2).unwrap();
        writeln!(files[3], "{node},{}", ["train", "train", "val", "test", "test", "test"][node % 6]).unwrap();
    }
    // Further edges, in one of the graphs alone.
    for node in 0..10 * by {
        writeln!(files[0], "{},{}", node % 30, (node + 11) % 30).unwrap();
    }
    for (name, content) in ["edges", "features", "labels", "splits"].iter().zip(&files) {
        home.write(&format!("graph/{name}.csv"), content);
    }
    home.write("graph/meta.json", r#"{"nodes": 30, "features": 9, "classes": 2}"#);
    home
}

fn methods(answer: &Value) -> Vec<String> {
    answer["candidates"].as_array().unwrap().iter().map(|it| it["method"].as_str().unwrap().to_owned()).collect()
}

/// Edges, features and labels that are not declared change no byte of the answer, nor do they where
/// they are declared public: their values are never read.
#[test]
fn no_private_fact_changes_the_answer() {
    let worlds = [0, 1, 3].map(shifted);
    let questions = [
        OWNER.to_owned(),
        NOBODY.to_owned(),
        format!("{OWNER} --declare-public features,labels"),
        format!("{NOBODY} --declare-public features,labels --mean-degree 3"),
        OWNER.replace("edge", "node"),
        format!("{OWNER} --split 0.2,0.2,0.6"),
    ];
    for question in questions {
        for json in ["", " --json"] {
            let said: Vec<String> =
                worlds.iter().map(|home| home.veil(&format!("{question}{json}")).succeeds().stdout()).collect();
            assert!(said.windows(2).all(|pair| pair[0] == pair[1]), "{question}: {said:?}");
            assert!(json.is_empty() || !said[0].contains("edges\":"), "{}", said[0]);
        }
    }
}

#[test]
fn an_owner_is_told_what_applies_what_it_promises_and_what_to_run() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=4").succeeds();
    let said = home.veil(&format!("{OWNER} --split 0.5,0.25,0.25 --ledger book.db")).succeeds();
    let text = said.stdout();
    for part in ["nodes 300 (given)", "classes 7", "nothing else", "cascade", "what ε means", "to run it:"] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    let lines = || text.lines().filter(|line| !line.starts_with("  veil train"));
    assert!(lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("not gnn: it reads the edges as they are"), "{text}");

    let answer = home.shown(&format!("{OWNER} --split 0.5,0.25,0.25 --ledger book.db"));
    let best = &answer["candidates"][0];
    assert_eq!((&best["unit"], &best["status"]), (&"edge".into(), &"proven".into()), "{best}");
    // What was promised is what the release then states: the command is run as it is.
    let command = answer["command"].as_str().unwrap().strip_prefix("veil ").unwrap().to_owned();
    assert!(command.contains("--epsilon-edges 2") && command.contains("--ledger book.db"), "{command}");
    let flags = if command.contains("cascade") { "--batches 2" } else { "--epochs 2" };
    let trained = home.shown(&format!("{command} {flags}"));
    let edges = trained["guarantees"].as_array().unwrap().last().unwrap();
    assert_eq!((&edges["unit"], &edges["epsilon"]), (&best["unit"], &best["epsilon"]));
    assert_eq!(spent(&home, "book.db", "edge").to_string().trim_matches('"'), "2");

    // The intervals hold what is expected.
    for candidate in answer["candidates"].as_array().unwrap() {
        for name in ["gain", "accuracy"] {
            let it = &candidate[name];
            if it.is_object() {
                let [low, expected, high] = ["low", "expected", "high"].map(|name| it[name].as_f64().unwrap());
                assert!(low <= expected && expected <= high, "{candidate}");
            }
        }
    }
}

#[test]
fn users_who_trust_nobody_share_the_epsilon_of_a_relationship() {
    let home = World::with_citation_graph();
    let answer = home.shown(&format!("{NOBODY} --split 0.5,0.25,0.25 --declare-public features,labels"));
    let of = |method: &str| {
        let all = answer["candidates"].as_array().unwrap();
        all.iter().find(|it| it["method"] == method).unwrap_or_else(|| panic!("{method}: {answer}")).clone()
    };
    let text = |value: &Value| value.to_string().trim_matches('"').to_owned();
    // Both ends report degree vectors; an edge is in one row of a cascade.
    let vectors = of("degree-vectors");
    assert_eq!((text(&vectors["epsilon"]), text(&vectors["per_relationship"])), ("1".to_owned(), "2".to_owned()));
    assert_eq!(text(&of("cascade-local")["epsilon"]), "2");
    let refused = answer["refused"].as_array().unwrap();
    let why = |method: &str| refused.iter().find(|it| it["method"] == method).map(|it| it["why"].to_string());
    assert!(why("graph-privatizer").is_some_and(|why| why.contains("refuted")), "{refused:?}");

    // Undeclared features and labels are protected, too.
    let closed = home.veil(&format!("{NOBODY} --split 0.5,0.25,0.25")).succeeds().stdout();
    assert!(closed.contains("--epsilon-labels 3") && !closed.contains("--epsilon-features"), "{closed}");
    assert!(!closed.contains("edge-free"), "{closed}");
}

#[test]
fn whole_nodes_need_a_public_graph_or_moments() {
    let home = World::with_citation_graph();
    let ask = "choose graph --trust owner --protect node --epsilon 4 --split 0.5,0.25,0.25";
    let alone = home.shown(ask);
    assert_eq!(methods(&alone), ["moments"]);
    assert!(alone["refused"].as_array().unwrap().iter().any(|it| it["method"] == "class-sums"));
    let both = home.shown(&format!("{ask} --public-graph graph"));
    assert!(methods(&both).contains(&"class-sums".to_owned()), "{both}");
    // The number of nodes is not the same in adjacent inputs, so it is not used.
    assert!(both["facts"].as_array().unwrap().iter().all(|it| it["fact"] != "nodes"), "{both}");
}

#[test]
fn a_noisy_count_is_charged_and_an_unaffordable_one_is_not_made() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=2.1").succeeds();
    let ask = format!("{OWNER} --split 0.5,0.25,0.25 --ledger book.db");
    home.refuses(1, &format!("{ask} --count-edges 0.2"), "asked 2.2, spent 0, left 2.1");
    assert_eq!(entries(&home, "book.db"), 0);
    let counted = home.shown(&format!("{ask} --count-edges 0.1"));
    assert!(counted["counted_edges"].is_u64(), "{counted}");
    assert_eq!((entries(&home, "book.db"), spent(&home, "book.db", "edge").to_string().trim_matches('"')), (1, "0.1"));
    let fact = counted["facts"].as_array().unwrap().iter().find(|it| it["fact"] == "mean degree").unwrap().clone();
    assert!(fact["because"].as_str().unwrap().contains("noisy count"), "{fact}");
    assert_eq!(counted["meaning"][0]["prior"]["source"], "noisy");
    // The rest is enough for the method, and for nothing more.
    home.refuses(1, &format!("{ask} --count-edges 0.1"), "asked 2.1, spent 0.1, left 2");
    home.veil(&ask).succeeds();
    home.refuses(1, &ask.replace("--epsilon 2", "--epsilon 3"), "left 2");
    home.refuses(1, &ask.replace("book.db", "none.db"), "none.db");
    home.veil("ledger init other.db --budget node=8").succeeds();
    home.refuses(1, &ask.replace("book.db", "other.db"), "over budget for edge");
}

#[test]
fn wrong_requests_say_what_was_expected() {
    let home = World::with_citation_graph();
    let wrong = |words: &str| home.veil(words).fails_with(2);
    wrong("choose graph --trust owner --epsilon 2").says("--protect");
    wrong("choose graph --trust owner --protect edges --epsilon 2")
        .says("not a unit of protection")
        .says("one undirected edge");
    wrong("choose graph --trust owner --protect label --epsilon 2").says("no method protects label").says("edge, node");
    wrong("choose graph --trust nobody --protect node --epsilon 2").says("no method protects node").says("edge-bit");
    wrong("choose graph --trust everybody --protect edge --epsilon 2").says("owner, nobody");
    wrong("choose graph --trust owner --protect edge --epsilon inf").says("finite");
    wrong("choose graph --trust owner --protect edge --epsilon 0").says("--epsilon");
    wrong(&format!("{OWNER} --count-edges 0.1")).says("--ledger");
    wrong(&format!("{NOBODY} --count-edges 0.1 --ledger book.db")).says("where the owner is trusted");
    wrong(&format!("{OWNER} --mean-degree 5000")).says("5000 is not possible in a graph of 300 nodes");
    wrong(&format!("{OWNER} --mean-degree nan")).says("not possible");
    wrong(&format!("{OWNER} --declare-public ages")).says("not a fact");
    home.refuses(1, &OWNER.replace("graph", "nothing"), "no such path");
    let shown = home.veil(&format!("{OWNER} --mean-degree 5000 --json")).fails_with(2);
    assert!(serde_json::from_str::<Value>(shown.stderr().trim()).unwrap()["error"].is_string());
    // A table of edges alone has nothing to learn, and its nodes were collected from it.
    home.write("bare.csv", "src,dst\n0,1\n1,2\n");
    home.refuses(1, &OWNER.replace("graph", "bare.csv"), "no labels");
    home.write("counted/edges.csv", "src,dst\n0,1\n1,2\n");
    home.write("counted/labels.csv", "node,label\n0,0\n1,1\n2,0\n");
    home.write("counted/features.csv", "node,feature,value\n0,0,1\n1,1,1\n2,0,1\n");
    let counted = home.veil(&OWNER.replace("graph", "counted")).fails_with(2);
    counted.says("fact nodes").says("--declare-public nodes");
    home.veil(&format!("{} --declare-public nodes", OWNER.replace("graph", "counted"))).succeeds();
}

/// What public facts say against the edges is said before the charge.
#[test]
fn edges_that_cannot_help_are_named_before_they_are_paid_for() {
    let home = World::with_graph("citation --nodes 1000");
    home.veil("ledger init book.db --budget edge=1").succeeds();
    let train =
        "train graph --method dpgcn --epsilon-edges 2 --epochs 2 --split 0.5,0.25,0.25 --ledger book.db --out run";
    // The charge fails, and the note was there before.
    let said = home.veil(train).fails_with(1).says("over budget");
    said.says("THE EDGES ARE NOT EXPECTED TO HELP at ε = 2").says("unless the mean degree is above 119");
    home.write("sweep.toml", "data = \"g\"\nseeds = 1\n[parameters]\nepochs = 2\n[[cases]]\nname = \"d\"\nmethod = \"dpgcn\"\nepsilon-edges = 2\n");
    let swept = home.veil("lab sweep sweep.toml --data g=graph --out sweep").succeeds().stderr();
    assert!(swept.contains("1 of 1 runs, for example: THE EDGES"), "{swept}");
}

#[test]
fn a_statement_and_a_ledger_say_what_epsilon_means() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=4").succeeds();
    home.veil("train graph --method lpgnet --epsilon-edges 2 --epochs 2 --ledger book.db --out run").succeeds();
    let statement = world::text(&home, "run/privacy.md");
    for part in ["## What ε means", "| edge | 2 | 7.39 | 76.2 % | 7.4 % | 0.1 % → 0.8 % |", "assumed that 0.1 %"] {
        assert!(statement.contains(part), "{part:?} is missing in\n{statement}");
    }
    let machine = world::json(&home, "run/privacy.json");
    let edge = machine["guarantees"].as_array().unwrap().last().unwrap()["meaning"][0].clone();
    assert!((edge["odds"].as_f64().unwrap() - 2_f64.exp()).abs() < 1e-9, "{edge}");
    let book = home.veil("ledger show book.db").succeeds();
    book.says("edge, spent").says("edge, budget");
    let shown = home.shown("ledger show book.db");
    assert_eq!(shown["meaning"].as_array().unwrap().len(), 2, "{shown}");
    home.veil("ledger init other.db --budget edges=4").fails_with(2).says("whether one undirected edge exists");
    home.veil("ledger init --help").succeeds().says("whether one undirected edge exists");
}
