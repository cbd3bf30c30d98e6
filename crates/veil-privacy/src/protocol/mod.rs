//! Local protocols for edges: each node perturbs its own neighbour list.
//!
//! The code for node v uses v's own neighbours, the messages that v received and v's own coins, so
//! the same function runs on a device, and its arguments show what it depends on. [`Protocol::run`]
//! simulates all nodes in parallel. [`ENTRIES`] is the registry.
//!
//! From the GraphPrivatizer paper: [`graph_privatizer`] and its baseline [`two_hop_rr`]. From the
//! thesis: [`dummy_exchange`] and [`shuffled_query`]. These four are refuted: each module has a
//! counterexample. [`neighbour_krr`] and [`edge_flip`], which release lists, [`blink`], which
//! releases lists and degrees, [`degree_vectors`], which releases counts, and [`cascade`], which
//! counts every edge once, are proven.

pub mod blink;
pub mod cascade;
pub mod degree_vectors;
pub mod dummy_exchange;
pub mod edge_flip;
pub mod exchange;
pub mod graph_privatizer;
pub mod neighbour_krr;
mod reports;
mod shared;
pub mod shuffled_query;
mod similarity;
#[cfg(test)]
mod tests;
pub mod two_hop_rr;

pub use blink::Blink;
pub use cascade::Cascade;
pub use degree_vectors::DegreeVectors;
pub use dummy_exchange::DummyExchange;
pub use edge_flip::EdgeFlip;
pub use graph_privatizer::GraphPrivatizer;
pub use neighbour_krr::NeighbourKrr;
pub use reports::{Reports, Traffic, without_messages};
pub use shared::guarantee as local_guarantee;
pub(crate) use shared::{few_edges, same_nodes};
pub use shuffled_query::ShuffledQuery;
pub use similarity::Measure;
pub use two_hop_rr::TwoHopRr;

use std::fmt::Debug;

use veil_graph::{Features, Graph, GraphError, NodeId};

pub use crate::registry::ProtocolParamError;

use crate::coins::Stream;
use crate::device::{Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::guarantee::{Guarantee, ParameterList};
use crate::mechanism::DiscreteLaplace;
use crate::registry;

/// Why a protocol could not run.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProtocolError {
    #[error("{protocol} compares released features, but none are released")]
    NoFeatures { protocol: &'static str },
    #[error("{protocol} is expected to release {expected} edges, more than the limit of {limit}")]
    TooManyEdges { protocol: &'static str, expected: u64, limit: u64 },
    #[error("{what} for {found} nodes do not fit a graph of {nodes} nodes")]
    Nodes { what: &'static str, nodes: usize, found: usize },
    #[error("the two graphs share no node names: a graph that grows requires node ids, not row numbers")]
    NoNamesInCommon,
    #[error("messages of {found} numbers, where those of the first hop have {width}")]
    Width { width: usize, found: usize },
    #[error("node {node} is in cluster {cluster}, but there are only {clusters} (from 0)")]
    NoSuchCluster { node: u32, cluster: u32, clusters: u32 },
    #[error("invalid order: each of {nodes} nodes must occur exactly once, and each batch must have a node")]
    NotAnOrder { nodes: usize },
    #[error("the message of node {node} sums to more than one ({steps} steps)")]
    LongMessage { node: u32, steps: u32 },
    #[error("node {name} of the earlier release is missing: nodes are only added to a graph that grows")]
    NodeIsMissing { name: String },
    #[error(transparent)]
    Lists(#[from] GraphError),
}

impl ProtocolError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            ProtocolError::TooManyEdges { .. }
                | ProtocolError::NoFeatures { .. }
                | ProtocolError::NodeIsMissing { .. }
                | ProtocolError::NoNamesInCommon
        )
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            ProtocolError::TooManyEdges { .. } => "raise max-edges or epsilon-edges",
            ProtocolError::NoFeatures { .. } => "set epsilon-features",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// A protocol in which every node reports a list of nodes, perhaps with a noisy degree, checked and
/// ready to run.
///
/// A new protocol is a module with an implementation of this trait and an [`Entry`], and a line in
/// [`ENTRIES`]: command line, devices and audits use only these.
pub trait Protocol: Debug + Send + Sync {
    /// The name in the registry and in the coins' context.
    fn name(&self) -> &'static str;

    /// The parameters, in the order of the coins' context.
    fn parameters(&self) -> ParameterList;

    /// The guarantees, one per unit.
    fn guarantees(&self) -> Vec<Guarantee>;

    /// Whether nodes compare features, so that these must be released too.
    fn compares_features(&self) -> bool {
        false
    }

    /// Checks that it can run on a graph with this many nodes, from public numbers alone.
    ///
    /// # Errors
    /// If the parameters are for another number of nodes, or too many edges are expected.
    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        let _ = nodes;
        Ok(())
    }

    /// Whether the report of `me` depends on whether `other` is in its list.
    fn hears(&self, me: NodeId, other: NodeId) -> bool {
        me != other
    }

    /// Every node's report. `features` are released ones.
    ///
    /// # Errors
    /// If it does not [fit](Protocol::fits), or compared features are missing or have another
    /// number of rows.
    fn run(&self, graph: &Graph, features: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError>;

    /// One node's part on a device, given its inbox: see
    /// [`Device::part`](crate::device::Device::part).
    ///
    /// # Errors
    /// If a line of the inbox is not a message of this protocol, or contradicts an earlier one.
    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError>;

    /// The exact distribution of a report.
    fn exact(&self) -> Exact<'_>;
}

/// Two protocols are equal if their reports are: by name and parameters.
impl PartialEq for dyn Protocol {
    fn eq(&self, other: &dyn Protocol) -> bool {
        (self.name(), self.parameters()) == (other.name(), other.parameters())
    }
}

/// The exact distribution of one node's report, by the structure of the protocol.
#[derive(Clone, Debug)]
pub enum Exact<'a> {
    /// No messages. Each neighbour is replaced independently by a node of V∖{me}; all other nodes
    /// are equally likely.
    Slots {
        /// P[u → u].
        keep: Fraction,
        /// P[u → w] for each w ≠ u.
        exchange: Fraction,
    },
    /// No messages. Each bit of the list is drawn independently: P[bit → 0] and P[bit → 1] for a
    /// bit that is 0, and for one that is 1.
    Bits([[Fraction; 2]; 2]),
    /// No messages. The degree with noise, and each bit of the list, all drawn independently.
    DegreeAndBits {
        /// The noise of the degree.
        degree: DiscreteLaplace,
        /// As in `Bits`.
        bits: [[Fraction; 2]; 2],
    },
    /// A neighbour becomes one of its candidates.
    GraphPrivatizer(&'a GraphPrivatizer),
    /// The bits of nodes within two hops are drawn independently.
    TwoHopRr(&'a TwoHopRr),
    /// A neighbour becomes one node, determined by received messages.
    DummyExchange(&'a DummyExchange),
    /// Likewise, and it depends on which neighbours are flipped.
    ShuffledQuery(&'a ShuffledQuery),
}

/// A protocol in the registry.
pub type Entry = registry::Entry<dyn Protocol>;

/// All protocols of lists.
pub static ENTRIES: &[Entry] = &[
    graph_privatizer::ENTRY,
    two_hop_rr::ENTRY,
    dummy_exchange::ENTRY,
    shuffled_query::ENTRY,
    neighbour_krr::ENTRY,
    edge_flip::ENTRY,
    blink::ENTRY,
];

/// The protocol of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
