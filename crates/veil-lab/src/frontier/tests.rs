//! Points stand at the ε of their unit, whatever their method calls ε.

use serde_json::Value;

use super::{Part, Place, Unit, page};
use crate::outcome::{Outcome, Promised};
use crate::report::Made;
use crate::report::tests::example::{outcome, promised};

fn run(case: &str, seed: u64, accuracy: f64, promises: &[Promised]) -> Outcome {
    let figures = [("test_accuracy", accuracy), ("lsa_auc", 0.75), ("lsa_auc_edge_free", 0.7)];
    Outcome { promises: promises.to_vec(), ..outcome(case, "cora", &[("x", Value::from(1))], seed, &figures) }
}

fn reported(epsilon: f64) -> Promised {
    Promised { per_relationship: Some(2.0 * epsilon), ..promised("edge-bit", Some(epsilon), "proven", "counts") }
}

#[test]
fn a_relationship_costs_what_both_reports_cost() {
    let once = Promised { per_relationship: Some(2.0), ..promised("edge-bit", Some(2.0), "proven", "cascade") };
    let set = promised("edge-set", Some(2.0), "proven", "krr");
    let outcomes = [
        run("counts", 1, 0.5, &[promised("label", Some(3.0), "proven", "rr"), reported(1.0)]),
        run("counts", 2, 0.6, &[reported(1.0)]),
        run("once", 1, 0.8, &[once]),
        run("sets", 1, 0.9, &[set]),
        run("floor", 1, 0.4, &[promised("label", Some(3.0), "proven", "rr")]),
        run("open", 1, 0.95, &[promised("edge", None, "none", "raw")]),
        Outcome { error: Some("failed".into()), ..run("counts", 3, 0.0, &[]) },
    ];
    let part = Part::of("local", "Local", &outcomes).unwrap();
    assert_eq!((part.unit, part.epsilons()), (Unit::Relationship, vec![2.0]));
    let found: Vec<(&str, &Place, usize)> = (part.panels[0].curves.iter())
        .map(|curve| (curve.case.as_str(), &curve.points[0].place, curve.points[0].accuracy.count))
        .collect();
    // What protects no relationship has no place.
    let at = Place::At { epsilon: 2.0, status: "proven".into() };
    let expected = [("counts", &at, 2), ("once", &at, 1), ("floor", &Place::Floor, 1), ("open", &Place::Ceiling, 1)];
    assert_eq!(found, expected);
}

#[test]
fn the_page_has_a_picture_and_a_table_per_graph() {
    let edge = |epsilon| promised("edge", Some(epsilon), "proven", "m");
    let outcomes = [
        run("ours", 1, 0.8, &[edge(1.0)]),
        run("ours", 2, 0.82, &[edge(1.0)]),
        run("ours", 1, 0.9, &[edge(4.0)]),
        run("other", 1, 0.7, &[edge(4.0)]),
        run("floor", 1, 0.5, &[]),
    ];
    let part = Part::of("edge", "Edges", &outcomes).unwrap();
    let made = Made { version: "1.2.3".into(), date: "today".into(), command: "veil lab".into() };
    let files = page(&[part], &made);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["frontier.md", "frontier-edge.svg"]);
    let (text, picture) = (&files[0].1, &files[1].1);
    for expected in [
        "![Edges](frontier-edge.svg)",
        "| method | status | ε = 1 | ε = 4 | LSA | LSA, twin |",
        "| ours | proven | **81.0 (80.0–82.0)** | **90.0** | 0.75 (1) | 0.70 (1) |",
        "| other | proven |  | 70.0 | 0.75 (4) | 0.70 (4) |",
        "| floor | reads no edges | 50.0 |  | 0.75 | 0.70 |",
        "with version 1.2.3",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(picture.starts_with("<svg") && picture.contains("ours, ε = 4: 90.0 %"), "{picture}");
    assert_eq!(picture.matches("<circle").count(), 3 + 3);
}

#[test]
fn without_any_epsilon_there_is_no_part() {
    assert!(Part::of("edge", "Edges", &[run("floor", 1, 0.5, &[])]).is_none());
    assert!(Part::of("edge", "Edges", &[]).is_none());
}
