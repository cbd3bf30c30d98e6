//! Two-hop randomised response: nodes that a list without one entry cannot report.
//!
//! The list of v with u covers all nodes within two hops; without u, the nodes reached through u
//! alone are missing, and a report with one of them is impossible. If there is none (u included),
//! the two reports differ in u's bit alone.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::{Dataset, Graph, NodeId};
use veil_privacy::protocol::TwoHopRr;

use super::Finding;
use super::pairs::{entries, entry};
use super::words::{list_is, name, set};
use crate::audit::exact::{Loss, Losses, between};
use crate::audit::{Options, Promise, Witness};

/// The nodes that a report cannot contain once a neighbour is removed from the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Removal<'a> {
    /// The node.
    pub node: NodeId,
    /// Its list.
    pub list: &'a [NodeId],
    /// The removed neighbour.
    pub neighbour: NodeId,
    /// Whether the neighbour itself is dropped.
    pub itself: bool,
    /// Other dropped nodes, ascending.
    pub dropped: Vec<NodeId>,
    /// The number of nodes within two hops before the removal.
    pub within: usize,
}

/// The number of paths from `node` through `list` to each node within two hops, ascending; a node
/// of the list counts as a path to itself.
fn ways(graph: &Graph, node: NodeId, list: &[NodeId]) -> Vec<(NodeId, usize)> {
    let further = list.iter().flat_map(|&neighbour| graph.neighbours(neighbour));
    let mut all: Vec<NodeId> = list.iter().chain(further).copied().filter(|&other| other != node).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
}

impl<'a> Removal<'a> {
    /// Removes a neighbour from a node's list; `ways` are those of that list.
    fn new(
        graph: &Graph,
        (node, list): (NodeId, &'a [NodeId]),
        neighbour: NodeId,
        ways: &[(NodeId, usize)],
    ) -> Removal<'a> {
        let only = |other: &NodeId| {
            let place = ways.binary_search_by_key(other, |&(node, _)| node);
            place.is_ok_and(|place| ways[place].1 == 1)
        };
        let dropped = graph.neighbours(neighbour).iter().copied().filter(only).collect();
        Removal { node, list, neighbour, itself: only(&neighbour), dropped, within: ways.len() }
    }

    /// The loss between the two lists.
    pub(super) fn loss(&self, protocol: &TwoHopRr, epsilon: f64) -> Loss {
        if !self.itself && self.dropped.is_empty() {
            let outcomes = |bit| protocol.distribution(bit).into_iter().enumerate().collect::<Vec<_>>();
            return between(&outcomes(true), &outcomes(false), epsilon);
        }
        let [flip, keep] = protocol.distribution(true).map(|chance| chance.to_f64());
        // The probability that no other dropped node is reported; without the neighbour it is 1.
        let silent = keep.powi(i32::try_from(self.dropped.len()).unwrap_or(i32::MAX));
        // The neighbour's own bit is set; without the neighbour it is not set, or dropped like the
        // others.
        let with = [flip * silent, keep * silent];
        let without = if self.itself { [1.0, 0.0] } else { [keep, flip] };
        let needed = |one: [f64; 2], other: [f64; 2]| -> f64 {
            one.iter()
                .zip(other)
                .map(|(one, other)| (one - if other == 0.0 { 0.0 } else { epsilon.exp() * other }).max(0.0))
                .sum()
        };
        let delta = (needed(with, without) + (1.0 - silent)).max(needed(without, with));
        Loss { epsilon: f64::INFINITY, delta }
    }

    fn witness(&self, protocol: &TwoHopRr, data: &Dataset) -> Option<Witness> {
        let [flip, keep] = protocol.distribution(true).map(|chance| chance.to_f64());
        let rest: Vec<NodeId> = self.list.iter().copied().filter(|&other| other != self.neighbour).collect();
        let [node, neighbour] = [self.node, self.neighbour].map(|node| name(data, node));
        let others = if rest.is_empty() {
            format!("with an empty list {node} has nobody within two hops and reports nothing")
        } else {
            format!(
                "neither among {} nor in the lists of these: without {neighbour} it is more than two hops away and never \
                 reported",
                set(data, &rest)
            )
        };
        let (named, probability_one, because) = match self.dropped.first() {
            Some(&dropped) => {
                let theirs = set(data, data.graph().neighbours(self.neighbour));
                (dropped, flip, format!("{} is in the list {theirs} of {neighbour}, and {others}", name(data, dropped)))
            }
            None if self.itself => {
                (self.neighbour, keep, format!("{neighbour} is in the list of {node}, and {others}"))
            }
            None => return None,
        };
        Some(Witness {
            one: list_is(data, self.node, self.list),
            other: list_is(data, self.node, &rest),
            output: format!("any report that names {}", name(data, named)),
            probability_one,
            probability_other: 0.0,
            because,
        })
    }
}

/// All removals of these entries, which must ascend.
pub(super) fn removals<'a>(graph: &'a Graph, places: &[usize]) -> Vec<Removal<'a>> {
    let at: Vec<(NodeId, NodeId)> = places.iter().map(|&place| entry(graph, place)).collect();
    let rows: Vec<&[(NodeId, NodeId)]> = at.chunk_by(|a, b| a.0 == b.0).collect();
    let of_row = |row: &&[(NodeId, NodeId)]| {
        let (node, list) = (row[0].0, graph.neighbours(row[0].0));
        let ways = ways(graph, node, list);
        row.iter().map(|&(_, neighbour)| Removal::new(graph, (node, list), neighbour, &ways)).collect::<Vec<_>>()
    };
    rows.par_iter().map(of_row).collect::<Vec<_>>().concat()
}

pub(super) fn compare(protocol: &TwoHopRr, data: &Dataset, promise: Promise, options: &Options) -> Finding {
    let graph = data.graph();
    let places = entries(graph, options.pairs, &mut Random::new(options.seed, "audit/two-hop-rr/pairs"));
    let mut removed = removals(graph, &places);
    let mut compared = format!(
        "a node's list with and without one of its neighbours, for {} entries of lists, all other lists as in the data",
        removed.len()
    );
    if removed.iter().all(|removal| !removal.itself && removal.dropped.is_empty()) {
        // Every list is an input: one neighbour against none always drops a node.
        removed.push(Removal::new(graph, (0, &[1]), 1, &ways(graph, 0, &[1])));
        compared += "; and a list of one neighbour against an empty one";
    }
    let mut losses = Losses::default();
    removed.iter().for_each(|removal| losses.add(removal.loss(protocol, promise.epsilon)));
    // Prefer a dropped second neighbour, then a list that is not empty without the neighbour, then
    // few nodes.
    let shown = removed.iter().filter(|removal| removal.itself || !removal.dropped.is_empty());
    let shown = shown.min_by_key(|removal| (removal.dropped.is_empty(), removal.list.len() == 1, removal.within));
    let witness = shown.and_then(|removal| removal.witness(protocol, data));
    Finding { exact: losses.finish(compared, false, None), witness }
}
