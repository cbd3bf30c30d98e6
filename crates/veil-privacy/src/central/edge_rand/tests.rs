use super::*;
use crate::guarantee::{Status, Trust, Unit};
use crate::testing::{
    assert_binomial, assert_bits_lose_epsilon, assert_same_on_any_threads, clique, edges, ring, star, stream,
};

fn mechanism(epsilon: &str, nodes: u32) -> EdgeRand {
    Params { epsilon: epsilon.parse().expect("epsilon"), nodes, max_edges: u64::MAX }.check().expect("parameters")
}

#[test]
fn exact_loss_is_at_most_epsilon() {
    assert_bits_lose_epsilon(|epsilon, cell| mechanism(epsilon, 10).distribution(cell));
}

/// A coin for each pair, not one for each direction: every edge is in both lists, and pairs flip at
/// the stated rate.
#[test]
fn pairs_flip_at_the_stated_rates() {
    let nodes = 400;
    for (graph, epsilon) in [(ring(nodes), "1"), (clique(nodes), "2"), (edges(nodes, &[]), "0.1"), (star(nodes), "5")] {
        let mechanism = mechanism(epsilon, nodes);
        let released = mechanism.run(&graph, &stream(epsilon)).expect("a graph");
        assert_eq!(released.direction(), Direction::Undirected);
        assert!(released.iter_edges().all(|(a, b)| released.has_edge(b, a)));
        let kept = released.iter_edges().filter(|&(a, b)| graph.has_edge(a, b)).count();
        let [_, made_up] = mechanism.distribution(false);
        let [_, stays] = mechanism.distribution(true);
        let (ones, cells) = (graph.edges() as u64, shared::cells(nodes));
        if ones > 0 {
            assert_binomial(kept as u64, ones, stays.to_f64(), 8, "kept");
        }
        if ones < cells {
            assert_binomial((released.edges() - kept) as u64, cells - ones, made_up.to_f64(), 8, "made up");
        }
    }
}

/// The first and the last cells of a row, and rows of one cell, by themselves.
#[test]
fn every_cell_flips_at_the_stated_rate() {
    let (nodes, trials) = (5, 4000_u64);
    let graph = edges(nodes, &[(0, 1), (1, 4), (3, 4)]);
    let mechanism = mechanism("1", nodes);
    let mut hits = [[0_u64; 5]; 5];
    for trial in 0..trials {
        let released = mechanism.run(&graph, &stream("cells").of_round(trial as u32)).expect("a graph");
        released.iter_edges().for_each(|(a, b)| hits[a as usize][b as usize] += 1);
    }
    for (a, b) in (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b))) {
        let [_, p] = mechanism.distribution(graph.has_edge(a, b));
        assert_binomial(hits[a as usize][b as usize], trials, p.to_f64(), 10, &format!("{a}, {b}"));
    }
}

/// An arc is a pair whichever way it points, and two arcs are one pair: the same graph comes out.
#[test]
fn directions_make_no_difference() {
    let arcs = Graph::from_edges(5, &[(4, 0), (1, 2), (2, 1)], Direction::Directed).expect("nodes in range").graph;
    let released = |graph: &Graph| mechanism("1", 5).run(graph, &stream("arcs")).expect("a graph");
    assert_eq!(released(&arcs), released(&edges(5, &[(0, 4), (1, 2)])));
    assert_ne!(released(&arcs), released(&edges(5, &[(0, 4)])));
}

#[test]
fn the_smallest_graphs() {
    for nodes in [0, 1] {
        let released = mechanism("1", nodes).run(&edges(nodes, &[]), &stream("small")).expect("a graph");
        assert_eq!(released, edges(nodes, &[]));
    }
    // At a million nothing flips, in practice.
    let sure = mechanism("1000000", 2);
    assert_eq!(sure.run(&edges(2, &[(0, 1)]), &stream("two")).expect("a graph").edges(), 1);
    assert_eq!(sure.run(&edges(2, &[]), &stream("two")).expect("a graph").edges(), 0);
}

#[test]
fn the_same_for_any_number_of_threads() {
    let (graph, coins) = (ring(1500), stream("threads"));
    assert_same_on_any_threads(|| mechanism("3", 1500).run(&graph, &coins).expect("a graph"));
}

#[test]
fn too_many_edges_are_refused_from_public_numbers() {
    // 4,950 cells at 1/(e+1) = 0.2689.
    let params = |max_edges| Params { epsilon: "1".parse().expect("epsilon"), nodes: 100, max_edges };
    let refused = params(1331).check().expect("parameters");
    assert_eq!(refused.expected_edges(), 1332);
    let error = ProtocolError::TooManyEdges { protocol: NAME, expected: 1332, limit: 1331 };
    assert_eq!(refused.run(&ring(100), &stream("limit")), Err(error));
    assert!(params(1332).check().expect("parameters").run(&ring(100), &stream("limit")).is_ok());
    let other = ProtocolError::Nodes { what: "parameters", nodes: 99, found: 100 };
    assert_eq!(refused.run(&ring(99), &stream("nodes")), Err(other));
    let infinite = Params { epsilon: Epsilon::INFINITE, nodes: 3, max_edges: 1 };
    assert_eq!(infinite.check(), Err(ParamError::NotPrivatised));
}

#[test]
fn it_promises_one_edge_to_everyone_but_the_owner() {
    let guarantees = mechanism("1.5", 7).guarantees();
    assert_eq!(guarantees.len(), 1);
    let guarantee = &guarantees[0];
    assert_eq!((guarantee.unit, guarantee.trust, guarantee.status), (Unit::Edge, Trust::Central, Status::Proven));
    assert_eq!(guarantee.epsilon, "1.5".parse().expect("epsilon"));
    assert_eq!(guarantee.parameters.to_string(), "epsilon=1.5;nodes=7");
    assert!(guarantee.assumptions.contains(&crate::guarantee::Assumption::PublicNodes));
}
