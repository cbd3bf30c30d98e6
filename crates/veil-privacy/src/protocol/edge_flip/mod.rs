//! Randomised response (Warner 1965) on every bit of the neighbour list.
//!
//! **Algorithm.** Node v's list is a bit for each of the n−1 other nodes. Each bit is flipped with
//! probability 1/(e^ε+1), independently; the report is the set of nodes whose bit is then 1. The
//! list of n bits is never stored: the flipped bits are drawn as skips ([`Skips`]), exact in whole
//! numbers, and the report is the true list with these inserted or removed. Time and memory are
//! proportional to the number of flips and neighbours.
//!
//! With [`Heard::Earlier`] node v has a bit only for each node before it in the public list, so
//! that each pair of nodes is one bit of the later one's list. Everything else is the same.
//!
//! **Views.** A node: its own neighbours and the public list of nodes. The server: the set.
//!
//! **Guarantee.** ε, unit *edge-bit*, local, pure. Bits are flipped independently and two adjacent
//! lists differ in one bit, so any report's probability differs by the ratio of keeping to flipping
//! that bit or its inverse. A word flips if it is below f, rounded up from 2⁶⁴/(e^ε+1): the ratio
//! is ≤ e^ε exactly (`exact_loss_is_at_most_epsilon`). Exchanging a neighbour changes two bits: 2ε,
//! unit *edge-set*. A relationship is a bit in two lists: 2ε if both ends report.
//!
//! *Earlier neighbours only.* Let two graphs differ in the edge {u, v}, with u before v. The bits
//! of u's list are about nodes before u, so v is none of them: u's report has the same distribution
//! in both graphs. One bit of v's list differs: ε. All coins are drawn independently, so the
//! probability of all reports together changes by at most e^ε: a *relationship* costs ε. Which of
//! two nodes is before the other is decided by the list of nodes, which must not depend on edges
//! and be the same for all users; else both ends of an edge can be the later one, and it is 2ε. ∎
//!
//! **Not protected.** Participation. The degree only as far as its bits are: the number of ones
//! minus the expected noise estimates it.
//!
//! **Number of edges.** n(n−1)/(e^ε+1) false edges are expected, far more than true ones for large
//! n: at ε = 1 more than a quarter of all pairs. The limit is checked against n and ε alone, so a
//! refusal reveals nothing about the graph; true edges are not counted.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use veil_graph::{Features, Graph, NodeId};

use super::cascade::Heard;
use super::reports::{Reports, without_messages};
use super::{Entry, Exact, Protocol, ProtocolError, ProtocolParamError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{BitFlip, ParamError};
use crate::parameters::Kind;
use crate::registry;
use crate::sampler::Skips;

/// The name in the registry and in the coins' context.
pub const NAME: &str = "edge-flip";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Randomised response on every bit of the neighbour list",
    unit: Unit::EdgeBit,
    status: Status::Proven,
    parameters: registry::defaults::<Options>,
    build: |epsilon, nodes, settings| {
        let Options { heard, max_edges } = registry::read(settings)?;
        let protocol = Params { epsilon, nodes, max_edges, heard }.check()?;
        ProtocolParamError::too_many(NAME, protocol.expected_edges(), max_edges)?;
        Ok(Arc::new(protocol))
    },
};

/// The name of the parameter that is listed where only earlier neighbours have a bit.
const HEARD: &str = "heard";

crate::parameters! {
    /// Parameters besides ε.
    pub struct Options: Edges {
        /// Nodes that have a bit: all (2ε per relationship) or earlier in the list of nodes (ε)
        heard: Heard = Heard::All => Kind::Word(Heard::WORDS),
        /// Refuse if more false edges than this are expected
        max_edges: u64 = registry::MAX_EDGES => Kind::Whole,
    }
}

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// The number of nodes.
    pub nodes: u32,
    /// The largest expected number of edges in all reports together.
    pub max_edges: u64,
    /// The nodes that have a bit.
    pub heard: Heard,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeFlip {
    params: Params,
    flip: BitFlip,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<EdgeFlip, ParamError> {
        Ok(EdgeFlip { params: self, flip: BitFlip::new(self.epsilon)? })
    }
}

impl EdgeFlip {
    /// The expected number of false edges in all reports together, rounded up, from public numbers.
    pub fn expected_edges(&self) -> u64 {
        // Below 2⁶⁴ pairs.
        let bits = u64::from(self.params.nodes) * u64::from(self.others());
        self.flip.expected(if self.params.heard == Heard::All { bits } else { bits / 2 })
    }

    /// One node's report: a set, ascending. `neighbours` must be ascending, each once.
    pub fn report(&self, me: NodeId, neighbours: &[NodeId], coins: &mut NodeCoins, out: &mut Vec<NodeId>) {
        self.report_with(&self.skips(), me, neighbours, coins, out);
    }

    /// P[bit → 0] and P[bit → 1], exactly.
    pub fn distribution(&self, bit: bool) -> [Fraction; 2] {
        self.flip.distribution(bit)
    }

    pub(super) fn skips(&self) -> Skips {
        self.flip.skips(self.others())
    }

    /// The number of bits of a list.
    fn others(&self) -> u32 {
        self.params.nodes.saturating_sub(1)
    }

    pub(super) fn report_with(
        &self,
        skips: &Skips,
        me: NodeId,
        neighbours: &[NodeId],
        coins: &mut NodeCoins,
        out: &mut Vec<NodeId>,
    ) {
        // Numbers of V∖{me}: those above me move down by one. Unknown nodes have no bit.
        let all = self.params.heard == Heard::All || fault::is(Fault::LaterNeighboursToo);
        let (bits, nodes) = if all { (self.others(), self.params.nodes) } else { (me.min(self.others()), me) };
        let known = neighbours.iter().filter(|&&node| node != me && node < nodes);
        let ones = known.map(|&node| node - NodeId::from(node > me));
        skips.flip(bits, ones, coins, |bit| out.push(bit + NodeId::from(bit >= me)));
    }
}

impl Protocol for EdgeFlip {
    fn name(&self) -> &'static str {
        NAME
    }

    // The limit on edges does not change reports.
    fn parameters(&self) -> ParameterList {
        let list = ParameterList::default().with("epsilon", self.params.epsilon).with("nodes", self.params.nodes);
        if self.params.heard == Heard::All { list } else { list.with(HEARD, self.params.heard.name()) }
    }

    // ε for a bit, 2ε for an exchanged neighbour (unless it overflows).
    fn guarantees(&self) -> Vec<Guarantee> {
        let promise = |unit, epsilon| {
            let mut promised = Guarantee {
                not_protected: vec![shared::PARTICIPATION.to_owned(), shared::MANY.to_owned()],
                source: "randomised response (Warner 1965) on each bit of the list; proof beside the code, \
                         veil-privacy/protocol/edge_flip"
                    .to_owned(),
                ..shared::guarantee(unit, epsilon, Status::Proven, NAME, self.parameters())
            };
            if self.params.heard == Heard::Earlier {
                // A pair is one bit of one list.
                promised.per_relationship = promised.per_relationship.map(|_| epsilon);
                promised.assumptions.push(Assumption::SameList);
            }
            promised
        };
        let epsilon = self.params.epsilon;
        let exchanged = epsilon.times(2).map(|both| promise(Unit::EdgeSet, both));
        std::iter::once(promise(Unit::EdgeBit, epsilon)).chain(exchanged).collect()
    }

    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        let Params { nodes: expected, max_edges, .. } = self.params;
        shared::few_edges(NAME, (expected, nodes), (self.expected_edges(), max_edges))
    }

    fn run(&self, graph: &Graph, _: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        self.fits(graph.nodes())?;
        let skips = self.skips();
        without_messages(graph, coins, |me, neighbours, coins, out| {
            self.report_with(&skips, me, neighbours, coins, out);
        })
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::without_messages(me, inbox, coins, |me, neighbours, coins, out| self.report(me, neighbours, coins, out))
    }

    fn hears(&self, me: NodeId, other: NodeId) -> bool {
        self.params.heard == Heard::All || other < me
    }

    fn exact(&self) -> Exact<'_> {
        Exact::Bits([false, true].map(|bit| self.distribution(bit)))
    }
}
