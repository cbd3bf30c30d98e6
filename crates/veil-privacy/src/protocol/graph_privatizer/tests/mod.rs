//! Exact distributions by enumeration, the device against the simulator, and what must never be in
//! a report.

mod examples;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_graph::{Direction, Encoded, Matrix};

use super::super::Traffic;
use super::super::similarity::Profiles;
use super::simulate::Qualifying;
use super::*;
use crate::mechanism::{ValueRange, multi_bit};
use crate::testing::{
    Scripted, assert_binomial, assert_same_on_any_threads, clique, edges as undirected, exp_lower, outcomes, star,
    stream,
};

fn params(strategy: Strategy, alpha: f64, delta: f64, reading: Reading) -> Params {
    let epsilon = "1".parse().unwrap();
    Params { epsilon, strategy, alpha, threshold: delta, measure: Measure::Cosine, reading }
}

/// One sign per node.
fn encoded(nodes: usize, width: usize) -> Features {
    let mut random = Random::new(5, "signs");
    let columns = (0..nodes).map(|_| random.below(width) as u32).collect();
    let positive = (0..nodes).map(|_| random.below(4) > 0).collect();
    Features::Encoded(Encoded::from_reports((nodes, width, 1), (0.5, 3.0), columns, positive).unwrap())
}

fn every_choice() -> Vec<Params> {
    let mut all = Vec::new();
    for strategy in [Strategy::MostSimilar, Strategy::Threshold] {
        for reading in [Reading::Paper, Reading::Reference] {
            for (alpha, delta) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.3), (1.0, 0.9)] {
                all.push(params(strategy, alpha, delta, reading));
            }
            all.push(Params { measure: Measure::Euclidean, ..params(strategy, 0.5, 0.0, reading) });
        }
    }
    all
}

/// Coins that walk the tree of outcomes; how likely a biased coin falls as it did is written down.
struct Walk<'a> {
    coins: &'a mut Scripted,
    biased: Vec<(u64, bool)>,
}

impl Draws for Walk<'_> {
    fn is_below(&mut self, threshold: u64) -> bool {
        let below = crate::coins::Uniform::below(self.coins, 2) == 0;
        self.biased.push((threshold, below));
        below
    }

    fn below(&mut self, n: u64) -> u64 {
        crate::coins::Uniform::below(self.coins, n.into()) as u64
    }
}

/// The exact mass of each outcome.
pub(in crate::protocol) fn masses(
    draw: impl Fn(&mut dyn FnMut(Option<u64>, u64) -> u64) -> Vec<NodeId>,
) -> BTreeMap<Vec<NodeId>, Fraction> {
    let (paths, open) = outcomes(64, |coins| {
        let mut walk = Walk { coins, biased: Vec::new() };
        let report = draw(&mut |threshold, n| match threshold {
            Some(threshold) => u64::from(walk.is_below(threshold)),
            None => walk.below(n),
        });
        (report, walk.biased)
    });
    assert!(open.is_zero());
    let mut masses = BTreeMap::new();
    for ((report, biased), fair) in paths {
        // Each biased coin was walked as a fair one.
        let mass = biased.into_iter().fold(fair, |mass, (threshold, below)| {
            let words = if below { u128::from(threshold) } else { (1 << 64) - u128::from(threshold) };
            &mass * &(&Fraction::of_words(words) * &Fraction::new(2_u32, 1_u32).unwrap())
        });
        let sum = masses.entry(report).or_insert_with(Fraction::zero);
        *sum = &*sum + &mass;
    }
    masses
}

/// A closure as coins.
pub(in crate::protocol) struct Told<'a>(pub &'a mut dyn FnMut(Option<u64>, u64) -> u64);

impl Draws for Told<'_> {
    fn is_below(&mut self, threshold: u64) -> bool {
        self.0(Some(threshold), 0) == 1
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0(None, n)
    }
}

fn report_masses(protocol: &GraphPrivatizer, answers: &[Answer<'_>]) -> BTreeMap<Vec<NodeId>, Fraction> {
    let thresholds = protocol.thresholds(8);
    masses(|told| {
        let mut out = Vec::new();
        perturb(answers.iter().copied(), &thresholds, &mut Told(told), &mut out);
        out
    })
}

fn answers<'a>(protocol: &GraphPrivatizer, graph: &'a Graph, me: NodeId) -> Vec<Answer<'a>> {
    graph.neighbours(me).iter().map(|&u| protocol.answer(u, graph.neighbours(u), me)).collect()
}

#[test]
fn a_slot_has_the_distribution_of_equation_6() {
    let graph = undirected(6, &[(0, 1), (1, 2), (1, 3), (1, 4), (0, 5)]);
    for epsilon in ["0.1", "1", "8"] {
        let epsilon: Epsilon = epsilon.parse().unwrap();
        let protocol = Params { epsilon, ..params(Strategy::Threshold, 0.0, 0.0, Reading::Paper) }.check().unwrap();
        let answer = protocol.answer(1, graph.neighbours(1), 0);
        let distribution = protocol.distribution(&answer);
        assert_eq!(distribution.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(distribution.iter().map(|(_, mass)| mass).sum::<Fraction>(), Fraction::one());
        let e = epsilon.as_f64().exp();
        assert!((distribution[0].1.to_f64() - e / (e + 3.0)).abs() < 1e-12);
        for (_, mass) in &distribution[1..] {
            assert!((mass.to_f64() - 1.0 / (e + 3.0)).abs() < 1e-12);
            // Rounded towards exchanging.
            let (numerator, denominator) = epsilon.as_rational().unwrap();
            assert!(distribution[0].1 <= mass * &exp_lower(numerator, denominator));
        }
        let found = report_masses(&protocol, &[answer]);
        assert_eq!(found, distribution.into_iter().map(|(node, mass)| (vec![node], mass)).collect());
    }
}

#[test]
fn whole_reports_have_the_distribution_of_their_slots() {
    let graphs = [
        undirected(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        undirected(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (1, 2)]),
        undirected(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]),
    ];
    for graph in &graphs {
        let features = encoded(graph.nodes() as usize, 3);
        for params in every_choice() {
            let protocol = params.check().unwrap();
            let qualifying = protocol.qualifying_of_all(graph, Some(&features)).unwrap();
            for me in 0..graph.nodes() {
                let slots: Vec<Answer<'_>> =
                    graph.neighbours(me).iter().map(|&u| protocol.answer(u, qualifying.of(u), me)).collect();
                let mut expected = BTreeMap::from([(Vec::new(), Fraction::one())]);
                for slot in &slots {
                    let mut next = BTreeMap::new();
                    for (set, mass) in &expected {
                        for (node, chance) in protocol.distribution(slot) {
                            let mut set: Vec<NodeId> = set.iter().copied().chain([node]).collect();
                            set.sort_unstable();
                            set.dedup();
                            let sum = next.entry(set).or_insert_with(Fraction::zero);
                            *sum = &*sum + &(mass * &chance);
                        }
                    }
                    expected = next;
                }
                assert_eq!(report_masses(&protocol, &slots), expected, "{}", protocol.parameters());
            }
        }
    }
}

#[test]
fn two_lists_that_cannot_be_confused() {
    // v = 0 knows either 1 (which knows 2) or 3 (which knows 4).
    let [one, other] = [undirected(5, &[(0, 1), (1, 2), (3, 4)]), undirected(5, &[(0, 3), (1, 2), (3, 4)])];
    for strategy in [Strategy::MostSimilar, Strategy::Threshold] {
        let protocol = params(strategy, 0.0, 0.0, Reading::Paper).check().unwrap();
        let [one, other] = [&one, &other].map(|graph| {
            let features = encoded(5, 3);
            let qualifying = protocol.qualifying_of_all(graph, Some(&features)).unwrap();
            let answer = protocol.answer(graph.neighbours(0)[0], qualifying.of(graph.neighbours(0)[0]), 0);
            report_masses(&protocol, &[answer])
        });
        assert_eq!((one.len(), other.len()), (2, 2));
        assert!(one.keys().all(|report| !other.contains_key(report)));
    }
    let guarantee = params(Strategy::Threshold, 0.0, 0.0, Reading::Paper).check().unwrap().guarantees().remove(0);
    assert_eq!((guarantee.status, guarantee.unit), (Status::Refuted, Unit::EdgeSet));
    assert!(!guarantee.source.is_empty() && guarantee.not_protected.len() > 1);
}

/// The table that one node holds: its own row first, then its neighbours'.
fn local(features: &Features, rows: impl Iterator<Item = NodeId>) -> Features {
    let rows: Vec<usize> = rows.map(|row| row as usize).collect();
    match features {
        Features::Encoded(all) => {
            let pairs: Vec<(u32, f32)> = rows.iter().flat_map(|&row| all.row(row)).collect();
            let (columns, positive) = pairs.into_iter().map(|(column, sign)| (column, sign > 0.0)).unzip();
            let shape = (rows.len(), all.columns(), all.per_row());
            Features::Encoded(Encoded::from_reports(shape, (all.offset(), all.scale()), columns, positive).unwrap())
        }
        Features::Dense(all) => {
            let values = rows.iter().flat_map(|&row| all.row(row)).copied().collect();
            Features::Dense(Matrix::from_values(rows.len(), all.columns(), values).unwrap())
        }
        Features::Sparse(_) => unreachable!("not used here"),
    }
}

fn power_law(nodes: u32, edges: usize) -> Graph {
    PowerLaw { nodes, edges, exponent: 2.4, max_degree: nodes / 8 }.check().unwrap().generate(3).graph().clone()
}

#[test]
fn devices_that_only_talk_to_neighbours_report_the_same() {
    let graph = power_law(200, 600);
    let mut random = Random::new(9, "dense");
    let values = (0..200 * 6).map(|_| random.unit() as f32 - 0.5).collect();
    let dense = Features::Dense(Matrix::from_values(200, 6, values).unwrap());
    for features in [encoded(200, 10), encoded(200, 400), dense] {
        for params in every_choice() {
            let protocol = params.check().unwrap();
            let coins = stream("devices");
            let reports = protocol.run(&graph, Some(&features), &coins).unwrap();
            let sent: Vec<Profile> = (0..200)
                .map(|u| {
                    let neighbours = graph.neighbours(u);
                    let held = local(&features, [u].into_iter().chain(neighbours.iter().copied()));
                    protocol.profile(&held, 0, &(1..=neighbours.len() as u32).collect::<Vec<_>>())
                })
                .collect();
            let qualifying: Vec<Vec<NodeId>> = (0..200)
                .map(|u| {
                    let neighbours = graph.neighbours(u);
                    if !protocol.compares_features() {
                        return neighbours.to_vec();
                    }
                    let theirs: Vec<_> = neighbours.iter().map(|&w| (w, sent[w as usize].clone())).collect();
                    protocol.qualifying(&sent[u as usize], &theirs)
                })
                .collect();
            let thresholds = protocol.thresholds(16);
            for v in 0..200 {
                let answers = graph.neighbours(v).iter().map(|&u| protocol.answer(u, &qualifying[u as usize], v));
                let mut report = Vec::new();
                protocol.report(answers, &thresholds, &mut coins.node(v), &mut report);
                assert_eq!(report, reports.lists.neighbours(v), "{} for {v}", protocol.parameters());
            }
        }
    }
}

#[test]
fn reports_are_sets_of_at_most_degree_nodes_within_two_hops() {
    let edges: Vec<_> = power_law(300, 900).iter_edges().collect();
    let mut changed = 0;
    for direction in [Direction::Undirected, Direction::Directed] {
        let graph = Graph::from_edges(300, &edges, direction).unwrap().graph;
        let features = encoded(300, 12);
        for params in every_choice() {
            let reports = params.check().unwrap().run(&graph, Some(&features), &stream("two hops")).unwrap();
            for v in 0..300 {
                let report = reports.lists.neighbours(v);
                let near = graph.within_hops(&[v], 2).unwrap();
                assert!(report.iter().all(|node| *node != v && near.contains(node)));
                assert!(report.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(report.len() <= graph.degree(v));
                assert_eq!(report.is_empty(), graph.degree(v) == 0);
            }
            changed += usize::from(reports.lists.targets() != graph.targets());
        }
    }
    // All but those with δ = 0.9, which few pass.
    assert!(changed >= 32, "{changed}");
}

#[test]
fn the_same_on_any_number_of_threads() {
    let graph = power_law(3000, 15_000);
    let features = encoded(3000, 300);
    for params in [
        params(Strategy::Threshold, 0.5, 0.2, Reading::Paper),
        params(Strategy::MostSimilar, 0.5, 0.0, Reading::Reference),
    ] {
        let protocol = params.check().unwrap();
        assert_same_on_any_threads(|| protocol.run(&graph, Some(&features), &stream("threads")).unwrap());
    }
}

#[test]
fn small_and_odd_graphs() {
    for params in every_choice() {
        let protocol = params.check().unwrap();
        let run = |graph: &Graph| {
            let features = encoded(graph.nodes() as usize, 3);
            protocol.run(graph, Some(&features), &stream("odd")).unwrap()
        };
        for nodes in [0, 1, 4] {
            let reports = run(&Graph::empty(nodes, Direction::Undirected));
            assert_eq!((reports.lists.nodes(), reports.lists.entries(), reports.traffic.messages), (nodes, 0, 0));
        }
        // Neither end of a lone edge has another neighbour that could stand for it.
        let pair = undirected(3, &[(0, 1)]);
        assert_eq!(run(&pair).lists.targets(), pair.targets());
        let reports = run(&star(6));
        // Leaves have no other neighbours than the centre, which therefore reports the truth.
        assert_eq!(reports.lists.neighbours(0), [1, 2, 3, 4, 5]);
        assert!((1..6).all(|leaf| reports.lists.degree(leaf) == 1));
        let reports = run(&clique(6));
        assert!((0..6).all(|node| (1..=5).contains(&reports.lists.degree(node))));
    }
}

#[test]
fn keeps_and_exchanges_at_the_stated_rates() {
    // Copies of a star with three leaves: a leaf keeps the centre or names one of the other leaves.
    const COPIES: u32 = 20_000;
    let edges: Vec<_> = (0..COPIES).flat_map(|copy| (1..4).map(move |leaf| (4 * copy, 4 * copy + leaf))).collect();
    let graph = undirected(4 * COPIES, &edges);
    let protocol = params(Strategy::Threshold, 0.0, 0.0, Reading::Paper).check().unwrap();
    let reports = protocol.run(&graph, None, &stream("rates")).unwrap();
    let mut counts = [0_u64; 4];
    for copy in 0..COPIES {
        counts[(reports.lists.neighbours(4 * copy + 1)[0] - 4 * copy) as usize] += 1;
    }
    let e = 1_f64.exp();
    for (node, expected) in [(0, e / (e + 2.0)), (2, 1.0 / (e + 2.0)), (3, 1.0 / (e + 2.0))] {
        assert_binomial(counts[node], COPIES.into(), expected, 3, "leaf 1");
    }
    assert_eq!(counts[1], 0);
}
