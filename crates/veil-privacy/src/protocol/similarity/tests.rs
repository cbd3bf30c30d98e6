//! Both forms of vectors against the definition, and one node's view against the simulator's.

use proptest::prelude::*;
use veil_graph::{Direction, Encoded, Features, Graph, Matrix, NodeId, Sparse};

use super::*;

/// x of a node: own·x + mean·(mean of its neighbours'), by the definition.
fn mixed(mix: Mix, graph: &Graph, features: &Features, node: NodeId) -> Vec<f64> {
    let neighbours = graph.neighbours(node);
    let value = |node: NodeId, column| f64::from(features.value(node as usize, column));
    let mean = |column| {
        let sum: f64 = neighbours.iter().map(|&other| value(other, column)).sum();
        if neighbours.is_empty() { 0.0 } else { sum / neighbours.len() as f64 }
    };
    (0..features.columns() as u32).map(|column| mix.own * value(node, column) + mix.mean * mean(column)).collect()
}

fn by_definition(measure: Measure, a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    match measure {
        Measure::Cosine if dot(a, a) == 0.0 || dot(b, b) == 0.0 => 0.0,
        Measure::Cosine => dot(a, b) / (dot(a, a).sqrt() * dot(b, b).sqrt()),
        Measure::Euclidean => -a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt(),
    }
}

fn features(nodes: usize) -> impl Strategy<Value = Features> {
    let encoded = (prop::sample::select(vec![7_usize, 300]), prop::bool::ANY).prop_flat_map(move |(width, middle)| {
        let row = prop::collection::btree_set(0..width as u32, 2).prop_map(|row| row.into_iter().collect::<Vec<_>>());
        (prop::collection::vec(row, nodes), prop::collection::vec(any::<bool>(), 2 * nodes)).prop_map(
            move |(columns, positive)| {
                let rectifier = (if middle { 0.5 } else { 0.0 }, 4.25);
                let encoded = Encoded::from_reports((nodes, width, 2), rectifier, columns.concat(), positive);
                Features::Encoded(encoded.unwrap())
            },
        )
    });
    let entries = prop::collection::btree_map((0..nodes as u32, 0..300_u32), -2.0_f32..2.0, 0..200);
    let sparse = entries.prop_map(move |entries| {
        let triples: Vec<_> = entries.into_iter().map(|((row, column), value)| (row, column, value)).collect();
        Features::Sparse(Sparse::from_triples(nodes, 300, &triples).unwrap())
    });
    let dense = prop::collection::vec(-2.0_f32..2.0, nodes * 20)
        .prop_map(move |values| Features::Dense(Matrix::from_values(nodes, 20, values).unwrap()));
    prop_oneof![encoded, sparse, dense]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn every_form_compares_as_the_definition_and_as_one_node_does(
        features in features(8),
        edges in prop::collection::vec((0..8_u32, 0..8_u32), 0..30),
        alpha in prop::sample::select(vec![0.0, 0.3, 1.0]),
        measure in prop::sample::select(vec![Measure::Cosine, Measure::Euclidean]),
        direction in prop::sample::select(vec![Direction::Directed, Direction::Undirected]),
    ) {
        let graph = Graph::from_edges(8, &edges, direction).unwrap().graph;
        let parts = vec![
            Term { weight: 0.75, mix: Mix { own: 1.0 - alpha, mean: alpha } },
            Term { weight: 0.25, mix: Mix { own: 0.0, mean: 1.0 } },
        ];
        let comparison = Comparison { measure, parts };
        let profiles = Profiles::build(&comparison, &graph, &features);
        let alone: Vec<Profile> =
            (0..8).map(|node| comparison.profile(&features, node as usize, graph.neighbours(node))).collect();
        let of_entries = profiles.of_entries(&graph);
        prop_assert_eq!(of_entries.len(), graph.entries());
        let mut workspace = profiles.workspace();
        for me in 0..8 {
            let neighbours = graph.neighbours(me);
            let mut found = vec![0.0; neighbours.len()];
            profiles.similarities(me, neighbours, &mut workspace, &mut found);
            prop_assert_eq!(&found[..], &of_entries[graph.offsets()[me as usize]..graph.offsets()[me as usize + 1]]);
            for (&other, &found) in neighbours.iter().zip(&found) {
                prop_assert_eq!(found, comparison.similarity(&alone[me as usize], &alone[other as usize]));
                prop_assert_eq!(found, comparison.similarity(&alone[other as usize], &alone[me as usize]));
                let expected: f64 = comparison.parts.iter().map(|part| {
                    let of = |node| mixed(part.mix, &graph, &features, node);
                    part.weight * by_definition(measure, &of(me), &of(other))
                }).sum();
                // Distances of nearly equal vectors lose half of the digits.
                prop_assert!((found - expected).abs() < 1e-3, "{} instead of {}", found, expected);
            }
        }
    }
}

#[test]
fn equal_vectors_have_cosine_one_and_distance_zero_exactly() {
    for width in [5, 777] {
        let columns = vec![1, 3, 1, 3];
        let encoded =
            Encoded::from_reports((2, width, 2), (0.3, 7.7), columns, vec![true, false, true, false]).unwrap();
        let features = Features::Encoded(encoded);
        for (measure, expected) in [(Measure::Cosine, 1.0), (Measure::Euclidean, 0.0)] {
            let parts = vec![Term { weight: 1.0, mix: Mix { own: 0.7, mean: 0.0 } }];
            let comparison = Comparison { measure, parts };
            let [a, b] = [0, 1].map(|node| comparison.profile(&features, node, &[]));
            assert_eq!(comparison.similarity(&a, &b), expected, "{measure}, {width} columns");
        }
    }
}

#[test]
fn a_zero_vector_is_like_nothing() {
    let features = Features::Sparse(Sparse::from_triples(2, 400, &[(0, 3, 1.0)]).unwrap());
    let comparison =
        Comparison { measure: Measure::Cosine, parts: vec![Term { weight: 1.0, mix: Mix { own: 1.0, mean: 0.0 } }] };
    let [a, zero] = [0, 1].map(|node| comparison.profile(&features, node, &[]));
    assert_eq!(comparison.similarity(&a, &zero), 0.0);
    assert_eq!(comparison.similarity(&zero, &zero), 0.0);
}

#[test]
fn features_without_columns_are_like_nothing() {
    let features = Features::Dense(Matrix::zeros(2, 0));
    let graph = Graph::from_edges(2, &[(0, 1)], Direction::Undirected).unwrap().graph;
    let comparison =
        Comparison { measure: Measure::Cosine, parts: vec![Term { weight: 1.0, mix: Mix { own: 0.5, mean: 0.5 } }] };
    let profiles = Profiles::build(&comparison, &graph, &features);
    let mut found = [1.0];
    profiles.similarities(0, &[1], &mut profiles.workspace(), &mut found);
    assert_eq!(found, [0.0]);
}

#[test]
fn measures_are_called_by_name() {
    for measure in [Measure::Cosine, Measure::Euclidean] {
        assert_eq!(measure.to_string().parse(), Ok(measure));
    }
    assert!("Cosine".parse::<Measure>().is_err());
}
