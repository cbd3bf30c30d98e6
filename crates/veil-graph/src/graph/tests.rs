//! Graphs against their definition: a set of pairs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The definition: distinct pairs without self loops, in both directions if undirected.
fn pairs(edges: &[(NodeId, NodeId)], direction: Direction) -> BTreeSet<(NodeId, NodeId)> {
    let both = edges.iter().flat_map(|&(a, b)| match direction {
        Direction::Directed => vec![(a, b)],
        Direction::Undirected => vec![(a, b), (b, a)],
    });
    both.filter(|(a, b)| a != b).collect()
}

fn entries(graph: &Graph) -> BTreeSet<(NodeId, NodeId)> {
    (0..graph.nodes()).flat_map(|node| graph.neighbours(node).iter().map(move |&target| (node, target))).collect()
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Directed), Just(Direction::Undirected)]
}

fn edge_list() -> impl Strategy<Value = Vec<(NodeId, NodeId)>> {
    prop::collection::vec((0..20u32, 0..20u32), 0..200)
}

fn build(edges: &[(NodeId, NodeId)], direction: Direction) -> Graph {
    Graph::from_edges(20, edges, direction).unwrap().graph
}

proptest! {
    #[test]
    fn a_graph_is_its_set_of_pairs(edges in edge_list(), direction in direction()) {
        let built = Graph::from_edges(20, &edges, direction).unwrap();
        let (graph, wanted) = (&built.graph, pairs(&edges, direction));
        prop_assert_eq!(entries(graph), wanted.clone());
        prop_assert_eq!(graph.entries(), wanted.len());
        prop_assert!((0..20).all(|node| graph.neighbours(node).is_sorted_by(|a, b| a < b)));
        prop_assert!((0..20).all(|node| graph.degree(node) == graph.neighbours(node).len()));
        prop_assert_eq!(graph.iter_edges().count(), graph.edges());
        let loops: BTreeSet<_> = edges.iter().filter(|(a, b)| a == b).collect();
        prop_assert_eq!(built.dropped.self_loops, loops.len());
        prop_assert_eq!(built.dropped.duplicates + loops.len() + graph.edges(), edges.len());
    }

    #[test]
    fn transposing_twice_changes_nothing(edges in edge_list(), direction in direction()) {
        let graph = build(&edges, direction);
        let turned: BTreeSet<_> = entries(&graph).into_iter().map(|(a, b)| (b, a)).collect();
        prop_assert_eq!(entries(&graph.transpose()), turned);
        prop_assert_eq!(graph.transpose().transpose(), graph);
    }

    #[test]
    fn an_induced_subgraph_keeps_inner_edges(
        edges in edge_list(),
        direction in direction(),
        order in Just((0..20u32).collect::<Vec<_>>()).prop_shuffle(),
        size in 0..20usize,
    ) {
        let graph = build(&edges, direction);
        let part = graph.induced(&order[..size]).unwrap();
        let old: BTreeSet<_> = entries(&part).into_iter().map(|(a, b)| (order[a as usize], order[b as usize])).collect();
        let inside = |node: &NodeId| order[..size].contains(node);
        let wanted: BTreeSet<_> = entries(&graph).into_iter().filter(|(a, b)| inside(a) && inside(b)).collect();
        prop_assert_eq!(old, wanted);
    }

    #[test]
    fn a_union_has_the_edges_of_both(left in edge_list(), right in edge_list(), a in direction(), b in direction()) {
        let (left, right) = (build(&left, a), build(&right, b));
        let wanted: BTreeSet<_> = entries(&left).union(&entries(&right)).copied().collect();
        prop_assert_eq!(entries(&left.union(&right).unwrap()), wanted);
    }

    #[test]
    fn graphs_side_by_side_share_nothing(left in edge_list(), right in edge_list(), a in direction(), b in direction()) {
        let (left, right) = (build(&left, a), build(&right, b));
        let both = left.disjoint_union(&right).unwrap();
        let moved = entries(&right).into_iter().map(|(a, b)| (a + 20, b + 20));
        prop_assert_eq!(entries(&both), entries(&left).into_iter().chain(moved).collect::<BTreeSet<_>>());
        prop_assert_eq!((both.nodes(), both.entries()), (40, left.entries() + right.entries()));
        prop_assert_eq!(both.direction() == Direction::Undirected, a == b && a == Direction::Undirected);
        let second = both.induced(&(20..40).collect::<Vec<_>>()).unwrap();
        prop_assert_eq!(second.targets(), right.targets());
    }

    #[test]
    fn one_hop_more_adds_the_neighbours(edges in edge_list(), seed in 0..20u32, hops in 0..4usize) {
        let graph = build(&edges, Direction::Directed);
        let near = graph.within_hops(&[seed], hops).unwrap();
        let mut wanted: BTreeSet<_> = near.iter().copied().collect();
        wanted.extend(near.iter().flat_map(|&node| graph.neighbours(node)));
        prop_assert_eq!(graph.within_hops(&[seed], hops + 1).unwrap(), wanted.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn many_rows_in_many_blocks_are_still_the_same_graph() {
    // Enough entries for several blocks, so that the gaps between blocks are closed too.
    let edges: Vec<_> = (0..400_000u64).map(|i| ((i * i % 5_003) as u32, (i * 7 % 4_999) as u32)).collect();
    let graph = Graph::from_edges(5_003, &edges, Direction::Undirected).unwrap().graph;
    assert_eq!(entries(&graph), pairs(&edges, Direction::Undirected));
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one_thread.install(|| Graph::from_edges(5_003, &edges, Direction::Undirected).unwrap().graph), graph);
}

#[test]
fn invalid_requests_are_refused() {
    let far = Graph::from_edges(2, &[(0, 1), (1, 2)], Direction::Directed);
    assert_eq!(far, Err(GraphError::NodeOutOfRange { position: 1, node: 2, nodes: 2 }));
    let graph = build(&[(0, 1)], Direction::Undirected);
    assert_eq!(graph.induced(&[3, 3]), Err(GraphError::RepeatedNode { node: 3 }));
    assert_eq!(graph.within_hops(&[99], 1), Err(GraphError::NoSuchNode { node: 99, nodes: 20 }));
    assert!(matches!(graph.union(&Graph::empty(3, Direction::Directed)), Err(GraphError::Mismatch { .. })));
}

#[test]
fn no_nodes_is_a_graph_too() {
    let graph = Graph::from_edges(0, &[], Direction::Undirected).unwrap().graph;
    assert_eq!((graph.nodes(), graph.edges(), graph.iter_edges().count()), (0, 0, 0));
    assert_eq!(graph.transpose(), graph);
}
