//! The guarantee about a node that all answers share.

use std::str::FromStr;

use super::AnswerError;
use crate::budget::{BudgetError, Delta, Epsilon};
use crate::fact::{Disclosed, Fact, NotPublic, Origin};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};
use crate::seal::Public;

/// A guarantee about one node of the private graph.
pub(super) fn about_a_node(
    private: &Public<'_>,
    (mechanism, parameters): (&str, ParameterList),
    (epsilon, delta): (Epsilon, Delta),
    status: Status,
    source: String,
) -> Result<Guarantee, NotPublic> {
    let guarantee = Guarantee {
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
            Assumption::PublicDimensions,
            Assumption::PublicClasses,
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
    };
    Ok(disclosed(private)?.beside(guarantee))
}

/// What leaves of the private graph without a mechanism: its shape. Its nodes do not.
pub(super) fn disclosed(private: &Public<'_>) -> Result<Disclosed, NotPublic> {
    let facts = [Fact::Dimensions, Fact::Classes].map(|fact| (fact, private.origin(fact)));
    let counted = private.counts_are_public().then_some((Fact::PrivateNodes, Origin::Computed));
    let facts = facts.into_iter().chain(counted).collect();
    Disclosed::decide(private.name, private.declarations, facts, &[Unit::Node])
}

/// A parameter of a stated guarantee.
pub(super) fn parameter<T: FromStr>(stated: &Guarantee, name: &'static str) -> Result<T, AnswerError> {
    stated.parameters.get(name).and_then(|text| text.parse().ok()).ok_or(AnswerError::NoParameter { name })
}

/// ε as booked: rounded up to a multiple of 10⁻⁹, and at least that.
pub(super) fn booked(epsilon: f64) -> Result<Epsilon, BudgetError> {
    Epsilon::from_f64_rounded_up(epsilon.max(1e-9))
}
