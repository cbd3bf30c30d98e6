//! What all ways of answering promise about a node.

use crate::accounting::Spending;
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
    let counted = match private.declared.classes {
        true => "the number of classes is public".to_owned(),
        false => "the number of classes was counted in the data: that reads everybody's and is NOT accounted for in ε"
            .to_owned(),
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
            "the number of features is public".to_owned(),
            counted,
            "the owner holds the private graph and is trusted with it; it protects from everyone else".to_owned(),
            COINS.to_owned(),
            "hyper-parameters were not chosen by results on the private graph: ε does not count what such a choice tells".to_owned(),
            "nobody learns how long answering took".to_owned(),
        ],
        not_protected: vec![
            "what many private nodes have in common: that is what the student learns".to_owned(),
            "several nodes together: two of them have twice the loss, and a node that is replaced by another counts as two".to_owned(),
            "the public graph: it is public".to_owned(),
        ],
        source,
    }
}

/// ε as it is booked: rounded up, and at least as much as can be written down.
pub(super) fn booked(spending: &Spending) -> Result<Epsilon, BudgetError> {
    Epsilon::from_f64_rounded_up(spending.epsilon.max(1e-9))
}
