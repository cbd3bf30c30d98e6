//! The server of Blink (Zhu, Tan and Xiao, CCS 2023): a graph, estimated from every node's noisy
//! degree and noisy list ([`veil_privacy::protocol::blink`]). All of it is post-processing.
//!
//! **Prior** (§4.2, `beta`). The β-model of random graphs, in which {i, j} is an edge with
//! probability p_ij = e^(β_i+β_j)/(1+e^(β_i+β_j)): its maximum-likelihood β for the noisy degrees,
//! which are first clipped to 1 … n−2.
//!
//! **Posterior** (§4.3, `posterior`). Of a pair, k ∈ {0, 1, 2} bits are reported as 1. An edge
//! makes each of them e^ε_a times as likely as no edge does, and each 0 by as much less likely, so
//! the posterior q_ij has the log-odds β_i + β_j + 2(k−1)ε_a.
//!
//! **Graph** (§4.4). *hard*: every pair with q_ij > ½, without weights. *hybrid*: as many of the
//! likeliest pairs as edges are expected, Σ q_ij, each weighted with its q_ij (ties with the last
//! one are kept too, as in the authors' code). Blink-Soft weights all pairs: a full matrix, which
//! is not made here.
//!
//! **Exactness.** No n×n matrix is made, and nothing is cut off: nodes of the same clipped degree
//! have the same β, pairs with a report are found in the lists, and of pairs without one those
//! above any threshold are the first ones in the order of β. The graph is that of the full matrix
//! (`the_graph_is_that_of_the_full_matrix`). Memory is that of the reports and of the estimated
//! graph.

mod beta;
mod posterior;
#[cfg(test)]
mod tests;

use veil_graph::{Graph, GraphError};
use veil_nn::{Messages, MessagesError};
use veil_privacy::parameters::{Kind, Settings};
use veil_privacy::protocol::{Entry, Exact, Protocol};
use veil_privacy::release::Privatised;
use veil_privacy::{Epsilon, Fraction, parameters, words};

use crate::error::LearnError;
use beta::BetaModel;
use posterior::Posterior;

words! {
    /// The graph that the server estimates.
    pub enum Variant: "variant" {
        /// Pairs that are more likely edges than not.
        Hard = "hard",
        /// As many of the likeliest pairs as edges are expected, weighted.
        Hybrid = "hybrid",
    }
}

parameters! {
    /// How a graph is estimated from degrees and lists.
    pub struct Server: Training {
        /// Estimated graph: pairs with probability above ½ (hard), or the most likely pairs,
        /// weighted (hybrid)
        variant: Variant = Variant::Hard => Kind::Word(Variant::WORDS),
    }
}

/// An estimated graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimated {
    /// Its edges.
    pub graph: Graph,
    /// The weight of each of its entries, if they have any.
    pub weights: Option<Vec<f32>>,
}

impl Estimated {
    /// This graph and another one beside it.
    pub(super) fn beside(self, other: Estimated) -> Result<Estimated, GraphError> {
        let graph = self.graph.disjoint_union(&other.graph)?;
        let weights = self.weights.zip(other.weights).map(|(one, other)| [one, other].concat());
        Ok(Estimated { graph, weights })
    }

    pub(super) fn messages(self) -> Result<Messages, MessagesError> {
        match self.weights {
            None => Messages::of(&self.graph),
            Some(weights) => Messages::weighted(&self.graph, weights),
        }
    }
}

impl Server {
    /// The server of a protocol whose reports are a degree and a list; `None` for all others, whose
    /// lists are the graph.
    pub(super) fn of(entry: &Entry) -> Option<Server> {
        let any = Epsilon::from_nanos(1_000_000_000)?;
        let protocol = (entry.build)(any, 2, &Settings::default()).ok()?;
        matches!(protocol.exact(), Exact::DegreeAndBits { .. }).then(Server::default)
    }

    /// The graph that a release of such a protocol says most about.
    ///
    /// # Errors
    /// If the release has no degrees, or more pairs are likely than a graph may have.
    pub(super) fn estimate(&self, protocol: &dyn Protocol, released: &Privatised) -> Result<Estimated, LearnError> {
        let (Exact::DegreeAndBits { bits, .. }, Some(degrees)) = (protocol.exact(), released.degrees()) else {
            return Err(LearnError::NoDegrees);
        };
        let prior = BetaModel::fit(degrees);
        let posterior = Posterior::new(released.data().graph(), &prior, evidence(&bits));
        match self.variant {
            Variant::Hard => posterior.hard(),
            Variant::Hybrid => posterior.hybrid(),
        }
    }
}

/// ε_a, by what is sampled: the logarithm of how much likelier a bit is kept than flipped.
fn evidence([[_, flip], [_, keep]]: &[[Fraction; 2]; 2]) -> f64 {
    keep.to_f64().ln() - flip.to_f64().ln()
}
