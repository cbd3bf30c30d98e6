//! The whole graph released by an owner who holds it: the two mechanisms of DpGCN (Wu et al. 2022; Kolluri et al., CCS
//! 2022, Algorithm 1).
//!
//! A graph of n nodes is a bit for each of its n(n−1)/2 unordered pairs, a *cell*. [`edge_rand`] flips every cell;
//! [`lap_graph`] adds noise to every cell and keeps as many of the largest as there are edges, roughly. Neither makes
//! a matrix: time and memory follow the edges that are there and those that come out. Row i of the upper triangle is
//! drawn with node i's coins, so that the result does not depend on the number of threads.

pub mod edge_rand;
pub mod lap_graph;
mod shared;

pub use edge_rand::EdgeRand;
pub use lap_graph::LapGraph;
pub(crate) use shared::guarantee;

use std::fmt::Debug;

use veil_graph::Graph;

use crate::coins::Stream;
use crate::exact::Fraction;
use crate::guarantee::{Guarantee, ParameterList};
use crate::protocol::ProtocolError;
use crate::registry;

/// A mechanism that releases a whole graph, checked and ready to run.
pub trait GraphMechanism: Debug + Send + Sync {
    /// The name in the registry and in the coins' context.
    fn name(&self) -> &'static str;

    /// The parameters, in the order of the coins' context.
    fn parameters(&self) -> ParameterList;

    /// What it promises.
    fn guarantees(&self) -> Vec<Guarantee>;

    /// Whether it can run on a graph of so many nodes: from public numbers alone.
    ///
    /// # Errors
    /// If the parameters are for another number of nodes, or too many edges are expected.
    fn fits(&self, nodes: u32) -> Result<(), ProtocolError>;

    /// The released graph, undirected.
    ///
    /// # Errors
    /// If it does not [fit](GraphMechanism::fits).
    fn run(&self, graph: &Graph, coins: &Stream) -> Result<Graph, ProtocolError>;

    /// How two released graphs are compared exactly.
    fn exact(&self) -> ExactGraph<'_>;
}

/// Two mechanisms are equal if what they release is: by name and parameters.
impl PartialEq for dyn GraphMechanism {
    fn eq(&self, other: &dyn GraphMechanism) -> bool {
        (self.name(), self.parameters()) == (other.name(), other.parameters())
    }
}

/// The exact distribution of a released graph, by the structure of the mechanism.
#[derive(Clone, Debug)]
pub enum ExactGraph<'a> {
    /// Each cell is drawn independently: P[cell → 0] and P[cell → 1] without an edge, and with one.
    Cells([[Fraction; 2]; 2]),
    /// The graph follows from a noisy number of edges and noisy cells.
    LapGraph(&'a LapGraph),
}

/// One line of the registry of graph mechanisms.
pub type Entry = registry::Entry<dyn GraphMechanism>;

/// All mechanisms that release a whole graph.
pub static ENTRIES: &[Entry] = &[lap_graph::ENTRY, edge_rand::ENTRY];

/// The mechanism of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
