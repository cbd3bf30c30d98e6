//! Where canaries are, and which counts they move.

use veil_graph::random::Random;
use veil_graph::{Dataset, Direction, Graph, NodeId};
use veil_privacy::Unit;

use crate::audit::adjacent::{disjoint_pairs, with_lists};
use crate::audit::{AuditError, Options};

/// A graph with canaries in it.
pub(super) struct Planted {
    pub(super) graph: Graph,
    pub(super) canaries: Vec<Placed>,
}

/// A canary: how its coin fell, and the counts that depend on it.
pub(super) struct Placed {
    pub(super) secret: bool,
    pub(super) places: Vec<Place>,
}

/// A count that is one larger with one of the two coins.
pub(super) struct Place {
    pub(super) node: NodeId,
    pub(super) cluster: u32,
    /// What it is with the other coin.
    pub(super) without: i64,
    pub(super) with: With,
}

/// With which coin a count is larger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum With {
    True,
    False,
}

/// How many counts a canary moves.
pub(super) fn counts_moved(unit: Unit) -> usize {
    if unit == Unit::EdgeBit { 1 } else { 2 }
}

/// At most so many canaries; `None` if there is nothing to exchange, because all nodes are in one
/// cluster.
pub(super) fn plant(
    unit: Unit,
    data: &Dataset,
    clusters: &[u32],
    options: &Options,
) -> Result<Option<Planted>, AuditError> {
    let mut random = Random::new(options.seed, &format!("audit/counts/{unit}"));
    let mut nodes: Vec<NodeId> = (0..data.nodes()).collect();
    random.shuffle(&mut nodes);
    if unit == Unit::Edge {
        return pairs(data, clusters, &nodes, options.canaries, &mut random).map(Some);
    }
    // Targets are no carriers: their lists, like all the others', stay as they are.
    let (carriers, targets) = nodes.split_at(options.canaries.min(nodes.len() / 2));
    let choice = Choice::new(targets, clusters);
    if unit == Unit::EdgeSet && choice.all_alike() {
        return Ok(None);
    }
    let mut lists: Vec<Option<Option<NodeId>>> = vec![None; nodes.len()];
    let canaries = carriers.iter().map(|&carrier| {
        let place =
            |target: NodeId, with| Place { node: carrier, cluster: clusters[target as usize], without: 0, with };
        let one = targets[random.below(targets.len())];
        let secret = random.below(2) == 1;
        if unit == Unit::EdgeBit {
            lists[carrier as usize] = Some(secret.then_some(one));
            return Placed { secret, places: vec![place(one, With::True)] };
        }
        let other = choice.of_another_cluster(clusters[one as usize], &mut random);
        lists[carrier as usize] = Some(Some(if secret { one } else { other }));
        Placed { secret, places: vec![place(one, With::True), place(other, With::False)] }
    });
    let canaries = canaries.collect();
    let graph = with_lists(data.graph(), |node| lists[node as usize].as_ref().map(Option::as_slice))?;
    Ok(Some(Planted { graph, canaries }))
}

/// Disjoint pairs of nodes, with an edge or without; all other edges as they are. A pair's edge
/// moves one count at each of its ends, and no other pair moves these.
fn pairs(
    data: &Dataset,
    clusters: &[u32],
    nodes: &[NodeId],
    canaries: usize,
    random: &mut Random,
) -> Result<Planted, AuditError> {
    let (chosen, rest) = disjoint_pairs(data.graph(), nodes, canaries)?;
    let mut edges: Vec<(NodeId, NodeId)> = rest.iter_edges().collect();
    let place = |node: NodeId, cluster: u32| {
        let there = rest.neighbours(node).iter().filter(|&&neighbour| clusters[neighbour as usize] == cluster);
        Place { node, cluster, without: there.count() as i64, with: With::True }
    };
    let planted = chosen.into_iter().map(|[a, b]| {
        let secret = random.below(2) == 1;
        edges.extend(secret.then_some((a, b)));
        Placed { secret, places: vec![place(a, clusters[b as usize]), place(b, clusters[a as usize])] }
    });
    let canaries = planted.collect();
    Ok(Planted { graph: Graph::from_edges(data.nodes(), &edges, Direction::Undirected)?.graph, canaries })
}

/// Nodes in the order of their clusters.
pub(in crate::audit) struct Choice<'a> {
    nodes: Vec<NodeId>,
    clusters: &'a [u32],
}

impl Choice<'_> {
    pub(in crate::audit) fn new<'a>(nodes: &[NodeId], clusters: &'a [u32]) -> Choice<'a> {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable_by_key(|&node| (clusters[node as usize], node));
        Choice { nodes, clusters }
    }

    fn cluster(&self, node: NodeId) -> u32 {
        self.clusters[node as usize]
    }

    pub(in crate::audit) fn all_alike(&self) -> bool {
        self.nodes.first().map(|&node| self.cluster(node)) == self.nodes.last().map(|&node| self.cluster(node))
    }

    /// Any node outside this cluster; there must be one.
    pub(in crate::audit) fn of_another_cluster(&self, cluster: u32, random: &mut Random) -> NodeId {
        let first = self.nodes.partition_point(|&node| self.cluster(node) < cluster);
        let end = self.nodes.partition_point(|&node| self.cluster(node) <= cluster);
        let drawn = random.below(self.nodes.len() - (end - first));
        self.nodes[if drawn < first { drawn } else { drawn + (end - first) }]
    }
}
