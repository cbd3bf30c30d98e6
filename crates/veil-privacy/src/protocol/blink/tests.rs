use std::collections::BTreeMap;

use veil_graph::Direction;

use super::*;
use crate::testing::{
    EPSILONS, assert_binomial, assert_same_on_any_threads, bound, clique, edges, exp_lower, ring, star, stream,
};

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("epsilon")
}

fn protocol(text: &str, share: f64, nodes: u32) -> Blink {
    let params = Params { epsilon: epsilon(text), degree_share: share, nodes, max_edges: u64::MAX };
    params.check().expect("parameters")
}

/// The two parts are ε to the last digit, whatever the share is.
#[test]
fn the_parts_sum_to_epsilon() {
    for text in EPSILONS.into_iter().chain(["0.000000002", "1000000", "123.456789123"]) {
        for share in [0.5, 0.1, 0.05, 0.3, 1.0 / 3.0, 0.99, 0.7] {
            let params = Params { epsilon: epsilon(text), degree_share: share, nodes: 9, max_edges: u64::MAX };
            let Ok(blink) = params.check() else {
                assert!(epsilon(text).as_f64() < 1e-8, "{text} by {share}");
                continue;
            };
            assert_eq!(blink.epsilon_degree().checked_add(blink.epsilon_bits()), Some(epsilon(text)), "{text}");
            assert!((blink.epsilon_degree().as_f64() / epsilon(text).as_f64() - share).abs() < 0.6, "{text}");
        }
    }
    let tenth = protocol("1", 0.1, 9);
    assert_eq!((tenth.epsilon_degree(), tenth.epsilon_bits()), (epsilon("0.1"), epsilon("0.9")));
    let third = protocol("1", 1.0 / 3.0, 9);
    assert_eq!(third.epsilon_degree(), epsilon("0.333333333"));
}

/// Whole reports of a node of 4, a noisy degree with a set, from each of its 8 lists: the slope of
/// the noise is an exact fraction, the bits are exact, and e^ε is computed independently.
#[test]
fn exact_loss_of_whole_reports() {
    for (text, share) in [("0.1", 0.5), ("1", 0.1), ("4", 0.25), ("8", 0.9)] {
        let blink = protocol(text, share, 4);
        let step = blink.degree().distribution(0).step();
        let (numerator, denominator) = blink.epsilon_degree().as_rational().expect("finite");
        assert_eq!(Some(step), Fraction::new(numerator, denominator), "the slope of the noise is ε_d");
        let of_list = |list: u32, report: u32| {
            let bits = (0..3).map(|bit| (list >> bit & 1 == 1, (report >> bit & 1) as usize));
            bits.fold(Fraction::one(), |product, (truth, sent)| &product * &blink.distribution(truth)[sent])
        };
        // e^(ε_d·j) for the degree's part, which is q^|k−a| against q^|k−b|.
        let powers: Vec<Fraction> = (0..8).map(|steps| exp_lower(steps * numerator, denominator)).collect();
        let (of_bit, of_list_bit) = (bound(text), bound(&blink.epsilon_bits().to_string()));
        let of_exchange = &of_list_bit * &of_list_bit;
        let mut tight = [false; 2];
        for (a, b) in (0..8_u32).flat_map(|a| (0..8_u32).map(move |b| (a, b))) {
            let adjacent = (a ^ b).count_ones() == 1;
            let exchanged = (a ^ b).count_ones() == 2 && a.count_ones() == b.count_ones();
            if !adjacent && !exchanged {
                continue;
            }
            for (report, degree) in (0..8_u32).flat_map(|report| (-2..6_i64).map(move |degree| (report, degree))) {
                let far = |list: u32| degree.abs_diff(i64::from(list.count_ones())) as usize;
                // P(a)/P(b) = e^(ε_d(far b − far a))·bits(a)/bits(b): both sides times what is
                // positive.
                let p = &of_list(a, report) * &powers[far(b)];
                let q = &of_list(b, report) * &powers[far(a)];
                if adjacent {
                    assert!(p <= &of_bit * &q, "{text}: {a:03b}, {b:03b} at {report:03b}, {degree}");
                    tight[0] |= p > &of_list_bit * &q;
                }
                if exchanged {
                    assert_eq!(far(a), far(b));
                    assert!(p <= &of_exchange * &q, "{text}: {a:03b}, {b:03b} at {report:03b}, {degree}");
                    tight[1] |= p > &of_list_bit * &q;
                }
            }
        }
        assert_eq!(tight, [true; 2], "{text}: a bit costs more than ε_a, an exchange more than one bit");
    }
}

/// Every report of node 1 of 4 with at most 8 more or less than its degree, against its exact
/// probability: independence of the two parts included.
#[test]
fn reports_at_the_stated_rates() {
    let blink = protocol("3", 0.4, 4);
    let (trials, mut coins) = (60_000_u64, stream("rates").node(1));
    let mut seen: BTreeMap<(i64, u32), u64> = BTreeMap::new();
    for _ in 0..trials {
        let mut out = Vec::new();
        let degree = blink.report(1, &[0, 3], &mut coins, &mut out);
        assert!(out.is_sorted_by(|a, b| a < b) && !out.contains(&1));
        *seen.entry((degree, out.into_iter().map(|node| 1 << node).sum())).or_default() += 1;
    }
    let of_degree = blink.degree().distribution(2);
    let mass = |set: u32| {
        let bit = |(node, truth): (u32, bool)| blink.distribution(truth)[(set >> node & 1) as usize].to_f64();
        [(0, true), (2, false), (3, true)].map(bit).iter().product::<f64>()
    };
    let tests = 17 * 8;
    for degree in -6..=10 {
        for set in (0..16_u32).filter(|set| set >> 1 & 1 == 0) {
            let hits = seen.get(&(degree, set)).copied().unwrap_or(0);
            let p = of_degree.probability(degree) * mass(set);
            assert_binomial(hits, trials, p, tests, &format!("degree {degree}, set {set:04b}"));
        }
    }
}

/// A star of 2,000 nodes: what is kept and made up at ε_a, and the mean and spread of the degrees.
#[test]
fn a_star_reports_degrees_and_lists() {
    let graph = star(2000);
    let blink = protocol("4", 0.25, 2000);
    let reports = blink.run(&graph, None, &stream("star")).expect("reports");
    let (lists, degrees) = (reports.lists, reports.degrees.expect("degrees"));
    let kept = lists.iter_edges().filter(|&(source, target)| graph.has_edge(source, target)).count() as u64;
    let flip = 1.0 / (3_f64.exp() + 1.0);
    let (ones, bits) = (graph.entries() as u64, 2000 * 1999);
    assert_binomial(kept, ones, 1.0 - flip, 4, "kept");
    assert_binomial(lists.entries() as u64 - kept, bits - ones, flip, 4, "made up");
    let zero = (1.0 - (-1_f64).exp()) / (1.0 + (-1_f64).exp());
    let exact = degrees.iter().zip(0..2000).filter(|&(&degree, node)| degree == graph.degree(node) as i64).count();
    assert_binomial(exact as u64, 2000, zero, 4, "degrees without noise");
    let above = degrees.iter().zip(0..2000).filter(|&(&degree, node)| degree > graph.degree(node) as i64).count();
    assert_binomial(above as u64, 2000, (1.0 - zero) / 2.0, 4, "degrees above");
    assert_eq!(blink.expected_edges(), (bits as f64 * flip).ceil() as u64);
}

#[test]
fn hardly_any_nodes() {
    for nodes in [0, 1] {
        let graph = Graph::empty(nodes, Direction::Undirected);
        let reports = protocol("0.01", 0.5, nodes).run(&graph, None, &stream("few")).expect("reports");
        assert_eq!((reports.lists.entries(), reports.degrees.map(|it| it.len())), (0, Some(nodes as usize)));
    }
}

/// A node that does not exist has no bit, and is not counted.
#[test]
fn only_nodes_of_the_graph_are_reported() {
    let mut out = Vec::new();
    let degree = protocol("200", 0.5, 4).report(1, &[1, 3, 7], &mut stream("unknown").node(1), &mut out);
    assert_eq!((degree, out), (1, vec![3]));
}

#[test]
fn the_limit_is_checked_with_the_part_of_the_list() {
    let check = |max_edges| Params { epsilon: epsilon("2"), degree_share: 0.5, nodes: 50, max_edges };
    // 50·49/(e+1) = 658.9…, with ε_a = 1.
    let expected = 659;
    for graph in [clique(50), Graph::empty(50, Direction::Undirected)] {
        let refused = check(expected - 1).check().expect("parameters").run(&graph, None, &stream("refused"));
        assert_eq!(refused, Err(ProtocolError::TooManyEdges { protocol: NAME, expected, limit: expected - 1 }));
        assert!(check(expected).check().expect("parameters").run(&graph, None, &stream("refused")).is_ok());
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let check = |text: &str, degree_share| {
        Params { epsilon: epsilon(text), degree_share, nodes: 3, max_edges: 9 }.check().map(|_| ())
    };
    assert_eq!(check("inf", 0.1), Err(ParamError::NotPrivatised));
    for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(check("1", share), Err(ParamError::NotAShare { name: "degree-share", .. })), "{share}");
    }
    for (text, share) in [("1", 0.0), ("1", 1.0), ("0.000000001", 0.5), ("1", 1e-12)] {
        assert_eq!(check(text, share), Err(ParamError::NothingToShare { epsilon: epsilon(text), share }));
    }
    let other = protocol("1", 0.1, 4).run(&clique(3), None, &stream("other"));
    assert_eq!(other, Err(ProtocolError::Nodes { what: "parameters", nodes: 3, found: 4 }));
}

#[test]
fn promises_both_units_and_what_a_relationship_costs() {
    let [bit, set] = &protocol("0.7", 0.1, 9).guarantees()[..] else { panic!("two guarantees") };
    assert_eq!((bit.unit, bit.epsilon, bit.per_relationship), (Unit::EdgeBit, epsilon("0.7"), Some(epsilon("1.4"))));
    assert_eq!((set.unit, set.epsilon, set.per_relationship), (Unit::EdgeSet, epsilon("1.26"), None));
    let parameters = "epsilon=0.7;degree-share=0.1;nodes=9";
    assert!([bit, set].iter().all(|it| it.status == Status::Proven && it.parameters.to_string() == parameters));
}

#[test]
fn the_same_for_any_number_of_threads() {
    let graph = ring(1500);
    let blink = protocol("3", 0.2, 1500);
    assert_same_on_any_threads(|| blink.run(&graph, None, &stream("threads")).expect("reports"));
    // And what one node reports alone is its row.
    let reports = blink.run(&graph, None, &stream("threads")).expect("reports");
    let mut alone = Vec::new();
    let degree = blink.report(700, graph.neighbours(700), &mut stream("threads").node(700), &mut alone);
    assert_eq!(reports.lists.neighbours(700), alone);
    assert_eq!(reports.degrees.map(|degrees| degrees[700]), Some(degree));
    // Two nodes have one bit each and a degree.
    let two = protocol("1", 0.5, 2).run(&edges(2, &[(0, 1)]), None, &stream("two")).expect("reports");
    assert_eq!(two.degrees.map(|degrees| degrees.len()), Some(2));
}
