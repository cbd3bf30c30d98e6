//! Stories about the owner of a graph: `veil train --method`, what it promises, and what a ledger
//! shows of it.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::{Value, json};
use veil_learn::method::{Entry, entries as entries_of_registry};
use veil_privacy::{Trust, Unit};
use world::{World, assert_classes, assert_same_run, entries, json as read, spent, text};

/// Short, because what is learned does not matter here.
const SHORT: &str = "--hidden 16 --epochs 5";

/// What is promised about edges: (unit, ε, trust, status, mechanism).
fn of_edges(shown: &Value) -> Value {
    let guarantees = shown["guarantees"].as_array().unwrap().iter();
    let of_edges = guarantees.filter(|guarantee| guarantee["unit"].as_str().unwrap().starts_with("edge"));
    of_edges.map(|it| json!([it["unit"], it["epsilon"], it["trust"], it["status"], it["mechanism"]])).collect()
}

#[test]
fn every_method_promises_what_it_keeps_and_repeats_itself_on_any_number_of_threads() {
    let home = World::with_citation_graph();
    let proven = |mechanism: &str| json!([["edge", 4, "central", "proven", mechanism]]);
    for (place, (method, promised)) in [
        ("mlp", json!([])),
        ("gnn", json!([["edge", "inf", "central", "none", "none"]])),
        ("dpgcn --epsilon-edges 4", proven("lapgraph")),
        ("dpgcn --graph edgerand --epsilon-edges 4", proven("edgerand")),
        ("lpgnet --stages 2 --epsilon-edges 4", proven("degree-vectors")),
        ("lpgnet --readout bayes --epsilon-edges 4", proven("degree-vectors")),
    ]
    .into_iter()
    .enumerate()
    {
        let [one, two] = ["one", "two"].map(|name| format!("{name}{place}"));
        let train = |threads, out: &str| {
            let words = format!("train graph --method {method} {SHORT} --seed 1 --out {out} --json");
            home.veil_on_threads(threads, &words).succeeds().json()
        };
        let shown = train(1, &one);
        assert_eq!(of_edges(&shown), promised, "{method}");
        let name = method.split(' ').next().unwrap();
        assert_eq!(shown["method"], name);
        train(2, &two);
        assert_same_run(&home, &one, &two);

        let predicted = home.shown(&format!("predict {one}"));
        assert_classes(&predicted, &home, &one);
        let auc = |attack: &str| {
            home.shown(&format!("attack {attack} {one} --truth graph --pairs 200"))["auc"].as_f64().unwrap()
        };
        let found = auc("linkteller");
        match name {
            "gnn" => assert!(found > 0.9, "{found}"),
            "dpgcn" => assert!(found > 0.5, "{found}: released edges are heard, and some of them are true"),
            // Whoever asks cannot move a neighbour's answer: counts are kept, not counted again.
            _ => assert_eq!(found, 0.5, "{method}"),
        }
        assert!((0.0..=1.0).contains(&auc("lsa")), "{method}");
    }
}

#[test]
fn edges_as_they_are_are_said_loudly_and_unused_ones_are_withheld() {
    let home = World::with_citation_graph();
    let loud = "NOT PRIVATISED (edge)";
    home.veil(&format!("train graph --method gnn {SHORT} --out gnn")).succeeds().says(loud);
    assert!(text(&home, "gnn/privacy.md").contains("**Not privatised.** Each single edge"));
    // An infinite ε is allowed, and is the same promise: none.
    for method in ["dpgcn", "lpgnet"] {
        let words = format!("train graph --method {method} --epsilon-edges inf {SHORT} --out {method}");
        home.veil(&words).succeeds().says(loud);
        let statement = read(&home, &format!("{method}/privacy.json"));
        let edge = statement["guarantees"].as_array().unwrap().iter().find(|it| it["unit"] == "edge").unwrap();
        assert_eq!((&edge["status"], &edge["epsilon"]), (&json!("none"), &json!("inf")), "{method}");
    }
    let said = home.veil(&format!("train graph --method mlp {SHORT} --out mlp")).succeeds().stdout();
    assert!(!said.contains(loud), "{said}");
    assert!(!home.path("mlp/owner/released/edges.csv").exists());
    assert!(text(&home, "mlp/privacy.md").contains("- the edges\n"));
}

#[test]
fn every_stage_of_lpgnet_has_its_network_and_its_counts() {
    let home = World::with_citation_graph();
    for stages in 1..=3 {
        let out = format!("run{stages}");
        let shown =
            home.shown(&format!("train graph --method lpgnet --stages {stages} --epsilon-edges 3 {SHORT} --out {out}"));
        assert_eq!(of_edges(&shown), json!([["edge", 3, "central", "proven", "degree-vectors"]]));
        let record = read(&home, &format!("{out}/run.json"));
        assert_eq!((&record["parameters"]["stages"], &record["stages"]), (&json!(stages), &json!(stages + 1)));
        let table = text(&home, &format!("{}/degree-vectors.csv", home.released(&out)));
        assert!(table.starts_with("round,node,0,1,2,3,4,5,6\n"), "one cluster for each class");
        let rounds = table.lines().skip(1).map(|line| line.split(',').next().unwrap().parse::<usize>().unwrap());
        assert!(rounds.eq((0..stages).flat_map(|round| [round; 300])), "{stages} rounds of 300 nodes");
        let networks = home.list(&out).into_iter().filter(|file| file.starts_with("stage-"));
        assert!(networks.eq((0..stages).map(|stage| format!("stage-{stage}.safetensors"))), "{:?}", home.list(&out));
    }
}

#[test]
fn bayes_rule_is_kept_with_the_run_and_chooses_rounds_by_epsilon_alone() {
    let home = World::with_citation_graph();
    for (place, (flags, rounds)) in
        [("--epsilon-edges 5.9", 1), ("--epsilon-edges 6", 2), ("--epsilon-edges 6 --stages 1", 1)]
            .into_iter()
            .enumerate()
    {
        let out = format!("run{place}");
        home.veil(&format!("train graph --method lpgnet --readout bayes {flags} {SHORT} --out {out}")).succeeds();
        let parameters = &read(&home, &format!("{out}/run.json"))["parameters"];
        assert_eq!((&parameters["stages"], &parameters["readout"]), (&json!(rounds), &json!("bayes")), "{flags}");
        assert_eq!(
            text(&home, &format!("{}/degree-vectors.csv", home.released(&out))).lines().count(),
            1 + rounds * 300
        );
        assert_eq!(read(&home, &format!("{out}/readout.json"))["rounds"].as_array().unwrap().len(), rounds);
        // What is answered after reading is what was answered after training, to the last digit.
        let predicted = home.shown(&format!("predict {out}"));
        let table = text(&home, &format!("{out}/predictions.csv"));
        let written = table.lines().skip(1).map(|line| line.split(',').skip(2).map(|it| it.parse::<f32>().unwrap()));
        for (answer, row) in predicted.as_array().unwrap().iter().zip(written) {
            let again = answer["posterior"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap() as f32);
            assert!(again.eq(row), "{out}: {answer}");
        }
    }
    home.veil(&format!("train graph --method lpgnet --epsilon-edges 6 {SHORT} --out network")).succeeds();
    assert!(!home.path("network/readout.json").exists());
    assert_eq!(read(&home, "network/run.json")["parameters"]["stages"], 1, "as published, unless it is said otherwise");
}

#[test]
fn what_a_model_needs_besides_networks_is_missed_and_checked() {
    let home = World::with_citation_graph();
    let train = |flags: &str, out: &str| {
        home.veil(&format!("train graph --method lpgnet --epsilon-edges 6 {flags} {SHORT} --out {out}")).succeeds();
    };
    train("--readout bayes", "bayes");
    train("--scale standard", "standard");
    let broken = |file: &str, change: &dyn Fn(&mut Value)| {
        let whole = home.read(file);
        let mut value = read(&home, file);
        change(&mut value);
        home.write(file, value.to_string());
        let said = home.veil(&format!("predict {}", file.split('/').next().unwrap())).fails_with(1);
        home.write(file, whole);
        said
    };
    let bayes = "bayes/readout.json";
    broken(bayes, &|it| *it = json!({})).says("bayes/readout.json").says("expected 2 rounds");
    broken(bayes, &|it| it["rounds"][0]["means"][0][0] = json!(0)).says("bayes/readout.json").says("means above 0");
    broken(bayes, &|it| drop(it["rounds"][1]["means"].as_array_mut().unwrap().pop())).says("7 classes");
    broken(bayes, &|it| drop(it["rounds"].as_array_mut().unwrap().pop())).says("expected 2 rounds");
    let moments = "standard/moments.json";
    broken(moments, &|it| *it = json!({})).says("standard/moments.json").says("mean");
    for row in ["mean", "deviation"] {
        broken(moments, &|it| drop(it[row].as_array_mut().unwrap().pop())).says("1432");
    }
    for file in [bayes, moments] {
        let run = file.split('/').next().unwrap();
        home.veil(&format!("predict {run}")).succeeds();
        home.write(file, "{");
        home.veil(&format!("predict {run}")).fails_with(1).says(file);
        // Without it the networks would answer something else, and nobody would know.
        std::fs::remove_file(home.path(file)).unwrap();
        home.veil(&format!("predict {run}")).fails_with(1).says(file);
    }
}

#[test]
fn without_validation_nodes_a_network_keeps_its_last_epoch_and_bayes_rule_is_refused() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=10").succeeds();
    let train = format!("train graph --method lpgnet --epsilon-edges 2 {SHORT} --ledger book.db");
    for split in ["0.5,0,0.5", "all"] {
        home.veil(&format!("{train} --split {split} --readout bayes --out bayes"))
            .fails_with(2)
            .says("requires validation nodes with labels");
    }
    assert_eq!((entries(&home, "book.db"), home.path("bayes").exists()), (0, false));
    for (split, out) in [("0.5,0,0.5", "halves"), ("all", "all")] {
        let shown = home.shown(&format!("{train} --split {split} --out {out}"));
        assert_eq!((&shown["parameters"]["select"], &shown["best_epoch"]), (&json!("last"), &json!(4)), "{out}");
        assert!(shown["validation_accuracy"].is_null(), "{out}");
        assert_eq!(shown["test_accuracy"].is_null(), out == "all", "with everyone in training nobody tests");
    }
}

#[test]
fn a_ledger_pays_for_a_training_once_and_for_another_graph_again() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 200 --seed 2 --out other").succeeds();
    home.veil("ledger init book.db --budget edge=10").succeeds();
    let spent = || spent(&home, "book.db", "edge");
    home.veil(&format!("train graph --method lpgnet --epsilon-edges 4 {SHORT} --ledger book.db --out run")).succeeds();
    assert_eq!(spent(), 4);
    home.veil("predict run").succeeds();
    home.veil("attack lsa run --truth graph --pairs 100").succeeds();
    assert_eq!(spent(), 4);

    let files = home.list("run");
    home.refuses(1, "predict run --data other --epsilon-edges 7 --ledger book.db", "edge: asked 7, spent 4, left 6");
    assert_eq!((spent(), home.list("run")), (json!(4), files), "nothing is charged and nothing is left behind");
    let shown = home.shown("predict run --data other --epsilon-edges 2 --ledger book.db");
    assert_eq!(of_edges(&shown), json!([["edge", 2, "central", "proven", "degree-vectors"]]));
    assert_eq!((spent(), &shown["out"]), (json!(6), &json!("run/inference/citation")));

    // The answers are a run: it answers again for nothing.
    let again = home.shown("predict run/inference/citation");
    assert_classes(&again, &home, "run/inference/citation");
    assert_eq!(again.as_array().unwrap().len(), 200);
    let record = read(&home, "run/inference/citation/run.json");
    assert_eq!((&record["trained_on"], &record["parameters"]["epsilon-edges"]), (&json!("citation"), &json!(2)));
    for (attack, auc) in [("linkteller", Some(0.5)), ("lsa", None)] {
        let found = home.shown(&format!("attack {attack} run/inference/citation --truth other --pairs 100"));
        assert!(auc.is_none_or(|auc| found["auc"] == auc) && found["auc"].is_number(), "{found}");
        assert!(found["auc_edge_free"].is_number(), "LPGNet's first network reads no edge: {found}");
    }
    home.veil("predict run --data other --epsilon-edges 2 --ledger book.db")
        .fails_with(2)
        .says_all(&["veil predict run/inference/citation", "--out"]);
    assert_eq!(spent(), 6);
    // Without an ε of its own it costs what training did, and elsewhere one may pay once more.
    let elsewhere = "predict run --data other --ledger book.db --out elsewhere";
    home.veil(elsewhere).fails_with(2).says("--repeat-nodes");
    home.veil(&format!("{elsewhere} --repeat-nodes")).succeeds();
    assert_eq!(spent(), 10);
    let more = "predict run --data other --repeat-nodes --epsilon-edges 0.1 --ledger book.db --out more";
    home.veil(more).fails_with(1).says("left 0");
    assert!(!home.path("more").exists());
    home.veil("predict elsewhere").succeeds();
}

#[test]
fn a_ledger_that_keeps_features_does_not_let_a_method_take_them_as_public() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=10 --budget feature=3").succeeds();
    let train = format!("train graph --method lpgnet --epsilon-edges 4 {SHORT} --ledger book.db --out run");
    home.veil(&train).fails_with(1).says("for feature is not proven (status none)").says("--accept none");
    assert_eq!((entries(&home, "book.db"), home.path("run").exists()), (0, false));
    home.veil(&format!("{train} --accept none")).succeeds();
    assert_eq!([spent(&home, "book.db", "edge"), spent(&home, "book.db", "feature")], [json!(4), json!("unbounded")]);
    // Features may be reported with noise, too.
    home.veil("ledger init careful.db --budget edge=10 --budget feature=3").succeeds();
    let train = train.replace("book.db", "careful.db").replace("--out run", "--epsilon-features 3 --out reports");
    home.veil(&train).succeeds();
    assert_eq!([spent(&home, "careful.db", "edge"), spent(&home, "careful.db", "feature")], [json!(4), json!(3)]);
}

#[test]
fn raw_edges_are_not_paid_for_unless_that_is_accepted_and_no_edges_cost_nothing() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=1").succeeds();
    home.veil(&format!("train graph --method mlp {SHORT} --ledger book.db --out mlp")).succeeds();
    assert_eq!(spent(&home, "book.db", "edge"), 0);
    let gnn = format!("train graph --method gnn {SHORT} --ledger book.db --out gnn");
    home.veil(&gnn).fails_with(1).says("for edge is not proven (status none)").says("--accept none");
    assert_eq!((spent(&home, "book.db", "edge"), home.path("gnn").exists()), (json!(0), false));
    home.veil(&format!("{gnn} --accept none")).succeeds();
    assert_eq!(spent(&home, "book.db", "edge"), "unbounded");
}

#[test]
fn wrong_usage_is_told_what_to_do_and_charges_nothing() {
    let home = World::with_citation_graph();
    home.veil("data generate bipartite --nodes 100 --seed 1 --out other").succeeds();
    home.veil("data generate citation --nodes 100 --seed 1 --out more").succeeds();
    home.veil("privatize graph --method dpgcn --epsilon-edges 2 --out released").succeeds();
    home.veil("ledger init book.db --budget edge=10").succeeds();
    let before = home.list(".");
    let train = |flags: &str| home.veil(&format!("train graph {flags} {SHORT} --ledger book.db --out run"));
    for (flags, says) in [
        ("--method nonsense", "mlp, edge-free, gnn, dpgcn, lpgnet, cascade"),
        ("--epsilon-edges 1", "--method is required"),
        ("--method lpgnet --unit edge-bit --epsilon-edges 1", "only degree-vectors reads it"),
        ("--method mlp --model gcn", "model is not a parameter of mlp"),
        ("--method mlp --epsilon-edges 1", "epsilon-edges is not a parameter of mlp"),
        ("--method gnn --epsilon-edges 1", "epsilon-edges is not a parameter of gnn"),
        ("--method dpgcn", "requires epsilon-edges"),
        ("--method lpgnet", "requires epsilon-edges"),
        ("--method lpgnet --epsilon-edges 1 --stages 0", "at least one round"),
        ("--method lpgnet --epsilon-edges 1 --stages 101", "at most 100"),
        ("--method lpgnet --epsilon-edges 1 --evolving", "requires --inference-data or --validation-data"),
        ("--method dpgcn --epsilon-edges 1 --epsilon-count 1", "lower epsilon-count"),
        ("--method dpgcn --epsilon-edges 1 --epsilon-count 0.000000001 --max-edges 1000", "raise max-edges"),
        ("--method dpgcn --graph edgerand --epsilon-edges 1 --max-edges 10", "raise max-edges"),
        ("--method lpgnet --epsilon-edges 1 --scale standard --epsilon-features 3", "scale = standard requires"),
        ("--method lpgnet --epsilon-edges 1 --scale minmax --inference-data more", "use rows, standard or none"),
        ("--method lpgnet --epsilon-edges 1 --readout banana", "network, bayes"),
        ("--method lpgnet --epsilon-edges 1 --truth graph", "--truth requires a release"),
        ("--method dpgcn --epsilon-edges 1 --inference-data released", "released is a release"),
        ("--method dpgcn --epsilon-edges 1 --validation-data released", "released is a release"),
    ] {
        train(flags).fails_with(2).says(says);
    }
    let lpgnet = "--method lpgnet --epsilon-edges 1";
    train(&format!("{lpgnet} --inference-data other")).fails_with(1).says("200 features, but the model reads 1433");
    train(&format!("{lpgnet} --validation-data other")).fails_with(2).says("does not fit citation as its validation");
    home.refuses(2, "privatize graph --method lpgnet --epsilon-edges 1 --epsilon-labels inf --out run", "veil train");
    home.veil("train released --method dpgcn --inference-data more --out run").fails_with(2).says("raw data");
    assert_eq!(home.list("."), before);

    home.veil(&format!("train graph {lpgnet} {SHORT} --out run")).succeeds();
    let files = home.list("run");
    for (flags, code, says) in [
        ("--ledger book.db", 2, "--data"),
        ("--epsilon-edges 2", 2, "--data"),
        ("--data released --ledger book.db", 2, "released is a release: raw data are needed"),
        ("--data other --ledger book.db", 1, "200 features, but the model reads 1433"),
        ("--data nowhere --ledger book.db", 1, "nowhere"),
    ] {
        home.veil(&format!("predict run {flags}")).fails_with(code).says(says);
    }
    assert_eq!((home.list("run"), entries(&home, "book.db")), (files, 0));
}

/// Without homophily, and with features that say little, counts of neighbours tell; where noise
/// drowns them, Bayes' rule answers as if there were no edges.
#[test]
fn counts_help_where_features_do_not_and_are_left_alone_where_noise_drowns_them() {
    let home = World::with_graph("bipartite --nodes 1000");
    let accuracy = |method: &str, out: &str| {
        home.shown(&format!("train graph --method {method} --hidden 16 --epochs 100 --seed 1 --out {out}"))["test_accuracy"].as_f64().unwrap()
    };
    let floor = accuracy("mlp", "mlp");
    assert!(accuracy("lpgnet --epsilon-edges 4", "network") > floor + 0.05);
    assert!(accuracy("lpgnet --epsilon-edges 4 --readout bayes", "bayes") > floor + 0.05);
    accuracy("lpgnet --epsilon-edges 0.05 --readout bayes", "drowned");
    assert_eq!(read(&home, "drowned/readout.json")["rounds"][0]["weight"], 0.0);
    let classes = |run: &str| -> Vec<String> {
        let table = text(&home, &format!("{run}/predictions.csv"));
        table.lines().map(|line| line.split(',').nth(1).unwrap().to_owned()).collect()
    };
    assert_eq!(classes("drowned"), classes("mlp"));
}

/// What a method releases about edges is charged once and read again; with its rows, predictions
/// cost nothing more. A statement that was edited is refused.
#[test]
fn every_method_about_edges_is_charged_published_and_read_again() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 300 --seed 9 --out other").succeeds();
    let of_owner = |it: &&Entry| it.trust == Trust::Central && it.unit == Some(Unit::Edge);
    let entries: Vec<&Entry> = entries_of_registry().iter().filter(of_owner).collect();
    assert!(entries.len() >= 6, "{entries:?}");
    for Entry { name, .. } in &entries {
        home.veil(&format!("ledger init {name}.db --budget edge=2,0.0001")).succeeds();
        let train = format!("train graph --method {name} --epsilon-edges 2 --split 0.5,0.25,0.25 --epochs 20");
        let train = format!("{train} --hidden 8 --ledger {name}.db");
        home.veil(&format!("{train} --out {name}")).succeeds().says("proven");
        assert_eq!(spent(&home, &format!("{name}.db"), "edge").as_f64(), Some(2.0), "{name}");
        home.veil(&format!("{train} --out again")).fails_with(1).says("over budget");
        home.veil(&format!("predict {name}")).succeeds();
        home.veil(&format!("publish {name} --declare-public features,labels --out out-{name}")).succeeds();
        // The statement names the method's own mechanism.
        let statement = read(&home, &format!("{name}/owner/released/privacy.json"));
        let mechanism = of_edges(&statement)[0][4].as_str().unwrap().to_owned();
        home.veil(&format!("verify out-{name}")).succeeds().says(&mechanism);
        // The same networks ask for what they need of another graph.
        home.veil(&format!("predict {name} --data other --repeat-nodes --out other-{name}")).succeeds();
        // Neither the promise nor the parameters from which it follows can be edited, even where
        // nothing else shows a change.
        let edited = format!("{name}/owner/released/privacy.json");
        for beside in ["privacy.md", "digests.json"] {
            std::fs::remove_file(home.path(&format!("{name}/owner/released/{beside}"))).unwrap();
        }
        let whole = text(&home, &edited);
        let (promise, less) = ("\"epsilon\": 2,", "\"epsilon\": 1,");
        assert!(whole.contains(promise), "{name}: {whole}");
        home.write(&edited, whole.replace(promise, less));
        home.veil(&format!("predict {name}")).fails_with(1).says("but the statement promises");
    }
}

/// Hops share ε and δ.
#[test]
fn gap_and_its_relatives_are_charged_with_delta() {
    let home = World::with_citation_graph();
    for method in ["gap", "progap", "dpdgc"] {
        let train = format!("train graph --method {method} --epsilon-edges 2 --split 0.5,0.25,0.25 --epochs 2");
        home.veil(&format!("{train} --delta 2 --out r")).fails_with(2).says("delta");
        home.veil(&format!("{train} --out {method}")).succeeds().says("proven");
        let statement = read(&home, &format!("{method}/privacy.json"));
        assert_eq!(of_edges(&statement)[0][4], "neighbour-sums");
        // Rows without a statement about them are refused.
        let statement = text(&home, &format!("{method}/owner/released/privacy.json"));
        let hops = if statement.contains("\"hops\": \"2\"") { "2" } else { "1" };
        let edited = statement.replace(&format!("\"hops\": \"{hops}\""), "\"hops\": \"3\"");
        home.write(&format!("{method}/owner/released/privacy.json"), edited);
        home.veil(&format!("predict {method}")).fails_with(1);
    }
}

/// From the owner's graph to a folder that may be handed over.
#[test]
fn a_cascade_is_trained_published_and_costs_epsilon_once() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget edge=1").succeeds();
    let train = "train graph --method cascade --epsilon-edges 1 --split 0.5,0.25,0.25 --epochs 20 --ledger book.db";
    // Refused before anything is charged.
    home.veil("privatize graph --method cascade --epsilon-edges 1 --ledger book.db --out r")
        .fails_with(2)
        .says("need a training");
    home.veil(&format!("{train} --batches 100 --split 0.9,0.05,0.05 --out r").replace("--split 0.5,0.25,0.25 ", ""))
        .fails_with(2)
        .says("100 batches require at least as many non-training nodes");
    assert_eq!((entries(&home, "book.db"), home.path("r").exists()), (0, false));
    // Three batches cost ε once.
    home.veil(&format!("{train} --batches 3 --out run")).succeeds().says("proven");
    assert_eq!(spent(&home, "book.db", "edge").as_f64(), Some(1.0));
    home.veil(&format!("{train} --out again")).fails_with(1).says("over budget");
    home.veil("publish run --declare-public features,labels --out out").succeeds();
    home.veil("verify out").succeeds().says("cascade");
    assert_eq!(home.read("out/answers.csv"), home.read("run/predictions.csv"));
    // Rows without a statement about them are refused.
    let statement = home.read("run/owner/released/privacy.json");
    let edited = String::from_utf8(statement).unwrap().replace("\"batches\": \"3\"", "\"batches\": \"2\"");
    home.write("run/owner/released/privacy.json", edited);
    home.veil("predict run").fails_with(1);
}
