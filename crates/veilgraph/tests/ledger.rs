//! Stories about `veil ledger`: what it adds up, and which data it is about.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::{Value, json};
use world::World;

const RELEASE: &str = "privatize graph --epsilon-features 3 --epsilon-labels 3";

/// Noise that anyone can remove who knows or guesses the seed is not what a budget is for.
#[test]
fn a_ledger_books_a_seeded_release_as_unbounded_and_only_if_that_is_accepted() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=30 --budget label=30").succeeds();
    let seeded = format!("{RELEASE} --seed 1 --ledger book.db --out one");
    home.veil(&seeded).fails_with(1).says("known seed").says("--accept seeded");
    assert!(!home.path("one").exists());
    home.veil(&format!("{seeded} --accept seeded")).succeeds();
    let book = home.veil("ledger show book.db --json").succeeds().json();
    for unit in book["units"].as_array().unwrap() {
        assert_eq!((&unit["spent"], &unit["left"]), (&json!("unbounded"), &json!(0)), "{unit}");
    }
    home.veil("privatize graph --epsilon-labels 1 --ledger book.db --out two")
        .fails_with(1)
        .says("asked 1, spent unbounded, left 0");
}

#[test]
fn a_ledger_follows_its_data_from_snapshot_to_snapshot() {
    let home = World::with_citation_graph();
    home.veil("data generate citation --nodes 310 --seed 2 --out later").succeeds();
    home.veil("ledger init book.db --budget label=3 --lineage citations").succeeds();
    let release =
        |data: &str, out: &str| home.veil(&format!("privatize {data} --epsilon-labels 1 --ledger book.db --out {out}"));
    release("graph", "one").succeeds();
    release("later", "two").fails_with(1).says("none of its snapshots").says("veil ledger add-snapshot book.db");
    assert!(!home.path("two").exists());
    home.veil("ledger add-snapshot book.db --data graph --name again").fails_with(1).says("already");
    home.veil("ledger add-snapshot book.db --data later --name 2027").succeeds().says("2027").says("citations");
    release("later", "two").succeeds();
    release("graph", "three").succeeds();
    // The sum goes over both.
    release("later", "four").fails_with(1).says("asked 1, spent 3, left 0");
    let book = home.veil("ledger show book.db --json").succeeds().json();
    let about: Vec<&Value> = book["entries"].as_array().unwrap().iter().map(|entry| &entry["snapshot"]).collect();
    let first = &book["snapshots"][0]["name"];
    assert_eq!(about, [first, &json!("2027"), first]);
    assert_eq!((&book["lineage"], &book["snapshots"][1]["name"]), (&json!("citations"), &json!("2027")));
    home.veil("ledger show book.db").succeeds().says("2027").says("snapshot");
}

/// The same vectors reported twice are protected half as well as each report says.
#[test]
fn the_same_nodes_are_not_reported_in_two_graphs_unless_that_is_asked_for() {
    let home = World::with_citation_graph();
    home.veil("ledger init book.db --budget feature=9 --budget label=9").succeeds();
    let train = "train graph --method mlp --epochs 4 --epsilon-features 3 --epsilon-labels 2 --scale none \
                 --inference-data graph --ledger book.db --out run";
    home.veil(train).fails_with(2).says("all of").says("loses the ε of both").says("--repeat-nodes");
    assert!(!home.path("run").exists());
    home.veil(&train.replace("--inference-data", "--validation-data")).fails_with(2).says("--repeat-nodes");
    assert!(home.veil("ledger show book.db --json").succeeds().json()["entries"].as_array().unwrap().is_empty());
    home.veil(&format!("{train} --repeat-nodes --evolving")).fails_with(2).says("--evolving");
    home.veil(&train.replace("--inference-data graph", "--repeat-nodes")).fails_with(2).says("--inference-data");
    let shown = home.veil(&format!("{train} --repeat-nodes --json")).succeeds().json();
    let total = |unit: &str| {
        let total = shown["total"].as_array().unwrap().iter().find(|it| it["unit"] == unit);
        total.map(|it| it["epsilon"].clone())
    };
    assert_eq!((total("feature"), total("label")), (Some(json!(6)), Some(json!(2))));
    for statement in ["run/privacy.json", "run/inference/citation/released/privacy.json"] {
        let statement = world::json(&home, statement);
        for guarantee in statement["guarantees"].as_array().unwrap() {
            let kinds: Vec<&Value> =
                guarantee["assumptions"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
            assert!(kinds.contains(&&json!("shared-nodes")), "{guarantee}");
        }
    }
    assert_eq!(world::spent(&home, "book.db", "feature"), 6);
    let others = train.replace("--inference-data graph", "--inference-data other").replace("--out run", "--out apart");
    home.veil("data generate citation --nodes 300 --seed 2 --out other").succeeds();
    home.veil("ledger init again.db --budget feature=9 --budget label=9").succeeds();
    home.veil(&others.replace("book.db", "again.db"))
        .succeeds()
        .says("all graphs together, ε if they have nodes or edges in common: feature 6, label 2");
    let statement = world::text(&home, "apart/privacy.md");
    assert!(statement.contains("share no node and no edge"), "{statement}");
}
