//! `veil bench`, as somebody meets it who wants to know how fast this is here.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here fails a test")]

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

/// Figures of what was measured on data that have no targets.
fn assert_measured(json: &serde_json::Value, expected: &[(&str, &str)]) {
    let figures = json.as_array().unwrap();
    for (what, unit) in expected {
        let figure = figures.iter().find(|figure| figure["name"].as_str().unwrap().ends_with(what));
        let figure = figure.unwrap_or_else(|| panic!("{what} is missing")).as_object().unwrap();
        assert_eq!(figure.keys().collect::<Vec<_>>(), ["name", "target", "unit", "value"]);
        assert_eq!((&figure["unit"], &figure["target"]), (&(*unit).into(), &serde_json::Value::Null));
        assert!(figure["value"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn local_reports_training_and_attack_are_measured_on_given_data() {
    let home = World::new();
    home.veil("data generate citation --nodes 200 --seed 1 --out small").succeeds();
    let json = home.veil("bench local --data small --json").succeeds().json();
    let privatizer = ["threshold", "most-similar", "threshold-reference", "most-similar-reference"];
    let privatizer = privatizer.map(|what| format!("/graph-privatizer-{what}"));
    let others = ["/two-hop-rr", "/neighbour-krr", "/edge-flip", "/degree-vectors"];
    let learned = ["/train-gcn", "/linkteller-model", "/linkteller-pipeline"];
    let all = privatizer.iter().map(String::as_str).chain(others).chain(learned);
    assert_measured(&json, &all.map(|what| (what, "ms")).collect::<Vec<_>>());
}

#[test]
fn an_owners_releases_and_methods_are_measured_on_given_data() {
    let home = World::new();
    home.veil("data generate citation --nodes 200 --seed 1 --out small").succeeds();
    let json = home.veil("bench central --data small --json").succeeds().json();
    let graphs = ["/lapgraph-1", "/lapgraph-4", "/edgerand-1", "/edgerand-4"];
    let learned = ["/train-lpgnet-2", "/train-lpgnet-bayes", "/train-dpgcn"];
    assert_measured(&json, &graphs.into_iter().chain(learned).map(|what| (what, "ms")).collect::<Vec<_>>());
    // Where the system does not say how much was held there is no figure for it.
    let memory = json.as_array().unwrap().iter().find(|figure| figure["name"] == "citation/lapgraph-memory");
    assert_eq!(memory.is_some(), cfg!(target_os = "linux"));
}

#[test]
fn data_that_do_not_exist_cannot_be_measured() {
    for what in ["local", "central"] {
        World::new().veil(&format!("bench {what} --data nowhere")).fails_with(1).says("nowhere");
    }
}
