//! k-ary randomised response on each neighbour, over all other nodes.
//!
//! **Algorithm.** Node v with neighbours u₁ … u_d draws for each uᵢ, independently, a node of
//! V∖{v}: uᵢ itself with probability e^ε/(e^ε+n−2), else each other one with equal probability. The
//! report is the sorted multiset of the draws; its size is v's degree.
//!
//! **Views.** A node: its own neighbours and the public list of nodes. The server: the multiset.
//!
//! **Guarantee.** ε, unit *edge-set*, local, pure. Two adjacent lists share all but one neighbour.
//! The multiset is a function of d independent draws, of which one has another input. By randomised
//! response, the probabilities of its outcomes differ by a factor of at most e^ε. Sorting is
//! post-processing.
//!
//! **Not protected.** The degree, and therefore the existence of a relationship. The smallest
//! change of a graph that keeps all degrees, a double edge swap, changes four lists: 4ε.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use veil_graph::{Features, Graph, NodeId};

use super::reports::{Reports, without_messages};
use super::{Entry, Exact, Protocol, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{ParamError, RandomisedResponse, randomised_response};
use crate::registry::{self, NoParameters};

/// The name in the registry and in the coins' context.
pub const NAME: &str = "neighbour-krr";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "k-ary randomised response on the id of each neighbour",
    unit: Unit::EdgeSet,
    status: Status::Proven,
    parameters: registry::defaults::<NoParameters>,
    build: |epsilon, nodes, settings| {
        registry::read::<NoParameters>(settings)?;
        Ok(Arc::new(Params { epsilon, nodes }.check()?))
    },
};

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// The number of nodes.
    pub nodes: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeighbourKrr {
    mechanism: RandomisedResponse,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<NeighbourKrr, ParamError> {
        // A graph of one node has no reports.
        let values = self.nodes.saturating_sub(1).max(1);
        Ok(NeighbourKrr { mechanism: randomised_response::Params { epsilon: self.epsilon, values }.check()? })
    }
}

impl NeighbourKrr {
    /// One node's report: a multiset of as many nodes as it has neighbours.
    pub fn report(&self, me: NodeId, neighbours: &[NodeId], coins: &mut NodeCoins, out: &mut Vec<NodeId>) {
        let start = out.len();
        for &neighbour in neighbours {
            // Numbers of V∖{me}: those above me move down by one.
            let truth = neighbour - NodeId::from(neighbour > me);
            // Every neighbour is one of the values. If it is not, it must not be reported
            // unchanged.
            let drawn = self.mechanism.report(truth, coins);
            let drawn = drawn.unwrap_or_else(|_| coins.below(u64::from(self.mechanism.values())) as NodeId);
            let kept = fault::is(Fault::FirstNeighbourKept) && out.len() == start;
            let drawn = if kept { truth } else { drawn };
            out.push(drawn + NodeId::from(drawn >= me));
        }
        if !fault::is(Fault::ListOrderKept) {
            out[start..].sort_unstable();
        }
    }

    /// P[neighbour → ·] for one slot of `me`'s list: every other node with its exact probability,
    /// ascending.
    pub fn distribution(&self, me: NodeId, neighbour: NodeId) -> Vec<(NodeId, Fraction)> {
        let (keep, exchange) = (self.mechanism.keep(), self.mechanism.exchange());
        let others = (0..=self.mechanism.values()).filter(|&node| node != me);
        others.map(|node| (node, if node == neighbour { keep.clone() } else { exchange.clone() })).collect()
    }
}

impl Protocol for NeighbourKrr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.mechanism.epsilon()).with("nodes", self.mechanism.values() + 1)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        vec![Guarantee {
            not_protected: vec![shared::PARTICIPATION.to_owned(), shared::DEGREE.to_owned()],
            source:
                "k-ary randomised response (Kairouz, Bonawitz, Ramage 2016) on each neighbour; proof beside the code, \
                     veil-privacy/protocol/neighbour_krr"
                    .to_owned(),
            ..shared::guarantee(Unit::EdgeSet, self.mechanism.epsilon(), Status::Proven, NAME, self.parameters())
        }]
    }

    fn fits(&self, nodes: u32) -> Result<(), ProtocolError> {
        // Parameters for one node are those for two.
        shared::same_nodes(self.mechanism.values() + 1, nodes.max(2))
    }

    fn run(&self, graph: &Graph, _: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        self.fits(graph.nodes())?;
        without_messages(graph, coins, |me, neighbours, coins, out| self.report(me, neighbours, coins, out))
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::without_messages(me, inbox, coins, |me, neighbours, coins, out| self.report(me, neighbours, coins, out))
    }

    fn exact(&self) -> Exact<'_> {
        Exact::Slots { keep: self.mechanism.keep(), exchange: self.mechanism.exchange() }
    }
}
