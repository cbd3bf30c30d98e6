//! Randomised response on the two-hop list: the baseline of the paper on GraphPrivatizer (TMLR
//! 2024).
//!
//! **Algorithm.** Node v lists all other nodes within two hops; a neighbour has the bit 1, the
//! others 0. Each bit is flipped with probability 1/(e^ε+1); the report is the set of nodes whose
//! bit is then 1.
//!
//! **Views.** A node: its neighbours and their lists, that is, their edges, which no ε accounts
//! for. The server: the set.
//!
//! **Claimed**: ε, unit *edge-bit*, local. **Refuted.** Bits of nodes outside the list are never
//! sent, and the list depends on the edges. Let v have neighbours u and t, and let x be adjacent to
//! u but not to v or t. A report with x has probability 1/(e^ε+1), but is impossible without the
//! edge (v, u), because x is then more than two hops away: no finite ε bounds the ratio
//! (`one_edge_that_cannot_be_denied`). Restricting the guarantee to nodes of the list does not
//! help, since changing one of their bits changes the list.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use veil_graph::{Features, Graph, NodeId};

use super::graph_privatizer::Draws;
use super::reports::{Reports, Traffic, every_node};
use super::{Entry, Exact, Protocol, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{BitFlip, ParamError};
use crate::registry::{self, NoParameters};

/// The name in the registry and in the coins' context.
pub const NAME: &str = "two-hop-rr";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Randomised response on the list of nodes within two hops",
    unit: Unit::EdgeBit,
    status: Status::Refuted,
    parameters: registry::defaults::<NoParameters>,
    build: |epsilon, _, settings| {
        registry::read::<NoParameters>(settings)?;
        Ok(Arc::new(Params { epsilon }.check()?))
    },
};

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoHopRr {
    epsilon: Epsilon,
    flip: BitFlip,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<TwoHopRr, ParamError> {
        Ok(TwoHopRr { epsilon: self.epsilon, flip: BitFlip::new(self.epsilon)? })
    }
}

/// A reusable bit set of nodes, for the nodes within two hops. Empty between uses.
#[derive(Clone, Debug, Default)]
pub struct NodeSet {
    words: Vec<u64>,
    /// Words that are not zero.
    touched: Vec<u32>,
}

impl NodeSet {
    fn insert(&mut self, node: NodeId) {
        let at = (node / 64) as usize;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        if self.words[at] == 0 {
            self.touched.push(node / 64);
        }
        self.words[at] |= 1 << (node % 64);
    }

    /// Visits every node, ascending, and empties the set.
    fn drain(&mut self, mut each: impl FnMut(NodeId)) {
        self.touched.sort_unstable();
        for at in self.touched.drain(..) {
            let mut word = std::mem::take(&mut self.words[at as usize]);
            while word != 0 {
                each(at * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }
}

impl TwoHopRr {
    /// One node's report: a set. `neighbours` are v's own, ascending; `lists` are theirs, in any
    /// order.
    pub fn report<'a>(
        &self,
        me: NodeId,
        neighbours: &'a [NodeId],
        lists: impl Iterator<Item = &'a [NodeId]>,
        set: &mut NodeSet,
        coins: &mut NodeCoins,
        out: &mut Vec<NodeId>,
    ) {
        self.perturb((me, neighbours), lists, set, coins, out);
    }

    /// The same with any coins.
    fn perturb<'a>(
        &self,
        (me, neighbours): (NodeId, &'a [NodeId]),
        lists: impl Iterator<Item = &'a [NodeId]>,
        set: &mut NodeSet,
        coins: &mut impl Draws,
        out: &mut Vec<NodeId>,
    ) {
        neighbours.iter().chain(lists.flatten()).filter(|&&node| node != me).for_each(|&node| set.insert(node));
        let mut ahead = neighbours;
        set.drain(|node| {
            let bit = ahead.first() == Some(&node);
            if bit {
                ahead = &ahead[1..];
            }
            if bit != coins.is_below(self.flip.below()) {
                out.push(node);
            }
        });
    }

    /// P[bit → 0] and P[bit → 1] for one node of the list, exactly.
    pub fn distribution(&self, bit: bool) -> [Fraction; 2] {
        self.flip.distribution(bit)
    }
}

impl Protocol for TwoHopRr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.epsilon)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let mut guarantee = shared::guarantee(Unit::EdgeBit, self.epsilon, Status::Refuted, NAME, self.parameters());
        guarantee.assumptions.push(Assumption::TwoHopsPublic);
        guarantee.not_protected = vec![
            shared::PARTICIPATION.to_owned(),
            "nodes more than two hops away are never reported: a reported node proves that a path of two edges leads to it, so \
             no finite ε holds"
                .to_owned(),
            "a user's edges against the user's own neighbours, who receive the whole list".to_owned(),
        ];
        guarantee.source = "baseline of GraphPrivatizer (TMLR 2024); counterexample beside the code, \
                            veil-privacy/protocol/two_hop_rr"
            .to_owned();
        vec![guarantee]
    }

    // Traffic is one round in which every node sends its list.
    fn run(&self, graph: &Graph, _: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        // A sum of whole numbers does not depend on its order.
        let names = AtomicU64::new(0);
        let lists = every_node(graph.nodes(), coins, NodeSet::default, |me, coins, set, out| {
            let neighbours = graph.neighbours(me);
            let lists = neighbours.iter().map(|&neighbour| graph.neighbours(neighbour));
            names.fetch_add(lists.clone().map(|list| list.len() as u64).sum(), Ordering::Relaxed);
            self.report(me, neighbours, lists, set, coins, out);
        })?;
        let (messages, bytes) = (graph.entries() as u64, 4 * names.into_inner());
        Ok(Reports { lists, degrees: None, traffic: Traffic { rounds: 1, messages, bytes, ..Traffic::default() } })
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::lists::two_hop(self, me, inbox, coins)
    }

    fn exact(&self) -> Exact<'_> {
        Exact::TwoHopRr(self)
    }
}
