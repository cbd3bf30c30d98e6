use veil_graph::Direction;

use super::*;
use crate::testing::{
    assert_binomial, assert_bits_lose_epsilon, assert_drawn_as, assert_same_on_any_threads, bound, clique, edges, ring,
    star, stream,
};

fn protocol(epsilon: &str, nodes: u32) -> EdgeFlip {
    Params { epsilon: epsilon.parse().expect("epsilon"), nodes, max_edges: u64::MAX, heard: Heard::All }
        .check()
        .expect("parameters")
}

#[test]
fn exact_loss_is_at_most_epsilon() {
    assert_bits_lose_epsilon(|epsilon, bit| protocol(epsilon, 10).distribution(bit));
}

/// Whole reports of node 1 of 4: the probability of each of the 8 sets from each of the 8 lists,
/// and every pair of lists that differ in one bit (ε) or exchange one neighbour (2ε).
#[test]
fn exact_loss_of_whole_reports() {
    for epsilon in ["0.1", "1", "8"] {
        let bit_bound = bound(epsilon);
        let set_bound = &bit_bound * &bit_bound;
        let protocol = protocol(epsilon, 4);
        let probability = |list: u32, report: u32| {
            let bits = (0..3).map(|bit| (list >> bit & 1 == 1, (report >> bit & 1) as usize));
            bits.fold(Fraction::one(), |product, (truth, sent)| &product * &protocol.distribution(truth)[sent])
        };
        let mut tight = false;
        for (a, b) in (0..8_u32).flat_map(|a| (0..8_u32).map(move |b| (a, b))) {
            let exchanged = (a ^ b).count_ones() == 2 && a.count_ones() == b.count_ones();
            for report in 0..8 {
                let (p, q) = (probability(a, report), probability(b, report));
                if (a ^ b).count_ones() == 1 {
                    assert!(p <= &bit_bound * &q, "{epsilon}: {a:03b} and {b:03b} at {report:03b}");
                }
                if exchanged {
                    assert!(p <= &set_bound * &q, "{epsilon}: {a:03b} and {b:03b} at {report:03b}");
                    tight |= p > &bit_bound * &q;
                }
            }
        }
        assert!(tight, "{epsilon}: an exchanged neighbour costs more than one bit");
    }
}

/// Every set that node 1 of 4 can report, against its exact probability.
#[test]
fn reports_at_the_stated_rates() {
    for epsilon in ["0.5", "3.5"] {
        let (protocol, mut coins) = (protocol(epsilon, 4), stream(epsilon).node(1));
        let mass = |set: u32| {
            let bit = |(node, truth): (u32, bool)| protocol.distribution(truth)[(set >> node & 1) as usize].clone();
            [(0, true), (2, false), (3, true)].map(bit).iter().fold(Fraction::one(), |product, p| &product * p)
        };
        let expected = (0..16).filter(|set| set >> 1 & 1 == 0).map(|set| (set, mass(set)));
        assert_drawn_as(expected, 40_000, 16, || {
            let mut out = Vec::new();
            protocol.report(1, &[0, 3], &mut coins, &mut out);
            assert!(out.is_sorted_by(|a, b| a < b) && !out.contains(&1));
            out.into_iter().map(|node| 1 << node).sum()
        });
    }
}

/// A star of 3,000 nodes: what is kept of it and what is made up.
#[test]
fn a_star_keeps_and_makes_up_at_the_stated_rates() {
    let graph = star(3000);
    for epsilon in ["2", "4", "8"] {
        let protocol = protocol(epsilon, 3000);
        let lists = protocol.run(&graph, None, &stream(epsilon)).expect("reports").lists;
        let kept = lists.iter_edges().filter(|&(source, target)| graph.has_edge(source, target)).count() as u64;
        let flip = protocol.distribution(false)[1].to_f64();
        let (ones, bits) = (graph.entries() as u64, 3000 * 2999);
        assert_binomial(kept, ones, 1.0 - flip, 6, "kept");
        assert_binomial(lists.entries() as u64 - kept, bits - ones, flip, 6, "made up");
        let expected = protocol.expected_edges();
        assert_eq!(expected, (bits as f64 * flip).ceil() as u64);
    }
}

#[test]
fn reports_are_sets_of_other_nodes() {
    for graph in [star(50), clique(50), ring(50), Graph::empty(50, Direction::Undirected)] {
        for epsilon in ["0.01", "1", "3", "50"] {
            let lists = protocol(epsilon, 50).run(&graph, None, &stream("sets")).expect("reports").lists;
            assert!(!lists.has_repetitions());
            assert!((0..50).all(|v| !lists.has_edge(v, v)));
        }
    }
    // So large an ε changes nothing in 2,450 bits but with probability 10⁻¹⁶.
    let lists = protocol("50", 50).run(&clique(50), None, &stream("sets")).expect("reports").lists;
    assert_eq!(lists.targets(), clique(50).targets());
}

#[test]
fn hardly_any_nodes() {
    for nodes in [0, 1] {
        let graph = Graph::empty(nodes, Direction::Undirected);
        let protocol = protocol("0.01", nodes);
        assert_eq!(protocol.run(&graph, None, &stream("few")).expect("reports").lists.entries(), 0);
        assert_eq!(protocol.expected_edges(), 0);
    }
    // Two nodes have one bit each.
    let (with, without) = (edges(2, &[(0, 1)]), Graph::empty(2, Direction::Undirected));
    let protocol = protocol("3.5", 2);
    let flips = (0..4000_u32).filter(|i| {
        let lists = protocol
            .run(if i % 2 == 0 { &with } else { &without }, None, &stream(&format!("two {i}")))
            .expect("reports");
        lists.lists.has_edge(0, 1) != (i % 2 == 0)
    });
    assert_binomial(flips.count() as u64, 4000, protocol.distribution(false)[1].to_f64(), 1, "two nodes");
}

/// A node that does not exist has no bit, and must not come out as it is.
#[test]
fn only_nodes_of_the_graph_are_reported() {
    let mut out = Vec::new();
    protocol("50", 4).report(1, &[1, 3, 7], &mut stream("unknown").node(1), &mut out);
    assert_eq!(out, [3]);
}

#[test]
fn refuses_too_many_edges_whatever_the_graph_is() {
    let check = |max_edges| {
        Params { epsilon: "1".parse().expect("epsilon"), nodes: 50, max_edges, heard: Heard::All }
            .check()
            .expect("parameters")
    };
    // 50·49/(e+1) = 658.9…
    let expected = 659;
    for graph in [clique(50), Graph::empty(50, Direction::Undirected)] {
        let refused = check(expected - 1).run(&graph, None, &stream("refused"));
        assert_eq!(refused, Err(ProtocolError::TooManyEdges { protocol: NAME, expected, limit: expected - 1 }));
        assert!(check(expected).run(&graph, None, &stream("refused")).is_ok());
    }
    // The largest graph there can be does not overflow.
    assert!(protocol("0.000000001", u32::MAX).expected_edges() > 1 << 62);
}

#[test]
fn refuses_what_it_cannot_do() {
    let infinite = Params { epsilon: Epsilon::INFINITE, nodes: 3, max_edges: 9, heard: Heard::All };
    assert_eq!(infinite.check(), Err(ParamError::NotPrivatised));
    let other = protocol("1", 4).run(&clique(3), None, &stream("other"));
    assert_eq!(other, Err(ProtocolError::Nodes { what: "parameters", nodes: 3, found: 4 }));
}

#[test]
fn promises_both_units() {
    let [bit, set] = &protocol("0.7", 9).guarantees()[..] else { panic!("two guarantees") };
    let epsilon = |text: &str| text.parse::<Epsilon>().expect("epsilon");
    assert_eq!((bit.unit, bit.epsilon, bit.per_relationship), (Unit::EdgeBit, epsilon("0.7"), Some(epsilon("1.4"))));
    assert_eq!((set.unit, set.epsilon, set.per_relationship), (Unit::EdgeSet, epsilon("1.4"), None));
    assert!(
        [bit, set].iter().all(|it| it.status == Status::Proven && it.parameters.to_string() == "epsilon=0.7;nodes=9")
    );
}

#[test]
fn the_same_for_any_number_of_threads() {
    let graph = ring(1500);
    for epsilon in ["2", "6"] {
        let protocol = protocol(epsilon, 1500);
        assert_same_on_any_threads(|| protocol.run(&graph, None, &stream("threads")).expect("reports").lists);
        // And what one node reports alone is its row.
        let lists = protocol.run(&graph, None, &stream("threads")).expect("reports").lists;
        let mut alone = Vec::new();
        protocol.report(700, graph.neighbours(700), &mut stream("threads").node(700), &mut alone);
        assert_eq!(lists.neighbours(700), alone);
    }
}

fn earlier(epsilon: &str, nodes: u32) -> EdgeFlip {
    let epsilon = epsilon.parse().expect("epsilon");
    Params { epsilon, nodes, max_edges: u64::MAX, heard: Heard::Earlier }.check().expect("parameters")
}

/// All reports of three nodes together, for every pair of graphs that differ in one edge, which
/// both ends list: e^ε apart at most. Which bits there are is asked of the code, at an ε at which
/// none flips; `veil audit` enumerates the code itself.
#[test]
fn an_edge_at_both_ends_costs_epsilon_once() {
    let pairs = [(0, 1), (0, 2), (1, 2)];
    let graph =
        |set: u32| edges(3, &(0..3).filter(|bit| set >> bit & 1 == 1).map(|bit| pairs[bit]).collect::<Vec<_>>());
    let bits = |set: u32| earlier("50", 3).run(&graph(set), None, &stream("bits")).expect("reports").lists;
    for set in 0..8 {
        assert!((0..3).all(|bit| {
            let (before, after) = pairs[bit];
            bits(set).has_edge(after, before) == (set >> bit & 1 == 1) && !bits(set).has_edge(before, after)
        }));
    }
    for epsilon in ["0.1", "1", "8"] {
        let (protocol, limit) = (earlier(epsilon, 3), bound(epsilon));
        let probability = |set: u32, report: u32| {
            let bits =
                (0..3).map(|bit| protocol.distribution(set >> bit & 1 == 1)[(report >> bit & 1) as usize].clone());
            bits.fold(Fraction::one(), |product, it| &product * &it)
        };
        for (set, bit, report) in (0..8_u32).flat_map(|set| (0..24).map(move |it| (set, it % 3, it / 3))) {
            let (p, q) = (probability(set, report), probability(set ^ 1 << bit, report));
            assert!(p <= &limit * &q, "{epsilon}: {set:03b} without {bit} at {report:03b}");
        }
    }
}

#[test]
fn only_earlier_nodes_have_a_bit() {
    let (protocol, graph) = (earlier("2", 300), clique(300));
    let lists = protocol.run(&graph, None, &stream("earlier")).expect("reports").lists;
    assert!((0..300).all(|me| lists.neighbours(me).iter().all(|&other| protocol.hears(me, other) && other < me)));
    let keep = protocol.distribution(true)[1].to_f64();
    assert_binomial(lists.entries() as u64, 300 * 299 / 2, keep, 2, "kept");
    let nothing =
        protocol.run(&Graph::empty(300, Direction::Undirected), None, &stream("none")).expect("reports").lists;
    assert_binomial(nothing.entries() as u64, 300 * 299 / 2, 1.0 - keep, 2, "made up");
    assert_eq!(protocol.expected_edges(), (300.0 * 299.0 / 2.0 * (1.0 - keep)).ceil() as u64);
    assert_same_on_any_threads(|| protocol.run(&graph, None, &stream("earlier")).expect("reports").lists);
}

#[test]
fn a_relationship_costs_epsilon_if_earlier_nodes_are_heard() {
    let [bit, set] = &earlier("0.7", 9).guarantees()[..] else { panic!("two guarantees") };
    let epsilon = |text: &str| text.parse::<Epsilon>().expect("epsilon");
    assert_eq!((bit.unit, bit.epsilon, bit.per_relationship), (Unit::EdgeBit, epsilon("0.7"), Some(epsilon("0.7"))));
    assert_eq!((set.unit, set.epsilon, set.per_relationship), (Unit::EdgeSet, epsilon("1.4"), None));
    assert!(bit.assumptions.contains(&Assumption::SameList));
    assert_eq!(bit.parameters.to_string(), "epsilon=0.7;nodes=9;heard=earlier");
}
