//! GraphPrivatizer: each neighbour exchanged for one of its own similar neighbours (TMLR 2024, Algorithms 1–4).
//!
//! **Algorithm.** For each neighbour u of v let S(u) be those of u's neighbours, v left out, that are like u: all that pass
//! a threshold δ (GP-t, Algorithm 4) or only the most similar one, if it passes (GP-m, Algorithm 3; of several the
//! smallest number). Node v keeps u with probability e^ε/(e^ε+|S(u)|), else it takes one of S(u), each with the same
//! probability (Eq. 5 and 6). Without candidates u is sent unchanged. The report is the *set* of what was drawn: two
//! neighbours that become the same node count once, so it may be smaller than v's degree.
//!
//! Alike is said of x_{u,α} = (1−α)·x_u + α·(mean of x over u's neighbours) by their cosine (Eq. 3 and 4), x being
//! *released* features. δ = 0 is no threshold (§4.2). The published code differs from the paper, see [`Reading`]. With
//! minus the distance instead of the cosine there is no threshold in either reading.
//!
//! **What a node sees.** In round 1 neighbours send each other their released features; in round 2, if α asks for
//! aggregates, what they made of them; in round 3 each u answers each v that asks with S(u). So v learns edges of u, and
//! features of u's neighbours in sum: no ε accounts for that. If features play no role, the third round is the only one.
//! **What the server sees.** The set.
//!
//! **Claimed** (Theorem 4.3): ε, unit *edge-set*, local. **Refuted.** The claim treats each slot as randomised response,
//! which needs that every input can give every output. But u can only become a node of {u} ∪ S(u), and w only one of
//! {w} ∪ S(w). Take v with the one neighbour u, and the adjacent list with the one neighbour w instead, where these two sets have
//! no node in common, as for most pairs of a sparse graph: every possible report tells u from w with certainty. No
//! finite ε bounds that, and an (ε, δ) guarantee would need δ = 1: see `two_lists_that_cannot_be_confused`. Allowing
//! only exchanges u → w with w ∈ S(u) does not help, because S(w) is not S(u): GP-m then needs δ ≥ e^ε/(1+e^ε) unless each is the
//! other's choice. And a neighbour without candidates is reported as it is, always.
//!
//! From the node's chair: [`profile`](GraphPrivatizer::profile), [`qualifying`](GraphPrivatizer::qualifying) and
//! [`answer`](GraphPrivatizer::answer) are u's part, [`report`](GraphPrivatizer::report) is v's.

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
use super::similarity::{Comparison, Mix, Part};
use super::{Entry, Exact, Measure, Protocol, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, DeviceError, Me};
use crate::exact::Fraction;
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Unit};
use crate::mechanism::ParamError;
use crate::parameters::Kind;
use crate::registry;

/// The name on the command line and in the coins' context.
pub const NAME: &str = "graph-privatizer";

/// The line of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "each neighbour exchanged for one of its own similar neighbours",
    unit: Unit::EdgeSet,
    status: Status::Refuted,
    parameters: registry::defaults::<Options>,
    build: |epsilon, _, settings| {
        let Options { strategy, alpha, threshold, similarity: reading, measure } = registry::read(settings)?;
        Ok(Arc::new(Params { epsilon, strategy, alpha, threshold, measure, reading }.check()?))
    },
};

crate::parameters! {
    /// What can be set besides ε.
    pub struct Options: Edges {
        /// Candidates for a neighbour: its most similar neighbour, or all above a threshold
        strategy: Strategy = Strategy::Threshold => Kind::Word(Strategy::WORDS),
        /// Weight of aggregated features in the similarity, 0 to 1
        alpha: f64 = 0.0 => Kind::Real,
        /// Threshold on the similarity, 0 to 1
        threshold: f64 = 0.0 => Kind::Real,
        /// Similarity as in the paper or as in its published code
        similarity: Reading = Reading::Paper => Kind::Word(Reading::WORDS),
        /// Measure of similarity
        measure: Measure = Measure::Cosine => Kind::Word(Measure::WORDS),
    }
}

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
    /// How candidates are chosen.
    pub strategy: Strategy,
    /// How much aggregated features count, in [0, 1] (in the published code: how much they do not).
    pub alpha: f64,
    /// The threshold on the similarity, in [0, 1].
    pub threshold: f64,
    /// How features are compared.
    pub measure: Measure,
    /// Which text is followed.
    pub reading: Reading,
}

/// Checked once. Nothing below asks again.
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
    /// If ε is infinite, α or δ is outside [0, 1], or a distance has a threshold.
    pub fn check(mut self) -> Result<GraphPrivatizer, ParamError> {
        let rational = self.epsilon.as_rational();
        let epsilon = rational.and_then(|(numerator, denominator)| Some((numerator, NonZeroU64::new(denominator)?)));
        let epsilon = epsilon.ok_or(ParamError::NotPrivatised)?;
        for (name, value) in [("alpha", &mut self.alpha), ("threshold", &mut self.threshold)] {
            if !(0.0..=1.0).contains(value) {
                return Err(ParamError::NotAShare { name, given: *value });
            }
            // −0 is 0, also as text.
            *value += 0.0;
        }
        if self.measure == Measure::Euclidean && self.threshold != 0.0 {
            return Err(ParamError::ThresholdOnDistance { given: self.threshold });
        }
        Ok(GraphPrivatizer { params: self, epsilon, comparison: self.comparison() })
    }

    /// What is compared. Parts that count nothing are not made.
    fn comparison(&self) -> Comparison {
        let (alpha, rest) = (self.alpha, 1.0 - self.alpha);
        let mut parts = match self.reading {
            Reading::Paper => vec![Part { weight: 1.0, mix: Mix { own: rest, mean: alpha } }],
            Reading::Reference => vec![
                Part { weight: alpha, mix: Mix { own: 1.0, mean: 0.0 } },
                Part { weight: rest, mix: Mix { own: 0.0, mean: 1.0 } },
            ],
        };
        parts.retain(|part| part.weight != 0.0);
        Comparison { measure: self.measure, parts }
    }
}

impl GraphPrivatizer {
    /// Whether nodes compare aggregates, so that they send each other profiles; else a profile follows from features.
    pub fn compares_aggregates(&self) -> bool {
        self.compares_features() && self.comparison.aggregates()
    }

    /// u's message of round 2. `features` are those that u holds after round 1: row `me` is its own, rows `neighbours`
    /// are what its neighbours sent, in ascending order of their names.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn profile(&self, features: &Features, me: usize, neighbours: &[NodeId]) -> Profile {
        self.comparison.profile(features, me, neighbours)
    }

    /// u's neighbours that may stand for u, from its own profile and those that its neighbours sent (ascending by name).
    /// For GP-t all of them, ascending; for GP-m the two most similar, the better one first, because the best may be the
    /// node that asks.
    pub fn qualifying(&self, mine: &Profile, theirs: &[(NodeId, Profile)]) -> Vec<NodeId> {
        let similar = theirs.iter().map(|(node, theirs)| (*node, self.comparison.similarity(mine, theirs)));
        let mut out = Vec::new();
        self.select(similar, &mut out);
        out
    }

    /// Appends those that qualify.
    fn select(&self, similar: impl Iterator<Item = (NodeId, f64)>, out: &mut Vec<NodeId>) {
        let passing = similar.filter(|&(_, similarity)| self.passes(similarity));
        match self.params.strategy {
            Strategy::Threshold => out.extend(passing.map(|(node, _)| node)),
            Strategy::MostSimilar => {
                let mut best: Option<(NodeId, f64)> = None;
                let mut second: Option<(NodeId, f64)> = None;
                // Nodes come ascending, so that of equals the smallest number stays.
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

    /// u's answer to a node that asks (Algorithm 2): never that node itself. `qualifying` is what
    /// [`qualifying`](Self::qualifying) gave, or all of u's neighbours, ascending, if features play no role.
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

    /// What [`report`](Self::report) draws with, if no answer has more than `most` candidates (others are computed again
    /// each time).
    pub fn thresholds(&self, most: usize) -> Thresholds {
        Thresholds::new(self.epsilon, most)
    }

    /// One node's report (Algorithm 1): what came of each of its neighbours, a set. Answers come in ascending order of
    /// the neighbours, one for each.
    pub fn report<'a>(
        &self,
        answers: impl Iterator<Item = Answer<'a>>,
        thresholds: &Thresholds,
        coins: &mut NodeCoins,
        out: &mut Vec<NodeId>,
    ) {
        perturb(answers, thresholds, coins, out);
    }

    /// [`qualifying`](Self::qualifying) of every node: what [`run`](Self::run) draws from.
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

    /// The features that are compared, if any are.
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

    /// P[u → ·] for what u answered: u first, then each candidate, exactly.
    pub fn distribution(&self, answer: &Answer<'_>) -> Vec<(NodeId, Fraction)> {
        self.thresholds(0).distribution(answer)
    }
}

impl Protocol for GraphPrivatizer {
    fn name(&self) -> &'static str {
        NAME
    }

    // The threshold is called delta there, as in the paper.
    fn parameters(&self) -> ParameterList {
        let Params { epsilon, strategy, alpha, threshold, measure, reading } = self.params;
        ParameterList::default()
            .with("epsilon", epsilon)
            .with("strategy", strategy)
            .with("alpha", alpha)
            .with("delta", threshold)
            .with("measure", measure)
            .with("similarity", reading)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let mut guarantee =
            shared::guarantee(Unit::EdgeSet, self.params.epsilon, Status::Refuted, NAME, self.parameters());
        guarantee.assumptions.push(Assumption::SameCandidates);
        guarantee.not_protected = vec![
            shared::WHO.to_owned(),
            "which neighbour a user has: two neighbours whose candidates are different nodes are told apart with certainty, so \
             that no finite ε holds"
                .to_owned(),
            "neighbours without candidates: they are reported as they are".to_owned(),
            "a user's edges from the user's own neighbours, who are sent candidates and aggregates".to_owned(),
            "about how many neighbours a user has, and so whether a relationship exists".to_owned(),
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

    fn fits(&self, _: u32) -> Result<(), ProtocolError> {
        Ok(())
    }

    // Features that are given are not read if they are not compared.
    fn run(&self, graph: &Graph, features: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        simulate::run(self, graph, self.compared(graph, features)?, coins)
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<device::Part, DeviceError> {
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
    // Each step for all neighbours before the next: on a large graph steps wait for memory, and so they wait together.
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
