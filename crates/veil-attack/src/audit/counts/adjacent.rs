//! Adjacent inputs, and how far apart their true counts are.

use std::borrow::Cow;

use veil_graph::random::Random;
use veil_graph::{Dataset, Direction, Graph, NodeId};
use veil_privacy::protocol::degree_vectors::Params;
use veil_privacy::protocol::{DegreeVectors, ProtocolError};
use veil_privacy::{Coins, Epsilon, Stream, Unit};

use crate::audit::{AuditError, Options, with_lists};

/// The largest of the random graphs.
const SMALL: usize = 12;

/// A node's list before and after.
struct Change {
    node: NodeId,
    before: Vec<NodeId>,
    after: Vec<NodeId>,
}

/// L1 distances of the true counts of adjacent inputs: of the smallest pair that there is, and of
/// so many others, half of them in the data and half in small random graphs under random clusters.
pub(super) fn distances(
    mechanism: &DegreeVectors,
    unit: Unit,
    data: &Dataset,
    clusters: &[u32],
    options: &Options,
) -> Result<Vec<u64>, AuditError> {
    let (number, rounds) = (mechanism.clusters(), mechanism.rounds());
    // The same code without noise.
    let exact = Params { epsilon: Epsilon::INFINITE, rounds, unit: mechanism.unit(), clusters: number }.check()?;
    let coins = Coins::reproducible(options.seed).for_scoring("audit no noise");
    let mut random = Random::new(options.seed, &format!("audit/adjacent/{unit}"));
    let direction = if unit == Unit::Edge { Direction::Undirected } else { Direction::Directed };
    let graph = as_listed(data.graph(), direction)?;

    let last = number - 1;
    let first = Graph::from_edges(3, &[(0, 1)], direction)?.graph;
    let smallest = match unit {
        Unit::EdgeSet => vec![Change { node: 0, before: vec![1], after: vec![2] }],
        _ => toggled(&first, unit, 0, 1),
    };
    let mut found = vec![in_whole_graphs(&exact, &first, &smallest, &[0, 0, last], &coins)?];
    for pair in 0..options.pairs {
        let distance = if pair % 2 == 0 {
            in_lists(&exact, &drawn(&graph, unit, &mut random), clusters, &coins)?
        } else {
            let graph = small(direction, &mut random)?;
            let clusters: Vec<u32> = (0..graph.nodes()).map(|_| random.below(number as usize) as u32).collect();
            in_whole_graphs(&exact, &graph, &drawn(&graph, unit, &mut random), &clusters, &coins)?
        };
        found.push(distance);
    }
    Ok(found)
}

/// The same graph, in which an edge is two entries or one.
fn as_listed(graph: &Graph, direction: Direction) -> Result<Cow<'_, Graph>, AuditError> {
    if direction == Direction::Directed || graph.direction() == direction {
        return Ok(Cow::Borrowed(graph));
    }
    let edges: Vec<(NodeId, NodeId)> = graph.iter_edges().collect();
    Ok(Cow::Owned(Graph::from_edges(graph.nodes(), &edges, direction)?.graph))
}

/// A random graph of 2 to 12 nodes, with a third of all edges.
fn small(direction: Direction, random: &mut Random) -> Result<Graph, AuditError> {
    let nodes = 2 + random.below(SMALL - 1) as u32;
    let pairs = (0..nodes).flat_map(|a| (0..nodes).filter(move |&b| b != a).map(move |b| (a, b)));
    let edges: Vec<(NodeId, NodeId)> =
        pairs.filter(|&(a, b)| (direction == Direction::Directed || a < b) && random.below(3) == 0).collect();
    Ok(Graph::from_edges(nodes, &edges, direction)?.graph)
}

/// What an adjacent input changes: an entry or an edge more or less, or one neighbour for another.
fn drawn(graph: &Graph, unit: Unit, random: &mut Random) -> Vec<Change> {
    let nodes = graph.nodes() as usize;
    let one = random.below(nodes) as NodeId;
    let other = ((one as usize + 1 + random.below(nodes - 1)) % nodes) as NodeId;
    if unit != Unit::EdgeSet {
        return toggled(graph, unit, one, other);
    }
    // Any list is an input: where its own is empty, one with a neighbour.
    let mut before = graph.neighbours(one).to_vec();
    if before.is_empty() {
        before.push(other);
    }
    let strangers: Vec<NodeId> =
        (0..graph.nodes()).filter(|&node| node != one && before.binary_search(&node).is_err()).collect();
    let mut after = before.clone();
    if !strangers.is_empty() {
        let place = random.below(after.len());
        after[place] = strangers[random.below(strangers.len())];
        after.sort_unstable();
    }
    vec![Change { node: one, before, after }]
}

/// An entry in one list, or an edge in both, put in or taken out.
fn toggled(graph: &Graph, unit: Unit, one: NodeId, other: NodeId) -> Vec<Change> {
    let toggle = |(node, entry): (NodeId, NodeId)| {
        let before = graph.neighbours(node).to_vec();
        let mut after = before.clone();
        match after.binary_search(&entry) {
            Ok(place) => drop(after.remove(place)),
            Err(place) => after.insert(place, entry),
        }
        Change { node, before, after }
    };
    let ends = [(one, other), (other, one)];
    ends.into_iter().take(if unit == Unit::Edge { 2 } else { 1 }).map(toggle).collect()
}

/// By the reports of the nodes whose lists change: no other node's report reads these lists.
fn in_lists(exact: &DegreeVectors, changes: &[Change], clusters: &[u32], coins: &Stream) -> Result<u64, ProtocolError> {
    let mut sum = 0;
    for change in changes {
        let counts = |list: &[NodeId]| exact.report(list, clusters, &mut coins.node(change.node));
        sum += distance(&counts(&change.before)?, &counts(&change.after)?);
    }
    Ok(sum)
}

/// By the reports of all nodes.
fn in_whole_graphs(
    exact: &DegreeVectors,
    graph: &Graph,
    changes: &[Change],
    clusters: &[u32],
    coins: &Stream,
) -> Result<u64, AuditError> {
    let counts = |list: fn(&Change) -> &[NodeId]| -> Result<_, AuditError> {
        let changed = with_lists(graph, |node| changes.iter().find(|change| change.node == node).map(list))?;
        Ok(exact.round(&changed, clusters, coins)?)
    };
    let (before, after) = (counts(|change| &change.before)?, counts(|change| &change.after)?);
    Ok(distance(before.values(), after.values()))
}

fn distance(one: &[i64], other: &[i64]) -> u64 {
    one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).sum()
}
