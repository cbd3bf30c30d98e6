//! Stories about `veil account`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::Value;
use world::World;

fn epsilon(figure: &Value) -> f64 {
    figure["epsilon"].as_f64().unwrap()
}

#[test]
fn a_figure_of_privgnn_is_shown_as_published_and_as_proven() {
    let home = World::new();
    let words = "account privgnn --lambda 0.1 --queries 500 --gamma 0.3 --delta 1e-3";
    let found = home.shown(words);
    assert!((epsilon(&found["as_published"]) - 2.67).abs() < 0.011, "{found}");
    assert!(found["as_published"]["order"].as_f64().unwrap() >= 2.0);
    assert!(epsilon(&found["proven"]) > epsilon(&found["as_published"]));
    assert_eq!(found["proven"]["delta"], 1e-3);
    assert_eq!(found["proven"]["proof"], "sampled-renyi");
    assert!(found["proven"]["order"].as_f64().unwrap() >= 2.0);
    assert!(found["theorem_9"].as_f64().unwrap() > epsilon(&found["as_published"]));
    assert!(found["difference"].as_str().unwrap().contains("L1 distance of 2"));
    home.veil(words).succeeds().says_all(&["as published", "Theorem 9", "L1 distance of 2", "a sample of its own"]);
}

#[test]
fn a_figure_of_pate_may_be_smaller_than_published_and_says_why() {
    let home = World::new();
    let words = "account pate --lambda 0.1 --queries 500 --delta 0.0004";
    let found = home.shown(words);
    assert!((epsilon(&found["as_published"]) - 27.82).abs() < 0.011, "{found}");
    assert!(epsilon(&found["proven"]) < epsilon(&found["as_published"]));
    assert!(found["difference"].as_str().unwrap().contains("not tight"), "{found}");
    home.veil(words).succeeds().says("proven").says("one vote");
    // With little noise the plain sum is best.
    let little = home.shown("account pate --lambda 20 --queries 3 --delta 1e-9");
    assert!(epsilon(&little["proven"]) <= 120.001, "{little}");
}

#[test]
fn randomised_response_has_no_published_figure_and_an_exact_one() {
    let home = World::new();
    let words = "account privgnn --release krr --epsilon-query 2 --classes 10 --queries 300 --gamma 0.1 --delta 1e-5";
    let found = home.shown(words);
    assert_eq!((&found["as_published"], &found["theorem_9"]), (&Value::Null, &Value::Null));
    assert_eq!(found["proven"]["proof"], "exact-composition");
    assert_eq!(found["proven"]["order"], Value::Null);
    assert!((epsilon(&found["proven"]) - 16.316).abs() < 1e-3, "{found}");
    home.veil(words).succeeds().says("exact composition");
}

#[test]
fn what_is_calibrated_costs_what_was_wanted() {
    let home = World::new();
    let setting = "--queries 500 --gamma 0.3 --delta 1e-5";
    for (release, flag, key) in [("noisy-argmax", "--lambda", "lambda"), ("krr", "--epsilon-query", "epsilon_query")] {
        let words = format!("account calibrate privgnn --epsilon 4 {setting} --release {release}");
        let found = home.shown(&words);
        assert!(epsilon(&found["proven"]) <= 4.0 && epsilon(&found["proven"]) > 3.999, "{found}");
        let noise = &found[key];
        let costs = home.shown(&format!("account privgnn {flag} {noise} {setting} --release {release}"));
        assert_eq!(costs["proven"], found["proven"], "{release}");
    }
    home.veil(&format!("account calibrate privgnn --epsilon 4 {setting}")).succeeds().says("--lambda 0.");
    home.veil("account calibrate privgnn --epsilon 1e-9 --queries 1000000 --gamma 1 --delta 1e-9")
        .fails_with(1)
        .says("ask for fewer queries");
}

#[test]
fn wrong_numbers_are_wrong_usage() {
    let home = World::new();
    let privgnn = |lambda: &str, queries: &str, gamma: &str, delta: &str| {
        home.veil(&format!("account privgnn --lambda {lambda} --queries {queries} --gamma {gamma} --delta {delta}"))
            .fails_with(2)
    };
    for wrong in ["0", "-0.1", "1.1", "nan", "inf"] {
        privgnn("0.1", "500", wrong, "1e-3").says("gamma");
    }
    for wrong in ["0", "1", "-1e-3", "nan"] {
        privgnn("0.1", "500", "0.3", wrong).says("delta");
    }
    for wrong in ["0", "-1", "nan", "inf"] {
        privgnn(wrong, "500", "0.3", "1e-3").says("lambda");
        home.veil(&format!("account pate --lambda {wrong} --queries 5 --delta 1e-3")).fails_with(2).says("lambda");
        home.veil(&format!("account calibrate privgnn --epsilon {wrong} --queries 5 --gamma 0.3 --delta 1e-3"))
            .fails_with(2)
            .says("epsilon");
    }
    privgnn("0.1", "0", "0.3", "1e-3").says("at least one query");
    privgnn("0.1", "half", "0.3", "1e-3").says("half");
    let rest = "--queries 5 --gamma 0.3 --delta 1e-3";
    home.veil(&format!("account privgnn --release krr --lambda 1 {rest}")).fails_with(2).says("--epsilon-query");
    home.veil(&format!("account privgnn --epsilon-query 1 {rest}")).fails_with(2).says("--lambda");
    home.refuses(2, &format!("account privgnn --release krr --epsilon-query 1 --classes 1 {rest}"), "classes");
}
