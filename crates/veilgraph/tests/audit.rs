//! Stories about `veil audit`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::Value;
use world::{World, real_data};

/// Published methods that do not keep what was claimed, by the names that they have in the list.
const REFUTED: [&str; 4] = ["graph-privatizer", "two-hop-rr", "dummy-exchange", "shuffled-query"];

fn number(value: &Value) -> f64 {
    if value == "inf" { f64::INFINITY } else { value.as_f64().unwrap() }
}

/// What every list of audits must satisfy: verdicts agree with statuses.
fn agrees_with_statuses(found: &Value) {
    let audits = found.as_array().unwrap();
    for audit in audits {
        let (name, status, verdict) = (&audit["mechanism"], audit["status"].as_str().unwrap(), &audit["verdict"]);
        let claimed = number(&audit["claimed"]["epsilon"]);
        for key in ["unit", "trust", "parameters"] {
            assert!(audit[key].is_string(), "{name}: {key}");
        }
        let code = &audit["code"];
        if !code.is_null() {
            assert!(code["executions"].as_u64().unwrap() > 1 && code["outside"].as_f64().unwrap() < 0.25, "{audit}");
            assert_eq!(code["finding"], if status == "proven" { "holds" } else { "violated" }, "{audit}");
            let within = number(&code["loss"]) <= number(&code["epsilon"]) + 1e-4
                || number(&code["delta_at_most"]) <= number(&code["delta"]);
            assert!(within || status != "proven", "{audit}");
        }
        if status == "proven" {
            assert_ne!(verdict, "violated", "{audit}");
            // Only where releases of small inputs were run over all coins, and the arithmetic at
            // the ε of the claim is complete.
            let checked = !code.is_null() && audit["exact"]["complete"] == true;
            assert_eq!(verdict == "holds", checked, "{audit}");
            if !audit["exact"].is_null() {
                assert!(number(&audit["exact"]["epsilon"]) <= claimed + 1e-12, "{audit}");
            }
        } else {
            assert_eq!((status, verdict.as_str()), ("refuted", Some("violated")), "{audit}");
            let witness = &audit["witness"];
            let (one, other) = (number(&witness["probability_one"]), number(&witness["probability_other"]));
            assert!(one > claimed.exp() * other + number(&audit["claimed"]["delta"]), "{witness}");
            assert!(!witness["because"].as_str().unwrap().is_empty());
        }
        assert!(number(&audit["lower_bound_999"]) <= number(&audit["lower_bound_95"]), "{audit}");
    }
    for name in REFUTED {
        assert!(audits.iter().any(|audit| audit["mechanism"] == name && audit["status"] == "refuted"), "{name}");
    }
}

#[test]
fn everything_is_audited_and_agrees_with_its_status() {
    let home = World::with_citation_graph();
    let found = home.shown("audit all --data graph --canaries 200 --pairs 300");
    agrees_with_statuses(&found);
    // Every form of every subject, some of which promise something about several units.
    let forms = veil_attack::audit::every(None).unwrap().len();
    assert!(found.as_array().unwrap().len() > forms, "{forms}");
}

/// What is refuted is no failure, unless that is asked for.
#[test]
fn a_violation_of_what_is_refuted_is_said_and_fails_where_that_is_asked_for() {
    let home = World::with_citation_graph();
    let words = "audit graph-privatizer --strategy most-similar --data graph --canaries 200 --pairs 100";
    home.veil(words).succeeds().says_all(&["VIOLATED", "executions", "most-similar"]);
    home.veil(&format!("{words} --exact --fail-on violated")).finds_a_violation().says("(status refuted)");
}

#[test]
fn on_cora_what_is_refuted_is_violated_at_every_epsilon() {
    let Some(cora) = real_data("cora") else { return };
    let home = World::new();
    for epsilon in ["0.1", "1", "8"] {
        let found = REFUTED.iter().flat_map(|name| {
            let words = format!("audit {name} --data {} --epsilon {epsilon} --canaries 400", cora.display());
            match home.shown(&words) {
                Value::Array(audits) => audits,
                audit => vec![audit],
            }
        });
        agrees_with_statuses(&found.collect());
    }
}

#[test]
fn one_mechanism_says_all_that_was_found() {
    let home = World::with_citation_graph();
    let words = "audit graph-privatizer --data graph --epsilon 0.1 --alpha 0.5 --threshold 0 --canaries 100 --seed 1";
    let found = home.shown(words);
    assert_eq!((found["claimed"]["epsilon"].as_f64(), &found["verdict"]), (Some(0.1), &Value::from("violated")));
    assert_eq!(found["exact"]["epsilon"], "inf");
    for key in ["share_infinite", "share_unchanged"] {
        assert!((0.0..=1.0).contains(&number(&found["exact"][key])), "{key}");
    }
    assert!(number(&found["exact"]["delta_quantiles"]["max"]) > 0.5);
    assert!(number(&found["lower_bound_95"]) > 0.1, "{found}");
    home.veil(words).succeeds().says("VIOLATED").says("witness").says("with probability").says("because");
    // The same seed finds the same, on any number of threads.
    let again = home.veil_on_threads(1, &format!("{words} --json")).succeeds().json();
    assert_eq!(again, found);
    // Without canaries there are no bounds, and the verdict stays.
    let exact = home.shown(&format!("{words} --exact"));
    assert_eq!((&exact["verdict"], &exact["lower_bound_95"]), (&Value::from("violated"), &Value::Null), "{exact}");
}

#[test]
fn what_is_proven_holds_and_says_what_would_have_been_detected() {
    let home = World::new();
    home.veil("audit randomised-response --epsilon 2")
        .succeeds()
        .says("HOLDS")
        .says("code: releases at ε = 2 keep the guarantee: largest loss 2 inside of the window")
        .says("would have detected ε ≥");
    home.veil("audit lpgnet --epsilon 1 --canaries 100")
        .succeeds()
        .says("HOLDS")
        .says("for the mass outside, the proof is cited");
    home.veil("audit class-sums --epsilon 4 --canaries 100").succeeds().says("HOLDS").says("δ at most");
    home.veil("audit two-hop-rr --epsilon 1 --canaries 0 --fail-on violated")
        .finds_a_violation()
        .says("guarantee violated. This is known");
    home.veil("audit --quiet blink --epsilon 1").succeeds().says("HOLDS").says("edge-bit").says("edge-set");
    home.veil("audit --quiet edge-flip --epsilon 1").succeeds().says("HOLDS").says("edge-bit").says("edge-set");
    home.veil("audit privgnn --release noisy-argmax --epsilon 4 --canaries 100 --queries 10")
        .succeeds()
        .says_all(&["executions", "runs in two worlds"]);
    home.veil("audit privgnn --release noisy-log-posterior --lambda 0.2 --canaries 100 --queries 10")
        .succeeds()
        .says("VIOLATED");
}

#[test]
fn a_whole_pipeline_is_audited_through_its_model() {
    let home = World::with_citation_graph();
    let found = home.shown("audit graph-privatizer --data graph --epsilon 0.1 --end-to-end --model gcn --epochs 30");
    assert_eq!(found["exact"], Value::Null);
    assert_eq!(found["method"], "one-run");
    assert!(found["canaries"].as_u64().unwrap() > 100, "{found}");
    assert!(number(&found["lower_bound_95"]) > 0.0, "{found}");
}

#[test]
fn scores_of_somebody_else_s_mechanism_are_judged() {
    let home = World::new();
    // Noise of scale 1 on 0 and on 4: told apart nearly always, where ε = 1 is promised.
    let scores = |shift: f64| {
        let noise = (0..400).map(|number| ((f64::from(number) + 0.5) / 400.0 - 0.5) * 3.0);
        format!("score\n{}\n", noise.map(|noise| (noise + shift).to_string()).collect::<Vec<_>>().join("\n"))
    };
    home.write("in.csv", scores(4.0));
    home.write("out.csv", scores(0.0));
    home.write("same.csv", scores(0.0));
    let words = "audit --predictions-in in.csv --predictions-out out.csv --epsilon 1";
    let violated = home.veil(&format!("{words} --json")).finds_a_violation();
    assert!(violated.stderr().contains("the claimed ε does not hold"), "{}", violated.stderr());
    let found = violated.json();
    assert_eq!((&found["verdict"], &found["method"]), (&Value::from("violated"), &Value::from("two-worlds")));
    let one_run = home.veil(&format!("{words} --one-run --json")).finds_a_violation().json();
    assert_eq!((&one_run["verdict"], &one_run["method"]), (&Value::from("violated"), &Value::from("one-run")));
    let same = home.shown("audit --predictions-in same.csv --predictions-out out.csv --epsilon 1");
    assert_eq!((&same["verdict"], number(&same["lower_bound_95"])), (&Value::from("no violation found"), 0.0));
    home.veil("audit --predictions-in same.csv --predictions-out out.csv").succeeds().says("no violation found");
}

#[test]
fn what_cannot_be_audited_is_said() {
    let home = World::with_citation_graph();
    home.write("words.csv", "score\n1.5\nmany\n");
    home.write("short.csv", "1.5\n");
    let data = "--data graph";
    for (words, reason) in [
        ("audit".to_owned(), "MECHANISM"),
        (format!("audit elsewhere {data}"), "\"elsewhere\" cannot be audited: expected one of randomised-response,"),
        (format!("audit graph-privatizer {data} --epsilon inf"), "promises nothing without a finite ε"),
        (format!("audit graph-privatizer {data} --alpha 2"), "alpha must be between 0 and 1, not 2"),
        (format!("audit all {data} --alpha 0.5"), "unexpected argument '--alpha'"),
        (format!("audit all {data} --end-to-end"), "unexpected argument '--end-to-end'"),
        (format!("audit privgnn {data} --end-to-end"), "unexpected argument '--end-to-end'"),
        (format!("audit graph-privatizer {data} --end-to-end --epochs 0"), "epochs is 0: it must be at least 1"),
        (format!("audit lpgnet {data} --end-to-end"), "LinkTeller cannot be used: audit it without a training"),
        ("audit pate --lambda 1 --epsilon 1".to_owned(), "set either epsilon or lambda, not both"),
        (format!("audit edge-flip {data} --model gcn"), "--end-to-end"),
        (format!("audit edge-flip {data} --queries 7"), "unexpected argument '--queries'"),
        ("audit privgnn --gamma 2".to_owned(), "gamma must be above 0 and at most 1, not 2"),
        ("audit --predictions-in words.csv --predictions-out words.csv".to_owned(), "line 3: \"many\" is not a number"),
        ("audit --predictions-in short.csv --predictions-out short.csv".to_owned(), "at least two are needed"),
        ("audit --predictions-in short.csv".to_owned(), "--predictions-out"),
        ("audit --epsilon 1 edge-flip".to_owned(), "--predictions-in"),
        ("audit --predictions-in a --predictions-out b --delta 1".to_owned(), "at least 0 and below 1"),
        (
            "audit --predictions-in short.csv --predictions-out short.csv all".to_owned(),
            "all cannot be used with --predictions-in",
        ),
    ] {
        home.veil(&words).fails_with(2).says(reason);
    }
    home.veil("audit --predictions-in nowhere.csv --predictions-out nowhere.csv").fails_with(1).says("nowhere.csv");
    home.veil("data generate bipartite --nodes 60 --seed 1 --out bare").succeeds();
    assert_eq!(home.list("."), ["bare", "graph", "short.csv", "words.csv"]);
}

#[test]
fn help_says_what_each_mechanism_is() {
    let home = World::new();
    home.veil("--help").succeeds().says("Check the guarantee of a mechanism");
    let help = home.veil("audit --help").succeeds().says("Check the guarantee").says("Everything below, at one ε");
    let subjects = veil_attack::audit::subjects().len();
    assert_eq!(help.stdout().matches("(unit").count(), subjects, "{}", help.stdout());
    home.veil("audit edge-flip --help").succeeds().says("(unit edge-bit)").says("--end-to-end").says("--max-edges");
}
