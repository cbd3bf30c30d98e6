//! The graphs on which the proven protocols and mechanisms are tested.

use veil_graph::{Direction, Graph, NodeId};

/// The undirected graph of these edges.
pub(crate) fn edges(nodes: u32, edges: &[(NodeId, NodeId)]) -> Graph {
    Graph::from_edges(nodes, edges, Direction::Undirected).expect("nodes in range").graph
}

/// Node 0 and its neighbours, who have no other.
pub(crate) fn star(nodes: u32) -> Graph {
    edges(nodes, &(1..nodes).map(|leaf| (0, leaf)).collect::<Vec<_>>())
}

/// Everybody knows everybody.
pub(crate) fn clique(nodes: u32) -> Graph {
    edges(nodes, &(0..nodes).flat_map(|a| (0..a).map(move |b| (a, b))).collect::<Vec<_>>())
}

/// Each node between two others.
pub(crate) fn ring(nodes: u32) -> Graph {
    edges(nodes, &(0..nodes).map(|a| (a, (a + 1) % nodes)).collect::<Vec<_>>())
}

/// The same result on 1, 2 and 7 threads.
pub(crate) fn assert_same_on_any_threads<T: PartialEq + Send>(run: impl Fn() -> T + Sync) {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        pool.install(&run)
    };
    let one = on(1);
    assert!(on(2) == one, "2 threads");
    assert!(on(7) == one, "7 threads");
}
