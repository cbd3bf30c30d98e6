//! Exact distributions by enumeration, the device against the simulator, and what must never be in a report.

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
use crate::testing::{Scripted, assert_binomial, exp_lower, outcomes, stream};

fn params(strategy: Strategy, alpha: f64, delta: f64, reading: Reading) -> Params {
    let epsilon = "1".parse().unwrap();
    Params { epsilon, strategy, alpha, threshold: delta, measure: Measure::Cosine, reading }
}

fn undirected(nodes: u32, edges: &[(NodeId, NodeId)]) -> Graph {
    Graph::from_edges(nodes, edges, Direction::Undirected).unwrap().graph
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
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| protocol.run(&graph, Some(&features), &stream("threads")).unwrap())
        };
        let expected = run(1);
        assert!(expected == run(2) && expected == run(7));
    }
}

#[test]
fn small_and_odd_graphs() {
    let clique: Vec<_> = (0..6).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let star: Vec<_> = (1..6).map(|leaf| (0, leaf)).collect();
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
        let reports = run(&undirected(6, &star));
        // Leaves have no other neighbours than the centre, which therefore reports the truth.
        assert_eq!(reports.lists.neighbours(0), [1, 2, 3, 4, 5]);
        assert!((1..6).all(|leaf| reports.lists.degree(leaf) == 1));
        let reports = run(&undirected(6, &clique));
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

/// The path 0–1–2 with features (1, 0), (1, 1), (0, 3).
fn path() -> (Graph, Features) {
    let features = Matrix::from_values(3, 2, vec![1.0, 0.0, 1.0, 1.0, 0.0, 3.0]).unwrap();
    (undirected(3, &[(0, 1), (1, 2)]), Features::Dense(features))
}

#[test]
fn both_readings_of_a_small_example() {
    let (graph, features) = path();
    let similarities = |params: Params| {
        let protocol = params.check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, &graph, &features);
        let mut out = [0.0; 2];
        profiles.similarities(1, &[0, 2], &mut profiles.workspace(), &mut out);
        out
    };
    let close = |found: [f64; 2], expected: [f64; 2]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} {expected:?}");
    };
    let threshold = |alpha, delta, reading| params(Strategy::Threshold, alpha, delta, reading);
    // x_{0,½} = (1, ½), x_{1,½} = (¾, 1¼), x_{2,½} = (½, 2).
    close(
        similarities(threshold(0.5, 0.0, Reading::Paper)),
        [1.375 / (1.25_f64 * 2.125).sqrt(), 2.875 / (2.125_f64 * 4.25).sqrt()],
    );
    // cos(x₁, x₀) = cos(x₁, x₂) = 1/√2; the aggregates are (1, 1), (½, 1½), (1, 1): 2/√5.
    let mixed = 0.25 / 2_f64.sqrt() + 0.75 * 2.0 / 5_f64.sqrt();
    close(similarities(threshold(0.25, 0.0, Reading::Reference)), [mixed, mixed]);
    // α weighs the aggregate in the paper and the features themselves in the code.
    close(similarities(threshold(0.0, 0.0, Reading::Paper)), [0.5_f64.sqrt(), 0.5_f64.sqrt()]);
    close(similarities(threshold(1.0, 0.0, Reading::Reference)), [0.5_f64.sqrt(), 0.5_f64.sqrt()]);
    close(similarities(threshold(0.0, 0.0, Reading::Reference)), [2.0 / 5_f64.sqrt(); 2]);
    let euclidean = Params { measure: Measure::Euclidean, ..threshold(0.25, 0.0, Reading::Reference) };
    // Distances 1 and √5 of the features, ½·√2 of the aggregates.
    let aggregate = 0.75 * 0.5_f64.sqrt();
    close(similarities(euclidean), [-(0.25 + aggregate), -(0.25 * 5_f64.sqrt() + aggregate)]);
}

#[test]
fn candidates_of_a_small_example() {
    let (graph, features) = path();
    let qualifying = |params: Params, node| {
        let protocol = params.check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, &graph, &features);
        Qualifying::compare(&protocol, &graph, &profiles).of(node).to_vec()
    };
    // Node 1 is like 0 to 0.84 and like 2 to 0.96.
    for (delta, all, ranked) in
        [(0.0, vec![0, 2], vec![2, 0]), (0.84, vec![0, 2], vec![2, 0]), (0.9, vec![2], vec![2]), (0.96, vec![], vec![])]
    {
        assert_eq!(qualifying(params(Strategy::Threshold, 0.5, delta, Reading::Paper), 1), all);
        assert_eq!(qualifying(params(Strategy::MostSimilar, 0.5, delta, Reading::Paper), 1), ranked);
    }
    // Equally alike: the smaller number first.
    assert_eq!(qualifying(params(Strategy::MostSimilar, 0.25, 0.0, Reading::Reference), 1), [0, 2]);
    // At least δ in the paper, above δ in the code: node 1 against itself would be 1.
    let orthogonal = Features::Dense(Matrix::from_values(2, 2, vec![1.0, 0.0, 0.0, 1.0]).unwrap());
    let same = Features::Dense(Matrix::from_values(2, 2, vec![1.0, 2.0, 1.0, 2.0]).unwrap());
    let pair = undirected(2, &[(0, 1)]);
    for (features, delta, reading, expected) in [
        (&orthogonal, 0.0, Reading::Reference, vec![]),
        (&orthogonal, 0.0, Reading::Paper, vec![1]),
        (&orthogonal, 0.01, Reading::Paper, vec![]),
        (&same, 1.0, Reading::Paper, vec![1]),
        (&same, 1.0, Reading::Reference, vec![]),
    ] {
        let protocol = params(Strategy::Threshold, if reading == Reading::Paper { 0.0 } else { 1.0 }, delta, reading);
        let protocol = protocol.check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, &pair, features);
        assert_eq!(Qualifying::compare(&protocol, &pair, &profiles).of(0), expected);
    }
    // The node that asks is left out; GP-m then names the second best.
    let protocol = params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper).check().unwrap();
    assert_eq!(protocol.answer(1, &[2, 0], 2).iter().collect::<Vec<_>>(), [0]);
    assert_eq!(protocol.answer(1, &[2, 0], 0).iter().collect::<Vec<_>>(), [2]);
    assert!(protocol.answer(1, &[2], 2).is_empty());
    let protocol = params(Strategy::Threshold, 0.5, 0.0, Reading::Paper).check().unwrap();
    assert_eq!(protocol.answer(1, &[0, 2, 5], 2).iter().collect::<Vec<_>>(), [0, 5]);
    assert_eq!(answers(&protocol, &graph, 0)[0].iter().collect::<Vec<_>>(), [2]);
}

#[test]
fn messages_are_counted() {
    let (graph, features) = path();
    let traffic_on = |graph: &Graph, params: Params, features: &Features| {
        let reports = params.check().unwrap().run(graph, Some(features), &stream("traffic")).unwrap();
        (reports.traffic.rounds, reports.traffic.messages, reports.traffic.bytes)
    };
    let traffic = |params, features: &Features| traffic_on(&graph, params, features);
    // Nodes 0 and 2 are told one candidate each.
    assert_eq!(traffic(params(Strategy::Threshold, 0.0, 0.0, Reading::Paper), &features), (1, 4, 8));
    // Before that two floats, four times; with aggregates twice that.
    assert_eq!(traffic(params(Strategy::MostSimilar, 0.0, 0.0, Reading::Paper), &features), (2, 8, 32 + 8));
    assert_eq!(traffic(params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper), &features), (3, 12, 64 + 8));
    // A sign takes no more than its dimension. The ends' vectors list two columns, sent once each, the middle's three, sent twice.
    let positive = vec![true; 3];
    let signs = Features::Encoded(Encoded::from_reports((3, 999, 1), (0.5, 2.0), vec![7, 8, 9], positive).unwrap());
    let listed = 2 * (2 * 8 + 4) + 2 * (3 * 8 + 4);
    assert_eq!(traffic(params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper), &signs), (3, 12, 16 + listed + 8));
    // 0 hears 1, whose vector lists two columns, and 1 hears 2, which hears nobody.
    let directed = Graph::from_edges(3, &[(0, 1), (1, 2)], Direction::Directed).unwrap().graph;
    let found = traffic_on(&directed, params(Strategy::MostSimilar, 0.5, 0.0, Reading::Paper), &signs);
    assert_eq!(found, (3, 6, 8 + (2 * 8 + 4) + (8 + 4) + 4));
}

#[test]
fn parameters_are_checked_and_written_out() {
    let good = params(Strategy::Threshold, 0.5, 0.25, Reading::Paper);
    assert_eq!(
        Params { alpha: -0.0, ..good }.check().unwrap().parameters().to_string(),
        "epsilon=1;strategy=threshold;alpha=0;delta=0.25;measure=cosine;similarity=paper"
    );
    assert_eq!(Params { epsilon: Epsilon::INFINITE, ..good }.check(), Err(ParamError::NotPrivatised));
    for bad in [-0.1, 1.1, f64::INFINITY] {
        assert_eq!(Params { alpha: bad, ..good }.check(), Err(ParamError::NotAShare { name: "alpha", given: bad }));
        assert_eq!(
            Params { threshold: bad, ..good }.check(),
            Err(ParamError::NotAShare { name: "threshold", given: bad })
        );
    }
    assert!(
        Params { alpha: f64::NAN, ..good }.check().is_err() && Params { threshold: f64::NAN, ..good }.check().is_err()
    );
    let distance = Params { measure: Measure::Euclidean, ..good };
    assert_eq!(distance.check(), Err(ParamError::ThresholdOnDistance { given: 0.25 }));
    for strategy in [Strategy::MostSimilar, Strategy::Threshold] {
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
    }
    for reading in [Reading::Paper, Reading::Reference] {
        assert_eq!(reading.to_string().parse(), Ok(reading));
    }
    let unknown = "nearest".parse::<Strategy>().unwrap_err().to_string();
    assert_eq!(unknown, "\"nearest\" is not a strategy (most-similar, threshold)");
    assert!("Paper".parse::<Reading>().is_err());
}

#[test]
fn features_matter_unless_every_neighbour_is_a_candidate() {
    for params in every_choice() {
        // A distance has no threshold, in either reading.
        let none = params.measure == Measure::Euclidean || params.reading == Reading::Paper && params.threshold == 0.0;
        let without = params.strategy == Strategy::Threshold && none;
        let protocol = params.check().unwrap();
        assert_eq!((protocol.compares_features(), protocol.compares_aggregates() && without), (!without, false));
        let found = protocol.run(&path().0, None, &stream("none"));
        assert_eq!(found.is_err(), !without, "{params:?}");
        assert!(found.is_ok() || found == Err(ProtocolError::NoFeatures { protocol: NAME }));
        let with = protocol.run(&path().0, Some(&path().1), &stream("none")).unwrap();
        assert_eq!(with.traffic.rounds == 1, without, "{params:?}");
        assert!(found.is_err() || found == Ok(with));
    }
}

/// Squares: each of a node's two neighbours can only become the opposite corner, and if both do, one entry is left.
#[test]
fn entries_that_coincide_are_counted() {
    let squares = 200;
    let corners = (0..squares).map(|square| 4 * square);
    let edges: Vec<_> = corners.flat_map(|a| [(a, a + 1), (a + 1, a + 2), (a + 2, a + 3), (a, a + 3)]).collect();
    let graph = undirected(4 * squares, &edges);
    let protocol = params(Strategy::Threshold, 0.0, 0.0, Reading::Paper).check().unwrap();
    let Reports { lists, traffic } = protocol.run(&graph, None, &stream("squares")).unwrap();
    let opposite = |me: NodeId| me / 4 * 4 + (me + 2) % 4;
    let coincided = (0..graph.nodes()).filter(|&me| lists.neighbours(me) == [opposite(me)]).count() as u64;
    assert_eq!(traffic.collisions, coincided);
    // Both with probability 1/(1+e)².
    let p = 1.0 / (1.0 + std::f64::consts::E).powi(2);
    assert_binomial(coincided, 4 * u64::from(squares), p, 1, "collisions");
    let twice: Traffic = [traffic, traffic].into_iter().sum();
    assert_eq!(twice.collisions, 2 * coincided);
}

#[test]
fn features_of_other_nodes_are_refused() {
    for params in every_choice() {
        let found = params.check().unwrap().run(&path().0, Some(&encoded(2, 5)), &stream("few"));
        assert_eq!(found, Err(ProtocolError::Nodes { what: "features", nodes: 3, found: 2 }), "{params:?}");
    }
}

/// The folder of a real data set, or `None` and the test is skipped. Said past the test harness, so that continuous
/// integration can count.
fn real_data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")).join(name);
    let found = path.exists();
    let line =
        if found { format!("on real data: {name}") } else { format!("no real data: skipped, {name} is not here") };
    let _ = writeln!(std::io::stderr(), "{line}");
    found.then_some(path)
}

/// Shares that were computed by another program, from other coins.
#[test]
fn as_many_neighbours_of_cora_pass_as_elsewhere() {
    let Some(path) = real_data("cora") else { return };
    let data = veil_graph::read::open(&path).unwrap();
    let (graph, raw) = (data.graph(), data.features().unwrap());
    let (nodes, dimensions) = (graph.nodes() as usize, raw.columns() as u32);
    let epsilon = "3".parse().unwrap();
    let encoder = multi_bit::Params { epsilon, dimensions, range: ValueRange::UNIT, samples: None }.check().unwrap();
    let (coins, mut signs) = (stream("cora"), Vec::new());
    for node in 0..graph.nodes() {
        encoder.report(|column| raw.value(node as usize, column), &mut coins.node(node), &mut signs).unwrap();
    }
    let (columns, positive) = signs.into_iter().unzip();
    let rectifier = (encoder.offset() as f32, encoder.scale() as f32);
    let shape = (nodes, dimensions as usize, encoder.samples() as usize);
    let features = Features::Encoded(Encoded::from_reports(shape, rectifier, columns, positive).unwrap());
    for (reading, delta, expected) in [
        (Reading::Paper, 1e-12, 1.0),
        (Reading::Paper, 0.1, 0.99),
        (Reading::Paper, 0.25, 0.84),
        (Reading::Paper, 0.5, 0.24),
        (Reading::Reference, 0.0, 0.57),
        (Reading::Reference, 0.1, 0.33),
        (Reading::Reference, 0.25, 0.05),
        (Reading::Reference, 0.5, 0.001),
    ] {
        let protocol = params(Strategy::Threshold, 0.5, delta, reading).check().unwrap();
        let profiles = Profiles::build(&protocol.comparison, graph, &features);
        let qualifying = Qualifying::compare(&protocol, graph, &profiles);
        let passed: usize = (0..graph.nodes()).map(|node| qualifying.of(node).len()).sum();
        let share = passed as f64 / graph.entries() as f64;
        assert!((share - expected).abs() < 0.03, "{reading}, δ = {delta}: {share} instead of {expected}");
    }
}
