//! Exact distributions by enumeration, and what must never be in a report.

use std::collections::BTreeMap;

use veil_graph::Direction;
use veil_graph::generate::PowerLaw;

use super::super::graph_privatizer::tests::{Told, masses};
use super::*;
use crate::testing::{assert_binomial, assert_same_on_any_threads, edges as undirected, stream};

fn protocol(epsilon: &str) -> TwoHopRr {
    Params { epsilon: epsilon.parse().unwrap() }.check().unwrap()
}

/// The exact distribution of a node's report.
fn report_masses(protocol: &TwoHopRr, graph: &Graph, me: NodeId) -> BTreeMap<Vec<NodeId>, Fraction> {
    masses(|told| {
        let lists = graph.neighbours(me).iter().map(|&u| graph.neighbours(u));
        let mut out = Vec::new();
        protocol.perturb((me, graph.neighbours(me)), lists, &mut NodeSet::default(), &mut Told(told), &mut out);
        out
    })
}

#[test]
fn every_bit_of_the_list_is_flipped_on_its_own() {
    let graph = undirected(70, &[(0, 1), (0, 65), (1, 65), (1, 2), (65, 69), (69, 5), (2, 6)]);
    for epsilon in ["0.1", "1", "8"] {
        let protocol = protocol(epsilon);
        let e = epsilon.parse::<f64>().unwrap().exp();
        assert!((protocol.distribution(true)[0].to_f64() - 1.0 / (e + 1.0)).abs() < 1e-12);
        assert_eq!(protocol.distribution(true)[0], protocol.distribution(false)[1]);
        let list = [(1, true), (2, false), (65, true), (69, false)];
        let found = report_masses(&protocol, &graph, 0);
        assert_eq!(found.len(), 16);
        for (report, mass) in found {
            let expected = list.iter().fold(Fraction::one(), |mass, &(node, bit)| {
                &mass * &protocol.distribution(bit)[usize::from(report.contains(&node))]
            });
            assert_eq!(mass, expected, "{report:?}");
        }
    }
}

#[test]
fn one_edge_that_cannot_be_denied() {
    // v = 0, u = 1, t = 2, x = 3.
    let with = undirected(4, &[(0, 1), (0, 2), (1, 3)]);
    let without = undirected(4, &[(0, 2), (1, 3)]);
    let protocol = protocol("0.01");
    let names_x = |graph| {
        let masses = report_masses(&protocol, graph, 0);
        masses.into_iter().filter(|(report, _)| report.contains(&3)).map(|(_, mass)| mass).sum::<Fraction>()
    };
    assert_eq!(names_x(&with), protocol.distribution(false)[1]);
    assert!(names_x(&without).is_zero());
    let guarantee = protocol.guarantees().remove(0);
    assert_eq!((guarantee.status, guarantee.unit), (Status::Refuted, Unit::EdgeBit));
    assert!(!guarantee.source.is_empty() && guarantee.not_protected.len() > 1);
}

#[test]
fn reports_are_sets_within_two_hops_and_the_same_on_any_number_of_threads() {
    let power_law = PowerLaw { nodes: 1500, edges: 4000, exponent: 2.4, max_degree: 150 };
    let edges: Vec<_> = power_law.check().unwrap().generate(3).graph().iter_edges().collect();
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph = Graph::from_edges(1500, &edges, direction).unwrap().graph;
        let run = || protocol("1").run(&graph, None, &stream("two hops")).unwrap();
        assert_same_on_any_threads(run);
        let reports = run();
        let (mut kept, mut added, mut others) = (0, 0, 0);
        for v in 0..1500 {
            let report = reports.lists.neighbours(v);
            let mut near = graph.within_hops(&[v], 2).unwrap();
            near.sort_unstable();
            assert!(report.iter().all(|node| *node != v && near.binary_search(node).is_ok()));
            assert!(report.windows(2).all(|pair| pair[0] < pair[1]));
            let true_ones = report.iter().filter(|&&node| graph.has_edge(v, node)).count();
            (kept, added) = (kept + true_ones as u64, added + (report.len() - true_ones) as u64);
            others += (near.iter().filter(|&&node| node != v).count() - graph.degree(v)) as u64;
        }
        let flip = 1.0 / (1_f64.exp() + 1.0);
        assert_binomial(kept, graph.entries() as u64, 1.0 - flip, 4, "true bits");
        assert_binomial(added, others, flip, 4, "false bits");
    }
}

#[test]
fn small_and_odd_graphs() {
    for nodes in [0, 1, 4] {
        let reports = protocol("1").run(&Graph::empty(nodes, Direction::Undirected), None, &stream("odd")).unwrap();
        assert_eq!((reports.lists.nodes(), reports.lists.entries()), (nodes, 0));
    }
    // Hardly any noise: the truth.
    let clique: Vec<_> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let star: Vec<_> = (1..6).map(|leaf| (0, leaf)).collect();
    for edges in [&clique[..], &star[..], &[(0, 1)]] {
        let graph = undirected(6, edges);
        let reports = protocol("50").run(&graph, None, &stream("odd")).unwrap();
        assert_eq!(reports.lists.targets(), graph.targets());
    }
    // Everyone hears the list of each neighbour: the centre five of one name, each leaf one of
    // five.
    let traffic = protocol("1").run(&undirected(6, &star), None, &stream("odd")).unwrap().traffic;
    assert_eq!(traffic, Traffic { rounds: 1, messages: 10, bytes: 4 * (5 + 25), unresolved: 0, collisions: 0 });
}

#[test]
fn an_infinite_epsilon_is_refused() {
    assert_eq!(Params { epsilon: Epsilon::INFINITE }.check(), Err(ParamError::NotPrivatised));
    assert_eq!(protocol("0.5").parameters().to_string(), "epsilon=0.5");
}

/// What does not hold for one list says nothing about two.
#[test]
fn what_is_refuted_has_no_sum_for_a_relationship() {
    let guarantees = protocol("1").guarantees();
    assert_eq!(
        guarantees.iter().map(|it| (it.status, it.per_relationship)).collect::<Vec<_>>(),
        [(Status::Refuted, None)]
    );
    let bits = crate::protocol::edge_flip::Params {
        epsilon: "1".parse().unwrap(),
        nodes: 5,
        max_edges: 99,
        heard: crate::protocol::cascade::Heard::All,
    };
    assert_eq!(bits.check().unwrap().guarantees()[0].per_relationship, "2".parse().ok());
}
