//! Stories about `veil train --method moments`: whole nodes are protected, without a public graph.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use world::{World, json, real_data, text};

const TRAIN: &str = "train graph --method moments --split 0.75,0.1,0.15 --epsilon 8";

#[test]
fn a_model_is_published_and_answers_about_private_nodes_are_not() {
    let home = World::with_graph("citation --nodes 900");
    home.veil("data generate citation --nodes 300 --seed 9 --out new").succeeds();
    home.veil(&format!("{TRAIN} --out run")).succeeds().says("proven").says("node");
    // What is about single nodes is for their owner.
    assert_eq!(home.list("run/owner"), ["README.md", "graphs.json", "metrics.json", "predictions.csv", "timings.json"]);
    assert!(!home.list("run").contains(&"predictions.csv".to_owned()));
    assert_eq!(home.read("run/owner/predictions.csv").iter().filter(|it| **it == b'\n').count(), 901);
    let meta = json(&home, "run/released/meta.json");
    assert_eq!((&meta["nodes"], &meta["classes"]), (&0.into(), &json(&home, "graph/meta.json")["classes"]));
    assert!(home.path("run/released/moments.csv").exists());
    let statement = text(&home, "run/privacy.md");
    for part in ["each node applies the model to itself", "replacing a node", "and how many nodes there are"] {
        assert!(statement.contains(part), "{part}\n{statement}");
    }
    let guarantee = &json(&home, "run/privacy.json")["guarantees"][0];
    assert_eq!((&guarantee["unit"], &guarantee["status"]), (&"node".into(), &"proven".into()));
    assert_eq!((&guarantee["epsilon"], &guarantee["delta"]), (&8.into(), &1e-5.into()), "{guarantee}");

    home.veil("predict run").fails_with(2).says("makes no predictions for nodes of");
    home.veil("publish run --answers-only --out answers").fails_with(2).says("makes no predictions for nodes of");
    assert!(!home.path("answers").exists());
    home.veil("publish run --out published").succeeds().says("proven");
    let published = home.list("published");
    assert!(!published.contains(&"answers.csv".to_owned()) && published.contains(&"model.safetensors".to_owned()));
    home.veil("verify published").succeeds();

    // Whoever holds the model applies it to nodes whose features they know.
    home.veil("predict published --data new --out answered").succeeds();
    assert_eq!(home.shown("predict answered").as_array().unwrap().len(), 300);
    home.veil("publish answered --out no").fails_with(1).says("were released unperturbed");
    home.veil("publish answered --declare-public features --out yes").succeeds();
    assert!(home.path("yes/answers.csv").exists());
}

#[test]
fn moments_are_charged_once_and_are_the_same_on_one_thread() {
    let home = World::with_graph("citation --nodes 900");
    let shown = home.shown(&format!("{TRAIN} --seed 1 --out run"));
    let accuracy = shown["test_accuracy"].as_f64().unwrap();
    let classes = shown["classification"]["per_class"].as_array().unwrap();
    let largest = classes.iter().map(|class| class["truth"].as_u64().unwrap()).max().unwrap();
    let by_chance = largest as f64 / shown["classification"]["nodes"].as_f64().unwrap();
    assert!(accuracy > by_chance + 0.1, "{accuracy}, by chance {by_chance}");
    let again = home.veil_on_threads(1, &format!("{TRAIN} --seed 1 --json --out again")).succeeds().json();
    assert_eq!(again["test_accuracy"].as_f64(), Some(accuracy), "the same on one thread");
    assert_eq!(home.read("run/released/moments.csv"), home.read("again/released/moments.csv"));

    home.veil("ledger init book.db --budget node=10,1e-4").succeeds();
    home.veil(&format!("{TRAIN} --ledger book.db --out paid")).succeeds();
    home.veil(&format!("{TRAIN} --ledger book.db --out more")).fails_with(1);
    assert!(!home.path("more").exists());
}

#[test]
fn what_cannot_be_protected_or_learned_is_refused() {
    let home = World::with_graph("citation --nodes 300");
    home.refuses(2, "train graph --method moments --out run", "moments requires epsilon");
    home.refuses(2, &format!("{TRAIN} --epochs 5 --out run"), "epochs is not a parameter of moments");
    home.refuses(2, &format!("{TRAIN} --delta 2 --out run"), "δ");
    home.refuses(2, &format!("{TRAIN} --public-graph graph --out run"), "--public-graph");
    home.refuses(2, &format!("{TRAIN} --validation-data graph --out run"), "validation graph");
    assert!(!home.path("run").exists());
    // Node for node, noise for a node that is replaced is larger.
    home.veil(&format!("{TRAIN} --adjacency replaced --out run")).succeeds();
    assert!(text(&home, "run/privacy.md").contains("ε is that of replacing one"));
}

/// On Cora at ε = 8, far above the largest class (30 %).
#[test]
fn it_learns_from_real_nodes() {
    let Some(cora) = real_data("cora") else { return };
    let home = World::new();
    let train = "--method moments --split 0.75,0.1,0.15 --epsilon 8 --seed 1 --out run";
    let shown = home.shown(&format!("train {} {train}", cora.display()));
    let accuracy = shown["test_accuracy"].as_f64().unwrap();
    assert!(accuracy > 0.6, "{accuracy}");
}
