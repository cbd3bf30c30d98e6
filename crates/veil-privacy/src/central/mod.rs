//! Mechanisms by which the owner of a graph releases it: those of DpGCN (Wu et al. 2022; Kolluri et
//! al., CCS 2022, Algorithm 1).
//!
//! A graph of n nodes has one bit, a *cell*, for each of its n(n−1)/2 unordered pairs.
//! [`edge_rand`] flips every cell; [`lap_graph`] adds noise to every cell and keeps the largest,
//! about as many as there are edges. Neither stores a matrix: time and memory are proportional to
//! the true and the released edges. Row i of the upper triangle is drawn with node i's coins, so
//! the result does not depend on the number of threads.
//!
//! [`neighbour_sums`] releases no graph but noisy sums over neighbours, and [`moments`] sums over
//! whole nodes, of which no edge is read. [`edge_count`] is the noisy number of edges alone.

pub mod edge_count;
pub mod edge_rand;
pub mod lap_graph;
pub mod moments;
pub mod neighbour_sums;
mod shared;

pub use edge_count::EdgeCount;
pub use edge_rand::EdgeRand;
pub use lap_graph::LapGraph;
pub use moments::Moments;
pub use neighbour_sums::NeighbourSums;
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

    /// Its guarantees.
    fn guarantees(&self) -> Vec<Guarantee>;

    /// Checks that it can run on a graph with this many nodes, from public numbers alone.
    ///
    /// # Errors
    /// If the parameters are for another number of nodes, or too many edges are expected.
    fn fits(&self, nodes: u32) -> Result<(), ProtocolError>;

    /// The released graph, undirected.
    ///
    /// # Errors
    /// If it does not [fit](GraphMechanism::fits).
    fn run(&self, graph: &Graph, coins: &Stream) -> Result<Graph, ProtocolError>;

    /// The exact distribution of a released graph.
    fn exact(&self) -> ExactGraph<'_>;
}

/// Two mechanisms are equal if their releases are: by name and parameters.
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
    /// The graph is determined by a noisy number of edges and noisy cells.
    LapGraph(&'a LapGraph),
}

/// A graph mechanism in the registry.
pub type Entry = registry::Entry<dyn GraphMechanism>;

/// All mechanisms that release a whole graph.
pub static ENTRIES: &[Entry] = &[lap_graph::ENTRY, edge_rand::ENTRY];

/// The mechanism of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
