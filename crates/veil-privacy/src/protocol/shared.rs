//! What several protocols have in common: their guarantees, and what they check.

use veil_graph::{Features, Graph};

use super::ProtocolError;
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Guarantee, Status, Trust, Unit};

/// What every local report assumes, unless the nodes were found in the edges.
pub(crate) const PUBLIC_NODES: &str = "the number and the names of the nodes are public";

/// What all noise assumes.
pub(crate) const COINS: &str = "nobody breaks ChaCha20 or HMAC-SHA-256, from which the noise is derived";

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
pub(super) fn guarantee(unit: Unit, epsilon: Epsilon, status: Status, name: &str, parameters: String) -> Guarantee {
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
        assumptions: vec![
            PUBLIC_NODES.to_owned(),
            "each user makes the report from their own list; where someone who holds the raw data makes it for them, it \
             protects from everyone but that holder"
                .to_owned(),
            COINS.to_owned(),
        ],
        not_protected: vec![WHO.to_owned()],
        source: String::new(),
    }
}
