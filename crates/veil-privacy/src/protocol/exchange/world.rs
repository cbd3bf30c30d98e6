//! The simulation of all nodes.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;
use veil_graph::{Features, Graph, NodeId};

use super::{Known, Message, Node, Outcome, Profile, Space, Vector, replace};
use crate::coins::{NodeCoins, Stream};
use crate::protocol::ProtocolError;
use crate::protocol::reports::{Reports, Traffic, collisions, every_node};

/// Every node's released vector.
pub fn profiles(features: &Features) -> Vec<Profile> {
    let space = Space::of(features);
    (0..features.rows()).into_par_iter().map(|row| space.profile(Vector::released(features, row))).collect()
}

/// The state of all nodes after round 1.
#[derive(Clone, Debug)]
pub struct World<'a> {
    space: Space,
    profiles: &'a [Profile],
    known: Vec<Known<'a>>,
}

impl<'a> World<'a> {
    /// Round 1: each node sends its vector to its neighbours. An edge of a directed graph is an
    /// entry in the list of its source; messages go both ways.
    ///
    /// # Panics
    /// If there is not one profile per node.
    pub fn new(graph: &Graph, features: &Features, profiles: &'a [Profile]) -> World<'a> {
        assert_eq!(graph.nodes() as usize, profiles.len());
        let sent_to = |me| graph.neighbours(me).iter().map(|&other| (other, &profiles[other as usize]));
        let known = (0..graph.nodes()).into_par_iter().map(|me| Known::new(sent_to(me))).collect();
        World { space: Space::of(features), profiles, known }
    }

    /// The public facts about vectors.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// One node.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn node(&self, me: NodeId) -> Node<'_> {
        Node { me, mine: &self.profiles[me as usize], known: &self.known[me as usize] }
    }

    /// The end of a node's part, with all answers available: its report, and the traffic of round
    /// 1, of the protocol's own `rounds` and `messages`, and of the questions.
    pub(in crate::protocol) fn resolve(
        &self,
        node: &Node<'_>,
        wanted: &[(NodeId, Vec<&Profile>)],
        rounds: u32,
        messages: impl Iterator<Item = Traffic>,
    ) -> (Outcome, Traffic) {
        let mut asked = Asked { world: self, questions: BTreeSet::new(), traffic: Traffic::default() };
        let Ok(outcome) = replace(node, wanted, |neighbour, vector| Ok::<_, Infallible>(asked.ask(neighbour, vector)));
        let asked = asked.traffic;
        let rounds = asked.rounds + if node.known.degree() > 0 { rounds } else { 0 };
        let all = [self.first_round(node.me), asked].into_iter().chain(messages).sum();
        let traffic = Traffic { rounds, unresolved: outcome.unresolved, ..all };
        (outcome, traffic)
    }

    /// The messages of round 1 that a node receives.
    pub(in crate::protocol) fn first_round(&self, me: NodeId) -> Traffic {
        let received = self.known[me as usize].by_vector();
        received.map(|(_, vector)| one_message(&Message::Mine(vector))).sum()
    }
}

/// One message, as traffic.
pub(in crate::protocol) fn one_message(message: &Message<&Profile>) -> Traffic {
    Traffic { messages: 1, bytes: message.bytes(), ..Traffic::default() }
}

/// The questions of one node, with their traffic. A node stores answers: no question is sent twice.
struct Asked<'w, 'a> {
    world: &'w World<'a>,
    questions: BTreeSet<(NodeId, &'w Profile)>,
    traffic: Traffic,
}

impl<'w> Asked<'w, '_> {
    /// Asks a neighbour.
    fn ask(&mut self, neighbour: NodeId, vector: &'w Profile) -> Option<NodeId> {
        let name = self.world.node(neighbour).known.name_of(vector);
        if self.questions.insert((neighbour, vector)) {
            let both = [Message::Whose(vector), Message::Name(name)];
            self.traffic.messages += 2;
            self.traffic.bytes += both.iter().map(Message::bytes).sum::<u64>();
            self.traffic.rounds += 2;
        }
        name
    }
}

/// Every node's report, given what one node does after round 1.
pub(in crate::protocol) fn run(
    (graph, features): (&Graph, &Features),
    coins: &Stream,
    part: impl Fn(&World<'_>, NodeId, &mut NodeCoins) -> (Outcome, Traffic) + Sync,
) -> Result<Reports, ProtocolError> {
    let profiles = profiles(features);
    let world = World::new(graph, features, &profiles);
    let tally = Tally::default();
    let lists = every_node(
        graph.nodes(),
        coins,
        || (),
        |me, own, (), out| {
            let (outcome, traffic) = part(&world, me, own);
            tally.add(traffic);
            out.extend(outcome.report);
        },
    )?;
    let traffic = Traffic { collisions: collisions(graph, &lists), ..tally.traffic() };
    Ok(Reports { lists, degrees: None, traffic })
}

/// The traffic of all nodes. Sums and maxima of integers do not depend on their order.
#[derive(Debug, Default)]
struct Tally {
    rounds: AtomicU32,
    messages: AtomicU64,
    bytes: AtomicU64,
    unresolved: AtomicU64,
}

impl Tally {
    /// Adds the traffic of one node.
    fn add(&self, part: Traffic) {
        self.rounds.fetch_max(part.rounds, Ordering::Relaxed);
        self.messages.fetch_add(part.messages, Ordering::Relaxed);
        self.bytes.fetch_add(part.bytes, Ordering::Relaxed);
        self.unresolved.fetch_add(part.unresolved, Ordering::Relaxed);
    }

    /// The total.
    fn traffic(self) -> Traffic {
        Traffic {
            rounds: self.rounds.into_inner(),
            messages: self.messages.into_inner(),
            bytes: self.bytes.into_inner(),
            unresolved: self.unresolved.into_inner(),
            // Counted in the reports.
            collisions: 0,
        }
    }
}
