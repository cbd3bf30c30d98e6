//! Stories about `veil train --method class-sums`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use world::{World, json};

/// `parts/private` and `parts/public`: every third node is private, every third is for testing.
fn with_parts() -> World {
    let home = World::with_graph("citation --nodes 1400 --homophily 0.8");
    let turns: String = (0..1400).map(|node| format!("{node},{}\n", node % 3)).collect();
    home.write("turns.csv", format!("node,turn\n{turns}"));
    let ranges = "--private-range 0 --train-range 1 --test-range 2";
    home.veil(&format!("data split-private graph --by turns.csv {ranges} --out parts")).succeeds();
    home
}

#[test]
fn a_student_learns_from_labels_that_were_read_from_sums() {
    let home = with_parts();
    let train = "train parts/private --method class-sums --public-graph parts/public --epsilon 8 --delta 1e-5";
    let shown = home.shown(&format!("{train} --seed 1 --out run"));
    let accuracy = shown["test_accuracy"].as_f64().unwrap();
    let classes = shown["classification"]["per_class"].as_array().unwrap();
    let largest = classes.iter().map(|class| class["truth"].as_u64().unwrap()).max().unwrap();
    let by_chance = largest as f64 / shown["classification"]["nodes"].as_f64().unwrap();
    assert!(accuracy > by_chance + 0.15, "{accuracy}, by chance {by_chance}: {shown}");
    let again = home.veil_on_threads(1, &format!("{train} --seed 1 --json --out again")).succeeds().json();
    assert_eq!(again["test_accuracy"].as_f64(), Some(accuracy), "the same on one thread");
    assert_eq!(home.read("run/predictions.csv"), home.read("again/predictions.csv"));
    let guarantee = &json(&home, "run/privacy.json")["guarantees"][0];
    assert_eq!((&guarantee["unit"], &guarantee["status"]), (&"node".into(), &"proven".into()));
    assert!(guarantee["epsilon"].as_f64().unwrap() <= 8.0, "{guarantee}");
    assert!(!home.path(".run.unfinished").exists());
}

#[test]
fn sums_are_charged_once_and_before_anything_is_read() {
    let home = with_parts();
    home.veil("ledger init book.db --budget node=5,1e-4").succeeds();
    let train =
        "train parts/private --method class-sums --public-graph parts/public --delta 1e-5 --ledger book.db --epochs 3";
    home.veil(&format!("{train} --epsilon 8 --out run")).fails_with(1);
    assert!(!home.path("run").exists() && !home.path(".run.unfinished").exists());
    home.veil(&format!("{train} --epsilon 4 --out run")).succeeds();
    home.veil(&format!("{train} --epsilon 4 --out more")).fails_with(1);
}

#[test]
fn what_says_nothing_about_sums_is_refused() {
    let home = with_parts();
    let train = |flags: &str| {
        home.veil(&format!("train parts/private --method class-sums --public-graph parts/public --out run {flags}"))
    };
    for flag in
        ["--queries 5", "--choose degree", "--k 5", "--gamma 0.1", "--lambda 1", "--teachers 3", "--release krr"]
    {
        train(&format!("--epsilon 1 {flag}")).fails_with(2).says("is not a parameter of class-sums");
    }
    train("").fails_with(2).says("class-sums requires epsilon");
    train("--epsilon inf").fails_with(2);
    train("--epsilon 1 --delta 2").fails_with(2).says("δ");
    assert!(!home.path("run").exists() && !home.path(".run.unfinished").exists());
    home.veil("train parts/private --method class-sums --epsilon 1 --out run").fails_with(2).says("--public-graph");
}
