use veil_graph::Matrix;
use veil_learn::PredictorError;

use super::*;
use crate::testing::{Averaging, homophilous, undirected};

/// The path 0 – 1 – 2 with one feature each: 3, 4, 5.
fn path(hops: usize) -> Averaging {
    let features = Matrix::from_values(3, 1, vec![3.0, 4.0, 5.0]).unwrap();
    Averaging { graph: undirected(3, &[(0, 1), (1, 2)]), features, hops }
}

/// An end's mean is over 2 nodes, the middle's over 3. In two hops 0 reaches 2 with weight 1/2 ×
/// 1/3.
#[test]
fn influences_of_a_path_by_hand() {
    let pairs = [(0, 1), (1, 0), (0, 2), (2, 1)];
    for (hops, expected) in [(1, [1.0, 2.0, 0.0, 5.0 / 3.0]), (2, [5.0 / 6.0, 5.0 / 3.0, 0.5, 25.0 / 18.0])] {
        let close = |ratings: Vec<f64>, tolerance: f64| {
            for (rating, expected) in ratings.iter().zip(expected) {
                assert!((rating - expected).abs() < tolerance, "{hops} hops: {ratings:?}");
            }
        };
        close(Influence::Exact.rate(&path(hops), &pairs).unwrap(), 1e-12);
        // Answers near 4 are 32-bit numbers 2⁻²² apart, and two of them are divided by 0.001.
        close(Influence::Difference(Difference::default()).rate(&path(hops), &pairs).unwrap(), 1e-3);
    }
}

#[test]
fn what_does_not_move_is_rated_zero() {
    let ratings = Difference::default().rate(&path(1), &[(0, 2), (2, 0), (0, 1)]).unwrap();
    assert_eq!(&ratings[..2], [0.0, 0.0]);
    assert!(ratings[2] > 0.0);
}

#[test]
fn ratings_follow_the_order_of_the_pairs() {
    let model = homophilous(12, 2, 3);
    let pairs: Vec<(NodeId, NodeId)> = (0..12).flat_map(|a| (0..12).map(move |b| (b, a))).collect();
    let together = Difference::default().rate(&model, &pairs).unwrap();
    for (&pair, rating) in pairs.iter().zip(together) {
        assert_eq!(Difference::default().rate(&model, &[pair]).unwrap(), [rating], "{pair:?}");
    }
    assert!(Difference::default().rate(&model, &[]).unwrap().is_empty());
}

#[test]
fn a_step_that_changes_nothing_is_refused() {
    for step in [0.0, -0.001, 1e-9, f64::NAN, f64::INFINITY] {
        let refused = Difference { step }.rate(&path(1), &[(0, 1)]).unwrap_err();
        assert!(matches!(refused, AttackError::Step { .. }), "{refused}");
    }
    for feature in [1.0f32, 1.999_999_9, 0.1, -3.7e-20] {
        assert_ne!(Difference { step: Difference::LEAST_STEP }.scaled(vec![feature]), [feature]);
    }
}

#[test]
fn an_unknown_node_is_named() {
    let unknown = AttackError::Predictor(PredictorError::NoSuchNode { node: 3, nodes: 3 });
    assert_eq!(Difference::default().rate(&path(1), &[(0, 3)]), Err(unknown.clone()));
    assert_eq!(Difference::default().rate(&path(1), &[(3, 0)]), Err(unknown));
}
