//! The guarantee about a node that all answers share.

use std::str::FromStr;

use super::AnswerError;
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
            "properties shared by many private nodes: the student learns them".to_owned(),
            "groups of nodes: two nodes have the loss (2ε, (1+e^ε)δ), and replacing a node counts as two".to_owned(),
            "the public graph".to_owned(),
        ],
        source,
    }
}

/// A parameter of a stated guarantee.
pub(super) fn parameter<T: FromStr>(stated: &Guarantee, name: &'static str) -> Result<T, AnswerError> {
    stated.parameters.get(name).and_then(|text| text.parse().ok()).ok_or(AnswerError::NoParameter { name })
}

/// ε as booked: rounded up to a multiple of 10⁻⁹, and at least that.
pub(super) fn booked(epsilon: f64) -> Result<Epsilon, BudgetError> {
    Epsilon::from_f64_rounded_up(epsilon.max(1e-9))
}
