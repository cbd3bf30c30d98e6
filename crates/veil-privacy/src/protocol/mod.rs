//! Local protocols for edges: what each node does with its own neighbour list.
//!
//! Every protocol is written from the node's chair: the code for node v uses v's own neighbours and what they sent to v,
//! and v's own coins. `run` simulates all nodes in parallel. So what a protocol promises can be read off the arguments of
//! one function, and the same function can run on a device.
//!
//! From the paper: [`graph_privatizer`] and its baseline [`two_hop_rr`]. From the thesis, with messages counted:
//! [`dummy_exchange`] and [`shuffled_query`]. These four are refuted: each module holds the counterexample. Proven are
//! [`neighbour_krr`] and [`edge_flip`], which release lists, and [`degree_vectors`], which releases counts instead.

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
pub mod two_hop_rr;

pub use degree_vectors::DegreeVectors;
pub use dummy_exchange::DummyExchange;
pub use edge_flip::EdgeFlip;
pub use graph_privatizer::GraphPrivatizer;
pub use neighbour_krr::NeighbourKrr;
pub use reports::{Reports, Traffic};
pub(crate) use shared::{COINS, PUBLIC_NODES};
pub use shuffled_query::ShuffledQuery;
pub use similarity::Measure;
pub use two_hop_rr::TwoHopRr;

use veil_graph::{Features, Graph, GraphError};

use crate::coins::Stream;
use crate::guarantee::Guarantee;

/// Why a protocol could not run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProtocolError {
    /// It compares features, and none are released.
    #[error("{protocol} compares released features, and none are released")]
    NoFeatures {
        /// The protocol.
        protocol: &'static str,
    },
    /// The reports would be too many.
    #[error(
        "{protocol} would report about {expected} edges, more than the {limit} that are allowed: raise --max-edges or ε"
    )]
    TooManyEdges {
        /// The protocol.
        protocol: &'static str,
        /// How many are expected.
        expected: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// Clusters or features of other nodes.
    #[error("{what} of {found} nodes do not fit a graph of {nodes}")]
    Nodes {
        /// What was given.
        what: &'static str,
        /// How many nodes the graph has.
        nodes: usize,
        /// How many were given.
        found: usize,
    },
    /// A node in a cluster beyond the last.
    #[error("node {node} is in cluster {cluster}, and there are {clusters} (from 0)")]
    NoSuchCluster {
        /// The node.
        node: u32,
        /// Its cluster.
        cluster: u32,
        /// How many clusters there are.
        clusters: u32,
    },
    /// The reported lists are no graph.
    #[error(transparent)]
    Lists(#[from] GraphError),
}

/// A protocol in which every node reports a list of nodes, checked and ready to run.
#[derive(Clone, Debug, PartialEq)]
pub enum Protocol {
    /// Similar neighbours of neighbours (TMLR 2024).
    GraphPrivatizer(GraphPrivatizer),
    /// Randomised response on the two-hop list (its baseline).
    TwoHopRr(TwoHopRr),
    /// Two hops of features with dummies (thesis, approach 1).
    DummyExchange(DummyExchange),
    /// Shuffled queries to neighbours (thesis, approach 2).
    ShuffledQuery(ShuffledQuery),
    /// Each neighbour exchanged for any node.
    NeighbourKrr(NeighbourKrr),
    /// Every bit of the list flipped.
    EdgeFlip(EdgeFlip),
}

/// Calls a method of whichever protocol it is.
macro_rules! each {
    ($protocol:expr, $it:ident => $call:expr) => {
        match $protocol {
            Protocol::GraphPrivatizer($it) => $call,
            Protocol::TwoHopRr($it) => $call,
            Protocol::DummyExchange($it) => $call,
            Protocol::ShuffledQuery($it) => $call,
            Protocol::NeighbourKrr($it) => $call,
            Protocol::EdgeFlip($it) => $call,
        }
    };
}

impl Protocol {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Protocol::GraphPrivatizer(_) => graph_privatizer::NAME,
            Protocol::TwoHopRr(_) => two_hop_rr::NAME,
            Protocol::DummyExchange(_) => dummy_exchange::NAME,
            Protocol::ShuffledQuery(_) => shuffled_query::NAME,
            Protocol::NeighbourKrr(_) => neighbour_krr::NAME,
            Protocol::EdgeFlip(_) => edge_flip::NAME,
        }
    }

    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        each!(self, it => it.parameters())
    }

    /// What it promises, one guarantee per unit; for a graph of so many nodes.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        each!(self, it => it.guarantees())
    }

    /// Whether nodes compare features, so that these must be released too.
    pub fn compares_features(&self) -> bool {
        match self {
            Protocol::GraphPrivatizer(it) => it.compares_features(),
            Protocol::DummyExchange(_) | Protocol::ShuffledQuery(_) => true,
            Protocol::TwoHopRr(_) | Protocol::NeighbourKrr(_) | Protocol::EdgeFlip(_) => false,
        }
    }

    /// Every node's report. `features` are released ones.
    ///
    /// # Errors
    /// If features are needed and missing or of other nodes, or there would be too many reports.
    pub fn run(&self, graph: &Graph, features: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        if let Some(features) = features {
            shared::features_fit(graph, features)?;
        }
        let needed = || features.ok_or(ProtocolError::NoFeatures { protocol: self.name() });
        match self {
            Protocol::GraphPrivatizer(it) if it.compares_features() => it.run(graph, Some(needed()?), coins),
            Protocol::GraphPrivatizer(it) => it.run(graph, None, coins),
            Protocol::TwoHopRr(it) => it.run(graph, coins),
            Protocol::DummyExchange(it) => it.run(graph, needed()?, coins),
            Protocol::ShuffledQuery(it) => it.run(graph, needed()?, coins),
            Protocol::NeighbourKrr(it) => it.run(graph, coins),
            Protocol::EdgeFlip(it) => it.run(graph, coins),
        }
    }
}
