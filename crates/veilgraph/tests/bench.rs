//! `veil bench`, as somebody meets it who wants to know how fast this is here.

mod world;

use world::World;

#[test]
fn one_figure_is_measured_as_a_table_and_as_json() {
    let home = World::new();
    home.veil("bench nn cora-gcn").succeeds().says("cora-gcn").says("≤ 1.3");
    let json = home.veil("bench nn cora-gcn --json").succeeds().json();
    let figures = json.as_array().unwrap();
    assert_eq!(figures.len(), 1);
    let figure = figures[0].as_object().unwrap();
    assert_eq!(figure.keys().collect::<Vec<_>>(), ["name", "target", "unit", "value"]);
    assert_eq!((&figure["name"], &figure["unit"], &figure["target"]), (&"cora-gcn".into(), &"ms".into(), &1.3.into()));
    assert!(figure["value"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_figure_that_does_not_exist_is_wrong_usage() {
    World::new().veil("bench nn cora-gnc").fails_with(2).says("cora-gcn").says("facebook-gat");
}

#[test]
fn instructions_that_nobody_knows_are_wrong_usage() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_veil"));
    let said = command.args(["bench", "nn", "cora-gcn"]).env("VEIL_SIMD", "avx3").output().unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&said.stderr).contains("expected portable, avx2 or avx512"));
}

#[test]
fn local_reports_training_and_attack_are_measured_on_given_data() {
    let home = World::new();
    home.veil("data generate citation --nodes 200 --seed 1 --out small").succeeds();
    let json = home.veil("bench local --data small --json").succeeds().json();
    let figures = json.as_array().unwrap();
    let measured = |what: &str| {
        let figure = figures.iter().find(|figure| figure["name"].as_str().unwrap().ends_with(what));
        let figure = figure.unwrap_or_else(|| panic!("{what} is missing")).as_object().unwrap();
        assert_eq!(figure.keys().collect::<Vec<_>>(), ["name", "target", "unit", "value"]);
        assert_eq!((&figure["unit"], &figure["target"]), (&"ms".into(), &serde_json::Value::Null));
        assert!(figure["value"].as_f64().unwrap() > 0.0);
    };
    for what in ["threshold", "most-similar", "threshold-reference", "most-similar-reference"] {
        measured(&format!("/graph-privatizer-{what}"));
    }
    let others = ["two-hop-rr", "neighbour-krr", "edge-flip", "degree-vectors"];
    let learned = ["train-gcn", "linkteller-model", "linkteller-pipeline"];
    others.into_iter().chain(learned).for_each(|what| measured(&format!("/{what}")));
}

#[test]
fn data_that_do_not_exist_cannot_be_measured() {
    World::new().veil("bench local --data nowhere").fails_with(1).says("nowhere");
}
