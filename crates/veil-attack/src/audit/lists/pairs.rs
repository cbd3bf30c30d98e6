//! The compared adjacent inputs: all, or a random sample.

use veil_graph::random::Random;
use veil_graph::{Graph, NodeId};

/// A neighbour of a node, and another node for which it is exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Exchange {
    /// The node.
    pub node: NodeId,
    /// A neighbour in its list.
    pub neighbour: NodeId,
    /// Another node that is not in its list.
    pub instead: NodeId,
}

/// The row and the target of an entry.
pub(super) fn entry(graph: &Graph, place: usize) -> (NodeId, NodeId) {
    let row = graph.offsets().partition_point(|&start| start <= place) - 1;
    (row as NodeId, graph.targets()[place])
}

/// Places of entries, ascending: all if there are at most `most`, else drawn with replacement.
pub(super) fn entries(graph: &Graph, most: usize, random: &mut Random) -> Vec<usize> {
    if graph.entries() <= most {
        return (0..graph.entries()).collect();
    }
    let mut drawn: Vec<usize> = (0..most).map(|_| random.below(graph.entries())).collect();
    drawn.sort_unstable();
    drawn
}

/// All exchanges if there are at most `most`; else entries and replacements are drawn.
pub(super) fn exchanges(graph: &Graph, most: usize, random: &mut Random) -> Vec<Exchange> {
    let others = |node| graph.nodes() as usize - 1 - graph.neighbours(node).chunk_by(|a, b| a == b).count();
    let all: u64 = (0..graph.nodes()).map(|node| graph.degree(node) as u64 * others(node) as u64).sum();
    let at = |place, stranger| {
        let (node, neighbour) = entry(graph, place);
        Exchange { node, neighbour, instead: nth_stranger(graph, node, stranger) }
    };
    if all <= most as u64 {
        let strangers = |place| (0..others(entry(graph, place).0)).map(move |stranger| at(place, stranger));
        return (0..graph.entries()).flat_map(strangers).collect();
    }
    let mut drawn = Vec::with_capacity(most);
    // There is an exchange, so this terminates: entries of nodes adjacent to all others are
    // redrawn.
    while drawn.len() < most {
        let place = random.below(graph.entries());
        let strangers = others(entry(graph, place).0);
        if strangers > 0 {
            drawn.push(at(place, random.below(strangers)));
        }
    }
    drawn
}

/// Of the nodes that are neither `node` nor in its list, ascending, the one at this place.
fn nth_stranger(graph: &Graph, node: NodeId, place: usize) -> NodeId {
    let row = graph.neighbours(node);
    let (below, above) = row.split_at(row.partition_point(|&neighbour| neighbour < node));
    let mut known: Vec<NodeId> = below.iter().chain([&node]).chain(above).copied().collect();
    known.dedup();
    known.into_iter().fold(place as NodeId, |stranger, known| stranger + NodeId::from(known <= stranger))
}
