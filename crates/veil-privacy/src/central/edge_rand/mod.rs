//! EdgeRand: randomised response (Warner 1965) on every pair of nodes (Wu et al. 2022).
//!
//! **Algorithm.** Each of the n(n−1)/2 cells is flipped with probability 1/(e^ε+1), independently,
//! and the pairs whose cell is then 1 are the edges. There is one coin per *unordered* pair, so the
//! released graph is undirected. Flipped cells are drawn as skips along each row
//! ([`Skips`](crate::sampler::Skips)), exact in whole numbers. Two nodes of a directed graph are
//! adjacent if either lists the other.
//!
//! **Guarantee.** ε, unit *edge*, central, pure. Cells are flipped independently and two graphs
//! that differ in one edge differ in one cell, so any released graph's probability differs by the
//! ratio of keeping to flipping that cell or its inverse. A word flips if it is below f, rounded up
//! from 2⁶⁴/(e^ε+1): the ratio is ≤ e^ε exactly (`exact_loss_is_at_most_epsilon`).
//!
//! **Not protected.** Participation. All edges of a node together, hence the approximate degree of
//! a node with many edges.
//!
//! **Number of edges.** n(n−1)/2/(e^ε+1) false edges are expected. As in
//! [`edge_flip`](crate::protocol::edge_flip), the limit is checked against n and ε alone.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use veil_graph::{Direction, Graph};

use super::{Entry, ExactGraph, GraphMechanism, shared};
use crate::budget::Epsilon;
use crate::coins::Stream;
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{BitFlip, ParamError};
use crate::protocol::{ProtocolError, few_edges};
use crate::registry::{self, EdgeLimit, ProtocolParamError};

/// The name in the registry and in the coins' context.
pub const NAME: &str = "edgerand";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Randomised response on every pair of nodes",
    unit: Unit::Edge,
    status: Status::Proven,
    parameters: registry::defaults::<EdgeLimit>,
    build: |epsilon, nodes, settings| {
        let EdgeLimit { max_edges } = registry::read(settings)?;
        let mechanism = Params { epsilon, nodes, max_edges }.check()?;
        ProtocolParamError::too_many(NAME, mechanism.expected_edges(), max_edges)?;
        Ok(Arc::new(mechanism))
    },
};

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of the release.
    pub epsilon: Epsilon,
    /// The number of nodes.
    pub nodes: u32,
    /// The largest expected number of false edges.
    pub max_edges: u64,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRand {
    params: Params,
    flip: BitFlip,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<EdgeRand, ParamError> {
        Ok(EdgeRand { params: self, flip: BitFlip::new(self.epsilon)? })
    }
}

impl EdgeRand {
    /// The expected number of false edges, rounded up, from public numbers.
    pub fn expected_edges(&self) -> u64 {
        self.flip.expected(shared::cells(self.params.nodes))
    }

    /// P[cell → 0] and P[cell → 1], exactly.
    pub fn distribution(&self, edge: bool) -> [Fraction; 2] {
        self.flip.distribution(edge)
    }
}

impl GraphMechanism for EdgeRand {
    fn name(&self) -> &'static str {
        NAME
    }

    // The limit on edges does not change the release.
    fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.params.epsilon).with("nodes", self.params.nodes)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let mut guarantee = shared::guarantee(self.params.epsilon, NAME, self.parameters());
        guarantee.source =
            "EdgeRand (Wu et al. 2022): randomised response on each pair of nodes; proof beside the code, \
                            veil-privacy/central/edge_rand"
                .to_owned();
        vec![guarantee]
    }

    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        let Params { nodes: expected, max_edges, .. } = self.params;
        few_edges(NAME, (expected, nodes), (self.expected_edges(), max_edges))
    }

    fn run(&self, graph: &Graph, coins: &Stream) -> Result<Graph, ProtocolError> {
        let nodes = graph.nodes();
        self.fits(nodes)?;
        let truth = shared::undirected(graph)?;
        let skips = self.flip.skips(nodes);
        let flipped = |coins: &Stream| {
            shared::every_row(nodes, coins, |row, coins, edges| {
                let (cells, ones) = (shared::cells_of_row(nodes, row), shared::ones_of_row(&truth, row));
                skips.flip(cells, ones, coins, |cell| edges.push((row, row + 1 + cell)));
            })
        };
        let mut edges = flipped(coins);
        if fault::is(Fault::CoinPerOrderedPair) {
            edges.extend(flipped(&coins.of_round(1)));
        }
        Ok(Graph::from_edges(nodes, &edges, Direction::Undirected)?.graph)
    }

    fn exact(&self) -> ExactGraph<'_> {
        ExactGraph::Cells([false, true].map(|edge| self.distribution(edge)))
    }
}
