use std::collections::BTreeMap;

use veil_graph::Direction;

use super::*;
use crate::testing::{
    EPSILONS, assert_adjacent_within, assert_binomial, assert_drawn_as, assert_same_on_any_threads, clique, edges,
    exp_lower, ring, star, stream, together,
};

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("epsilon")
}

fn protocol(text: &str, rounds: u32, unit: Unit, clusters: u32) -> DegreeVectors {
    Params { epsilon: epsilon(text), rounds, unit, clusters }.check().expect("parameters")
}

/// The true counts of a list of clusters.
fn histogram(list: &[u32], clusters: u32) -> Vec<i64> {
    (0..clusters).map(|cluster| list.iter().filter(|&&it| it == cluster).count() as i64).collect()
}

/// The exact probability of every report of a node whose neighbours are in these clusters
/// (edge-set).
fn reports(protocol: &DegreeVectors, list: &[u32]) -> BTreeMap<Vec<i64>, Fraction> {
    let answers = list.iter().map(|&cluster| {
        let Distribution::OfNeighbour(answers) = protocol.distribution(cluster) else { panic!("edge-set") };
        answers.into_iter().enumerate().collect()
    });
    together(histogram(&[], protocol.clusters()), answers, |report, &answer| {
        let mut report = report.clone();
        report[answer] += 1;
        report
    })
}

/// All lists of `degree` neighbours' clusters.
fn lists(degree: u32, clusters: u32) -> Vec<Vec<u32>> {
    let digits = |number: u32| (0..degree).map(|place| number / clusters.pow(place) % clusters).collect();
    (0..clusters.pow(degree)).map(digits).collect()
}

/// Edge-bit: for every pair of lists of 5 nodes that differ in one bit, and every clustering into
/// 1, 2 and 3. The noise is added and does not depend on the counts, so with the same coins one
/// count of the report moves by one, and no other.
#[test]
fn a_bit_moves_one_count_by_one() {
    for clusters in 1..=3 {
        let protocol = protocol("1", 1, Unit::EdgeBit, clusters);
        for clustering in lists(5, clusters) {
            let report = |bits: u32| {
                let ones: Vec<NodeId> = (0..5).filter(|node| bits >> node & 1 == 1).collect();
                protocol.report(&ones, &clustering, &mut stream("bit").node(0)).expect("a report")
            };
            let reports: Vec<Vec<i64>> = (0..32).map(report).collect();
            for (list, bit) in (0..32_usize).flat_map(|list| (0..5).map(move |bit| (list, bit))) {
                let mut moved = reports[list & !(1 << bit)].clone();
                moved[clustering[bit] as usize] += 1;
                assert_eq!(reports[list | 1 << bit], moved, "{clustering:?}: {list:05b}, bit {bit}");
            }
        }
    }
}

/// So the loss of a round is the exact step of the noise, and all rounds together are at most ε:
/// the last digit of a share that does not divide is not spent.
#[test]
fn exact_loss_of_a_bit_is_at_most_epsilon() {
    for text in EPSILONS {
        let whole = epsilon(text).as_rational().and_then(|(n, d)| Fraction::new(n, d)).expect("finite");
        for rounds in [1, 2, 3, 7, 100] {
            let Distribution::OfCount(count) = protocol(text, rounds, Unit::EdgeBit, 3).distribution(0) else {
                panic!("edge-bit")
            };
            let loss = &count.step() * &Fraction::new(rounds, 1_u32).expect("not zero");
            assert!(loss <= whole, "{text} in {rounds} rounds: {loss}");
            let digits = Fraction::new(rounds, 1_000_000_000_u32).expect("not zero");
            assert!(&loss + &digits > whole, "{text} in {rounds} rounds: {loss}");
        }
    }
}

/// Edge: in random graphs under random clusterings, every edge that is taken out, and every one
/// that is put in, moves the exact vectors of all nodes together by 2 in L1 (LPGNet, section 4.1),
/// and never more.
#[test]
fn an_edge_moves_all_counts_together_by_two() {
    let exact = protocol("inf", 1, Unit::Edge, 3);
    let coins = stream("sensitivity");
    let mut draw = coins.node(0);
    let mut largest = 0;
    for nodes in 2..=12_u32 {
        for _ in 0..20 {
            let pairs: Vec<(NodeId, NodeId)> = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).collect();
            let present: Vec<bool> = pairs.iter().map(|_| draw.next_u64().is_multiple_of(3)).collect();
            let clustering: Vec<u32> = (0..nodes).map(|_| (draw.next_u64() % 3) as u32).collect();
            let counts = |present: &[bool]| {
                let edges: Vec<_> =
                    pairs.iter().zip(present).filter(|(_, there)| **there).map(|(&pair, _)| pair).collect();
                let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).expect("a graph").graph;
                exact.round(&graph, &clustering, &coins).expect("counts")
            };
            let before = counts(&present);
            for pair in 0..pairs.len() {
                let mut other = present.clone();
                other[pair] = !other[pair];
                let after = counts(&other);
                let distance: u64 = before.values().iter().zip(after.values()).map(|(a, b)| a.abs_diff(*b)).sum();
                assert!(distance <= SENSITIVITY_TO_AN_EDGE, "{:?}: {distance}", pairs[pair]);
                largest = largest.max(distance);
            }
        }
    }
    assert_eq!(largest, SENSITIVITY_TO_AN_EDGE, "the bound is met, so that a smaller one would be wrong");
}

/// So the loss of a round is twice the exact step of the noise, and all rounds together are at most
/// ε.
#[test]
fn exact_loss_of_an_edge_is_at_most_epsilon() {
    for text in EPSILONS {
        let whole = epsilon(text).as_rational().and_then(|(n, d)| Fraction::new(n, d)).expect("finite");
        for rounds in [1, 2, 3, 7] {
            let Distribution::OfCount(count) = protocol(text, rounds, Unit::Edge, 3).distribution(0) else {
                panic!("edge")
            };
            let moved = Fraction::new(rounds * SENSITIVITY_TO_AN_EDGE as u32, 1_u32).expect("not zero");
            let loss = &count.step() * &moved;
            assert!(loss <= whole, "{text} in {rounds} rounds: {loss}");
            let digits = Fraction::new(rounds, 1_000_000_000_u32).expect("not zero");
            assert!(&loss + &digits > whole, "{text} in {rounds} rounds: {loss}");
        }
    }
}

#[test]
fn without_noise_nothing_is_promised() {
    for unit in [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet] {
        let exact = protocol("inf", 2, unit, 3);
        assert_eq!(exact.report(&[1, 2, 3], &[0, 2, 0, 2], &mut stream("exact").node(0)).expect("counts"), [1, 0, 2]);
        let promised = exact.guarantees();
        assert_eq!(
            promised.iter().map(|it| (it.status, it.epsilon.is_finite())).collect::<Vec<_>>(),
            [(Status::None, false)]
        );
    }
}

/// Edge-set: every report's exact probability, for every two lists that differ in one neighbour.
/// One round costs ε/r.
#[test]
fn exact_loss_of_an_exchange_is_at_most_epsilon() {
    for text in EPSILONS {
        for (rounds, clusters, degree) in [(1, 1, 2), (1, 2, 3), (1, 3, 1), (1, 3, 2), (1, 3, 3), (3, 3, 2)] {
            let protocol = protocol(text, rounds, Unit::EdgeSet, clusters);
            let share = epsilon(text).divided_by(rounds).expect("a share");
            assert!(share.times(rounds).expect("a sum") <= epsilon(text));
            let bound = share.as_rational().map(|(n, d)| exp_lower(n, d)).expect("finite");
            let all = lists(degree, clusters).into_iter().map(|list| (list.clone(), reports(&protocol, &list)));
            let differences = |a: &Vec<u32>, b: &Vec<u32>| a.iter().zip(b).filter(|(a, b)| a != b).count();
            assert_adjacent_within(&all.collect::<Vec<_>>(), &bound, |a, b| differences(a, b) <= 1);
        }
    }
}

/// Two exchanged neighbours cost more than one: the test above would notice.
#[test]
fn two_exchanges_cost_more() {
    let protocol = protocol("1", 1, Unit::EdgeSet, 2);
    let (a, b) = (reports(&protocol, &[0, 0]), reports(&protocol, &[1, 1]));
    let bound = exp_lower(1, 1);
    assert!(a.iter().any(|(report, p)| *p > &bound * &b[report]));
}

#[test]
fn exchanged_clusters_at_the_stated_rates() {
    let (protocol, mut coins) = (protocol("2", 2, Unit::EdgeSet, 3), stream("exchange").node(0));
    let expected = reports(&protocol, &[2, 2, 1]);
    let tests = expected.len() as u64;
    assert_drawn_as(expected, 40_000, tests, || {
        protocol.report(&[1, 2, 3], &[0, 2, 2, 1], &mut coins).expect("a report")
    });
}

#[test]
fn noise_on_counts_at_the_stated_rates() {
    let trials = 40_000_u64;
    let protocol = protocol("2", 2, Unit::EdgeBit, 2);
    let clusters = [0, 1, 1, 1];
    let mut coins = stream("counts").node(0);
    let mut cells = [[0_u64; 7]; 2];
    for _ in 0..trials {
        let report = protocol.report(&[1, 2, 3], &clusters, &mut coins).expect("a report");
        for (cells, (count, truth)) in cells.iter_mut().zip(report.into_iter().zip([0, 3])) {
            if let Some(cell) = usize::try_from(count - truth + 3).ok().and_then(|cell| cells.get_mut(cell)) {
                *cell += 1;
            }
        }
    }
    for (cells, truth) in cells.into_iter().zip([0, 3]) {
        let Distribution::OfCount(count) = protocol.distribution(truth) else { panic!("edge-bit") };
        for (value, hits) in (i64::from(truth) - 3..).zip(cells) {
            assert_binomial(hits, trials, count.probability(value), 14, &format!("{truth} as {value}"));
        }
    }
}

/// With so large an ε the noise is nothing (but with probability 10⁻¹⁸): the counts must be the
/// true ones.
#[test]
fn counts_are_those_of_the_neighbours() {
    let clusters = [0, 1, 1, 2, 0, 2];
    for unit in [Unit::EdgeBit, Unit::EdgeSet] {
        let round =
            |graph: &Graph| protocol("1000", 10, unit, 3).round(graph, &clusters, &stream("true")).expect("counts");
        let counts = round(&star(6));
        assert_eq!(counts.row(0), [1, 2, 2]);
        assert!((1..6).all(|leaf| counts.row(leaf) == [1, 0, 0]));
        let counts = round(&clique(6));
        assert_eq!((counts.row(0), counts.row(1), counts.row(5)), (&[1, 2, 2][..], &[2, 1, 2][..], &[2, 2, 1][..]));
        // Isolated nodes report too.
        let counts = round(&edges(6, &[(2, 3)]));
        assert_eq!((counts.row(2), counts.row(3), counts.row(4)), (&[0, 0, 1][..], &[0, 1, 0][..], &[0, 0, 0][..]));
        assert_eq!((counts.nodes(), counts.clusters()), (6, 3));
    }
}

#[test]
fn isolated_nodes_and_empty_graphs() {
    let graph = Graph::empty(2000, Direction::Undirected);
    // A bit may be one that is 0: an isolated node's counts have noise like any other's.
    let counts = protocol("1", 1, Unit::EdgeBit, 2).round(&graph, &[0; 2000], &stream("alone")).expect("counts");
    let zeros = counts.values().iter().filter(|&&count| count == 0).count() as u64;
    let Distribution::OfCount(count) = protocol("1", 1, Unit::EdgeBit, 2).distribution(0) else { panic!("edge-bit") };
    assert_binomial(zeros, 4000, count.probability(0), 1, "zeros");
    // The degree is public for a set, and it is 0.
    let counts = protocol("1", 1, Unit::EdgeSet, 2).round(&graph, &[0; 2000], &stream("alone")).expect("counts");
    assert!(counts.values().iter().all(|&count| count == 0));
    let nobody = Graph::empty(0, Direction::Undirected);
    for unit in [Unit::EdgeBit, Unit::EdgeSet] {
        let counts = protocol("1", 1, unit, 2).round(&nobody, &[], &stream("alone")).expect("counts");
        assert_eq!((counts.nodes(), counts.values().len()), (0, 0));
    }
}

/// The estimate's mean over all exact probabilities is the truth, and its variance is what is said.
#[test]
fn denoised_counts_are_unbiased() {
    for text in ["0.5", "2", "8"] {
        let protocol = protocol(text, 2, Unit::EdgeSet, 3);
        let list = [0, 0, 2];
        let (mut means, mut variance) = ([0.0; 3], 0.0);
        for (report, p) in reports(&protocol, &list) {
            assert_eq!(report.iter().sum::<i64>(), 3);
            let estimate = protocol.denoise(&Counts::new(3, report));
            for ((mean, estimate), truth) in means.iter_mut().zip(&estimate).zip([2.0, 0.0, 1.0]) {
                *mean += p.to_f64() * estimate;
                variance += p.to_f64() * (estimate - truth) * (estimate - truth);
            }
        }
        for (mean, truth) in means.into_iter().zip([2.0, 0.0, 1.0]) {
            assert!((mean - truth).abs() < 1e-9, "{text}: {mean}, not {truth}");
        }
        // Over three clusters and three neighbours.
        let stated = protocol.variance() * 3.0;
        assert!((variance / 3.0 / stated - 1.0).abs() < 1e-9, "{text}: {variance}, {stated}");
    }
    // One cluster hides everything already.
    let single = protocol("1", 1, Unit::EdgeSet, 1);
    assert_eq!((single.denoise(&Counts::new(1, vec![4])), single.variance()), (vec![4.0], 0.0));
}

#[test]
fn noise_on_counts_has_the_stated_variance() {
    for text in ["0.25", "1", "4"] {
        let protocol = protocol(text, 1, Unit::EdgeBit, 4);
        let Distribution::OfCount(count) = protocol.distribution(0) else { panic!("edge-bit") };
        let sum: f64 = (-400..=400_i64).map(|k| count.probability(k) * (k * k) as f64).sum();
        assert!((sum / protocol.variance() - 1.0).abs() < 1e-9, "{text}: {sum}, {}", protocol.variance());
    }
    // 2/ε² for a small ε, nothing for the largest.
    let small = protocol("0.000001", 1, Unit::EdgeBit, 4).variance();
    assert!((small / 2e12 - 1.0).abs() < 1e-9, "{small}");
    assert_eq!(protocol("1000000", 1, Unit::EdgeBit, 4).variance(), 0.0);
    let counts = Counts::new(2, vec![-3, 5]);
    assert_eq!(protocol("1", 1, Unit::EdgeBit, 2).denoise(&counts), [-3.0, 5.0]);
}

#[test]
fn promises_all_rounds_together() {
    let bit = protocol("0.7", 3, Unit::EdgeBit, 4).guarantees();
    let named: Vec<_> = bit.iter().map(|it| (it.unit, it.epsilon, it.per_relationship)).collect();
    let expected = [(Unit::EdgeBit, epsilon("0.7"), Some(epsilon("1.4"))), (Unit::EdgeSet, epsilon("1.4"), None)];
    assert_eq!(named, expected);
    let set = protocol("0.7", 3, Unit::EdgeSet, 4).guarantees();
    let named: Vec<_> = set.iter().map(|it| (it.unit, it.epsilon, it.per_relationship)).collect();
    assert_eq!(named, [(Unit::EdgeSet, epsilon("0.7"), None)]);
    for (guarantees, unit) in [(bit, "edge-bit"), (set, "edge-set")] {
        for guarantee in guarantees {
            assert_eq!(guarantee.status, Status::Proven);
            assert_eq!(guarantee.parameters.to_string(), format!("epsilon=0.7;rounds=3;unit={unit};clusters=4"));
            assert!(guarantee.assumptions.contains(&Assumption::ClustersFromReleased));
            assert!(guarantee.assumptions.contains(&Assumption::Rounds { trust: guarantee.trust, rounds: 3 }));
        }
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let fine = Params { epsilon: epsilon("1"), rounds: 2, unit: Unit::EdgeBit, clusters: 3 };
    assert!(fine.check().is_ok());
    for given in [Unit::Feature, Unit::Label, Unit::Node] {
        assert_eq!(Params { unit: given, ..fine }.check(), Err(ParamError::NotOfEdges { given }));
    }
    for unit in [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet] {
        let fine = Params { unit, ..fine };
        assert_eq!(Params { rounds: 0, ..fine }.check(), Err(ParamError::NoRounds));
        assert_eq!(Params { clusters: 0, ..fine }.check(), Err(ParamError::NoClusters));
        let (tiny, rounds) = (epsilon("0.000000002"), 3);
        let nothing = ParamError::NothingPerRound { epsilon: tiny, rounds };
        assert_eq!(Params { epsilon: tiny, rounds, ..fine }.check(), Err(nothing));
        assert!(Params { epsilon: tiny, ..fine }.check().is_ok());

        let protocol = fine.check().expect("parameters");
        let coins = stream("refused");
        let few = protocol.round(&clique(3), &[0, 1], &coins);
        assert_eq!(few, Err(ProtocolError::Nodes { what: "clusters", nodes: 3, found: 2 }));
        let beyond = ProtocolError::NoSuchCluster { node: 1, cluster: 3, clusters: 3 };
        assert_eq!(protocol.round(&clique(3), &[0, 3, 1], &coins), Err(beyond.clone()));
        assert_eq!(protocol.report(&[0], &[0, 3, 1], &mut coins.node(2)), Err(beyond));
        let stranger = protocol.report(&[5], &[0, 1, 1], &mut coins.node(2));
        assert_eq!(stranger, Err(ProtocolError::Nodes { what: "clusters", nodes: 6, found: 3 }));
    }
}

#[test]
fn the_same_for_any_number_of_threads() {
    let (graph, clusters): (_, Vec<u32>) = (ring(1000), (0..1000).map(|v| v % 5).collect());
    for unit in [Unit::Edge, Unit::EdgeBit, Unit::EdgeSet] {
        let protocol = protocol("1", 1, unit, 5);
        let round = |purpose| protocol.round(&graph, &clusters, &stream(purpose)).expect("counts");
        assert_same_on_any_threads(|| round("round 0"));
        // What one node reports alone is its row; another round's coins give another one.
        let alone = protocol.report(graph.neighbours(77), &clusters, &mut stream("round 0").node(77));
        assert_eq!(alone.expect("a report"), round("round 0").row(77));
        assert_ne!(round("round 0"), round("round 1"));
    }
}
