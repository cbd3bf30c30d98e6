//! Exact composition against every sequence of answers.

use super::{assert_close, queries};
use crate::accounting::{Proof, Query, calibrate, published};

/// δ(ε) of `count` sampled randomised responses, over all 3ⁿ sequences of answers: the worse of
/// both directions.
fn delta_by_sequences(classes: u32, loss: f64, gamma: f64, count: u32, epsilon: f64) -> f64 {
    let (k, e) = (f64::from(classes), loss.exp());
    let flip = 1.0 / (e + k - 1.0);
    let q = [flip, e * flip, (k - 2.0) * flip];
    let mixed = [gamma * q[1] + (1.0 - gamma) * q[0], gamma * q[0] + (1.0 - gamma) * q[1], q[2]];
    let delta = |p: [f64; 3], q: [f64; 3]| {
        let sequences = (0..3_usize.pow(count)).map(|code| {
            let answers = (0..count).map(|place| code / 3_usize.pow(place) % 3);
            answers.fold((1.0, 1.0), |(a, b), answer| (a * p[answer], b * q[answer]))
        });
        sequences.map(|(a, b)| (a - epsilon.exp() * b).max(0.0)).sum::<f64>()
    };
    delta(mixed, q).max(delta(q, mixed))
}

#[test]
fn exact_composition_is_the_sum_over_all_sequences() {
    for (classes, loss, gamma) in [(2_u32, 1.0, 1.0), (2, 0.7, 0.2), (10, 2.0, 0.3), (10, 2.0, 1.0), (5, 5.0, 0.05)] {
        for count in [1_u32, 2, 5, 9] {
            for delta in [1e-6, 1e-2] {
                let query = Query::RandomisedResponse { classes, epsilon: loss };
                let found = queries(query, gamma, count.into()).spending(delta).unwrap();
                let what = format!("{query:?} γ={gamma} n={count} δ={delta}: {found:?}");
                let there = delta_by_sequences(classes, loss, gamma, count, found.epsilon);
                assert!(there <= delta, "{what}: δ is {there}");
                if found.proof == Proof::ExactComposition && found.epsilon > 0.0 {
                    let below = delta_by_sequences(classes, loss, gamma, count, found.epsilon * (1.0 - 1e-6));
                    assert!(below >= delta * (1.0 - 1e-6), "{what}: a smaller ε would do, δ {below}");
                }
            }
        }
    }
}

#[test]
fn two_classes_are_what_dominates_a_pure_loss() {
    let response = queries(Query::RandomisedResponse { classes: 2, epsilon: 0.8 }, 0.2, 400).spending(1e-5).unwrap();
    let pure = queries(Query::Pure { epsilon: 0.8 }, 0.2, 400).spending(1e-5).unwrap();
    assert_eq!(response.epsilon, pure.epsilon);
    assert_eq!((response.proof, pure.proof), (Proof::ExactComposition, Proof::ExactCompositionOfPure));
    // More classes with the same loss tell less, and so does Laplace noise.
    let ten = queries(Query::RandomisedResponse { classes: 10, epsilon: 0.8 }, 0.2, 400).spending(1e-5).unwrap();
    let laplace = queries(Query::Laplace { shift: 0.8 }, 0.2, 400).spending(1e-5).unwrap();
    assert!(ten.epsilon < 0.8 * pure.epsilon && laplace.epsilon < pure.epsilon, "{ten:?} {laplace:?} {pure:?}");
}

#[test]
fn exact_composition_is_below_renyi_and_above_what_a_single_answer_costs() {
    for (classes, epsilon, gamma, count) in [(10_u32, 2.0, 0.1, 1000_u64), (10, 4.0, 0.05, 300), (3, 0.5, 1.0, 50)] {
        let all = queries(Query::RandomisedResponse { classes, epsilon }, gamma, count);
        let exact = all.spending(1e-5).unwrap();
        assert_eq!(exact.proof, Proof::ExactComposition);
        let orders = (2..=64).map(f64::from);
        let renyi = orders.map(|order| crate::accounting::conversion::tight(order, all.renyi(order).unwrap(), 1e-5));
        let renyi = renyi.fold(f64::INFINITY, f64::min);
        assert!(exact.epsilon < renyi && exact.epsilon > 0.7 * renyi, "{exact:?} {renyi}");
    }
}

#[test]
fn one_answer_is_a_pure_loss() {
    let found = queries(Query::Laplace { shift: 0.5 }, 1.0, 1).spending(1e-12).unwrap();
    assert!(found.epsilon <= 0.5 * (1.0 + 1e-8) && found.epsilon > 0.499, "{found:?}");
    let sampled = queries(Query::RandomisedResponse { classes: 7, epsilon: 3.0 }, 0.1, 1).spending(1e-12).unwrap();
    assert_close(sampled.epsilon, (1.0 + 0.1 * (3_f64.exp() - 1.0)).ln(), 1e-8, "ln(1+γ(e^ε−1))");
}

#[test]
fn beyond_ten_thousand_answers_renyi_takes_over_without_a_jump_down() {
    let label = Query::RandomisedResponse { classes: 10, epsilon: 0.2 };
    let exact = queries(label, 0.05, 10_000).spending(1e-5).unwrap();
    let more = queries(label, 0.05, 10_001).spending(1e-5).unwrap();
    assert_eq!((exact.proof, more.proof), (Proof::ExactComposition, Proof::SampledRenyi));
    assert!(more.epsilon > exact.epsilon && more.epsilon < 1.3 * exact.epsilon, "{exact:?} {more:?}");
}

#[test]
fn more_of_anything_costs_more() {
    let cost = |lambda: f64, gamma: f64, count: u64, delta: f64| {
        published::noisy_argmax(lambda, 10, count, gamma).unwrap().spending(delta).unwrap().epsilon
    };
    let base = cost(0.2, 0.1, 100, 1e-5);
    assert!(base < cost(0.21, 0.1, 100, 1e-5) && base < cost(0.2, 0.11, 100, 1e-5));
    assert!(base < cost(0.2, 0.1, 110, 1e-5) && base < cost(0.2, 0.1, 100, 0.9e-5));
}

#[test]
fn what_is_calibrated_costs_what_was_wanted_and_no_more_would_do() {
    type Make = fn(f64) -> Result<crate::accounting::Queries, crate::accounting::AccountingError>;
    let label: Make =
        |epsilon| crate::accounting::Queries::new(Query::RandomisedResponse { classes: 10, epsilon }, 0.1, 200);
    let argmax: Make = |lambda| published::noisy_argmax(lambda, 10, 500, 0.3);
    let votes: Make = |lambda| published::votes(lambda, 100);
    for (make, delta) in [(label, 1e-5), (argmax, 1e-5), (votes, 1e-3)] {
        for epsilon in [0.5, 8.0] {
            let found = calibrate(epsilon, delta, make).unwrap();
            assert_eq!(make(found.parameter).unwrap().spending(delta).unwrap(), found.spending);
            assert!(found.spending.epsilon <= epsilon, "{found:?}");
            assert!(make(found.parameter * 1.000_002).unwrap().spending(delta).unwrap().epsilon > epsilon, "{found:?}");
            let nanos = found.parameter * 1e9;
            assert!((nanos - nanos.round()).abs() < 1e-3, "{found:?} is not a decimal of nine places");
        }
    }
}
