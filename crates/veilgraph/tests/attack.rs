//! Stories about `veil attack`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::Value;
use world::{World, text};

/// A model of the open graph: there is something to find.
fn with_a_model() -> World {
    let home = World::with_citation_graph();
    let open = "train graph --method gnn --recipe graph-privatizer --epsilon-features inf --epsilon-labels inf --kx 2 --epochs 30 --seed 1";
    home.veil(&format!("{open} --out run")).succeeds();
    home
}

fn number(shown: &Value, key: &str) -> f64 {
    assert!(shown[key].is_number(), "{key} is missing in {shown}");
    shown[key].as_f64().unwrap()
}

#[test]
fn linkteller_finds_edges_in_a_model_that_was_trained_on_them_and_none_in_its_twin() {
    let home = with_a_model();
    let attack = |flags: &str| home.shown(&format!("attack linkteller run --truth graph {flags}"));
    let exact = attack("");
    assert_eq!((exact["surface"].as_str(), exact["influence"].as_str()), (Some("pipeline"), Some("exact")));
    assert_eq!(exact["weights"], "chosen");
    assert!(number(&exact, "auc") > 0.9, "{exact}");
    // Who never heard its neighbours is not influenced by them.
    assert_eq!(number(&exact, "auc_edge_free"), 0.5);
    assert_eq!((exact["pairs"].as_u64(), exact["edges"].as_u64()), (Some(1000), Some(500)));
    let interval = exact["auc_ci"].as_array().unwrap();
    assert!(
        interval[0].as_f64().unwrap() <= number(&exact, "auc")
            && number(&exact, "auc") <= interval[1].as_f64().unwrap()
    );
    for key in ["average_precision", "precision", "recall", "seconds"] {
        number(&exact, key);
    }
    for rate in ["0.001", "0.01"] {
        number(&exact["tpr_at_fpr"], rate);
    }
    let same = attack("");
    assert_eq!((&same["auc"], &same["auc_ci"]), (&exact["auc"], &exact["auc_ci"]), "the same pairs, the same answer");
    let difference = attack("--influence difference");
    assert!((number(&difference, "auc") - number(&exact, "auc")).abs() < 0.01, "{difference}");
    let model = attack("--surface model");
    let last = attack("--weights last");
    assert_eq!((model["surface"].as_str(), last["weights"].as_str()), (Some("model"), Some("last")));
    for other in [&model, &last] {
        assert!(number(other, "auc") > 0.8 && other["auc"] != exact["auc"], "{other}");
    }
    assert_ne!(attack("--seed 2")["auc"], exact["auc"], "other pairs");
    home.veil("attack linkteller run --truth graph").succeeds().says_all(&[
        "edge-free twin",
        "TPR at 0.1 %, 1 % FPR",
        "its AUC is homophily, not leakage",
        "An AUC is no test of an ε",
    ]);
}

#[test]
fn link_stealing_is_the_same_on_a_run_and_on_its_posteriors() {
    let home = with_a_model();
    let attack = |what: &str| home.shown(&format!("attack lsa {what} --truth graph"));
    let (run, table) = (attack("run"), attack("--posteriors run/predictions.csv"));
    assert_eq!(run["auc"], table["auc"]);
    assert!(number(&run, "auc") > 0.8, "{run}");
    assert!(run["auc_edge_free"].is_number() && table["auc_edge_free"].is_null());
    let said = home.veil("attack lsa --posteriors run/predictions.csv --truth graph").succeeds();
    let said = said.says("requires a run folder");
    assert!(!said.stdout().contains("homophily"), "there is no twin");
    // Without the column of classes, and in another order, it is the same table.
    let table_of_run = text(&home, "run/predictions.csv");
    let without = |line: &str| {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields.remove(1);
        fields.join(",")
    };
    let mut lines: Vec<String> = table_of_run.lines().map(without).collect();
    lines[1..].reverse();
    home.write("theirs.csv", lines.join("\n"));
    assert_eq!(attack("--posteriors theirs.csv")["auc"], table["auc"]);
    for metric in ["cosine", "euclidean", "chebyshev", "braycurtis", "canberra", "cityblock", "sqeuclidean"] {
        let shown = attack(&format!("run --metric {metric}"));
        assert_eq!(shown["metric"], metric);
        assert!(number(&shown, "auc") > 0.7, "{shown}");
    }
    assert!(number(&attack("run --softmax-twice"), "auc") > 0.7);
}

#[test]
fn posteriors_that_cannot_be_read_are_named_with_their_line() {
    let home = World::with_citation_graph();
    for (content, says) in [
        ("", "theirs.csv, line 1"),
        ("node\n0\n", "theirs.csv, line 1"),
        ("node,0,1\n0,0.5,0.5\n1,x,0.5\n", "line 3: \"x\""),
        ("node,0,1\n0,0.5,0.5\n1,NaN,0.5\n", "line 3: \"NaN\""),
        ("node,0,1\n0,0.5\n", "line 2: 1 numbers for 2 classes"),
        ("node,0,1\nzero,0.5,0.5\n", "line 2"),
        ("node,0,1\n0,0.5,0.5\n\n2,0.5,0.5\n", "line 4: node 2"),
        ("node,0,1\n0,0.5,0.5\n0,0.5,0.5\n", "line 3: node 0"),
    ] {
        home.write("theirs.csv", content);
        home.veil("attack lsa --posteriors theirs.csv --truth graph").fails_with(1).says(says);
    }
    home.write("theirs.csv", "node,0,1\n0,0.5,0.5\n1,0.5,0.5\n");
    home.veil("attack lsa --posteriors theirs.csv --truth graph").fails_with(1).says("300 nodes");
    home.veil("attack lsa --posteriors missing.csv --truth graph").fails_with(1).says("missing.csv");
    home.veil("attack lsa --truth graph").fails_with(2).says("<RUN>");
}

#[test]
fn pairs_are_drawn_as_asked() {
    let home = with_a_model();
    let attack = |flags: &str| home.shown(&format!("attack linkteller run --truth graph {flags}"));
    let few = attack("--pairs 50");
    assert_eq!((few["pairs"].as_u64(), few["edges"].as_u64()), (Some(100), Some(50)));
    let mut edges = Vec::new();
    for sample in ["unbalanced", "low-degree", "high-degree"] {
        let shown = attack(&format!("--sample {sample} --nodes 120"));
        assert_eq!(shown["pairs"], 120 * 119 / 2);
        edges.push(shown["edges"].as_u64().unwrap());
    }
    assert!(edges[1] < edges[0] && edges[0] < edges[2], "{edges:?}");
    let all = attack("--pairs 50 --belief 1");
    assert_eq!((number(&all, "recall"), number(&all, "precision")), (1.0, 0.5));
}

#[test]
fn attacks_that_make_no_sense_are_refused() {
    let home = with_a_model();
    home.veil("data generate citation --nodes 200 --seed 1 --out other").succeeds();
    for attack in ["linkteller run", "lsa run", "lsa --posteriors run/predictions.csv"] {
        home.veil(&format!("attack {attack} --truth other")).fails_with(1).says("200 nodes, but the run has 300");
        for belief in ["1.5", "-0.1", "NaN"] {
            home.veil(&format!("attack {attack} --truth graph --belief {belief}")).fails_with(2).says(belief);
        }
        home.veil(&format!("attack {attack} --truth graph --pairs 0")).fails_with(2).says("0 pairs");
        home.veil(&format!("attack {attack} --truth nowhere")).fails_with(1).says("nowhere");
    }
    home.veil("attack linkteller run --truth graph --influence difference --step 0").fails_with(2).says("step");
    home.refuses(2, "attack linkteller run --truth graph --step 0.1", "step requires influence = difference");
    for attack in ["linkteller run", "lsa run"] {
        let attack = format!("attack {attack} --truth");
        home.veil(&format!("{attack} graph --nodes 50")).fails_with(2).says("nodes requires sample = ");
        home.refuses(2, &format!("{attack} graph --sample low-degree --pairs 50"), "pairs requires sample = balanced");
        let released = home.released("run");
        home.veil(&format!("{attack} {released}")).fails_with(2).says(&format!("{released} is a release"));
    }
    let theirs = "attack lsa --posteriors run/predictions.csv --truth graph";
    home.veil(&format!("{theirs} --weights chosen")).fails_with(2).says("--weights");
    home.veil(&format!("{theirs} --surface model")).fails_with(2).says("--surface");
    home.veil("attack linkteller graph --truth graph").fails_with(1).says("not a run folder");
    home.veil("attack lsa run --truth graph --metric banana").fails_with(2).says("banana");
}

#[test]
fn degree_vectors_answer_without_hearing_anybody() {
    let home = World::with_citation_graph();
    let train = "train graph --method degree-vectors --epsilon-edges 8 --epsilon-labels 3 --epochs 20 --seed 1";
    home.veil(&format!("{train} --epsilon-features 3 --rounds 2 --out run"))
        .succeeds()
        .says("degree-vectors: stack of 2 mlps trained on citation");
    let attack = |what: &str| home.shown(&format!("attack {what} --truth graph"));
    for influence in ["exact", "difference"] {
        let shown = attack(&format!("linkteller run --influence {influence}"));
        assert_eq!((number(&shown, "auc"), number(&shown, "auc_edge_free")), (0.5, 0.5), "{influence}");
    }
    assert!(attack("lsa run")["auc_edge_free"].is_number());
    let (chosen, last) = (attack("lsa run"), attack("lsa run --weights last"));
    assert_ne!(last["auc"], chosen["auc"]);
    assert_eq!(chosen["edge_free_reads_features"], true);
    home.veil(&format!("{train} --out alone")).succeeds().says("degree-vectors: mlp trained on citation");
    // Without features a twin sees nothing of a node, so it says the same of all: no floor.
    let alone = attack("lsa alone");
    assert_eq!((number(&alone, "auc_edge_free"), &alone["edge_free_reads_features"]), (0.5, &false.into()));
    let said = home.veil("attack lsa alone --truth graph").succeeds().says("0.500 (it reads no features)");
    assert!(!said.stdout().contains("homophily"));
}
