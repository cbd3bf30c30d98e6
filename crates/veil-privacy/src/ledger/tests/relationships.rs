//! What a relationship costs where users report: twice ε, or once if the mechanism proves it.

use super::*;
use crate::protocol::cascade::{self, Heard};

fn rows(unit: Unit) -> Vec<Guarantee> {
    let epsilon = "1".parse().unwrap();
    let params =
        cascade::Params { epsilon, unit, classes: 3, batches: 2, steps: 64, paired: false, heard: Heard::Earlier };
    params.check().unwrap().guarantees()
}

fn spent_on(guarantees: Vec<Guarantee>) -> [String; 3] {
    let mut book = book(&["edge=9", "edge-bit=9", "edge-set=9"]);
    book.charge(guarantees).unwrap();
    [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet].map(|unit| book.spent(unit))
}

#[test]
fn a_relationship_of_a_cascade_costs_epsilon_once() {
    assert_eq!(spent_on(rows(Unit::EdgeBit)), ["1", "1", "2"]);
    assert_eq!(spent_on(rows(Unit::Edge)), ["1", "1", "2"]);
    // It is enough for a budget of ε, once.
    let mut book = book(&["edge=1"]);
    book.charge(rows(Unit::EdgeBit)).unwrap();
    assert!(matches!(book.charge(rows(Unit::EdgeBit)), Err(LedgerError::OverBudget { unit: Unit::Edge, .. })));
}

#[test]
fn other_reports_cost_a_relationship_twice() {
    assert_eq!(spent_on(vec![proven(Unit::EdgeBit, "1")])[0], "2");
}

/// A figure that mechanism and parameters do not imply is not believed.
#[test]
fn a_stated_figure_is_recomputed() {
    let forged = |change: &dyn Fn(&mut Guarantee)| {
        let mut guarantees = rows(Unit::EdgeBit);
        guarantees.iter_mut().for_each(change);
        spent_on(guarantees)[0].clone()
    };
    let less = "0.25".parse().ok();
    assert_eq!(forged(&|_| ()), "1");
    assert_eq!(forged(&|it| it.per_relationship = less), "2");
    assert_eq!(forged(&|it| it.per_relationship = None), "2");
    assert_eq!(forged(&|it| it.mechanism = "test".into()), "2");
    assert_eq!(forged(&|it| it.mechanism = "degree-vectors".into()), "2");
    let unknown = Guarantee { per_relationship: less, ..proven(Unit::EdgeBit, "1") };
    assert_eq!(spent_on(vec![unknown])[0], "2");
}

/// With δ the guarantee for two steps is (2ε, (1+e^ε)δ).
#[test]
fn an_edge_with_delta_implies_what_follows_for_lists() {
    let mut book = book(&["edge=1,0.1", "edge-bit=1,0.1", "edge-set=2,0.1"]);
    let guarantee = Guarantee { delta: "0.01".parse().unwrap(), ..proven(Unit::Edge, "1") };
    book.charge(vec![guarantee]).unwrap();
    assert_eq!([Unit::Edge, Unit::EdgeBit, Unit::EdgeSet].map(|unit| book.spent(unit)), ["1", "1", "2"]);
}
