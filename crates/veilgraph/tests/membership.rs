//! Stories about `veil attack membership`.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use serde_json::Value;
use world::World;

const ATTACKS: [&str; 5] = ["loss", "confidence", "entropy", "confidence-vector", "likelihood-ratio"];

/// A graph that is taken apart: `parts/private`, `parts/public` and `parts/outside`.
fn with_parts() -> World {
    let home = World::with_graph("citation --nodes 1400 --homophily 0.5");
    let split = "data split-private graph --private-per-class 40 --public-train 200 --public-test 100 --seed 1";
    home.veil(&format!("{split} --out parts")).succeeds();
    home
}

fn auc(shown: &Value, attack: &str) -> f64 {
    let found = shown["found"].as_array().unwrap().iter().find(|found| found["attack"] == attack).unwrap();
    found["auc"].as_f64().unwrap()
}

#[test]
fn an_overfitted_model_gives_its_nodes_away_and_one_that_never_saw_them_does_not() {
    let home = with_parts();
    let train = "--method gnn --model sage --hidden 32 --epochs 150 --seed 1";
    home.veil(&format!("train parts/private {train} --out learned")).succeeds();
    home.veil(&format!("train parts/public {train} --out student")).succeeds();
    let attack = |run: &str, flags: &str| {
        home.shown(&format!(
            "attack membership {run} --truth parts/private --outside parts/outside --shadows 4 {flags}"
        ))
    };
    let learned = attack("learned", "");
    let student = attack("student", "");
    for name in ATTACKS {
        assert!(auc(&learned, name) > 0.65, "{name}: {learned}");
        assert!((auc(&student, name) - 0.5).abs() < 0.1, "{name}: {student}");
    }
    assert_eq!(learned["members"]["asked"], learned["others"]["asked"], "in every class as many of both");
    assert_eq!(learned["members"]["available"], 280);
    assert!(learned["classes_matched"].as_bool().unwrap());
    for found in learned["found"].as_array().unwrap() {
        let interval = found["auc_ci"].as_array().unwrap();
        assert!(interval[0].as_f64().unwrap() <= found["auc"].as_f64().unwrap());
        assert!(found["balanced_accuracy"].as_f64().unwrap() > 0.5, "{found}");
        assert!(found["tpr_at_fpr"]["0.01"].is_number() && found["tpr_at_fpr"]["0.001"].is_null(), "{found}");
    }
    let again = home.veil_on_threads(
        1,
        "attack membership learned --truth parts/private --outside parts/outside --shadows 4 --json",
    );
    assert_eq!(again.succeeds().json()["found"], learned["found"], "the same on one thread");
    assert_ne!(attack("learned", "--seed 2")["found"], learned["found"]);
    let unmatched = attack("learned", "--unmatched");
    assert_eq!((&unmatched["members"]["asked"], &unmatched["classes_matched"]), (&280.into(), &false.into()));
    // Data of their own for shadows leave all of the outside to be asked about.
    home.veil("data generate citation --nodes 400 --homophily 0.5 --seed 2 --out elsewhere").succeeds();
    let other = attack("learned", "--shadow-data elsewhere");
    assert_eq!((&other["shadow_pool"], &other["shadow_members"]), (&400.into(), &200.into()));
    assert!(auc(&other, "loss") > 0.65, "{other}");
    home.veil("attack membership learned --truth parts/private --outside parts/outside --shadows 4")
        .succeeds()
        .says_all(&[
            "likelihood ratio",
            "in every class as many of both",
            "are too few for a rate of 0.1 %",
            "nodes that are not attacked",
            "it is no test of an ε",
        ]);
}

#[test]
fn training_nodes_of_an_ordinary_run_are_told_from_its_test_nodes() {
    let home = World::with_graph("citation --nodes 600 --homophily 0.5");
    let train = "train graph --split 0.4,0.1,0.5 --hidden 32 --epochs 100 --seed 1";
    home.veil(&format!("{train} --method gnn --model sage --select last --out run")).succeeds();
    let shown = home.shown("attack membership run --truth graph --shadows 4");
    assert_eq!((&shown["members"]["available"], &shown["others"]["available"]), (&240.into(), &150.into()));
    assert_eq!((&shown["shadow_pool"], &shown["shadow_members"]), (&150.into(), &75.into()));
    assert!(auc(&shown, "loss") > 0.65, "{shown}");
    // Who validates is neither.
    home.veil(&format!("{train} --method lpgnet --epsilon-edges 8 --out counts")).succeeds();
    let shown = home.shown("attack membership counts --truth graph --shadows 4");
    assert_eq!((&shown["shadow_pool"], &shown["shadow_members"]), (&150.into(), &67.into()));
}

#[test]
fn attacks_on_membership_that_make_no_sense_are_refused() {
    let home = with_parts();
    home.veil("train parts/private --method gnn --epochs 2 --seed 1 --out run").succeeds();
    let attack = |flags: &str| home.veil(&format!("attack membership {flags}"));
    attack("run --truth parts/private").fails_with(2).says("no test nodes").says("--outside");
    let outside = "run --truth parts/private --outside";
    attack(&format!("{outside} parts/outside --shadows 3")).fails_with(2).says("at least 4");
    attack(&format!("{outside} parts/private")).fails_with(1).says("members, others and shadow data must be disjoint");
    attack(&format!("{outside} parts/outside --shadow-data parts/outside")).fails_with(1).says("is in");
    attack(&format!("{outside} {}", home.released("run"))).fails_with(2).says("is a release: raw data");
    attack(&format!("{outside} nowhere")).fails_with(1).says("nowhere");
    attack("run --truth graph").fails_with(1).says("1400 nodes, but the run has 280");
    attack("graph --truth graph").fails_with(1).says("not a run folder");
    home.veil("data generate social --nodes 100 --seed 1 --out social").succeeds();
    attack(&format!("{outside} social")).fails_with(1);
    home.veil("train graph --method gnn --recipe graph-privatizer --scale minmax --epsilon-features inf --epsilon-labels inf --split 0.5,0.2,0.3 --epochs 2 --seed 1 --out scaled")
        .succeeds();
    attack("scaled --truth graph --outside parts/outside").fails_with(2).says("minmax");
    home.write("bare/meta.json", r#"{"format":1,"name":"bare","nodes":3,"directed":false}"#);
    home.write("bare/edges.csv", "src,dst\n0,1\n");
    attack(&format!("{outside} bare")).fails_with(1);
}
