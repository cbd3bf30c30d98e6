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
