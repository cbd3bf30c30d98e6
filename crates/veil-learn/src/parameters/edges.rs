//! What can happen to the edges, by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use veil_privacy::central::{edge_rand, lap_graph};
use veil_privacy::protocol::{
    degree_vectors, dummy_exchange, edge_flip, graph_privatizer, neighbour_krr, shuffled_query, two_hop_rr,
};

/// What happens to the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edges {
    /// Similar neighbours of neighbours (TMLR 2024).
    GraphPrivatizer,
    /// Randomised response on the two-hop list.
    TwoHopRr,
    /// Thesis, approach 1.
    DummyExchange,
    /// Thesis, approach 2.
    ShuffledQuery,
    /// Each neighbour exchanged for any node.
    NeighbourKrr,
    /// Every bit of the list flipped.
    EdgeFlip,
    /// Noise on every cell of the matrix, the largest kept (DpGCN).
    #[serde(rename = "lapgraph")]
    LapGraph,
    /// Every cell of the matrix flipped (DpGCN).
    #[serde(rename = "edgerand")]
    EdgeRand,
    /// Noisy counts of neighbours per cluster.
    DegreeVectors,
    /// As they are: no guarantee.
    Raw,
    /// None: the edge-free floor.
    Empty,
}

impl Edges {
    /// Every choice.
    pub const ALL: [Edges; 11] = [
        Edges::GraphPrivatizer,
        Edges::TwoHopRr,
        Edges::DummyExchange,
        Edges::ShuffledQuery,
        Edges::NeighbourKrr,
        Edges::EdgeFlip,
        Edges::LapGraph,
        Edges::EdgeRand,
        Edges::DegreeVectors,
        Edges::Raw,
        Edges::Empty,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Edges::GraphPrivatizer => graph_privatizer::NAME,
            Edges::TwoHopRr => two_hop_rr::NAME,
            Edges::DummyExchange => dummy_exchange::NAME,
            Edges::ShuffledQuery => shuffled_query::NAME,
            Edges::NeighbourKrr => neighbour_krr::NAME,
            Edges::EdgeFlip => edge_flip::NAME,
            Edges::LapGraph => lap_graph::NAME,
            Edges::EdgeRand => edge_rand::NAME,
            Edges::DegreeVectors => degree_vectors::NAME,
            Edges::Raw => "raw",
            Edges::Empty => "empty",
        }
    }
}

impl fmt::Display for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Edges {
    type Err = String;

    fn from_str(text: &str) -> Result<Edges, String> {
        let names = || Edges::ALL.map(Edges::name).join(", ");
        Edges::ALL
            .into_iter()
            .find(|edges| edges.name() == text)
            .ok_or_else(|| format!("{text:?} is nothing that can happen to edges ({})", names()))
    }
}
