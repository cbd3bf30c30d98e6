//! Cascade: every edge is counted once, from sure nodes to unsure ones (ours).
//!
//! **Algorithm.** A public [`Order`] of all nodes is fixed before anything is released; it depends
//! on features, released labels and coins, never on edges. Every edge belongs to the *later* of its
//! ends. The nodes are taken in batches along the order; the first ones may be senders only, whose
//! classes are known. In its batch node v sums the messages of its neighbours *before* it in the
//! order and releases the sum, its row, with noise. A message ([`Messages`]) is what the public
//! currently believes about the sender: a number per class, none negative, on a grid of step 1/S,
//! of sum at most 1. Messages are made from public data and the rows of earlier batches, so later
//! batches hear what earlier ones have become. With *pairs*, a row has half as many numbers: v's
//! classes in the order of the belief about v itself are taken two by two, and each pair is
//! released as its difference. Each number gets discrete Laplace noise, P(k) ∝ e^(−|k|ε/S) in
//! steps.
//!
//! **Guarantee.** ε, pure, for any number T of batches; unit *edge* where the owner computes all
//! rows, *edge-bit* where each user computes their own.
//!
//! *Proof.* Let two graphs differ in the edge {u, v}, and let v be the later end. Fix any
//! transcript of the first t−1 batches. Order and messages are functions of public data and of this
//! transcript, so they are the same in both graphs. The exact row of a node w sums messages of w's
//! neighbours before w. For w ∉ {u, v} these neighbours are the same in both graphs; for u too,
//! since v is not before u. For v the row changes by the message of u: by numbers that are not
//! negative and sum to at most S steps. Pairing is a linear map chosen by public data that puts
//! each class on one coordinate with factor ±1, so it does not increase the L1 norm. So in the one
//! batch that holds v, one row changes by L1 ≤ S, and the probability of its release by a factor of
//! at most e^ε; in every other batch, given the transcript before it, the distribution is the same.
//! The probability of a whole transcript is the product over its batches, so it changes by at most
//! e^ε: adaptive *parallel* composition, whatever T. If v is a sender, no row changes. ∎
//!
//! Where each user computes their own row, one bit of v's list changes v's row at most, by one
//! message: ε (*edge-bit*); exchanging a neighbour is two bits, 2ε (*edge-set*). An edge is in the
//! row of its later end alone, so a *relationship* costs ε too, if both ends follow the protocol
//! with the same order. A server that shows two orders to two users can make each of them the later
//! one: then it is 2ε. That is why the digest of the order is fixed before the first batch and must
//! be published where all users see it.
//!
//! **All neighbours.** Users who accept 2ε per relationship may count all neighbours, not only
//! those before them ([`Heard::All`]). The proof for one report is the same: one bit of v's list
//! changes v's row by one message, and no other row as a function of the transcript, so ε
//! *edge-bit*. An edge is then in two rows, which may be in the same batch or in two: 2ε per
//! relationship, by the proof above for one bit after the other. An owner may not use it.
//!
//! **Growth.** Nodes that are added later extend the order, and only they have rows: see
//! [`Extension`], whose proof is beside it.
//!
//! Everything after the rows is post-processing: readouts, weights by validation labels, retraining
//! on what was read, predictions.
//!
//! **Views.** A node: its own neighbours, order and messages of all nodes, which are public. The
//! server or the public: the rows.
//!
//! **Not protected.** Participation. The approximate degree of a node with many neighbours.

mod extension;
mod messages;
mod order;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use veil_graph::limits::MOST_STEPS;
use veil_graph::{Graph, NodeId};

pub use extension::{Extension, carried};
pub(crate) use extension::{counts_twice, extended};
pub use messages::Messages;
pub use order::Order;

use super::{ProtocolError, shared};
use crate::budget::Epsilon;
use crate::central;
use crate::coins::{NodeCoins, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};
use crate::mechanism::{DiscreteLaplace, ParamError, discrete_laplace};

/// The name in the registry and in the coins' context.
pub const NAME: &str = "cascade";

/// One, in steps of the grid: fine enough that truncation costs no accuracy.
pub const STEPS: u32 = 1 << 12;

/// The name of the parameter that is listed where all neighbours are counted.
const HEARD: &str = "heard";

crate::words! {
    /// The neighbours whose messages a row sums.
    pub enum Heard: "choice of neighbours" {
        /// Those before the node in the order: every edge is in one row.
        Earlier = "earlier",
        /// All of them: every edge is in two rows. For users only.
        All = "all",
    }
}

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of all batches together.
    pub epsilon: Epsilon,
    /// The protected unit: edge (the owner computes all rows) or edge-bit (each user their own).
    pub unit: Unit,
    /// The number of classes.
    pub classes: u32,
    /// The number of batches.
    pub batches: u32,
    /// One, in steps of the grid.
    pub steps: u32,
    /// Whether pairs of classes are released as differences.
    pub paired: bool,
    /// The neighbours that are counted.
    pub heard: Heard,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cascade {
    params: Params,
    /// None if ε = inf: no guarantee.
    noise: Option<DiscreteLaplace>,
    /// The release whose order is extended, if it is not the first one.
    extends: Option<Extension>,
}

/// The released rows of one batch, one per node of the batch, in the order's sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    width: usize,
    values: Vec<i64>,
    /// With pairs: the classes of each row, two by two; each pair is released as its difference.
    classes: Vec<u32>,
}

impl Rows {
    /// From rows of `width` numbers each and, with pairs, as many lists of classes; an incomplete
    /// last row is dropped.
    pub fn new(width: usize, mut values: Vec<i64>, classes: Vec<u32>) -> Rows {
        values.truncate(values.len() / width.max(1) * width.max(1));
        Rows { width, values, classes }
    }

    /// The numbers of a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Row after row, in steps of the grid.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[i64]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The classes of a row's pairs, in order; none without pairs, where number j is that of class
    /// j.
    pub fn classes(&self, row: usize) -> Option<&[u32]> {
        let rows = self.values.len() / self.width.max(1);
        let each = self.classes.len() / rows.max(1);
        self.classes.get(row * each..(row + 1) * each).filter(|classes| !classes.is_empty())
    }
}

impl Params {
    /// Computes the noise.
    ///
    /// # Errors
    /// If the unit is neither edge nor edge-bit, or a number is out of range.
    pub fn check(self) -> Result<Cascade, ParamError> {
        let Params { epsilon, unit, classes, batches, steps, heard, .. } = self;
        if unit == Unit::Edge && heard == Heard::All {
            return Err(ParamError::CountedTwice);
        }
        if !matches!(unit, Unit::Edge | Unit::EdgeBit) {
            return Err(ParamError::NotOfEdges { given: unit });
        }
        if classes == 0 {
            return Err(ParamError::NoClusters);
        }
        if batches == 0 {
            return Err(ParamError::NoRounds);
        }
        if steps == 0 || steps > MOST_STEPS {
            return Err(ParamError::BadSensitivity { given: f64::from(steps) });
        }
        let sensitivity = u64::from(steps);
        let noise = || discrete_laplace::Params { epsilon, sensitivity }.check();
        Ok(Cascade { params: self, noise: epsilon.is_finite().then(noise).transpose()?, extends: None })
    }
}

impl Cascade {
    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let Params { epsilon, unit, classes, batches, steps, paired, heard } = self.params;
        let list = ParameterList::default()
            .with("epsilon", epsilon)
            .with("unit", unit)
            .with("classes", classes)
            .with("batches", batches)
            .with("steps", steps)
            .with("paired", paired);
        let list = if heard == Heard::All { list.with(HEARD, heard) } else { list };
        self.extends.iter().fold(list, |list, extension| extension.listed(list))
    }

    /// The same for nodes that were added since an earlier release, all of which are one batch.
    ///
    /// # Errors
    /// If all neighbours are counted: then an edge is in more than one row.
    pub fn extending(self, extension: Extension) -> Result<Cascade, ParamError> {
        if self.params.heard == Heard::All {
            return Err(ParamError::CountedTwice);
        }
        let params = Params { batches: 1, ..self.params };
        Ok(Cascade { params, extends: Some(extension), ..self })
    }

    /// The release that it extends, if any.
    pub fn extends(&self) -> Option<&Extension> {
        self.extends.as_ref()
    }

    /// The parameters as they were given.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The noise of each number, unless ε = inf.
    pub fn noise(&self) -> Option<DiscreteLaplace> {
        self.noise
    }

    /// The numbers of a row.
    pub fn width(&self) -> usize {
        let classes = self.params.classes as usize;
        if self.params.paired { classes.div_ceil(2) } else { classes }
    }

    /// The guarantees of all batches together: for the chosen unit, and for a bit also 2ε for an
    /// exchanged neighbour (unless it overflows).
    pub fn guarantees(&self) -> Vec<Guarantee> {
        let Params { epsilon, unit, .. } = self.params;
        let exchanged = epsilon.times(2).filter(|_| unit == Unit::EdgeBit && epsilon.is_finite());
        let second = exchanged.map(|both| self.promise(Unit::EdgeSet, both));
        std::iter::once(self.promise(unit, epsilon)).chain(second).collect()
    }

    fn promise(&self, unit: Unit, epsilon: Epsilon) -> Guarantee {
        let parameters = self.parameters();
        let mut guarantee = match (self.noise, unit) {
            (None, _) => {
                let promised = shared::guarantee(unit, epsilon, Status::None, NAME, parameters);
                let everything = vec!["every edge: sums over neighbours are released unperturbed".to_owned()];
                return Guarantee { trust: Trust::Central, not_protected: everything, ..promised };
            }
            (Some(_), Unit::Edge) => central::guarantee(epsilon, NAME, parameters),
            (Some(_), _) => {
                let promised = shared::guarantee(unit, epsilon, Status::Proven, NAME, parameters);
                // An edge is in the row of its later end alone, or in those of both ends.
                let both = promised.per_relationship;
                let of_rows = if self.params.heard == Heard::Earlier { Some(epsilon) } else { both };
                Guarantee { per_relationship: of_rows.filter(|_| unit == Unit::EdgeBit), ..promised }
            }
        };
        guarantee.assumptions.push(Assumption::OrderWithoutEdges);
        if guarantee.trust == Trust::Local && self.params.heard == Heard::Earlier {
            guarantee.assumptions.push(Assumption::SameOrder);
        }
        guarantee.assumptions.extend(self.extends.iter().map(Extension::assumption));
        guarantee.not_protected.push(shared::MANY.to_owned());
        let counted = match self.params.heard {
            Heard::Earlier => "every edge counted once, at its later end",
            Heard::All => "every user counts all neighbours, once",
        };
        guarantee.source = format!("{counted}; proof beside the code, veil-privacy/protocol/cascade");
        guarantee
    }

    /// One node's row without noise: the messages of its neighbours before it, summed and recoded.
    fn exact(&self, me: NodeId, neighbours: &[NodeId], order: &Order, messages: &Messages, row: &mut [i64]) {
        let mut sums = vec![0_i64; messages.classes()];
        let all = self.params.heard == Heard::All || fault::is(Fault::LaterNeighboursToo);
        for &other in neighbours.iter().filter(|&&other| other != me && (all || order.is_before(other, me))) {
            let twice = if fault::is(Fault::LongMessages) { 2 } else { 1 };
            sums.iter_mut().zip(messages.of_node(other)).for_each(|(sum, &it)| *sum += twice * i64::from(it));
        }
        if !self.params.paired {
            row.copy_from_slice(&sums);
            return;
        }
        let mut preference = messages.preference(me);
        if fault::is(Fault::PairsByTruth) {
            // Sorting all classes by the exact row would lose nothing: it does not increase
            // distances.
            let largest = sums.iter().max();
            let leader = preference.iter().position(|&class| sums.get(class as usize) == largest);
            preference[..leader.map_or(0, |place| place + 1)].rotate_right(usize::from(leader.is_some()));
        }
        for (out, pair) in row.iter_mut().zip(preference.chunks(2)) {
            let sum = |class: u32| sums[class as usize];
            *out = sum(pair[0]) - pair.get(1).map_or(0, |&other| sum(other));
        }
    }

    /// One node's report, with the node's coins of its batch.
    ///
    /// # Errors
    /// If order or messages are not about this many classes and about all neighbours.
    pub fn report(
        &self,
        me: NodeId,
        neighbours: &[NodeId],
        order: &Order,
        messages: &Messages,
        coins: &mut NodeCoins,
    ) -> Result<Vec<i64>, ProtocolError> {
        self.fits(order, messages)?;
        if let Some(&stranger) = neighbours.iter().chain([&me]).find(|&&node| node as usize >= order.nodes()) {
            return Err(ProtocolError::Nodes { what: "order", nodes: stranger as usize + 1, found: order.nodes() });
        }
        let mut row = vec![0; self.width()];
        self.fill(me, neighbours, order, messages, coins, &mut row);
        Ok(row)
    }

    fn fill(
        &self,
        me: NodeId,
        neighbours: &[NodeId],
        order: &Order,
        messages: &Messages,
        coins: &mut NodeCoins,
        row: &mut [i64],
    ) {
        self.exact(me, neighbours, order, messages, row);
        if let Some(noise) = self.noise {
            row.iter_mut().for_each(|it| *it = noise.release_one(*it, coins));
        }
    }

    /// The rows of a batch, with the coins of that batch.
    ///
    /// # Errors
    /// If graph, order and messages do not fit together.
    pub fn batch(
        &self,
        graph: &Graph,
        order: &Order,
        batch: u32,
        messages: &Messages,
        coins: &Stream,
    ) -> Result<Rows, ProtocolError> {
        self.fits(order, messages)?;
        let (nodes, found) = (graph.nodes() as usize, order.nodes());
        if nodes != found {
            return Err(ProtocolError::Nodes { what: "order", nodes, found });
        }
        let receivers = order.batch(batch);
        let width = self.width();
        let mut values = vec![0; receivers.len() * width];
        values.par_chunks_exact_mut(width).zip(receivers).with_min_len(64).for_each(|(row, &me)| {
            let whose = if fault::is(Fault::RowsShareNoise) { 0 } else { me };
            self.fill(me, graph.neighbours(me), order, messages, &mut coins.node(whose), row);
        });
        let paired = receivers.iter().filter(|_| self.params.paired);
        Ok(Rows::new(width, values, paired.flat_map(|&me| messages.preference(me)).collect()))
    }

    fn fits(&self, order: &Order, messages: &Messages) -> Result<(), ProtocolError> {
        let (nodes, found) = (order.nodes(), messages.nodes());
        let classes = (self.params.classes as usize, messages.classes());
        if nodes != found || classes.0 != classes.1 {
            return Err(ProtocolError::Nodes { what: "messages", nodes, found });
        }
        if order.batches() != self.params.batches {
            return Err(ProtocolError::NotAnOrder { nodes });
        }
        if fault::is(Fault::LongMessagesAccepted) {
            return Ok(());
        }
        Messages::new(messages.classes(), self.params.steps, messages.values().to_vec()).map(drop)
    }
}

/// The coins of a batch with this order and these messages. They decide what is summed, so others
/// have other coins.
pub(crate) fn coins_of(batch: &Stream, order: &Order, messages: &Messages) -> Stream {
    batch.of_inputs(order.inputs().with_numbers("messages", messages.values()).digest())
}
