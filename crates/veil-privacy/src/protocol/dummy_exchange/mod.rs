//! Two hops of features with dummies (thesis, approach 1, Algorithm 2). **Refuted.**
//!
//! **Algorithm.** Every node has released a feature vector x̃.
//! 1. Each node sends x̃ to its neighbours, who note whose it is.
//! 2. Each node u sends to each neighbour all vectors that it received in round 1, the receiver's
//!    own among them, without ids, mixed with dummies: f = min(⌊deg(u)/2⌋ + b, `most_dummies`) of
//!    them, b a fair coin. Coin and dummies are drawn afresh for each receiver, as in Algorithm 2,
//!    lines 14–19.
//! 3. Node v flips each neighbour with probability 1/(1+e^ε). For a flipped neighbour u it takes
//!    the `candidates` vectors most like x̃_u among those received in round 2, its own and its
//!    neighbours' left out, and asks its neighbours, ascending, one by one, whose the vector is,
//!    best first. The first name that is neither v nor a neighbour of v replaces u. No node knows a
//!    dummy. If no candidate has a name, u stays and is counted as unresolved.
//!
//! The report is a set, sorted; it is smaller than the list if two neighbours give way to the same
//! node. Vectors are compared after rectification. Equal vectors are one candidate, and its name is
//! that of the owner with the smallest number that the asked neighbour knows; equally similar
//! candidates are tried in the order of vectors.
//!
//! **Dummies** are normal in each dimension, with the mean and deviation of the released features,
//! clipped to their range (all broadcast; they follow from what is released). A dummy is a
//! rectified vector of all dimensions, as the thesis has it, and travels as all its values. An
//! encoded report travels as a few signs, and raw sparse features as their non-zeros: there a
//! receiver recognises dummies. They can hide something only among raw dense features.
//!
//! **Views.** A node: its neighbours' vectors; then, without ids, their neighbours' vectors, hence
//! nearly their degrees; and the ids that it asks for. Its neighbours: the vectors that it asks
//! about, and so roughly which neighbour it replaces. The server: the sets.
//!
//! **Claim.** (ε, δ) for the unit *edge-set*, local, with δ = e^ε/(1+e^ε) (Theorem 3.3.1): at least
//! ½, so of little use even if it held.
//!
//! **Counterexample.** The proof takes P\[u → s\] to be the same for all s ≠ u. But given what v
//! holds, a flipped u becomes one node r(u): P\[u → u\] = e^ε/(1+e^ε), P\[u → r(u)\] = 1/(1+e^ε),
//! all else 0. The lists {u} and {w} with {u, r(u)} and {w, r(w)} disjoint never give the same
//! report: δ = 1 for every ε. Without a replacement, as in a clique, u is reported with probability
//! 1. Both are tests.

mod dummies;
#[cfg(test)]
mod tests;

pub use dummies::{Dummies, Key, Moments};

use std::sync::Arc;

use veil_graph::{Features, Graph, NodeId};

use super::exchange::{self, Flip, Known, Message, Node, Outcome, Profile, Space, World};
use super::reports::{Reports, Traffic};
use super::{Entry, Exact, Measure, Protocol, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream};
use crate::device::{self, Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::ParamError;
use crate::parameters::Kind;
use crate::registry;

/// The name in the registry and in the coins' context.
pub const NAME: &str = "dummy-exchange";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Neighbours replaced by similar nodes (messages with dummies)",
    unit: Unit::EdgeSet,
    status: Status::Refuted,
    parameters: registry::defaults::<Options>,
    build: |epsilon, _, settings| {
        let Options { measure, max_dummies: most_dummies, candidates } = registry::read(settings)?;
        Ok(Arc::new(Params { epsilon, measure, most_dummies, candidates }.check()?))
    },
};

crate::parameters! {
    /// Parameters besides ε.
    pub struct Options: Edges {
        /// Similarity measure
        measure: Measure = Measure::Cosine => Kind::Word(Measure::WORDS),
        /// Largest number of dummies per message
        max_dummies: u32 = 5 => Kind::Whole,
        /// Number of candidates tried per replacement
        candidates: u32 = 10 => Kind::Whole,
    }
}

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
    /// The measure of similarity.
    pub measure: Measure,
    /// The largest number of dummies in a message.
    pub most_dummies: u32,
    /// The number of candidates that are tried.
    pub candidates: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DummyExchange {
    params: Params,
    pub(super) flip: Flip,
}

/// The draws of a node, made before its first message.
#[derive(Debug)]
pub struct Drawn {
    /// The key of its dummies.
    pub key: Key,
    /// Whether each neighbour is to be replaced, in their order.
    pub flipped: Vec<bool>,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite, or no candidate may be tried.
    pub fn check(self) -> Result<DummyExchange, ParamError> {
        if self.candidates == 0 {
            return Err(ParamError::NoCandidates);
        }
        Ok(DummyExchange { params: self, flip: Flip::new(self.epsilon)? })
    }
}

impl DummyExchange {
    /// The draws of a node with `degree` neighbours.
    pub fn draw(&self, degree: usize, coins: &mut NodeCoins) -> Drawn {
        let key = Key::draw(coins);
        Drawn { key, flipped: self.flip.draw(degree, coins) }
    }

    /// The dummies that a node sends to the neighbour `to`.
    pub fn dummies(&self, key: &Key, to: NodeId, degree: usize) -> Dummies {
        Dummies::draw(key, to, degree, self.params.most_dummies)
    }

    /// Round 2: the message to a neighbour.
    pub fn forwarded<'a>(known: &Known<'a>, dummies: &'a [Profile]) -> Message<&'a Profile> {
        let mut vectors: Vec<&Profile> = known.by_vector().map(|(_, vector)| vector).chain(dummies).collect();
        vectors.sort();
        Message::Forwarded(vectors)
    }

    /// Each flipped neighbour with its candidates, best first: the input of [`exchange::replace`].
    pub fn wanted<'a>(
        &self,
        space: &Space,
        node: &Node<'a>,
        flipped: &[bool],
        heard: Vec<&'a Profile>,
    ) -> Vec<(NodeId, Vec<&'a Profile>)> {
        let removed: Vec<NodeId> =
            node.known.names().zip(flipped).filter(|&(_, &flipped)| flipped).map(|(name, _)| name).collect();
        if removed.is_empty() {
            return Vec::new();
        }
        let candidates = node.candidates(heard);
        let (measure, most) = (self.params.measure, self.params.candidates as usize);
        let closest = |name| {
            let target = node.known.vector_of(name).unwrap_or(node.mine);
            exchange::closest(space, measure, target, candidates.iter().copied(), most)
        };
        removed.into_iter().map(|name| (name, closest(name))).collect()
    }

    /// P[neighbour → ·] for one slot of `me`'s list, exactly, given all dummies: ascending, only
    /// what is possible. `None` if `neighbour` is not one.
    pub fn distribution(
        &self,
        world: &World<'_>,
        moments: &Moments,
        coins: &Stream,
        me: NodeId,
        neighbour: NodeId,
    ) -> Option<Vec<(NodeId, Fraction)>> {
        let known = world.node(me).known;
        known.vector_of(neighbour)?;
        let flipped: Vec<bool> = known.names().map(|name| name == neighbour).collect();
        let (outcome, _) = self.simulate(world, moments, coins, me, &flipped);
        let replacement = outcome.report.into_iter().find(|&name| !known.is_neighbour(name));
        let Some(replacement) = replacement else { return Some(vec![(neighbour, Fraction::one())]) };
        let mut both = vec![(neighbour, self.flip.keep()), (replacement, self.flip.probability())];
        both.sort_unstable_by_key(|&(name, _)| name);
        Some(both)
    }

    /// A node's part from round 2 on, with the traffic of all messages that it receives and asks.
    fn simulate(
        &self,
        world: &World<'_>,
        moments: &Moments,
        coins: &Stream,
        me: NodeId,
        flipped: &[bool],
    ) -> (Outcome, Traffic) {
        let node = world.node(me);
        let senders: Vec<Node<'_>> = node.known.names().map(|name| world.node(name)).collect();
        let dummies = |sender: &Node<'_>| {
            let dummies = self.dummies(&Key::draw(&mut coins.node(sender.me)), me, sender.known.degree());
            // A node that replaces no neighbour compares nothing: its dummies are counted, not
            // generated.
            let count = dummies.count();
            if flipped.contains(&true) { (dummies.make(world.space(), moments), 0) } else { (Vec::new(), count) }
        };
        let dummies: Vec<(Vec<Profile>, usize)> = senders.iter().map(dummies).collect();

        let (mut messages, mut heard) = (Vec::new(), Vec::new());
        for (sender, (dummies, unmade)) in senders.iter().zip(&dummies) {
            let message = DummyExchange::forwarded(sender.known, dummies);
            let mut traffic = exchange::one_message(&message);
            traffic.bytes += *unmade as u64 * 4 * u64::from(world.space().dimensions);
            messages.push(traffic);
            if let Message::Forwarded(vectors) = message {
                heard.extend(vectors);
            }
        }
        let wanted = self.wanted(world.space(), &node, flipped, heard);
        world.resolve(&node, &wanted, 2, messages.into_iter())
    }
}

impl Protocol for DummyExchange {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> ParameterList {
        let Params { epsilon, measure, most_dummies, candidates } = self.params;
        ParameterList::default()
            .with("epsilon", epsilon)
            .with("measure", measure)
            .with("max-dummies", most_dummies)
            .with("candidates", candidates)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let sent = "the released features of a user's neighbours, and nearly their number, against the user's neighbours: \
                    dummies are easily distinguished from encoded reports and from raw sparse features; only among raw \
                    dense features they may pass";
        vec![exchange::claimed(NAME, self.parameters(), self.params.epsilon, sent)]
    }

    fn compares_features(&self) -> bool {
        true
    }

    fn run(&self, graph: &Graph, features: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        let features = shared::compared(NAME, graph, features)?;
        let moments = Moments::of(features);
        exchange::run((graph, features), coins, |world, me, own| {
            let flipped = self.draw(world.node(me).known.degree(), own).flipped;
            self.simulate(world, &moments, coins, me, &flipped)
        })
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::thesis::dummies(self, me, inbox, coins)
    }

    fn exact(&self) -> Exact<'_> {
        Exact::DummyExchange(self)
    }
}
