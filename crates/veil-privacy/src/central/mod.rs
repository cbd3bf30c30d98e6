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

use veil_graph::Graph;

use crate::coins::Stream;
use crate::guarantee::Guarantee;
use crate::protocol::ProtocolError;

/// A mechanism that releases a whole graph, checked and ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Central {
    /// Noise on every cell, the largest kept.
    LapGraph(LapGraph),
    /// Every cell flipped.
    EdgeRand(EdgeRand),
}

impl Central {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Central::LapGraph(_) => lap_graph::NAME,
            Central::EdgeRand(_) => edge_rand::NAME,
        }
    }

    /// The canonical text of the parameters.
    pub fn parameters(&self) -> String {
        match self {
            Central::LapGraph(it) => it.parameters(),
            Central::EdgeRand(it) => it.parameters(),
        }
    }

    /// What it promises.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        match self {
            Central::LapGraph(it) => it.guarantees(),
            Central::EdgeRand(it) => it.guarantees(),
        }
    }

    /// Whether it can run on so many nodes: from public numbers alone.
    ///
    /// # Errors
    /// If the parameters say another number of nodes, or too many edges are expected.
    pub fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        match self {
            Central::LapGraph(it) => it.fits(nodes),
            Central::EdgeRand(it) => it.fits(nodes),
        }
    }

    /// The released graph, undirected.
    ///
    /// # Errors
    /// As [`fits`](Central::fits).
    pub fn run(&self, graph: &Graph, coins: &Stream) -> Result<Graph, ProtocolError> {
        match self {
            Central::LapGraph(it) => it.run(graph, coins),
            Central::EdgeRand(it) => it.run(graph, coins),
        }
    }
}
