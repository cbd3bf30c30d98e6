use veil_graph::generate::Community;
use veil_graph::random::Random;
use veil_graph::{Direction, Graph, NodeId};
use veil_privacy::protocol::blink;
use veil_privacy::{Coins, Epsilon};

use super::beta::BetaModel;
use super::*;

fn degrees(graph: &Graph) -> Vec<i64> {
    (0..graph.nodes()).map(|node| graph.degree(node) as i64).collect()
}

fn probability(model: &BetaModel, i: usize, j: usize) -> f64 {
    1.0 / (1.0 + (-model.of(i) - model.of(j)).exp())
}

/// The likelihood equations: every node's expected degree is its degree.
#[test]
fn the_model_has_the_given_degrees() {
    let graph = Community::citation().with_nodes(300).check().unwrap().generate(3);
    let given: Vec<i64> = degrees(graph.graph()).into_iter().map(|degree| degree.clamp(1, 298)).collect();
    let model = BetaModel::fit(&given);
    for (i, degree) in given.iter().enumerate() {
        let expected: f64 = (0..300).filter(|&j| j != i).map(|j| probability(&model, i, j)).sum();
        assert!((expected - *degree as f64).abs() < 1e-6, "node {i}: {expected} instead of {degree}");
    }
    // A regular graph by hand: p = 3/9 of each pair.
    let regular = BetaModel::fit(&[3; 10]);
    assert!((probability(&regular, 0, 7) - 3.0 / 9.0).abs() < 1e-12);
}

/// What is reported as less than 1 or more than n−2 says as much as these.
#[test]
fn degrees_are_clipped() {
    let model = BetaModel::fit(&[-5, 1, 0, 2, 99, 3, i64::MIN, i64::MAX]);
    assert_eq!(model, BetaModel::fit(&[1, 1, 1, 2, 6, 3, 1, 6]));
    assert!((0..8).all(|node| model.of(node).is_finite()));
    for nodes in 0..3 {
        let model = BetaModel::fit(&vec![1; nodes]);
        assert!((0..nodes).all(|node| model.of(node).is_finite()));
    }
    // No graph has these degrees, and no β: it ends all the same, with numbers.
    let none = BetaModel::fit(&[4, 4, 1, 1, 1, 1]);
    assert!((0..6).all(|node| none.of(node).is_finite()));
}

/// The posterior of every pair by Bayes' rule on an n×n matrix, as the paper writes it.
fn full_matrix(lists: &Graph, model: &BetaModel, epsilon: f64) -> Vec<((NodeId, NodeId), f64)> {
    let flip = 1.0 / (1.0 + epsilon.exp());
    let pairs = (0..lists.nodes()).flat_map(|i| (i + 1..lists.nodes()).map(move |j| (i, j)));
    let posterior = |(i, j): (NodeId, NodeId)| {
        let prior = probability(model, i as usize, j as usize);
        let (mut edge, mut none) = (prior, 1.0 - prior);
        for one in [lists.has_edge(i, j), lists.has_edge(j, i)] {
            edge *= if one { 1.0 - flip } else { flip };
            none *= if one { flip } else { 1.0 - flip };
        }
        ((i, j), edge / (edge + none))
    };
    pairs.map(posterior).collect()
}

fn listed(graph: &Graph) -> Vec<(NodeId, NodeId)> {
    graph.iter_edges().filter(|(a, b)| a < b).collect()
}

#[test]
fn the_graph_is_that_of_the_full_matrix() {
    let (mut silent, mut once, mut twice, mut absent) = (0, 0, 0, 0);
    for seed in 0..40 {
        let mut random = Random::new(seed, "blink/lists");
        let nodes = 12 + random.below(20) as u32;
        let pairs = (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))).filter(|(a, b)| a != b);
        let pairs: Vec<(NodeId, NodeId)> = pairs.filter(|_| random.below(5) < 2).collect();
        let lists = Graph::from_edges(nodes, &pairs, Direction::Directed).unwrap().graph;
        // From sparse to dense degrees, so that every case is met.
        let wide = [3, 10, nodes as usize][seed as usize % 3];
        let degrees: Vec<i64> = (0..nodes).map(|_| random.below(2 * wide) as i64 - 2).collect();
        let model = BetaModel::fit(&degrees);
        for epsilon in [0.05, 0.4, 1.0, 3.0] {
            let matrix = full_matrix(&lists, &model, epsilon);
            let posterior = Posterior::new(&lists, &model, epsilon);
            let hard = posterior.hard().unwrap().graph;
            let expected: Vec<_> = matrix.iter().filter(|(_, q)| *q > 0.5).map(|(pair, _)| *pair).collect();
            assert_eq!(listed(&hard), expected, "seed {seed}, ε_a = {epsilon}");
            for &((i, j), _) in &matrix {
                let reports = u32::from(lists.has_edge(i, j)) + u32::from(lists.has_edge(j, i));
                match (hard.has_edge(i, j), reports) {
                    (true, 0) => silent += 1,
                    (true, 1) => once += 1,
                    (true, _) => twice += 1,
                    (false, _) => absent += 1,
                }
            }
            // The k-th largest of both triangles, where k is the sum of all.
            let mut both: Vec<f64> = matrix.iter().flat_map(|&(_, q)| [q, q]).collect();
            both.sort_by(|a, b| b.total_cmp(a));
            let last = both[both.iter().sum::<f64>() as usize - 1];
            let kept: Vec<_> = matrix.iter().filter(|(_, q)| *q > last - 1e-12).collect();
            let Estimated { graph, weights } = posterior.hybrid().unwrap();
            let pairs: Vec<_> = kept.iter().map(|(pair, _)| *pair).collect();
            assert_eq!(listed(&graph), pairs, "seed {seed}, ε_a = {epsilon}");
            let weights = weights.unwrap();
            for &&((i, j), q) in &kept {
                let place = graph.offsets()[i as usize] + graph.neighbours(i).binary_search(&j).unwrap();
                assert!((f64::from(weights[place]) - q).abs() < 1e-6, "{} instead of {q}", weights[place]);
            }
            // The network accepts them: the same in both directions.
            Estimated { graph, weights: Some(weights) }.messages().unwrap();
        }
    }
    assert!(silent > 100 && once > 100 && twice > 100 && absent > 100, "{silent} {once} {twice} {absent}");
}

/// Little noise gives the graph back; much noise gives nothing, not a quarter of all pairs.
#[test]
fn more_budget_finds_more_edges() {
    let data = Community::citation().with_nodes(400).check().unwrap().generate(1);
    let graph = data.graph();
    let estimated = |text: &str| {
        let epsilon: Epsilon = text.parse().unwrap();
        let params = blink::Params { epsilon, degree_share: 0.1, nodes: 400, max_edges: u64::MAX };
        let protocol = params.check().unwrap();
        let reports = protocol.run(graph, None, &Coins::reproducible(1).for_scoring("blink")).unwrap();
        let Exact::DegreeAndBits { bits, .. } = protocol.exact() else { panic!("a degree and bits") };
        let model = BetaModel::fit(&reports.degrees.unwrap());
        let found = Posterior::new(&reports.lists, &model, evidence(&bits)).hard().unwrap().graph;
        let right = found.iter_edges().filter(|&(a, b)| graph.has_edge(a, b)).count();
        (right as f64 / graph.edges() as f64, right as f64 / found.edges().max(1) as f64, found.edges())
    };
    let (recall, precision, _) = estimated("12");
    assert!(recall > 0.97 && precision > 0.97, "{recall} {precision}");
    let (recall, precision, _) = estimated("6");
    assert!(recall > 0.8 && precision > 0.8, "{recall} {precision}");
    // At ε_a = 0.45 more than a third of all bits are flipped.
    let (_, _, edges) = estimated("0.5");
    assert!(edges < 400 * 399 / 2 / 20, "{edges}");
}

/// ε_a by what is sampled is ε_a.
#[test]
fn the_evidence_of_a_bit_is_its_epsilon() {
    for (text, expected) in [("1", 0.9), ("8", 7.2), ("40", 36.0)] {
        let params = blink::Params { epsilon: text.parse().unwrap(), degree_share: 0.1, nodes: 4, max_edges: u64::MAX };
        let Exact::DegreeAndBits { bits, .. } = params.check().unwrap().exact().clone() else { panic!("bits") };
        assert!((evidence(&bits) - expected).abs() < 1e-3, "{text}: {}", evidence(&bits));
    }
}
