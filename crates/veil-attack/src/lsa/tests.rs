use veil_graph::Matrix;

use super::*;
use crate::attack::Table;
use crate::testing::homophilous;

const LEFT: [f64; 3] = [0.5, 0.25, 0.25];
const RIGHT: [f64; 3] = [0.25, 0.0, 0.75];

/// By hand. Centred ×12: (2, −1, −1) and (−1, −4, 5): cosine −3/√(6·42). Plain ×4: (2, 1, 1), (1,
/// 0, 3): 5/√(6·10).
#[test]
fn distances_by_hand() {
    let expected = [
        (Metric::Correlation, 1.0 + 3.0 / 252f64.sqrt()),
        (Metric::Cosine, 1.0 - 5.0 / 60f64.sqrt()),
        (Metric::Euclidean, 0.375f64.sqrt()),
        (Metric::Chebyshev, 0.5),
        (Metric::BrayCurtis, 0.5),
        (Metric::Canberra, 1.0 / 3.0 + 1.0 + 0.5),
        (Metric::CityBlock, 1.0),
        (Metric::SquaredEuclidean, 0.375),
    ];
    assert_eq!(expected.map(|(metric, _)| metric), Metric::ALL);
    for (metric, distance) in expected {
        let found = metric.distance(&LEFT, &RIGHT);
        assert!((found - distance).abs() < 1e-15, "{metric}: {found} instead of {distance}");
        assert_eq!(found, metric.distance(&RIGHT, &LEFT), "{metric}");
    }
}

#[test]
fn equal_vectors_have_distance_zero_exactly() {
    let vectors = [LEFT, RIGHT, [1.0, 0.0, 0.0], [0.1, 0.2, 0.7], [1e-30, 1e-38, 1.0]];
    for metric in Metric::ALL {
        for vector in vectors {
            assert_eq!(metric.distance(&vector, &vector), 0.0, "{metric} {vector:?}");
        }
    }
}

/// The mean of seven sevenths, as computed, is not a seventh: what is left must not pass for a
/// signal.
#[test]
fn constant_and_zero_vectors_give_numbers() {
    let (constant, zero) = ([f64::from(1f32 / 7.0); 7], [0.0; 7]);
    let other = [0.1, 0.2, 0.1, 0.1, 0.3, 0.1, 0.1];
    assert_eq!(Metric::Correlation.distance(&constant, &other), 1.0);
    assert_eq!(Metric::Correlation.distance(&constant, &constant), 1.0);
    assert_eq!(Metric::Cosine.distance(&zero, &other), 1.0);
    for metric in [Metric::BrayCurtis, Metric::Canberra] {
        assert_eq!(metric.distance(&zero, &zero), 0.0, "{metric}");
    }
    for metric in Metric::ALL {
        assert!(metric.distance(&zero, &other).is_finite(), "{metric}");
        assert!(metric.distance(&[f64::NAN; 7], &other).is_nan(), "{metric}");
    }
}

#[test]
fn names_are_scipys_and_read_back() {
    for metric in Metric::ALL {
        assert_eq!(metric.to_string().parse(), Ok(metric));
    }
    assert_eq!("sqeuclidean".parse(), Ok(Metric::SquaredEuclidean));
    let refused = "manhattan".parse::<Metric>().unwrap_err();
    assert!(refused.to_string().ends_with("braycurtis, canberra, cityblock, sqeuclidean)"), "{refused}");
}

/// softmax(ln 2 · (1, 0)) is (2/3, 1/3).
#[test]
fn a_second_softmax_by_hand() {
    let answer = [std::f32::consts::LN_2, 0.0];
    let read = Posteriors::SoftmaxTwice.read(&answer);
    assert!((read[0] - 2.0 / 3.0).abs() < 1e-7 && (read[1] - 1.0 / 3.0).abs() < 1e-7, "{read:?}");
    assert_eq!(Posteriors::Unchanged.read(&[0.5, 0.25]), [0.5, 0.25]);
    let table = Matrix::from_values(2, 2, vec![answer[0], answer[1], 0.0, 0.0]).unwrap();
    let attack = LinkStealing { metric: Metric::CityBlock, posteriors: Posteriors::SoftmaxTwice };
    let ratings = attack.rate(&Table(table), &[(0, 1)]).unwrap();
    assert!((ratings[0] + 1.0 / 3.0).abs() < 1e-7, "{ratings:?}");
}

#[test]
fn a_table_and_a_model_that_says_the_same_are_rated_the_same() {
    let model = homophilous(20, 1, 1);
    let pairs = [(3, 17), (17, 2), (0, 19)];
    let nodes: Vec<NodeId> = (0..20).collect();
    let table = Table(model.posteriors(&nodes, &[]).unwrap());
    for metric in Metric::ALL {
        let attack = LinkStealing { metric, posteriors: Posteriors::Unchanged };
        assert_eq!(attack.rate(&model, &pairs), attack.rate(&table, &pairs), "{metric}");
    }
    let refused = LinkStealing::default().rate(&table, &[(0, 1), (20, 3)]);
    assert_eq!(refused, Err(AttackError::Predictor(PredictorError::NoSuchNode { node: 20, nodes: 20 })));
}

/// By hand: the mean of the three answers is (0.5, 0.5), so the first two point one way and the
/// third the other.
#[test]
fn centred_answers_are_compared_with_the_mean_of_all() {
    let answers = Table(Matrix::from_values(3, 2, vec![0.75, 0.25, 0.625, 0.375, 0.125, 0.875]).unwrap());
    let attack = LinkStealing { metric: Metric::Cosine, posteriors: Posteriors::Centred };
    let rated = attack.rate(&answers, &[(0, 1), (0, 2)]).unwrap();
    assert!(rated[0].abs() < 1e-12 && (rated[1] + 2.0).abs() < 1e-12, "{rated:?}");
    // Unchanged, all of them point in about the same direction.
    let given = LinkStealing { metric: Metric::Cosine, posteriors: Posteriors::Unchanged };
    assert!(given.rate(&answers, &[(0, 2)]).unwrap()[0] > -1.0);
}
