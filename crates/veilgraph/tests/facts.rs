//! A fact is declared public by name, given, or equal in all adjacent inputs: there is no third
//! way, and nothing is charged without one.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use world::{World, json, text};

const MISSING: i32 = 2;

/// Thirty users with a few words each; user 0 alone may have the last one. Numbers in `meta`.
fn with_words(meta: &str, last_word: bool) -> World {
    let home = World::new();
    let mut files = ["src,dst\n", "node,feature,value\n", "node,label\n", "node,split\n"].map(str::to_owned);
    for node in 0..30 {
        files[0] += &format!("{node},{}\n", (node + 2) % 30);
        files[1] += &format!("{node},{},1\n", node % 3);
        files[2] += &format!("{node},{}\n", node % 2);
        files[3] += &format!("{node},{}\n", ["train", "train", "val", "test", "test", "test"][node % 6]);
    }
    if last_word {
        files[1] += "0,8,1\n";
    }
    for (name, content) in ["edges", "features", "labels", "splits"].iter().zip(&files) {
        home.write(&format!("graph/{name}.csv"), content);
    }
    home.write("graph/meta.json", meta);
    home
}

const GIVEN: &str = r#"{"nodes": 30, "features": 9, "classes": 2}"#;

/// The first paragraph of a statement.
fn first_paragraph(home: &World, out: &str) -> String {
    text(home, &format!("{out}/privacy.md")).split("\n\n").nth(1).unwrap().to_owned()
}

/// The number of dimensions in a statement.
fn dimensions(home: &World, out: &str) -> String {
    json(home, &format!("{out}/privacy.json"))["guarantees"][0]["parameters"]["dimensions"].as_str().unwrap().to_owned()
}

/// Scaling by the data drops constant columns: a word that only user 0 has is in the statement with
/// probability 1. So it needs that columns are public, and the statement says who said so.
#[test]
fn one_word_of_one_user_is_not_in_a_proven_statement() {
    let worlds = [true, false].map(|word| with_words(GIVEN, word));
    let train =
        "train graph --method gnn --recipe graph-privatizer --epsilon-features 3 --epsilon-labels inf --epochs 2";
    for home in &worlds {
        home.veil("ledger init book.db --budget feature=9").succeeds();
        let refused = home.veil(&format!("{train} --scale minmax --accept none --ledger book.db --out run"));
        let refused = refused.fails_with(MISSING).says("fact columns").says("one user's features can change them");
        refused.says("unit feature").says("--range").says("--declare-public columns");
        // Nor is the range taken from the data by default.
        home.veil(&format!("{train} --accept none --ledger book.db --out run"))
            .fails_with(MISSING)
            .says("fact columns");
        assert_eq!(home.list("."), ["book.db", "graph"]);
        let book = home.veil("ledger show book.db --json").succeeds().json();
        assert!(book["entries"].as_array().unwrap().is_empty(), "{book}");
        home.veil(&format!("{train} --range 0,1 --out given")).succeeds();
        home.veil(&format!("{train} --scale minmax --declare-public columns --out declared"))
            .succeeds()
            .says("DECLARED PUBLIC by the owner, so that no ε protects it: columns");
    }
    // Given: both worlds look alike. Declared: they do not, and the statement begins with it.
    assert_eq!(worlds.each_ref().map(|home| dimensions(home, &home.released("given"))), ["9", "9"]);
    assert_eq!(worlds.each_ref().map(|home| dimensions(home, &home.released("declared"))), ["4", "3"]);
    for home in &worlds {
        let (given, declared) = (first_paragraph(home, "given"), first_paragraph(home, "declared"));
        assert!(given.contains("No fact about the data was declared public"), "{given}");
        assert!(declared.contains("Declared public by the owner of the data: the ranges of"), "{declared}");
        let statement = json(home, "declared/privacy.json");
        assert_eq!((&statement["declared"], &statement["format"]), (&serde_json::json!(["columns"]), &3.into()));
    }
}

/// A ring of 31 nodes, with one pendant edge more or not.
fn ring(pendant: bool) -> World {
    let home = World::new();
    let mut edges: String = (0..31).map(|node| format!("{node},{}\n", (node + 1) % 31)).collect();
    if pendant {
        edges += "30,31\n";
    }
    home.write("edges.csv", edges);
    home.write("ids.txt", (0..32).map(|node| format!("{node}\n")).collect::<String>());
    home
}

/// A bare edge list has the nodes that its edges name: one pendant edge more is one node more, with
/// probability 1.
#[test]
fn a_pendant_edge_does_not_add_a_node_to_a_proven_release() {
    let worlds = [false, true].map(ring);
    let release = "privatize edges.csv --method dpgcn --graph edgerand --epsilon-edges 0.1";
    for home in &worlds {
        let refused = home.veil(&format!("{release} --out released")).fails_with(MISSING);
        refused.says("fact nodes").says("unit edge").says("--nodes FILE").says("--declare-public nodes");
        assert_eq!(home.list("."), ["edges.csv", "ids.txt"]);
        home.veil(&format!("{release} --nodes ids.txt --out given")).succeeds();
        home.veil(&format!("{release} --declare-public nodes --out declared")).succeeds();
        // An audit of a release that does not exist holds nothing.
        home.veil("audit edgerand --data edges.csv --exact").fails_with(MISSING).says("--declare-public nodes");
        home.veil("audit edgerand --data edges.csv --exact --declare-public nodes").succeeds();
    }
    let nodes =
        |out: &str| worlds.each_ref().map(|home| json(home, &format!("{out}/meta.json"))["nodes"].as_u64().unwrap());
    assert_eq!((nodes("given"), nodes("declared")), ([32, 32], [31, 32]));
    for home in &worlds {
        assert!(first_paragraph(home, "declared").contains("the number and the ids of the nodes (`nodes`)"));
        let given = json(home, "given/privacy.json");
        let unprotected = given["guarantees"][0]["not_protected"].to_string();
        assert!(unprotected.contains("the number and the ids of the nodes"), "{unprotected}");
    }
    // A list must name every node.
    worlds[1].write("ids.txt", "0\n1\n2\n");
    worlds[1].veil(&format!("{release} --nodes ids.txt --out short")).fails_with(1).says("is not in the list of nodes");
    // Imported once, the list is kept.
    worlds[0].veil("data import edges.csv --nodes ids.txt --out graph").succeeds();
    worlds[0].veil(&format!("{} --out again", release.replace("edges.csv", "graph"))).succeeds();
    worlds[0].veil("data import edges.csv --out bare").succeeds();
    worlds[0]
        .veil(&format!("{} --out again", release.replace("edges.csv", "bare")))
        .fails_with(MISSING)
        .says("fact nodes");
}

#[test]
fn classes_and_dimensions_that_were_counted_are_given_or_declared() {
    let home = with_words(r#"{"nodes": 30, "feature_range": [0, 1]}"#, true);
    let release = |flags: &str, out: &str| home.veil(&format!("privatize graph {flags} --out {out}"));
    let refused = release("--epsilon-labels 3", "no").fails_with(MISSING).says("fact classes").says("--classes N");
    refused.says("one user's label can change them");
    release("--epsilon-labels 3 --classes 7", "seven").succeeds();
    assert_eq!(json(&home, "seven/meta.json")["classes"], 7);
    release("--epsilon-labels 3 --declare-public classes", "two").succeeds();
    assert_eq!(json(&home, "two/privacy.json")["declared"], serde_json::json!(["classes"]));
    release("--epsilon-labels 3 --classes 1", "no").fails_with(1).says("2 classes");
    let refused = release("--epsilon-features 3", "no").fails_with(MISSING).says("fact dimensions");
    refused.says("counted up to the largest one in use");
    release("--epsilon-features 3 --declare-public dimensions", "nine").succeeds();
    // Everything that is missing is said at once; other words help nobody.
    release("--epsilon-features 3 --epsilon-labels 3 --declare-public split", "no")
        .fails_with(MISSING)
        .says("--declare-public dimensions,classes");
    release("--epsilon-labels 3 --declare-public ages", "no").fails_with(MISSING).says("\"ages\" is not a fact");
    // Neither edges nor raw data depend on them.
    release("--method edge-flip --epsilon-edges 2", "edges").succeeds();
    home.veil("train graph --method lpgnet --epsilon-edges 4 --epochs 2 --out run").succeeds();
    assert_eq!(json(&home, "run/privacy.json")["declared"], serde_json::json!([]));
}

#[test]
fn a_stratified_split_is_declared_or_labels_stay() {
    let home = World::with_citation_graph();
    home.veil("data split graph --fractions 0.5,0.25,0.25 --stratified --seed 1 --replace").succeeds();
    assert_eq!(json(&home, "graph/meta.json")["counted"], serde_json::json!(["split", "split-together"]));
    let release = |data: &str, flags: &str, out: &str| home.veil(&format!("privatize {data} {flags} --out {out}"));
    let refused = release("graph", "--epsilon-labels 3", "no").fails_with(MISSING).says("fact split");
    refused.says("drawn with the labels in view").says("--split 0.5,0.25,0.25");
    // Labels that are withheld are not told by the split either.
    release("graph", "--epsilon-features 3", "no").fails_with(MISSING).says("fact split");
    release("graph", "--epsilon-labels 3 --declare-public split", "declared").succeeds();
    assert!(first_paragraph(&home, "declared").contains("(`split`)"));
    release("graph", "--epsilon-labels 3 --split 0.5,0.25,0.25", "drawn").succeeds();
    for format in ["folder", "parquet"] {
        home.veil(&format!("data import graph --format {format} --out {format}")).succeeds();
        release(format, "--epsilon-labels 3", "no").fails_with(MISSING).says("fact split");
    }
    // A split without the labels replaces it.
    home.veil("data split graph --fractions 0.5,0.25,0.25 --seed 1 --replace").succeeds();
    assert_eq!(json(&home, "graph/meta.json")["counted"], serde_json::json!(["split-together"]));
    release("graph", "--epsilon-labels 3", "other").succeeds();
}

/// One node more would move the parts of others, which a guarantee about one node does not cover.
#[test]
fn a_split_over_all_nodes_is_none_for_the_presence_of_a_node() {
    let home = World::with_graph("citation --nodes 300");
    let train = |data: &str, out: &str| home.veil(&format!("train {data} --method moments --epsilon 4 --out {out}"));
    let split = |flags: &str| home.veil(&format!("data split graph --fractions 0.75,0.1,0.15 --replace {flags}"));
    split("--seed 1").succeeds();
    for format in ["folder", "parquet"] {
        home.veil(&format!("data import graph --format {format} --out {format}")).succeeds();
        train(format, "no").fails_with(MISSING).says("fact split").says("--each");
    }
    train("graph", "no").fails_with(MISSING).says("fact split");
    split("--seed 1 --each").succeeds();
    assert!(json(&home, "graph/meta.json").get("counted").is_none());
    train("graph", "run").succeeds();
    split("--stratified --each").fails_with(2);
}

#[test]
fn a_further_graph_has_facts_of_its_own() {
    let home = with_words(GIVEN, true);
    home.veil("train graph --method lpgnet --epsilon-edges 4 --epochs 2 --out run").succeeds();
    std::fs::rename(home.path("graph"), home.path("other")).unwrap();
    home.write("other/meta.json", r#"{"features": 9, "classes": 2}"#);
    home.veil("predict run --data other --out answers").fails_with(MISSING).says("fact nodes");
    home.veil("predict run --declare-public nodes").fails_with(2).says("--declare-public require --data");
    home.veil("predict run --data other --declare-public nodes --repeat-nodes --out answers")
        .succeeds()
        .says("DECLARED PUBLIC");
    assert_eq!(json(&home, "answers/privacy.json")["declared"], serde_json::json!(["nodes"]));
    home.veil(&format!("train {} --declare-public nodes --out again", home.released("run")))
        .fails_with(2)
        .says("--declare-public requires raw data");
}

#[test]
fn a_student_needs_the_shape_of_the_private_graph() {
    let home = World::with_citation_graph();
    home.veil(
        "data split-private graph --private-per-class 10 --public-train 60 --public-test 60 --seed 1 --out parts",
    )
    .succeeds();
    let mut meta = json(&home, "parts/private/meta.json");
    meta["counted"] = serde_json::json!(["classes"]);
    home.write("parts/private/meta.json", meta.to_string());
    home.veil("ledger init book.db --budget node=9,1e-4").succeeds();
    let train =
        "train parts/private --public-graph parts/public --method class-sums --epsilon 4 --epochs 2 --ledger book.db";
    home.veil(&format!("{train} --out run")).fails_with(MISSING).says("fact classes").says("unit node");
    assert_eq!(home.list("."), ["book.db", "graph", "parts"]);
    home.veil(&format!("{train} --declare-public classes --out run")).succeeds().says("DECLARED PUBLIC");
    assert_eq!(json(&home, "run/privacy.json")["declared"], serde_json::json!(["classes"]));
}
