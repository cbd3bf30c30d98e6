use std::collections::BTreeMap;

use veil_graph::Direction;

use super::*;
use crate::testing::{
    EPSILONS, assert_adjacent_within, assert_drawn_as, assert_same_on_any_threads, bound, clique, edges, ring, star,
    stream, together,
};

fn protocol(epsilon: &str, nodes: u32) -> NeighbourKrr {
    Params { epsilon: epsilon.parse().expect("epsilon"), nodes }.check().expect("parameters")
}

/// The exact probability of every multiset that `me` can report: all draws of all slots.
fn reports(protocol: &NeighbourKrr, me: NodeId, neighbours: &[NodeId]) -> BTreeMap<Vec<NodeId>, Fraction> {
    let slots = neighbours.iter().map(|&neighbour| protocol.distribution(me, neighbour));
    together(Vec::new(), slots, |report, &drawn| {
        let mut report = [&report[..], &[drawn]].concat();
        report.sort_unstable();
        report
    })
}

/// All neighbour sets of `me` with one or two elements.
fn lists(me: NodeId, nodes: u32) -> Vec<Vec<NodeId>> {
    let others: Vec<NodeId> = (0..nodes).filter(|&node| node != me).collect();
    let pairs = others.iter().flat_map(|&a| others.iter().filter(move |&&b| a < b).map(move |&b| vec![a, b]));
    others.iter().map(|&a| vec![a]).chain(pairs).collect()
}

/// Whole reports, by enumeration: between any two lists of the same length that differ in one
/// neighbour, no multiset's probability changes by more than e^ε (a partial sum of its series,
/// which is below it).
#[test]
fn exact_loss_of_whole_reports_is_at_most_epsilon() {
    for epsilon in EPSILONS {
        let bound = bound(epsilon);
        for nodes in [2, 3, 4] {
            let protocol = protocol(epsilon, nodes);
            for me in 0..nodes {
                let all = lists(me, nodes).into_iter().map(|list| (list.clone(), reports(&protocol, me, &list)));
                let all: Vec<_> = all.collect();
                assert_adjacent_within(&all, &bound, |a, b| {
                    a.len() == b.len() && a.iter().filter(|node| b.contains(node)).count() + 1 >= a.len()
                });
            }
        }
    }
}

/// With two exchanged neighbours ε is not enough: the test above would notice.
#[test]
fn two_exchanged_neighbours_cost_more() {
    let protocol = protocol("1", 5);
    let (a, b) = (reports(&protocol, 0, &[1, 2]), reports(&protocol, 0, &[3, 4]));
    let bound = bound("1");
    assert!(a.iter().any(|(report, p)| *p > &bound * &b[report]));
}

#[test]
fn a_slot_is_any_other_node() {
    for (nodes, me, neighbour) in [(2, 0, 1), (2, 1, 0), (5, 0, 4), (5, 4, 0), (5, 2, 3)] {
        let slot = protocol("2", nodes).distribution(me, neighbour);
        let named: Vec<NodeId> = slot.iter().map(|(node, _)| *node).collect();
        assert_eq!(named, (0..nodes).filter(|&node| node != me).collect::<Vec<_>>());
        assert_eq!(slot.iter().map(|(_, p)| p).sum::<Fraction>(), Fraction::one());
        let likeliest = slot.iter().max_by_key(|(_, p)| p.clone()).map(|(node, _)| *node);
        assert_eq!(likeliest, Some(neighbour));
    }
}

/// What node 2 of 4 reports for {0, 3}: every multiset against its exact probability.
#[test]
fn reports_at_the_stated_rates() {
    let (protocol, mut coins) = (protocol("1", 4), stream("rates").node(2));
    let expected = reports(&protocol, 2, &[0, 3]);
    let tests = expected.len() as u64;
    assert_drawn_as(expected, 40_000, tests, || {
        let mut report = Vec::new();
        protocol.report(2, &[0, 3], &mut coins, &mut report);
        report
    });
}

/// Degrees stay, nobody names themselves, rows are sorted: at hardly any and at much noise.
#[test]
fn degrees_are_kept_and_nobody_is_their_own_neighbour() {
    let some_alone = edges(40, &[(0, 39), (3, 7), (7, 8)]);
    for graph in [star(40), clique(40), ring(40), some_alone] {
        for epsilon in ["0.01", "4", "50"] {
            let lists = protocol(epsilon, 40).run(&graph, None, &stream("degrees")).expect("reports").lists;
            for v in 0..40 {
                assert_eq!(lists.degree(v), graph.degree(v));
                assert!(!lists.has_edge(v, v) && lists.neighbours(v).is_sorted());
            }
        }
    }
    // A multiset: a clique of 40 with so much noise names some node twice.
    assert!(protocol("0.01", 40).run(&clique(40), None, &stream("degrees")).expect("reports").lists.has_repetitions());
}

#[test]
fn hardly_any_nodes() {
    for nodes in [0, 1, 2] {
        let graph = Graph::empty(nodes, Direction::Undirected);
        assert_eq!(protocol("1", nodes).run(&graph, None, &stream("few")).expect("reports").lists.entries(), 0);
    }
    // The only other node is the only answer.
    let pair = edges(2, &[(0, 1)]);
    let lists = protocol("0.01", 2).run(&pair, None, &stream("few")).expect("reports").lists;
    assert_eq!(lists.targets(), [1, 0]);
}

/// A node that does not exist must not come out as it is, whatever ε is.
#[test]
fn who_is_unknown_becomes_anyone() {
    let mut coins = stream("unknown").node(1);
    let mut out = Vec::new();
    for _ in 0..100 {
        protocol("50", 4).report(1, &[9], &mut coins, &mut out);
    }
    assert!(out.iter().all(|node| [0, 2, 3].contains(node)));
    assert!([0, 2, 3].iter().all(|node| out.contains(node)));
}

#[test]
fn refuses_what_it_cannot_do() {
    assert_eq!(Params { epsilon: Epsilon::INFINITE, nodes: 3 }.check(), Err(ParamError::NotPrivatised));
    let other = protocol("1", 4).run(&clique(3), None, &stream("other"));
    assert_eq!(other, Err(ProtocolError::Nodes { what: "parameters", nodes: 3, found: 4 }));
}

#[test]
fn promises_the_set_alone() {
    let [only] = &protocol("0.7", 9).guarantees()[..] else { panic!("one guarantee") };
    assert_eq!((only.unit, only.status, only.per_relationship), (Unit::EdgeSet, Status::Proven, None));
    assert_eq!(only.epsilon.to_string(), "0.7");
    assert_eq!(only.parameters.to_string(), "epsilon=0.7;nodes=9");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let graph = ring(3000);
    let protocol = protocol("2", 3000);
    assert_same_on_any_threads(|| protocol.run(&graph, None, &stream("threads")).expect("reports").lists);
}
