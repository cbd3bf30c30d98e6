//! Nodes whose lists the auditor chooses: at most half of them.
//!
//! The others, which are named in these lists, keep their own, so their answers are known before
//! the run.

use veil_graph::random::Random;
use veil_graph::{Graph, GraphError, NodeId};
use veil_privacy::Unit;
use veil_privacy::protocol::{Exact, Protocol};

use crate::audit::adjacent::with_lists;

/// A node with a choice of two lists of at most one neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carrier {
    /// The node.
    pub node: NodeId,
    /// Its only neighbour.
    pub one: NodeId,
    /// Its only neighbour otherwise, if any.
    pub other: Option<NodeId>,
}

/// How often a neighbour is drawn whose presence a report depends on.
const MOST_DRAWS: usize = 32;

/// Whether the answer of a neighbour depends on its own neighbours' lists: these must not be
/// carriers.
fn reads_two_lists(protocol: &dyn Protocol) -> bool {
    matches!(protocol.exact(), Exact::GraphPrivatizer(it) if it.compares_aggregates())
}

/// At most `most` carriers, for adjacent lists of this unit; fewer in a dense graph, possibly none.
pub(super) fn draw(
    protocol: &dyn Protocol,
    graph: &Graph,
    unit: Unit,
    most: usize,
    random: &mut Random,
) -> Vec<Carrier> {
    let mut nodes: Vec<NodeId> = (0..graph.nodes()).collect();
    random.shuffle(&mut nodes);
    let mut count = most.min(nodes.len() / 2);
    if unit == Unit::Edge {
        // Disjoint pairs: both ends list the other.
        let pair = |pair: &[NodeId]| match protocol.hears(pair[0], pair[1]) {
            true => Carrier { node: pair[0], one: pair[1], other: None },
            false => Carrier { node: pair[1], one: pair[0], other: None },
        };
        return nodes.chunks_exact(2).take(count).map(pair).collect();
    }
    while count > 0 {
        let (carriers, rest) = nodes.split_at(count);
        let mut carries = vec![false; nodes.len()];
        carriers.iter().for_each(|&node| carries[node as usize] = true);
        let stays = |&node: &NodeId| graph.neighbours(node).iter().all(|&other| !carries[other as usize]);
        let named: Vec<NodeId> =
            rest.iter().copied().filter(|node| !reads_two_lists(protocol) || stays(node)).collect();
        if named.len() >= 2 {
            let mut drawn = |node: NodeId| {
                let one = random.below(named.len());
                let other = random.below(named.len() - 1);
                let other = named[other + usize::from(other >= one)];
                let other = (unit == Unit::EdgeSet).then_some(other);
                let carrier = Carrier { node, one: named[one], other };
                let hears = |named: NodeId| protocol.hears(node, named);
                (hears(carrier.one) && other.is_none_or(hears)).then_some(carrier)
            };
            // Some nodes hear few others, or none.
            let mut carrier = |node: NodeId| (0..MOST_DRAWS).find_map(|_| drawn(node));
            return carriers.iter().filter_map(|&node| carrier(node)).collect();
        }
        count /= 2;
    }
    Vec::new()
}

/// The graph in which carriers have the `chosen` lists, of one neighbour or none, and all others
/// their own. An entry is in one list only, so the graph is directed; an edge is in that of its
/// other end too.
pub(super) fn planted(
    graph: &Graph,
    carriers: &[Carrier],
    unit: Unit,
    chosen: impl Fn(usize, &Carrier) -> Option<NodeId>,
) -> Result<Graph, GraphError> {
    let mut lists: Vec<Option<Option<NodeId>>> = vec![None; graph.nodes() as usize];
    for (place, carrier) in carriers.iter().enumerate() {
        let chosen = chosen(place, carrier);
        lists[carrier.node as usize] = Some(chosen);
        if unit == Unit::Edge {
            lists[carrier.one as usize] = Some(chosen.map(|_| carrier.node));
        }
    }
    with_lists(graph, |node| lists[node as usize].as_ref().map(Option::as_slice))
}
