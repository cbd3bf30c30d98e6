//! What several protocols have in common: their guarantees, and what they check.

use veil_graph::{Features, Graph};

use super::ProtocolError;
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};

/// What no report hides.
pub(super) const WHO: &str = "who takes part";

/// The features of a protocol that compares them.
pub(super) fn compared<'f>(
    protocol: &'static str,
    graph: &Graph,
    features: Option<&'f Features>,
) -> Result<&'f Features, ProtocolError> {
    let features = features.ok_or(ProtocolError::NoFeatures { protocol })?;
    features_fit(graph, features)?;
    Ok(features)
}

/// That there is a vector for each node.
pub(super) fn features_fit(graph: &Graph, features: &Features) -> Result<(), ProtocolError> {
    let (nodes, found) = (graph.nodes() as usize, features.rows());
    if nodes == found { Ok(()) } else { Err(ProtocolError::Nodes { what: "features", nodes, found }) }
}

/// That a graph has as many nodes as the parameters say.
pub(crate) fn same_nodes(expected: u32, nodes: u32) -> Result<(), ProtocolError> {
    if nodes == expected {
        return Ok(());
    }
    Err(ProtocolError::Nodes { what: "parameters", nodes: nodes as usize, found: expected as usize })
}

/// A local guarantee about edges; what is not protected and the source are for the protocol to say.
pub(super) fn guarantee(
    unit: Unit,
    epsilon: Epsilon,
    status: Status,
    name: &str,
    parameters: ParameterList,
) -> Guarantee {
    Guarantee {
        unit,
        trust: Trust::Local,
        epsilon,
        delta: Delta::ZERO,
        status,
        reproducible: false,
        // An undirected edge is one bit in two lists; where one bit is not protected, nothing adds up.
        per_relationship: epsilon.times(2).filter(|_| unit == Unit::EdgeBit && status == Status::Proven),
        mechanism: name.to_owned(),
        parameters,
        assumptions: vec![Assumption::PublicNodes, Assumption::OwnReports, Assumption::Coins],
        not_protected: vec![WHO.to_owned()],
        source: String::new(),
    }
}
