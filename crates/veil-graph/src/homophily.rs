//! Homophily: how often neighbours are in the same cluster (LPGNet, CCS 2022, section 3 and Figure
//! 3).
//!
//! Clusters are classes, true or predicted. Nodes without a cluster are ignored, also as
//! neighbours. In a directed graph the neighbours of a node are the targets of its edges. Repeated
//! edges count repeatedly.
//!
//! These are exact statistics of private edges: for the owner, not for release.

use crate::graph::{Graph, NodeId};

/// The mean homophily of each cluster's nodes, where the homophily of a node is the share of its
/// neighbours in its own cluster. Nodes without neighbours in a cluster are left out; a cluster
/// without other nodes has no mean.
pub fn per_class(graph: &Graph, cluster: impl Fn(NodeId) -> Option<u32>, classes: u32) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0f64, 0usize); classes as usize];
    for node in 0..graph.nodes() {
        let Some(own) = cluster(node) else { continue };
        let (mut equal, mut known) = (0usize, 0usize);
        for other in graph.neighbours(node).iter().filter_map(|&neighbour| cluster(neighbour)) {
            known += 1;
            equal += usize::from(other == own);
        }
        if let Some((sum, nodes)) = sums.get_mut(own as usize).filter(|_| known > 0) {
            *sum += equal as f64 / known as f64;
            *nodes += 1;
        }
    }
    sums.into_iter().map(|(sum, nodes)| (nodes > 0).then(|| sum / nodes as f64)).collect()
}

/// The share of edges within a cluster, among edges whose ends both have a cluster.
pub fn of_edges(graph: &Graph, cluster: impl Fn(NodeId) -> Option<u32>) -> Option<f64> {
    let both = |(source, target): (NodeId, NodeId)| Some((cluster(source)?, cluster(target)?));
    let (mut equal, mut known) = (0usize, 0usize);
    for (a, b) in graph.iter_edges().filter_map(both) {
        known += 1;
        equal += usize::from(a == b);
    }
    (known > 0).then(|| equal as f64 / known as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Direction;

    #[test]
    fn a_class_has_the_mean_of_its_nodes_and_not_of_its_edges() {
        // A star around 0 with 1, 2, 3; then 4–5; 6 is isolated, and 7 has no neighbour with a
        // cluster.
        let edges = [(0, 1), (0, 2), (0, 3), (4, 5), (7, 8)];
        let graph = Graph::from_edges(9, &edges, Direction::Undirected).unwrap().graph;
        let clusters = [Some(0), Some(0), Some(0), Some(1), Some(1), Some(1), Some(2), Some(2), None];
        let cluster = |node: NodeId| clusters[node as usize];
        // Class 0: nodes 0 (two of three), 1 and 2 (all). Class 1: nodes 3 (none), 4 and 5 (all).
        let wanted = [Some((2.0 / 3.0 + 2.0) / 3.0), Some(2.0 / 3.0), None, None];
        assert_eq!(per_class(&graph, cluster, 4), wanted);
        assert_eq!(of_edges(&graph, cluster), Some(0.75));
        assert_eq!(of_edges(&graph, |_| None), None);
    }

    #[test]
    fn neighbours_of_a_directed_graph_are_the_targets_of_edges() {
        let graph = Graph::from_edges(3, &[(0, 1), (0, 2), (1, 0)], Direction::Directed).unwrap().graph;
        assert_eq!(per_class(&graph, |node| Some(u32::from(node == 2)), 2), [Some(0.75), None]);
    }
}
