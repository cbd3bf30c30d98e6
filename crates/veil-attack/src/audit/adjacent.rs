//! Adjacent inputs: a graph, and the lists that change.

use std::borrow::Cow;

use veil_graph::random::Random;
use veil_graph::{Direction, Graph, GraphError, NodeId};
use veil_privacy::Unit;

use super::AuditError;

/// The largest of the random graphs.
const SMALL: usize = 12;

/// A node's list before and after.
pub(super) struct Change {
    pub(super) node: NodeId,
    pub(super) before: Vec<NodeId>,
    pub(super) after: Vec<NodeId>,
}

/// Before or after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

impl Change {
    /// The list on this side.
    pub(super) fn list(&self, side: Side) -> &[NodeId] {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }
}

/// How an edge is listed: at both of its ends where it is the unit.
pub(super) fn direction(unit: Unit) -> Direction {
    if unit == Unit::Edge { Direction::Undirected } else { Direction::Directed }
}

/// The graph in which some nodes have other lists. An entry lives in one list only, so its edges
/// have a direction.
pub(super) fn with_lists<'a>(
    graph: &'a Graph,
    list: impl Fn(NodeId) -> Option<&'a [NodeId]>,
) -> Result<Graph, GraphError> {
    let (mut offsets, mut targets) = (vec![0], Vec::new());
    for node in 0..graph.nodes() {
        targets.extend_from_slice(list(node).unwrap_or_else(|| graph.neighbours(node)));
        offsets.push(targets.len());
    }
    Graph::from_rows(offsets, targets)
}

/// The graph on one side of these changes.
pub(super) fn changed<'a>(graph: &'a Graph, changes: &'a [Change], side: Side) -> Result<Graph, GraphError> {
    with_lists(graph, |node| changes.iter().find(|change| change.node == node).map(|change| change.list(side)))
}

/// The smallest pair of inputs: three nodes, of which the first has another neighbour.
pub(super) fn smallest(unit: Unit) -> Result<(Graph, Vec<Change>), AuditError> {
    let graph = Graph::from_edges(3, &[(0, 1)], direction(unit))?.graph;
    let changes = match unit {
        Unit::EdgeSet => vec![Change { node: 0, before: vec![1], after: vec![2] }],
        _ => toggled(&graph, unit, 0, 1),
    };
    Ok((graph, changes))
}

/// The same graph, in which an edge is two entries or one.
pub(super) fn as_listed(graph: &Graph, direction: Direction) -> Result<Cow<'_, Graph>, AuditError> {
    if direction == Direction::Directed || graph.direction() == direction {
        return Ok(Cow::Borrowed(graph));
    }
    let edges: Vec<(NodeId, NodeId)> = graph.iter_edges().collect();
    Ok(Cow::Owned(Graph::from_edges(graph.nodes(), &edges, direction)?.graph))
}

/// A random graph of 2 to 12 nodes, with a third of all edges.
pub(super) fn small(direction: Direction, random: &mut Random) -> Result<Graph, AuditError> {
    let nodes = 2 + random.below(SMALL - 1) as u32;
    let pairs = (0..nodes).flat_map(|a| (0..nodes).filter(move |&b| b != a).map(move |b| (a, b)));
    let edges: Vec<(NodeId, NodeId)> =
        pairs.filter(|&(a, b)| (direction == Direction::Directed || a < b) && random.below(3) == 0).collect();
    Ok(Graph::from_edges(nodes, &edges, direction)?.graph)
}

/// What an adjacent input changes: an entry or an edge more or less, or one neighbour for another.
pub(super) fn drawn(graph: &Graph, unit: Unit, random: &mut Random) -> Vec<Change> {
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
pub(super) fn toggled(graph: &Graph, unit: Unit, one: NodeId, other: NodeId) -> Vec<Change> {
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

/// At most so many disjoint pairs of neighbours in a sequence of nodes, and the undirected graph
/// without edges between the two nodes of a pair.
pub(super) fn disjoint_pairs(
    graph: &Graph,
    nodes: &[NodeId],
    most: usize,
) -> Result<(Vec<[NodeId; 2]>, Graph), GraphError> {
    let chosen: Vec<[NodeId; 2]> = nodes.as_chunks().0.iter().copied().take(most).collect();
    let mut partner: Vec<Option<NodeId>> = vec![None; nodes.len()];
    for &[a, b] in &chosen {
        (partner[a as usize], partner[b as usize]) = (Some(b), Some(a));
    }
    let others = graph.iter_edges().filter(|&(a, b)| partner[a as usize] != Some(b));
    let others: Vec<(NodeId, NodeId)> = others.collect();
    Ok((chosen, Graph::from_edges(graph.nodes(), &others, Direction::Undirected)?.graph))
}

/// The L1 distance.
pub(super) fn distance(one: &[i64], other: &[i64]) -> u64 {
    one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).sum()
}
