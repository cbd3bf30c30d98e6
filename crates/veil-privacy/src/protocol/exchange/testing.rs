//! Graphs for the tests of both protocols.

use veil_graph::{Direction, Encoded, Features, Graph, Matrix, NodeId};

use super::{Profile, World, profiles};
use crate::testing::stream;

pub(in crate::protocol) const V: NodeId = 0;
pub(in crate::protocol) const A: NodeId = 1;
pub(in crate::protocol) const B: NodeId = 2;
pub(in crate::protocol) const C: NodeId = 3;
pub(in crate::protocol) const D: NodeId = 4;
pub(in crate::protocol) const P: NodeId = 5;
pub(in crate::protocol) const Q: NodeId = 6;
pub(in crate::protocol) const R: NodeId = 7;
pub(in crate::protocol) const S: NodeId = 8;

/// An undirected graph.
pub(in crate::protocol) fn graph(nodes: u32, edges: &[(NodeId, NodeId)]) -> Graph {
    Graph::from_edges(nodes, edges, Direction::Undirected).expect("a graph").graph
}

/// Figure 3.1 of the thesis.
pub(in crate::protocol) fn figure() -> Graph {
    let of_v = [(V, A), (V, B), (V, C), (V, D)];
    let others = [(A, P), (A, Q), (A, R), (B, Q), (B, S), (C, R), (C, S), (C, D)];
    graph(9, &[&of_v[..], &others].concat())
}

/// Places on a line for its nodes, raw: replacements can be read off.
pub(in crate::protocol) fn places() -> Features {
    //         v    a     b     c     d     p     q     r     s
    line(&[0.0, 10.0, 20.0, 30.0, 40.0, 12.0, 21.0, 33.0, 38.0])
}

/// One value for each node.
pub(in crate::protocol) fn line(values: &[f32]) -> Features {
    Features::Dense(Matrix::from_values(values.len(), 1, values.to_vec()).expect("a matrix"))
}

/// Calls back with a world.
pub(in crate::protocol) fn in_world<T>(graph: &Graph, features: &Features, then: impl FnOnce(&World<'_>) -> T) -> T {
    let profiles: Vec<Profile> = profiles(features);
    then(&World::new(graph, features, &profiles))
}

/// A graph of 300 nodes with a few hundred edges, hubs and isolated nodes, and encoded features of one sign among 30
/// dimensions: many vectors are equal, and nearly all similarities tie.
pub(in crate::protocol) fn crowd() -> (Graph, Features) {
    let mut coins = stream("crowd").node(0);
    // Squares prefer small numbers: hubs.
    let mut node = || (coins.below(17) * coins.below(17)) as NodeId;
    let edges: Vec<(NodeId, NodeId)> = (0..600).map(|_| (node(), node())).filter(|(a, b)| a != b).collect();
    let columns = (0..300).map(|_| coins.below(30) as u32).collect();
    let signs = (0..300).map(|_| coins.below(2) == 0).collect();
    let encoded = Encoded::from_reports((300, 30, 1), (0.5, 9.0), columns, signs).expect("reports");
    (graph(300, &edges), Features::Encoded(encoded))
}

/// Asserts of a report that it is a set, and that each of its nodes is at most two hops away and not the node itself.
pub(in crate::protocol) fn assert_in_view(graph: &Graph, me: NodeId, report: &[NodeId]) {
    assert!(report.windows(2).all(|pair| pair[0] < pair[1]), "{me}: {report:?}");
    let near = graph.neighbours(me);
    for &name in report {
        let known = near.contains(&name) || near.iter().any(|&other| graph.neighbours(other).contains(&name));
        assert!(known && name != me, "{me} cannot know {name}");
    }
}

/// The same reports and counts on 1, 2 and 7 threads.
pub(in crate::protocol) fn assert_same_on_any_threads<T: PartialEq + Send>(run: impl Fn() -> T + Sync) {
    let expected = run();
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        assert!(pool.install(&run) == expected, "{threads} threads");
    }
}
