//! Noisy numbers of neighbours per cluster: LPGNet's cluster degree vectors (Kolluri et al., CCS
//! 2022, Algorithm 4), also in the local model, as its section 6 suggests. Neighbour lists are not
//! released.
//!
//! **Algorithm.** Every node is in one of c public clusters: the predicted classes or, in the first
//! round of the local model, the released labels. Node v counts its neighbours per cluster and
//! reports the c counts with noise. Each of r rounds spends ε/r, rounded down. The noise depends on
//! the unit:
//! * *edge*: the owner of the graph counts for all nodes. Each count gets discrete Laplace noise,
//!   P(k) ∝ e^(−|k|ε/2r).
//! * *edge-bit*: each count gets discrete Laplace noise, P(k) ∝ e^(−|k|ε/r).
//! * *edge-set*: randomised response over the c clusters at ε/r on the cluster of each neighbour;
//!   the counts are those of the responses. They sum to the degree.
//!
//! **Views.** A node: its own neighbours and the public clusters of all nodes. The server: c counts
//! from each node in each round. With *edge*, the owner holds the graph and releases only the
//! counts.
//!
//! **Guarantee.** ε for all rounds together, pure, even against a server that chooses clusters
//! maliciously. In one round, given the clusters: an edge {u, v} is counted in u's vector and in
//! v's, so it changes two counts by 1, the L1 sensitivity is 2, and Laplace noise of scale 2r/ε
//! costs ε/r (*edge*, central). One bit of a list changes one count by 1, so the sensitivity is 1
//! (*edge-bit*, local); exchanging a neighbour is two bits, 2ε over all rounds. One exchanged
//! neighbour changes the input of one of d independent responses, so randomised response costs ε/r,
//! and counting is post-processing (*edge-set*, local). Clusters depend on the edges through
//! earlier reports only, so the losses of the rounds add up (adaptive composition).
//!
//! **Not protected.** Participation. With *edge-set*, the degree, which is the sum of the counts,
//! and therefore the existence of a relationship: the smallest change of a graph that keeps all
//! degrees changes four lists (4ε).

mod counts;
#[cfg(test)]
mod tests;

use num_bigint::BigUint;
use num_traits::One;
use rayon::prelude::*;
use veil_graph::limits;
use veil_graph::{Graph, NodeId};

pub use counts::Counts;

use super::{ProtocolError, shared};
use crate::budget::Epsilon;
use crate::central;
use crate::coins::{Inputs, NodeCoins, Stream};
use crate::exact::{FRACTION_BITS, Fraction, exp_bounds};
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};
use crate::mechanism::{DiscreteLaplace, ParamError, RandomisedResponse, discrete_laplace, randomised_response};
use crate::parameters::Kind;

/// The name in the registry and in the coins' context.
pub const NAME: &str = "degree-vectors";

crate::parameters! {
    /// What a user can set besides ε, where each user reports their own counts.
    pub struct Options: Edges {
        /// Number of rounds that share ε
        rounds: u32 = 1 => Kind::Whole,
        /// Unit: one bit of a neighbour list, or the identity of a neighbour
        unit: Unit = Unit::EdgeBit => Kind::Word(LOCAL_UNITS),
    }
}

/// The units that a user can protect by reporting their own counts.
const LOCAL_UNITS: &[&str] = &["edge-bit", "edge-set"];

/// The L1 sensitivity of all counts of a round to one edge, which is counted at both ends.
pub const SENSITIVITY_TO_AN_EDGE: u64 = 2;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of all rounds together.
    pub epsilon: Epsilon,
    /// The number of rounds.
    pub rounds: u32,
    /// The protected unit: edge (the owner counts), edge-bit or edge-set (each user counts).
    pub unit: Unit,
    /// The number of clusters, including one for nodes without a label.
    pub clusters: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DegreeVectors {
    params: Params,
    noise: Noise,
}

/// The noise of one round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// None (ε = inf): no guarantee.
    None,
    /// On each count (edge, edge-bit).
    OnCounts(DiscreteLaplace),
    /// On the cluster of each neighbour (edge-set).
    OnNeighbours(RandomisedResponse),
}

/// The exact distribution of one noisy quantity.
#[derive(Clone, Debug)]
pub enum Distribution {
    /// Without noise: constant.
    Certain,
    /// Of a count (edge, edge-bit).
    OfCount(discrete_laplace::Distribution),
    /// Of the cluster counted for a neighbour (edge-set): one probability per cluster.
    OfNeighbour(Vec<Fraction>),
}

/// The limit for clusters: one for each class that data may have, and one for nodes without a
/// label.
const MOST_CLUSTERS: u32 = limits::MOST_CLASSES as u32 + 1;

impl Params {
    /// Computes the noise of one round.
    ///
    /// # Errors
    /// If the unit is not about edges, there is no round or cluster, or ε is too small to be split.
    pub fn check(self) -> Result<DegreeVectors, ParamError> {
        let Params { epsilon, rounds, unit, clusters } = self;
        if rounds == 0 {
            return Err(ParamError::NoRounds);
        }
        if clusters == 0 {
            return Err(ParamError::NoClusters);
        }
        if rounds > limits::MOST_ROUNDS {
            return Err(ParamError::TooManyRounds { rounds, most: limits::MOST_ROUNDS });
        }
        if clusters > MOST_CLUSTERS {
            return Err(ParamError::TooManyClusters { clusters, most: MOST_CLUSTERS });
        }
        if !unit.is_about_edges() {
            return Err(ParamError::NotOfEdges { given: unit });
        }
        if !epsilon.is_finite() {
            return Ok(DegreeVectors { params: self, noise: Noise::None });
        }
        let share = epsilon.divided_by(rounds).ok_or(ParamError::NothingPerRound { epsilon, rounds })?;
        let share = if fault::is(Fault::RoundsNotDivided) { epsilon } else { share };
        let laplace =
            |sensitivity| discrete_laplace::Params { epsilon: share, sensitivity }.check().map(Noise::OnCounts);
        let noise = match unit {
            Unit::EdgeSet => {
                Noise::OnNeighbours(randomised_response::Params { epsilon: share, values: clusters }.check()?)
            }
            Unit::EdgeBit => laplace(1)?,
            _ if fault::is(Fault::SensitivityOne) => laplace(1)?,
            _ => laplace(SENSITIVITY_TO_AN_EDGE)?,
        };
        Ok(DegreeVectors { params: self, noise })
    }
}

impl DegreeVectors {
    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let Params { epsilon, rounds, unit, clusters } = self.params;
        ParameterList::default()
            .with("epsilon", epsilon)
            .with("rounds", rounds)
            .with("unit", unit)
            .with("clusters", clusters)
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u32 {
        self.params.rounds
    }

    /// The protected unit.
    pub fn unit(&self) -> Unit {
        self.params.unit
    }

    /// Whether the first round counts per released label. In the central model it counts per
    /// predicted class, because the owner trains a model first.
    pub(crate) fn begins_with_labels(&self) -> bool {
        self.params.unit != Unit::Edge
    }

    /// The number of clusters.
    pub fn clusters(&self) -> u32 {
        self.params.clusters
    }

    /// The noise of one round.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The guarantees of all rounds together: for the chosen unit, and for a bit also 2ε for an
    /// exchanged neighbour (unless it overflows).
    pub fn guarantees(&self) -> Vec<Guarantee> {
        let Params { epsilon, rounds, unit, .. } = self.params;
        let first = self.promise(unit, epsilon, rounds);
        let exchanged = epsilon.times(2).filter(|_| unit == Unit::EdgeBit && epsilon.is_finite());
        let second = exchanged.map(|both| self.promise(Unit::EdgeSet, both, rounds));
        std::iter::once(first).chain(second).collect()
    }

    fn promise(&self, unit: Unit, epsilon: Epsilon, rounds: u32) -> Guarantee {
        if self.noise == Noise::None {
            let promised = shared::guarantee(unit, epsilon, Status::None, NAME, self.parameters());
            let everything =
                vec!["the number of a user's neighbours in each cluster: counts are released unperturbed".to_owned()];
            return Guarantee { trust: Trust::Central, not_protected: everything, ..promised };
        }
        let mut guarantee = if unit == Unit::Edge {
            central::guarantee(epsilon, NAME, self.parameters())
        } else {
            shared::guarantee(unit, epsilon, Status::Proven, NAME, self.parameters())
        };
        let rounds = Assumption::Rounds { trust: guarantee.trust, rounds };
        guarantee.assumptions.extend([Assumption::ClustersFromReleased, rounds]);
        guarantee.not_protected.extend(match self.noise {
            Noise::None | Noise::OnCounts(_) => vec![shared::MANY.to_owned()],
            Noise::OnNeighbours(_) => vec![shared::DEGREE.to_owned()],
        });
        let model = if unit == Unit::Edge { "Theorem 1" } else { "in the local model" };
        guarantee.source = format!(
            "cluster degree vectors (LPGNet, CCS 2022, {model}); proof beside the code, veil-privacy/protocol/degree_vectors"
        );
        guarantee
    }

    /// One node's report in one round, with the coins of that round and the cluster of each node.
    ///
    /// # Errors
    /// If a cluster is out of range, or a neighbour has none.
    pub fn report(
        &self,
        neighbours: &[NodeId],
        clusters: &[u32],
        coins: &mut NodeCoins,
    ) -> Result<Vec<i64>, ProtocolError> {
        self.known(clusters)?;
        if let Some(&stranger) = neighbours.iter().find(|&&node| node as usize >= clusters.len()) {
            return Err(ProtocolError::Nodes { what: "clusters", nodes: stranger as usize + 1, found: clusters.len() });
        }
        let mut counts = vec![0; self.params.clusters as usize];
        self.count(neighbours, clusters, coins, &mut counts);
        Ok(counts)
    }

    /// Every node's report in one round, with the coins of that round and the cluster of each node.
    /// Counts are as reported and may be negative.
    ///
    /// # Errors
    /// If there is not one cluster per node, or a cluster is out of range.
    pub fn round(&self, graph: &Graph, clusters: &[u32], coins: &Stream) -> Result<Counts, ProtocolError> {
        let nodes = graph.nodes() as usize;
        if clusters.len() != nodes {
            return Err(ProtocolError::Nodes { what: "clusters", nodes, found: clusters.len() });
        }
        self.known(clusters)?;
        let width = self.params.clusters as usize;
        let mut values = vec![0; nodes * width];
        let rows = values.par_chunks_exact_mut(width).zip(0..graph.nodes());
        rows.with_min_len(64).for_each(|(row, me)| {
            let whose = if fault::is(Fault::NodesShareCoins) { 0 } else { me };
            let above = |list: &[NodeId]| list.iter().position(|&node| node > me).unwrap_or(list.len());
            let counted = if fault::is(Fault::EdgeAtOneEnd) { above(graph.neighbours(me)) } else { 0 };
            self.count(&graph.neighbours(me)[counted..], clusters, &mut coins.node(whose), row);
        });
        Ok(Counts::new(width, values))
    }

    /// The distribution of a count with this true value (edge, edge-bit), or of the cluster counted
    /// for a neighbour in this cluster (edge-set; out of range it is that of the last cluster).
    pub fn distribution(&self, truth: u32) -> Distribution {
        match self.noise {
            Noise::None => Distribution::Certain,
            Noise::OnCounts(noise) => Distribution::OfCount(noise.distribution(i64::from(truth))),
            Noise::OnNeighbours(noise) => {
                let truth = truth.min(noise.values() - 1);
                Distribution::OfNeighbour(noise.distribution(truth).unwrap_or_default())
            }
        }
    }

    /// Unbiased estimates of the true counts, row after row. For edge and edge-bit these are the
    /// reports themselves, because their noise has mean 0. For edge-set a report's counts are on
    /// average h·p + (d−h)·q, where h is the true one, d their sum, p the probability of keeping a
    /// cluster and q of each other one: the estimate is (count − d·q)/(p − q).
    pub fn denoise(&self, counts: &Counts) -> Vec<f64> {
        let Noise::OnNeighbours(noise) = self.noise else {
            return counts.values().iter().map(|&count| count as f64).collect();
        };
        let (keep, exchange) = (noise.keep().to_f64(), noise.exchange().to_f64());
        let rows = (0..counts.nodes()).map(|node| counts.row(node));
        rows.flat_map(|row| {
            // The numbers may be anything that a file says.
            let degree: f64 = row.iter().map(|&count| count as f64).sum();
            row.iter().map(move |&count| (count as f64 - degree * exchange) / (keep - exchange))
        })
        .collect()
    }

    /// The variance that the noise gives to each count of [`denoise`](Self::denoise), from public
    /// numbers: for edge-bit that of discrete Laplace noise, 2e^a/(e^a−1)² with a = ε/r; for edge
    /// the same with a = ε/2r. For edge-set that of one neighbour, averaged over the clusters:
    /// (p(1−p) + (c−1)q(1−q))/(c(p−q)²); times the degree it is that of a node's counts, averaged
    /// likewise.
    pub fn variance(&self) -> f64 {
        match self.noise {
            Noise::None => 0.0,
            Noise::OnCounts(noise) => laplace_variance(noise),
            Noise::OnNeighbours(noise) => {
                let (keep, exchange) = (noise.keep().to_f64(), noise.exchange().to_f64());
                let clusters = f64::from(noise.values());
                let both = keep * (1.0 - keep) + (clusters - 1.0) * exchange * (1.0 - exchange);
                both / (clusters * (keep - exchange) * (keep - exchange))
            }
        }
    }

    /// Counts with noise; the clusters are checked.
    fn count(&self, neighbours: &[NodeId], clusters: &[u32], coins: &mut NodeCoins, counts: &mut [i64]) {
        let of = |&node: &NodeId| clusters[node as usize];
        match self.noise {
            Noise::None => neighbours.iter().map(of).for_each(|cluster| counts[cluster as usize] += 1),
            Noise::OnCounts(noise) => {
                neighbours.iter().map(of).for_each(|cluster| counts[cluster as usize] += 1);
                let exact = counts.last().copied();
                counts.iter_mut().for_each(|count| *count = noise.release_one(*count, coins));
                if let Some((exact, last)) =
                    exact.zip(counts.last_mut()).filter(|_| fault::is(Fault::LastCountWithoutNoise))
                {
                    *last = exact;
                }
                if fault::is(Fault::CountsCutAtDegree) {
                    counts.iter_mut().for_each(|count| *count = (*count).min(neighbours.len() as i64));
                }
            }
            Noise::OnNeighbours(noise) => {
                // A checked cluster is one of the values, so there is always a response.
                let answers = neighbours.iter().map(of).flat_map(|cluster| noise.report(cluster, coins));
                answers.for_each(|answer| counts[answer as usize] += 1);
            }
        }
    }

    fn known(&self, clusters: &[u32]) -> Result<(), ProtocolError> {
        let last = self.params.clusters;
        match (0..).zip(clusters).find(|&(_, &cluster)| cluster >= last) {
            Some((node, &cluster)) => Err(ProtocolError::NoSuchCluster { node, cluster, clusters: last }),
            None => Ok(()),
        }
    }
}

/// The coins of a round for these clusters. They decide what is counted, so other clusters have
/// other coins: two reports never share their noise.
pub(crate) fn coins_of(round: &Stream, clusters: &[u32]) -> Stream {
    round.of_inputs(Inputs::of().with_numbers("clusters", clusters).digest())
}

/// 2e^a/(e^a−1)² with a = ε/Δ, the same float everywhere: from the fixed-point e^a, no library's
/// exponential.
fn laplace_variance(noise: DiscreteLaplace) -> f64 {
    /// From here on it is below every float.
    const LARGEST: u64 = 800;
    let Some((numerator, denominator)) = noise.epsilon().as_rational() else { return 0.0 };
    let denominator = denominator.saturating_mul(noise.sensitivity());
    let Some(denominator) = std::num::NonZeroU64::new(denominator).filter(|d| numerator / d.get() < LARGEST) else {
        return 0.0;
    };
    let (power, _) = exp_bounds(numerator, denominator);
    let one = BigUint::one() << FRACTION_BITS;
    let less = &power - &one;
    Fraction::new((power << 1_u32) * one, &less * &less).map_or(0.0, |variance| variance.to_f64())
}
