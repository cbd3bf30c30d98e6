//! What all ways of answering promise about a node.

use crate::budget::{BudgetError, Delta, Epsilon};
use crate::guarantee::{Guarantee, Status, Trust, Unit};
use crate::protocol::COINS;
use crate::seal::Public;

/// A guarantee about one node of the private graph.
pub(super) fn about_a_node(
    private: &Public<'_>,
    (mechanism, parameters): (&str, String),
    (epsilon, delta): (Epsilon, Delta),
    status: Status,
    source: String,
) -> Guarantee {
    let known = |what: &str, declared: bool| match declared {
        true => format!("{what} public"),
        false => {
            format!("{what} not declared but read from the data: that reads everybody's and is NOT accounted for in ε")
        }
    };
    Guarantee {
        unit: Unit::Node,
        trust: Trust::Central,
        epsilon,
        delta,
        status,
        reproducible: false,
        per_relationship: None,
        mechanism: mechanism.to_owned(),
        parameters,
        assumptions: vec![
            "the public graph, its features and the choice of the nodes that are asked about do not depend on the private graph".to_owned(),
            known("the number of features is", private.declared.dimensions),
            known("the number of classes and their names are", private.declared.classes),
            "the owner holds the private graph and is trusted with it; it protects from everyone else".to_owned(),
            COINS.to_owned(),
            "hyper-parameters were not chosen by results on the private graph: ε does not count what such a choice tells".to_owned(),
            "nobody learns how long answering took".to_owned(),
        ],
        not_protected: vec![
            "what many private nodes have in common: that is what the student learns".to_owned(),
            "several nodes together: a node that is replaced by another counts as two, and two of them have 2ε and (1+e^ε)δ".to_owned(),
            "the public graph: it is public".to_owned(),
        ],
        source,
    }
}

/// ε as it is booked: rounded up, and at least as much as can be written down.
pub(super) fn booked(epsilon: f64) -> Result<Epsilon, BudgetError> {
    Epsilon::from_f64_rounded_up(epsilon.max(1e-9))
}
