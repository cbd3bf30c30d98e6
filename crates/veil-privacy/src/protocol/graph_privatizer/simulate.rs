//! The simulation of all nodes, in the order of the rounds.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use veil_graph::{Direction, Features, Graph, NodeId};

use super::super::ProtocolError;
use super::super::exchange;
use super::super::reports::{Reports, Traffic, collisions, every_node};
use super::super::similarity::Profiles;
use super::{Answer, GraphPrivatizer, Strategy};
use crate::coins::Stream;

/// The number of nodes per task.
const BATCH: usize = 512;

/// The candidates for each node of a graph, before the asker is removed.
#[derive(Clone, Debug)]
pub struct Qualifying<'a>(Lists<'a>);

#[derive(Clone, Debug)]
enum Lists<'a> {
    /// All neighbours.
    All(&'a Graph),
    /// The selected ones.
    Chosen { offsets: Vec<usize>, nodes: Vec<NodeId> },
}

impl<'a> Qualifying<'a> {
    /// The argument of [`GraphPrivatizer::answer`] for this node.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    #[inline]
    pub fn of(&self, node: NodeId) -> &[NodeId] {
        match &self.0 {
            Lists::All(graph) => graph.neighbours(node),
            Lists::Chosen { offsets, nodes } => &nodes[offsets[node as usize]..offsets[node as usize + 1]],
        }
    }

    /// Without features every neighbour qualifies.
    pub(super) fn new(protocol: &GraphPrivatizer, graph: &'a Graph, features: Option<&Features>) -> Qualifying<'a> {
        let Some(features) = features else { return Qualifying(Lists::All(graph)) };
        Qualifying::compare(protocol, graph, &Profiles::build(&protocol.comparison, graph, features))
    }

    fn longest(&self, nodes: u32) -> usize {
        (0..nodes).map(|node| self.of(node).len()).max().unwrap_or(0)
    }

    /// Every node compares itself with its neighbours.
    pub(super) fn compare(protocol: &GraphPrivatizer, graph: &Graph, profiles: &Profiles<'_>) -> Qualifying<'static> {
        let similarities = profiles.of_entries(graph);
        let batches: Vec<(Vec<usize>, Vec<NodeId>)> = (0..(graph.nodes() as usize).div_ceil(BATCH))
            .into_par_iter()
            .map(|task| {
                let (mut ends, mut nodes) = (Vec::with_capacity(BATCH), Vec::new());
                for me in task * BATCH..(graph.nodes() as usize).min((task + 1) * BATCH) {
                    let neighbours = graph.neighbours(me as NodeId).iter().copied();
                    let similarities = &similarities[graph.offsets()[me]..graph.offsets()[me + 1]];
                    protocol.select(neighbours.zip(similarities.iter().copied()), &mut nodes);
                    ends.push(nodes.len());
                }
                (ends, nodes)
            })
            .collect();
        let mut offsets = Vec::with_capacity(graph.nodes() as usize + 1);
        offsets.push(0);
        let mut nodes = Vec::with_capacity(batches.iter().map(|(_, nodes)| nodes.len()).sum());
        for (ends, batch) in batches {
            let before = nodes.len();
            offsets.extend(ends.into_iter().map(|end| before + end));
            nodes.extend_from_slice(&batch);
        }
        Qualifying(Lists::Chosen { offsets, nodes })
    }
}

pub(super) fn run(
    protocol: &GraphPrivatizer,
    graph: &Graph,
    features: Option<&Features>,
    coins: &Stream,
) -> Result<Reports, ProtocolError> {
    let mut traffic = Traffic::default();
    let qualifying = match features {
        None => Qualifying::new(protocol, graph, None),
        Some(features) => {
            round(&mut traffic, graph, |sender| exchange::Vector::released_bytes(features, sender as usize));
            let profiles = Profiles::build(&protocol.comparison, graph, features);
            if protocol.comparison.aggregates() {
                round(&mut traffic, graph, |sender| profiles.bytes(sender));
            }
            Qualifying::compare(protocol, graph, &profiles)
        }
    };
    let thresholds = protocol.thresholds(qualifying.longest(graph.nodes()));
    // Similarity is exactly symmetric, as is an undirected edge: v is in u's list iff u is in v's.
    let mutual = protocol.params.strategy == Strategy::Threshold && graph.direction() == Direction::Undirected;
    // A sum of integers does not depend on its order.
    let candidates = AtomicU64::new(0);
    let lists = every_node(
        graph.nodes(),
        coins,
        || (),
        |me, coins, (), out| {
            let mut sent = 0;
            let mut mine = qualifying.of(me).iter().peekable();
            let answers = graph.neighbours(me).iter().map(|&neighbour| {
                let listed = qualifying.of(neighbour);
                let answer = if !mutual {
                    protocol.answer(neighbour, listed, me)
                } else if mine.next_if_eq(&&neighbour).is_some() {
                    Answer::all_but(neighbour, listed, me)
                } else {
                    Answer::new(neighbour, listed)
                };
                sent += answer.len() as u64;
                answer
            });
            protocol.report(answers, &thresholds, coins, out);
            candidates.fetch_add(sent, Ordering::Relaxed);
        },
    )?;
    round(&mut traffic, graph, |_| 0);
    traffic.bytes += 4 * candidates.into_inner();
    traffic.collisions = collisions(graph, &lists);
    Ok(Reports { lists, degrees: None, traffic })
}

/// A round in which every node receives a message from each node in its list.
fn round(traffic: &mut Traffic, graph: &Graph, bytes: impl Fn(NodeId) -> u64) {
    traffic.rounds += 1;
    traffic.messages += graph.entries() as u64;
    traffic.bytes += match graph.direction() {
        // Every node sends as many messages as it receives.
        Direction::Undirected => {
            (0..graph.nodes()).map(|sender| graph.degree(sender) as u64 * bytes(sender)).sum::<u64>()
        }
        Direction::Directed => graph.targets().iter().map(|&sender| bytes(sender)).sum(),
    };
}
