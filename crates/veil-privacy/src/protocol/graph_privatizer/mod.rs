//! GraphPrivatizer: each neighbour is exchanged for one of its own similar neighbours (TMLR 2024,
//! Algorithms 1–4).
//!
//! **Algorithm.** For each neighbour u of v, the candidates S(u) are the neighbours of u other than
//! v that are similar to u: all above a threshold (GP-t, Algorithm 4), or only the most similar one
//! if it is above the threshold (GP-m, Algorithm 3; ties go to the smallest id). Node v keeps u
//! with probability e^ε/(e^ε+|S(u)|), else it draws one of S(u) uniformly (Eq. 5 and 6). Without
//! candidates u is reported unchanged. The report is the *set* of the draws, so it may be smaller
//! than v's degree.
//!
//! The similarity is the cosine of x_{u,α} = (1−α)·x_u + α·(mean of x over u's neighbours) (Eq. 3
//! and 4), where x are *released* features. A threshold of 0 is none (§4.2). The published code
//! differs from the paper, see [`Reading`]. The negated distance has no threshold in either
//! reading.
//!
//! **Views.** A node: in round 1 its neighbours' released features; in round 2, if aggregates are
//! compared, their profiles; in round 3 the S(u) of each neighbour u. So v learns edges of u and
//! aggregated features of u's neighbours, which no ε accounts for. If features are not compared,
//! only round 3 takes place. The server: the set.
//!
//! **Claimed** (Theorem 4.3): ε, unit *edge-set*, local. **Refuted.** The claim treats each slot as
//! randomised response, which requires that every input can give every output. But u can only
//! become a node of {u} ∪ S(u), and w only one of {w} ∪ S(w). Consider the adjacent lists {u} and
//! {w} of v, where these two sets are disjoint, as for most pairs of a sparse graph: every report
//! determines the list. No finite ε bounds the loss, and an (ε, δ) guarantee would require δ = 1
//! (`two_lists_that_cannot_be_confused`). Restricting exchanges u → w to w ∈ S(u) does not help,
//! because S(w) is not S(u): GP-m then requires δ ≥ e^ε/(1+e^ε), unless u and w are each other's
//! choice. And a neighbour without candidates is always reported unchanged.
//!
//! [`profile`](GraphPrivatizer::profile), [`qualifying`](GraphPrivatizer::qualifying) and
//! [`answer`](GraphPrivatizer::answer) are run by u, [`report`](GraphPrivatizer::report) by v.

mod choice;
mod exchange;
mod simulate;

#[cfg(test)]
pub(super) mod tests;

pub use choice::{Reading, Strategy};
pub(super) use exchange::Draws;
pub use exchange::{Answer, Thresholds};
pub use simulate::Qualifying;

pub use super::similarity::{Profile, Vector};

use std::num::NonZeroU64;
use std::sync::Arc;

use veil_graph::{Features, Graph, NodeId};

use super::reports::Reports;
use super::similarity::{Comparison, Mix, Term};
use super::{Entry, Exact, Measure, Protocol, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, DeviceError, Me};
use crate::exact::Fraction;
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Unit};
use crate::mechanism::ParamError;
use crate::parameters::Kind;
use crate::registry;

/// The name in the registry and in the coins' context.
pub const NAME: &str = "graph-privatizer";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Neighbours kept or replaced by their own similar neighbours",
    unit: Unit::EdgeSet,
    status: Status::Refuted,
    parameters: registry::defaults::<Options>,
    build: |epsilon, _, settings| {
        let Options { strategy, alpha, threshold, similarity: reading, measure } = registry::read(settings)?;
        Ok(Arc::new(Params { epsilon, strategy, alpha, threshold, measure, reading }.check()?))
    },
};

crate::parameters! {
    /// Parameters besides ε.
    pub struct Options: Edges {
        /// Choice of candidates
        strategy: Strategy = Strategy::Threshold => Kind::Word(Strategy::WORDS),
        /// Weight of aggregated features in the similarity, 0 to 1
        alpha: f64 = 0.0 => Kind::Real,
        /// Similarity threshold, 0 to 1
        threshold: f64 = 0.0 => Kind::Real,
        /// Similarity of the paper, or of its code
        similarity: Reading = Reading::Paper => Kind::Word(Reading::WORDS),
        /// Similarity measure
        measure: Measure = Measure::Cosine => Kind::Word(Measure::WORDS),
    }
}

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
    /// The choice of candidates.
    pub strategy: Strategy,
    /// The weight of aggregated features, in [0, 1] (in the published code: one minus it).
    pub alpha: f64,
    /// The threshold on the similarity, in [0, 1].
    pub threshold: f64,
    /// The measure of similarity.
    pub measure: Measure,
    /// The reading of the similarity.
    pub reading: Reading,
}

/// Checked parameters, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphPrivatizer {
    params: Params,
    epsilon: (u64, NonZeroU64),
    comparison: Comparison,
}

impl Params {
    /// Checks the ranges.
    ///
    /// # Errors
    /// If ε is infinite, α or the threshold is outside [0, 1], or a distance has a threshold.
    pub fn check(mut self) -> Result<GraphPrivatizer, ParamError> {
        let rational = self.epsilon.as_rational();
        let epsilon = rational.and_then(|(numerator, denominator)| Some((numerator, NonZeroU64::new(denominator)?)));
        let epsilon = epsilon.ok_or(ParamError::NotPrivatised)?;
        for (name, value) in [("alpha", &mut self.alpha), ("threshold", &mut self.threshold)] {
            if !(0.0..=1.0).contains(value) {
                return Err(ParamError::NotAShare { name, given: *value });
            }
            // −0 becomes 0, also as text.
            *value += 0.0;
        }
        if self.measure == Measure::Euclidean && self.threshold != 0.0 {
            return Err(ParamError::ThresholdOnDistance { given: self.threshold });
        }
        Ok(GraphPrivatizer { params: self, epsilon, comparison: self.comparison() })
    }

    /// The compared vectors. Parts of weight 0 are omitted.
    fn comparison(&self) -> Comparison {
        let (alpha, rest) = (self.alpha, 1.0 - self.alpha);
        let mut parts = match self.reading {
            Reading::Paper => vec![Term { weight: 1.0, mix: Mix { own: rest, mean: alpha } }],
            Reading::Reference => vec![
                Term { weight: alpha, mix: Mix { own: 1.0, mean: 0.0 } },
                Term { weight: rest, mix: Mix { own: 0.0, mean: 1.0 } },
            ],
        };
        parts.retain(|part| part.weight != 0.0);
        Comparison { measure: self.measure, parts }
    }
}

impl GraphPrivatizer {
    /// Whether nodes compare aggregates and therefore exchange profiles.
    pub fn compares_aggregates(&self) -> bool {
        self.compares_features() && self.comparison.aggregates()
    }

    /// u's message of round 2. `features` are those that u has after round 1: row `me` is its own,
    /// rows `neighbours` are its neighbours', ascending by id.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn profile(&self, features: &Features, me: usize, neighbours: &[NodeId]) -> Profile {
        self.comparison.profile(features, me, neighbours)
    }

    /// The candidates for u, from its own profile and its neighbours' (ascending by id): for GP-t
    /// all of them, ascending; for GP-m the two most similar, best first, because the best may be
    /// the asker.
    pub fn qualifying(&self, mine: &Profile, theirs: &[(NodeId, Profile)]) -> Vec<NodeId> {
        let similar = theirs.iter().map(|(node, theirs)| (*node, self.comparison.similarity(mine, theirs)));
        let mut out = Vec::new();
        self.select(similar, &mut out);
        out
    }

    /// Appends the candidates.
    fn select(&self, similar: impl Iterator<Item = (NodeId, f64)>, out: &mut Vec<NodeId>) {
        let passing = similar.filter(|&(_, similarity)| self.passes(similarity));
        match self.params.strategy {
            Strategy::Threshold => out.extend(passing.map(|(node, _)| node)),
            Strategy::MostSimilar => {
                let mut best: Option<(NodeId, f64)> = None;
                let mut second: Option<(NodeId, f64)> = None;
                // Nodes are ascending, so ties go to the smallest id.
                for this in passing {
                    if best.is_none_or(|best| this.1 > best.1) {
                        (best, second) = (Some(this), best);
                    } else if second.is_none_or(|second| this.1 > second.1) {
                        second = Some(this);
                    }
                }
                out.extend(best.into_iter().chain(second).map(|(node, _)| node));
            }
        }
    }

    fn passes(&self, similarity: f64) -> bool {
        let Params { threshold, measure, reading, .. } = self.params;
        match (measure, reading) {
            (Measure::Euclidean, _) => true,
            (Measure::Cosine, Reading::Paper) => threshold == 0.0 || similarity >= threshold,
            (Measure::Cosine, Reading::Reference) => similarity > threshold,
        }
    }

    /// u's answer to `asker` (Algorithm 2), without the asker. `qualifying` is the result of
    /// [`qualifying`](Self::qualifying), or all neighbours of u, ascending, if features are not
    /// compared.
    pub fn answer<'a>(&self, me: NodeId, qualifying: &'a [NodeId], asker: NodeId) -> Answer<'a> {
        match (self.params.strategy, qualifying) {
            (Strategy::MostSimilar, [best, ..]) if *best != asker => Answer::new(me, &qualifying[..1]),
            (Strategy::MostSimilar, [_, rest @ ..]) => Answer::new(me, rest),
            (Strategy::Threshold, _) if qualifying.binary_search(&asker).is_ok() => {
                Answer::all_but(me, qualifying, asker)
            }
            _ => Answer::new(me, qualifying),
        }
    }

    /// The thresholds of [`report`](Self::report), cached for up to `most` candidates.
    pub fn thresholds(&self, most: usize) -> Thresholds {
        Thresholds::new(self.epsilon, most)
    }

    /// One node's report (Algorithm 1): the set of draws, given one answer per neighbour,
    /// ascending.
    pub fn report<'a>(
        &self,
        answers: impl Iterator<Item = Answer<'a>>,
        thresholds: &Thresholds,
        coins: &mut NodeCoins,
        out: &mut Vec<NodeId>,
    ) {
        perturb(answers, thresholds, coins, out);
    }

    /// [`qualifying`](Self::qualifying) of every node, from which [`run`](Self::run) draws.
    ///
    /// # Errors
    /// As of [`run`](Self::run).
    pub fn qualifying_of_all<'a>(
        &self,
        graph: &'a Graph,
        features: Option<&Features>,
    ) -> Result<Qualifying<'a>, ProtocolError> {
        Ok(Qualifying::new(self, graph, self.compared(graph, features)?))
    }

    /// The features, if they are compared.
    fn compared<'f>(
        &self,
        graph: &Graph,
        features: Option<&'f Features>,
    ) -> Result<Option<&'f Features>, ProtocolError> {
        if let Some(features) = features {
            shared::features_fit(graph, features)?;
        }
        if !self.compares_features() {
            return Ok(None);
        }
        features.map(Some).ok_or(ProtocolError::NoFeatures { protocol: NAME })
    }

    /// P[u → ·] for an answer of u, exactly: u first, then each candidate.
    pub fn distribution(&self, answer: &Answer<'_>) -> Vec<(NodeId, Fraction)> {
        self.thresholds(0).distribution(answer)
    }
}

impl Protocol for GraphPrivatizer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> ParameterList {
        let Params { epsilon, strategy, alpha, threshold, measure, reading } = self.params;
        ParameterList::default()
            .with("epsilon", epsilon)
            .with("strategy", strategy)
            .with("alpha", alpha)
            .with("threshold", threshold)
            .with("measure", measure)
            .with("similarity", reading)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let mut guarantee =
            shared::guarantee(Unit::EdgeSet, self.params.epsilon, Status::Refuted, NAME, self.parameters());
        guarantee.assumptions.push(Assumption::SameCandidates);
        guarantee.not_protected = vec![
            shared::PARTICIPATION.to_owned(),
            "the identity of a neighbour: two neighbours with disjoint candidates are distinguished with certainty, so no finite \
             ε holds"
                .to_owned(),
            "neighbours without candidates, which are reported unchanged".to_owned(),
            "a user's edges against the user's own neighbours, who receive candidates and aggregates".to_owned(),
            "the approximate number of neighbours, and therefore the existence of a relationship".to_owned(),
        ];
        guarantee.source = "claimed by GraphPrivatizer (TMLR 2024), Theorem 4.3; counterexample beside the code, \
                            veil-privacy/protocol/graph_privatizer"
            .to_owned();
        vec![guarantee]
    }

    // Without a threshold every neighbour is a candidate.
    fn compares_features(&self) -> bool {
        let Params { strategy, threshold, measure, reading, .. } = self.params;
        let selects = measure == Measure::Cosine && (reading == Reading::Reference || threshold != 0.0);
        strategy == Strategy::MostSimilar || selects
    }

    // Features are ignored if they are not compared.
    fn run(&self, graph: &Graph, features: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        simulate::run(self, graph, self.compared(graph, features)?, coins)
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<device::Contribution, DeviceError> {
        device::privatizer::part(self, me, inbox, coins)
    }

    fn exact(&self) -> Exact<'_> {
        Exact::GraphPrivatizer(self)
    }
}

/// Algorithm 1 with any coins.
fn perturb<'a>(
    answers: impl Iterator<Item = Answer<'a>>,
    thresholds: &Thresholds,
    coins: &mut impl Draws,
    out: &mut Vec<NodeId>,
) {
    let start = out.len();
    // Step by step for all neighbours: on a large graph this overlaps the memory accesses.
    let answers: Vec<Answer<'_>> = answers.collect();
    let places: Vec<Option<usize>> = answers.iter().map(|answer| thresholds.draw(answer, coins)).collect();
    out.extend(answers.iter().zip(places).map(|(answer, place)| answer.take(place)));
    out[start..].sort_unstable();
    let mut kept = start;
    for place in start..out.len() {
        if kept == start || out[kept - 1] != out[place] {
            out[kept] = out[place];
            kept += 1;
        }
    }
    out.truncate(kept);
}
