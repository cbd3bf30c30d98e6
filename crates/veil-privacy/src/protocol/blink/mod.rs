//! Blink (Zhu, Tan and Xiao, CCS 2023): a noisy degree beside randomised response on every bit of
//! the neighbour list. The server estimates the graph from both (`veil-learn`).
//!
//! **Algorithm.** ε is split into ε_d, the share of the degree, rounded down to a whole number of
//! 10⁻⁹, and ε_a = ε − ε_d. Node v reports two things, in this order: its degree with discrete
//! Laplace noise, P(k) ∝ e^(−ε_d|k|), and its list with each of the n−1 bits flipped with
//! probability 1/(e^ε_a+1), as in [`edge_flip`]. The paper's noise is Laplace's
//! continuous one; whole numbers are sampled exactly, and lose nothing for it.
//!
//! **Views.** A node: its own neighbours and the public list of nodes. The server: a whole number,
//! which may be negative, and a set.
//!
//! **Guarantee.** ε, unit *edge-bit*, local, pure. Adjacent lists differ in one bit, so their
//! degrees differ by 1. Both parts are drawn independently, so the probability of a report is the
//! product of the two. The first factor changes by at most e^ε_d (sensitivity 1), the second by at
//! most e^ε_a (one bit, whose threshold is rounded to the private side): together by at most
//! e^(ε_d+ε_a) = e^ε. Both changes can have the same direction, so nothing less holds. *edge-set*:
//! the lists have the same size, so the degree's part does not change; two bits do: 2ε_a. A
//! *relationship* is a bit in two lists, and both ends report: 2ε. The ε of the paper's figures is
//! that of one report. What the server computes is post-processing.
//!
//! **Not protected.** Participation. The degree only as far as its noise hides it: all neighbours
//! together are not protected.
//!
//! **Number of edges.** As for `edge_flip`, with ε_a: the limit is checked against n and ε_a alone.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use veil_graph::{Features, Graph, NodeId};

use super::cascade::Heard;
use super::reports::{Reports, Traffic, every_node_with};
use super::{EdgeFlip, Entry, Exact, Protocol, ProtocolError, ProtocolParamError, edge_flip, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{DiscreteLaplace, ParamError, discrete_laplace};
use crate::parameters::Kind;
use crate::registry;
use crate::sampler::Skips;

/// The name in the registry and in the coins' context.
pub const NAME: &str = "blink";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Noisy degree and randomised response on every bit of the list (Blink, CCS 2023)",
    unit: Unit::EdgeBit,
    status: Status::Proven,
    parameters: registry::defaults::<Options>,
    build: |epsilon, nodes, settings| {
        let Options { degree_share, max_edges } = registry::read(settings)?;
        let protocol = Params { epsilon, degree_share, nodes, max_edges }.check()?;
        ProtocolParamError::too_many(NAME, protocol.expected_edges(), max_edges)?;
        Ok(Arc::new(protocol))
    },
};

crate::parameters! {
    /// Parameters besides ε.
    pub struct Options: Edges {
        /// Share of ε spent on the degree
        degree_share: f64 = 0.1 => Kind::Real,
        /// Refuse if more false edges than this are expected
        max_edges: u64 = registry::MAX_EDGES => Kind::Whole,
    }
}

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// The share of it that is spent on the degree (the paper's δ).
    pub degree_share: f64,
    /// The number of nodes.
    pub nodes: u32,
    /// The largest expected number of edges in all reports together.
    pub max_edges: u64,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blink {
    params: Params,
    degree: DiscreteLaplace,
    bits: EdgeFlip,
    epsilon_bits: Epsilon,
}

impl Params {
    /// Splits ε.
    ///
    /// # Errors
    /// If ε is infinite, the share is not between 0 and 1, or one of the two parts is nothing.
    pub fn check(self) -> Result<Blink, ParamError> {
        let Params { epsilon, degree_share: share, nodes, max_edges } = self;
        let whole = epsilon.nanos().ok_or(ParamError::NotPrivatised)?;
        if !(0.0..=1.0).contains(&share) {
            return Err(ParamError::NotAShare { name: "degree-share", given: share });
        }
        // At most 10¹⁵ and at least 0: exact in a float, and any whole number below `whole` is a
        // split.
        let part = (whole as f64 * share).floor() as u64;
        let parts = Epsilon::from_nanos(part).zip(whole.checked_sub(part).and_then(Epsilon::from_nanos));
        let (of_degree, of_bits) = parts.ok_or(ParamError::NothingToShare { epsilon, share })?;
        let degree = discrete_laplace::Params { epsilon: of_degree, sensitivity: 1 }.check()?;
        let spent = if fault::is(Fault::DegreeFreeOfCharge) { epsilon } else { of_bits };
        let bits = edge_flip::Params { epsilon: spent, nodes, max_edges, heard: Heard::All }.check()?;
        Ok(Blink { params: self, degree, bits, epsilon_bits: of_bits })
    }
}

impl Blink {
    /// ε_d, the part of the degree.
    pub fn epsilon_degree(&self) -> Epsilon {
        self.degree.epsilon()
    }

    /// ε_a, the part of the list.
    pub fn epsilon_bits(&self) -> Epsilon {
        self.epsilon_bits
    }

    /// The noise of the degree.
    pub fn degree(&self) -> DiscreteLaplace {
        self.degree
    }

    /// P[bit → 0] and P[bit → 1], exactly.
    pub fn distribution(&self, bit: bool) -> [Fraction; 2] {
        self.bits.distribution(bit)
    }

    /// The expected number of false edges in all reports together, rounded up, from public numbers.
    pub fn expected_edges(&self) -> u64 {
        self.bits.expected_edges()
    }

    /// One node's report: the noisy degree, and a set, ascending. `neighbours` must be ascending,
    /// each once.
    pub fn report(&self, me: NodeId, neighbours: &[NodeId], coins: &mut NodeCoins, out: &mut Vec<NodeId>) -> i64 {
        self.report_with(&self.bits.skips(), me, neighbours, coins, out)
    }

    fn report_with(
        &self,
        skips: &Skips,
        me: NodeId,
        neighbours: &[NodeId],
        coins: &mut NodeCoins,
        out: &mut Vec<NodeId>,
    ) -> i64 {
        // Only nodes that have a bit are counted. Lists are shorter than 2³².
        let known = neighbours.iter().filter(|&&node| node != me && node < self.params.nodes).count() as i64;
        let noisy = self.degree.release_one(known, coins);
        self.bits.report_with(skips, me, neighbours, coins, out);
        if fault::is(Fault::DegreeWithoutNoise) { known } else { noisy }
    }
}

impl Protocol for Blink {
    fn name(&self) -> &'static str {
        NAME
    }

    // The limit on edges does not change reports.
    fn parameters(&self) -> ParameterList {
        ParameterList::default()
            .with("epsilon", self.params.epsilon)
            .with("degree-share", self.params.degree_share)
            .with("nodes", self.params.nodes)
    }

    // ε for a bit, 2ε_a for an exchanged neighbour (unless it overflows).
    fn guarantees(&self) -> Vec<Guarantee> {
        let promise = |unit, epsilon| Guarantee {
            not_protected: vec![shared::PARTICIPATION.to_owned(), shared::MANY.to_owned()],
            source:
                "Blink (Zhu, Tan and Xiao, CCS 2023), of which the published ε is that of one report; proof beside the \
                     code, veil-privacy/protocol/blink"
                    .to_owned(),
            ..shared::guarantee(unit, epsilon, Status::Proven, NAME, self.parameters())
        };
        let exchanged = self.epsilon_bits.times(2).map(|both| promise(Unit::EdgeSet, both));
        std::iter::once(promise(Unit::EdgeBit, self.params.epsilon)).chain(exchanged).collect()
    }

    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        let Params { nodes: expected, max_edges, .. } = self.params;
        shared::few_edges(NAME, (expected, nodes), (self.expected_edges(), max_edges))
    }

    fn run(&self, graph: &Graph, _: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        self.fits(graph.nodes())?;
        let skips = self.bits.skips();
        let report = |me, coins: &mut NodeCoins, (): &mut (), out: &mut Vec<NodeId>| {
            self.report_with(&skips, me, graph.neighbours(me), coins, out)
        };
        let (lists, degrees) = every_node_with(graph.nodes(), coins, || (), report)?;
        Ok(Reports { lists, degrees: Some(degrees), traffic: Traffic::default() })
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::with_degree(me, inbox, coins, |me, neighbours, coins, out| self.report(me, neighbours, coins, out))
    }

    fn exact(&self) -> Exact<'_> {
        Exact::DegreeAndBits { degree: self.degree, bits: [false, true].map(|bit| self.distribution(bit)) }
    }
}
