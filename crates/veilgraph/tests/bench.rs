//! `veil lab bench`, as somebody meets it who wants to know how fast this is here.
#![allow(clippy::unwrap_used, reason = "what fails here fails a test")]

mod world;

use veil_learn::method::{Entry, entries};
use veil_privacy::{Trust, Unit};
use world::World;

#[test]
fn one_figure_is_measured_as_a_table_and_as_json() {
    let home = World::new();
    home.veil("lab bench nn cora-gcn").succeeds().says("cora-gcn").says("≤ 1.3");
    let json = home.shown("lab bench nn cora-gcn");
    let figures = json.as_array().unwrap();
    assert_eq!(figures.len(), 1);
    let figure = figures[0].as_object().unwrap();
    assert_eq!(figure.keys().collect::<Vec<_>>(), ["name", "target", "unit", "value"]);
    assert_eq!((&figure["name"], &figure["unit"], &figure["target"]), (&"cora-gcn".into(), &"ms".into(), &1.3.into()));
    assert!(figure["value"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_figure_that_does_not_exist_is_wrong_usage() {
    World::new().veil("lab bench nn cora-gnc").fails_with(2).says("cora-gcn").says("facebook-gat");
}

#[test]
fn instructions_that_nobody_knows_are_wrong_usage() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_veil"));
    let said = command.args(["lab", "bench", "nn", "cora-gcn"]).env("VEIL_SIMD", "avx3").output().unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&said.stderr).contains("expected portable, avx2 or avx512"));
}

/// Every figure is there once, and nothing else; none has a target.
fn assert_measured(json: &serde_json::Value, methods: &[&str]) {
    let parts = ["release", "train", "linkteller"];
    let mut expected: Vec<(String, &str)> =
        methods.iter().flat_map(|it| parts.map(|part| (format!("citation/{it}/{part}"), "ms"))).collect();
    // Where the system does not say how much was held there is no figure for it.
    expected.extend(cfg!(target_os = "linux").then(|| ("citation/peak-memory".to_owned(), "MB")));
    let figures = json.as_array().unwrap();
    for figure in figures {
        assert_eq!(figure.as_object().unwrap().keys().collect::<Vec<_>>(), ["name", "target", "unit", "value"]);
        assert!(figure["value"].as_f64().unwrap() > 0.0 && figure["target"].is_null(), "{figure}");
    }
    let found = figures.iter().map(|it| (it["name"].as_str().unwrap().to_owned(), it["unit"].as_str().unwrap()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn every_local_protocol_is_released_trained_and_attacked() {
    let json = World::with_graph("citation --nodes 120").veil("lab bench local --data graph --json").succeeds().json();
    let of_users = |it: &&Entry| it.trust == Trust::Local;
    assert_measured(&json, &entries().iter().filter(of_users).map(|it| it.name).collect::<Vec<_>>());
}

#[test]
fn every_method_of_an_owner_is_released_trained_and_attacked() {
    let json =
        World::with_graph("citation --nodes 120").veil("lab bench central --data graph --json").succeeds().json();
    let of_owner = |it: &&Entry| it.trust == Trust::Central && it.unit != Some(Unit::Node);
    assert_measured(&json, &entries().iter().filter(of_owner).map(|it| it.name).collect::<Vec<_>>());
}

#[test]
fn one_method_can_be_measured_where_its_kind_is() {
    let home = World::with_graph("citation --nodes 120");
    let json = home.shown("lab bench local --data graph --method edge-flip");
    assert_measured(&json, &["edge-flip"]);
    let elsewhere = "edge-flip is not measured here: expected one of mlp, edge-free, gnn, dpgcn, lpgnet";
    home.veil("lab bench central --data graph --method edge-flip").fails_with(2).says(elsewhere);
    home.veil("lab bench central --data graph --method privgnn").fails_with(2).says("privgnn is not measured here");
    home.veil("lab bench local --method edge-flop").fails_with(2).says("unknown method \"edge-flop\"");
}

#[test]
fn data_that_do_not_exist_cannot_be_measured() {
    for what in ["local", "central"] {
        World::new().veil(&format!("lab bench {what} --data nowhere")).fails_with(1).says("nowhere");
    }
}
