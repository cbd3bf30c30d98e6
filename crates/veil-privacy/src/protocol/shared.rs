//! Shared by several protocols: guarantees and checks.

use veil_graph::{Features, Graph};

use super::ProtocolError;
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};

/// Not protected by any report.
pub(super) const PARTICIPATION: &str = "participation: which users send a report";

/// Not protected by reports that keep the degree.
pub(super) const DEGREE: &str = "the number of a user's neighbours, and therefore the existence of a relationship; a change of \
                                 the graph that keeps all degrees (swapping the ends of two edges) changes four reports (4ε)";

/// Not protected by noise on single entries or counts.
pub(super) const MANY: &str = "the approximate degree of a user with many neighbours: each neighbour is protected, all of them \
                               together are not";

/// The released features, for a protocol that compares them.
pub(super) fn compared<'f>(
    protocol: &'static str,
    graph: &Graph,
    features: Option<&'f Features>,
) -> Result<&'f Features, ProtocolError> {
    let features = features.ok_or(ProtocolError::NoFeatures { protocol })?;
    features_fit(graph, features)?;
    Ok(features)
}

/// Checks that there is a vector for each node.
pub(super) fn features_fit(graph: &Graph, features: &Features) -> Result<(), ProtocolError> {
    let (nodes, found) = (graph.nodes() as usize, features.rows());
    if nodes == found { Ok(()) } else { Err(ProtocolError::Nodes { what: "features", nodes, found }) }
}

/// Checks that a graph has the number of nodes of the parameters.
pub(crate) fn same_nodes(expected: u32, nodes: u32) -> Result<(), ProtocolError> {
    if nodes == expected {
        return Ok(());
    }
    Err(ProtocolError::Nodes { what: "parameters", nodes: nodes as usize, found: expected as usize })
}

/// Checks the number of nodes, and that no more false edges are expected than the limit.
pub(crate) fn few_edges(
    protocol: &'static str,
    (parameters, graph): (u32, u32),
    (expected, limit): (u64, u64),
) -> Result<(), ProtocolError> {
    same_nodes(parameters, graph)?;
    if expected > limit { Err(ProtocolError::TooManyEdges { protocol, expected, limit }) } else { Ok(()) }
}

/// A local guarantee about edges; the protocol adds its source and what is not protected.
pub fn guarantee(unit: Unit, epsilon: Epsilon, status: Status, name: &str, parameters: ParameterList) -> Guarantee {
    Guarantee {
        unit,
        trust: Trust::Local,
        epsilon,
        delta: Delta::ZERO,
        status,
        reproducible: false,
        // An undirected edge is one bit in two lists.
        per_relationship: epsilon.times(2).filter(|_| unit == Unit::EdgeBit && status == Status::Proven),
        mechanism: name.to_owned(),
        parameters,
        assumptions: vec![Assumption::PublicNodes, Assumption::OwnReports, Assumption::Coins],
        not_protected: vec![PARTICIPATION.to_owned()],
        source: String::new(),
    }
}
