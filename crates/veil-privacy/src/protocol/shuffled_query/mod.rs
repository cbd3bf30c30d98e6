//! Shuffled queries to neighbours (thesis, approach 2, Algorithm 3). **Refuted.**
//!
//! **Algorithm.** Every node has released a feature vector x̃.
//! 1. Each node sends x̃ to its neighbours, who note whose it is.
//! 2. Node v flips each neighbour with probability 1/(1+e^ε): R are the flipped ones, T the others.
//!    It sends the vectors of R and those of T to all its neighbours, as two sets; a fair coin
//!    decides which comes first, and each is shuffled. All receive the same message.
//! 3. A neighbour u answers a set if it has at least as many neighbours besides v as the set has
//!    vectors: for each vector the most similar one among those of N(u)∖{v}. If it can answer
//!    neither, it sends nothing.
//! 4. v pools the answers to R, its own and its neighbours' vectors left out. For each flipped u it
//!    takes the one most like x̃_u, and asks its neighbours, ascending, one by one, whose it is.
//!    The first name that is neither v nor a neighbour of v replaces u. Without candidates u stays
//!    and is counted as unresolved.
//!
//! The report is a set, sorted; it is smaller than the list if two neighbours give way to the same
//! node. Equal vectors are one candidate, and its name is that of the owner with the smallest
//! number that the asked neighbour knows; among equally similar vectors the first in the order of
//! vectors is taken.
//!
//! **Views.** A node: its neighbours' vectors; then, without ids, some of their neighbours'
//! vectors, and which neighbours can answer; and the ids that it asks for. Its neighbours: the
//! vectors of all of v's neighbours in two sets. Each neighbour stays with probability above ½, so
//! the larger set is probably T; if one set is empty, nothing was flipped (or everything). Later,
//! the vectors of v's new neighbours, when v asks for their ids. The server: the sets.
//!
//! **Claim.** (ε, δ) for the unit *edge-set*, local, with δ = e^ε/(1+e^ε) (Theorem 3.3.1): at least
//! ½, so of little use even if it held.
//!
//! **Counterexample.** The proof takes P\[u → s\] to be the same for all s ≠ u. But given the
//! flips, a flipped u becomes one node r(u, R). With one neighbour R = {u}, and the lists {u} and
//! {w} with {u, r(u)} and {w, r(w)} disjoint never give the same report: δ = 1 for every ε. Without
//! a replacement, as in a clique, u is reported with probability 1. Both are tests.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use veil_graph::{Features, Graph, NodeId};

use super::exchange::{self, Flip, Message, Node, Outcome, Profile, Space, World, one_message};
use super::reports::{Reports, Traffic};
use super::{Entry, Exact, Measure, Protocol, ProtocolError, shared};
use crate::budget::Epsilon;
use crate::coins::{NodeCoins, Stream, Uniform};
use crate::device::{self, Contribution, DeviceError, Me};
use crate::exact::Fraction;
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::ParamError;
use crate::parameters::Kind;
use crate::registry;

/// The name in the registry and in the coins' context.
pub const NAME: &str = "shuffled-query";

/// The entry of the registry.
pub const ENTRY: Entry = Entry {
    name: NAME,
    about: "Neighbours replaced by similar nodes (shuffled queries)",
    unit: Unit::EdgeSet,
    status: Status::Refuted,
    parameters: registry::defaults::<Options>,
    build: |epsilon, _, settings| {
        let Options { measure } = registry::read(settings)?;
        Ok(Arc::new(Params { epsilon, measure }.check()?))
    },
};

crate::parameters! {
    /// Parameters besides ε.
    pub struct Options: Edges {
        /// Similarity measure
        measure: Measure = Measure::Cosine => Kind::Word(Measure::WORDS),
    }
}

/// The largest degree for which [`ShuffledQuery::distribution`] enumerates all flips.
pub const MOST_ENUMERATED: usize = 16;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The claimed privacy loss of one report.
    pub epsilon: Epsilon,
    /// The measure of similarity.
    pub measure: Measure,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffledQuery {
    params: Params,
    pub(super) flip: Flip,
}

/// The draws of a node, made before its first message: its neighbours in two shuffled sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// R, the neighbours to be replaced.
    pub removed: Vec<NodeId>,
    /// T, the others.
    pub retained: Vec<NodeId>,
    /// Whether T is the first set.
    pub retained_first: bool,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn check(self) -> Result<ShuffledQuery, ParamError> {
        Ok(ShuffledQuery { params: self, flip: Flip::new(self.epsilon)? })
    }
}

impl ShuffledQuery {
    /// Draws a coin for each neighbour, ascending; which set is first; the order of R, and of T.
    pub fn draw(&self, neighbours: impl ExactSizeIterator<Item = NodeId>, coins: &mut NodeCoins) -> Drawn {
        self.draw_with(neighbours, coins)
    }

    fn draw_with(&self, neighbours: impl ExactSizeIterator<Item = NodeId>, coins: &mut impl Uniform) -> Drawn {
        let flips = self.flip.draw(neighbours.len(), coins);
        let mut drawn = part_by(neighbours.zip(flips));
        drawn.retained_first = coins.below(2) == 0;
        shuffle(&mut drawn.removed, coins);
        shuffle(&mut drawn.retained, coins);
        drawn
    }

    /// Round 2: the message to all neighbours.
    pub fn queries<'a>(node: &Node<'a>, drawn: &Drawn) -> Message<&'a Profile> {
        let vectors = |names: &[NodeId]| names.iter().filter_map(|&name| node.known.vector_of(name)).collect();
        let (removed, retained) = (vectors(&drawn.removed), vectors(&drawn.retained));
        let (first, second) = if drawn.retained_first { (retained, removed) } else { (removed, retained) };
        Message::Queries { first, second }
    }

    /// Round 3: the answer to the queries of the neighbour `asker`, if there is one.
    pub fn answer<'a>(
        &self,
        space: &Space,
        node: &Node<'a>,
        asker: NodeId,
        queries: &Message<&Profile>,
    ) -> Option<Message<&'a Profile>> {
        let Message::Queries { first, second } = queries else { return None };
        let others: Vec<&Profile> =
            node.known.by_vector().filter(|&(name, _)| name != asker).map(|(_, vector)| vector).collect();
        let most_similar =
            |target: &&Profile| exchange::closest(space, self.params.measure, target, others.iter().copied(), 1);
        let answer = |set: &[&Profile]| {
            (others.len() >= set.len()).then(|| set.iter().flat_map(most_similar).collect::<Vec<&Profile>>())
        };
        let (first, second) = (answer(first), answer(second));
        (first.is_some() || second.is_some()).then_some(Message::Answers { first, second })
    }

    /// Each flipped neighbour, ascending, with its one candidate, if any: the input of
    /// [`exchange::replace`].
    pub fn wanted<'a>(
        &self,
        space: &Space,
        node: &Node<'a>,
        drawn: &Drawn,
        answers: &[Message<&'a Profile>],
    ) -> Vec<(NodeId, Vec<&'a Profile>)> {
        let to_removed = answers.iter().filter_map(|message| match message {
            Message::Answers { first, second } => if drawn.retained_first { second } else { first }.as_ref(),
            _ => None,
        });
        let candidates = node.candidates(to_removed.flatten().copied().collect());
        let best = |name| {
            let target = node.known.vector_of(name).unwrap_or(node.mine);
            exchange::closest(space, self.params.measure, target, candidates.iter().copied(), 1)
        };
        let mut removed = drawn.removed.clone();
        removed.sort_unstable();
        removed.into_iter().map(|name| (name, best(name))).collect()
    }

    /// The exact distribution of a node's report. A single slot has no distribution of its own,
    /// because a replacement depends on the other flips; the order of the queries does not matter.
    /// Enumerates all 2^degree flips: `None` above [`MOST_ENUMERATED`] neighbours.
    pub fn distribution(&self, world: &World<'_>, me: NodeId) -> Option<BTreeMap<Vec<NodeId>, Fraction>> {
        let known = world.node(me).known;
        if known.degree() > MOST_ENUMERATED {
            return None;
        }
        let (keep, flip) = (self.flip.keep(), self.flip.probability());
        let mut reports = BTreeMap::new();
        for flips in 0..1_u32 << known.degree() {
            let flipped = |place| flips >> place & 1 == 1;
            let drawn = part_by(known.names().enumerate().map(|(place, name)| (name, flipped(place))));
            let one = |place| if flipped(place) { &flip } else { &keep };
            let mass = (0..known.degree()).fold(Fraction::one(), |mass, place| &mass * one(place));
            let sum = reports.entry(self.simulate(world, me, &drawn).0.report).or_insert_with(Fraction::zero);
            *sum = &*sum + &mass;
        }
        Some(reports)
    }

    /// A node's part from round 2 on, with the traffic of all messages that it receives and asks.
    fn simulate(&self, world: &World<'_>, me: NodeId, drawn: &Drawn) -> (Outcome, Traffic) {
        let node = world.node(me);
        let queries = ShuffledQuery::queries(&node, drawn);
        let answer = |name| self.answer(world.space(), &world.node(name), me, &queries);
        let received: Vec<Message<&Profile>> = node.known.names().filter_map(answer).collect();
        let wanted = self.wanted(world.space(), &node, drawn, &received);
        let query = one_message(&queries);
        let messages = node.known.names().map(|_| query).chain(received.iter().map(one_message));
        world.resolve(&node, &wanted, 3, messages)
    }
}

impl Protocol for ShuffledQuery {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.params.epsilon).with("measure", self.params.measure)
    }

    fn guarantees(&self) -> Vec<Guarantee> {
        let sent = "the released features of all of a user's neighbours against the user's neighbours, divided into replaced \
                    and kept ones (the larger set is probably the kept one)";
        vec![exchange::claimed(NAME, self.parameters(), self.params.epsilon, sent)]
    }

    fn compares_features(&self) -> bool {
        true
    }

    fn run(&self, graph: &Graph, features: Option<&Features>, coins: &Stream) -> Result<Reports, ProtocolError> {
        let features = shared::compared(NAME, graph, features)?;
        exchange::run((graph, features), coins, |world, me, own| {
            let drawn = self.draw(world.node(me).known.names(), own);
            self.simulate(world, me, &drawn)
        })
    }

    fn part(&self, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        device::thesis::queries(self, me, inbox, coins)
    }

    fn exact(&self) -> Exact<'_> {
        Exact::ShuffledQuery(self)
    }
}

/// The neighbours in two sets by their coins, not yet shuffled.
fn part_by(neighbours: impl Iterator<Item = (NodeId, bool)>) -> Drawn {
    let mut drawn = Drawn { removed: Vec::new(), retained: Vec::new(), retained_first: false };
    for (name, flipped) in neighbours {
        if flipped { &mut drawn.removed } else { &mut drawn.retained }.push(name);
    }
    drawn
}

/// Every order equally likely (Fisher and Yates).
fn shuffle(names: &mut [NodeId], coins: &mut impl Uniform) {
    for last in (1..names.len()).rev() {
        // Below `last + 1`, so it fits.
        names.swap(last, coins.below(last as u128 + 1) as usize);
    }
}
