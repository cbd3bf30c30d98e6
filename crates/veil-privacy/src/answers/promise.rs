//! What all ways of answering promise about a node.

use crate::budget::{BudgetError, Delta, Epsilon};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};
use crate::seal::Public;

/// A guarantee about one node of the private graph.
pub(super) fn about_a_node(
    private: &Public<'_>,
    (mechanism, parameters): (&str, ParameterList),
    (epsilon, delta): (Epsilon, Delta),
    status: Status,
    source: String,
) -> Guarantee {
    let declared = private.declared;
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
            Assumption::IndependentPublicGraph,
            if declared.dimensions { Assumption::PublicDimensions } else { Assumption::CountedDimensions },
            if declared.classes { Assumption::PublicClasses } else { Assumption::CountedClasses },
            Assumption::TrustedOwner,
            Assumption::Coins,
            Assumption::UntunedParameters,
            Assumption::UnobservedTime,
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
