use super::*;
use crate::testing::{EPSILONS, assert_drawn_as, assert_same_for_any_split, bound, stream};

fn mechanism(epsilon: &str, values: u32) -> RandomisedResponse {
    Params { epsilon: epsilon.parse().expect("epsilon"), values }.check().expect("parameters")
}

/// The largest ratio between two truths over all outputs is keep/exchange. It is compared with a
/// partial sum of the series of e^ε, which is below e^ε and shares no code with the thresholds.
#[test]
fn exact_loss_is_at_most_epsilon() {
    for epsilon in EPSILONS {
        let bound = bound(epsilon);
        for values in [2, 3, 7, 10, 40, 1000, u32::MAX] {
            let mechanism = mechanism(epsilon, values);
            let (keep, exchange) = (mechanism.keep(), mechanism.exchange());
            assert!(keep >= exchange, "{epsilon}, {values}: the truth must be the likeliest");
            assert!(keep <= &bound * &exchange, "{epsilon}, {values}: the loss is above epsilon");
        }
    }
}

/// And over all pairs and outputs, from the distributions themselves.
#[test]
fn exact_loss_from_the_distributions() {
    for epsilon in EPSILONS {
        let bound = bound(epsilon);
        let mechanism = mechanism(epsilon, 4);
        let rows: Vec<_> = (0..4).map(|truth| mechanism.distribution(truth).expect("a value")).collect();
        for row in &rows {
            assert_eq!(row.iter().sum::<Fraction>(), Fraction::one());
            for other in &rows {
                assert!(row.iter().zip(other).all(|(p, q)| *p <= &bound * q), "{epsilon}");
            }
        }
    }
}

/// The threshold is not needlessly noisy: one word less would be above ε, or f is 1.
#[test]
fn the_threshold_is_tight() {
    for epsilon in EPSILONS {
        let above = &bound(epsilon) * &Fraction::new((1_u128 << 100) + 1, 1_u128 << 100).expect("not zero");
        let mechanism = mechanism(epsilon, 3);
        let flip = mechanism.flip_below - 1;
        let keep = Fraction::of_words((1 << 64) - u128::from(flip));
        let exchange = &Fraction::of_words(u128::from(flip)) * &Fraction::new(1_u32, 2_u32).expect("not zero");
        assert!(flip == 0 || keep > &above * &exchange, "{epsilon}");
    }
}

/// What PRIVACY.md warns of: the textbook formula in f64 keeps all words but one at ε = 37, so the
/// loss is ln(2⁶⁴ − 1) = 44.36, not 37.
#[test]
fn floating_point_would_spend_more_than_epsilon() {
    let e = 37_f64.exp();
    let keep_below = (e / (e + 1.0) * 2_f64.powi(64)) as u64;
    let flips = (1_u128 << 64) - u128::from(keep_below);
    assert_eq!(flips, 1);
    let loss = (keep_below as f64 / flips as f64).ln();
    assert!(loss - 37.0 > 7.3, "{loss}");
    let bound = bound("37");
    let wrong = Fraction::new(keep_below, u64::try_from(flips).expect("small")).expect("not zero");
    assert!(wrong > &bound * &Fraction::new(1000_u32, 1_u32).expect("not zero"));
    assert_eq!(mechanism("37", 2).flip_below, 1575);
}

#[test]
fn keeps_and_flips_at_the_stated_rates() {
    let cases = [("0.1", 2_u32), ("1", 2), ("1", 7), ("4", 7), ("0.01", 10)];
    let tests = cases.iter().map(|&(_, values)| u64::from(values)).sum();
    for (epsilon, values) in cases {
        let mechanism = mechanism(epsilon, values);
        let mut coins = stream(&mechanism.parameters().to_string()).node(0);
        let truth = values / 2;
        let expected = (0..).zip(mechanism.distribution(truth).expect("a value"));
        assert_drawn_as(expected, 60_000, tests, || mechanism.report(truth, &mut coins).expect("a value"));
    }
}

#[test]
fn one_value_is_a_constant() {
    let mechanism = mechanism("1", 1);
    assert_eq!(mechanism.report(0, &mut stream("one").node(0)), Ok(0));
    assert_eq!(mechanism.distribution(0), Ok(vec![Fraction::one()]));
    assert_eq!(mechanism.transition_matrix(), [[1.0]]);
}

#[test]
fn the_most_values_are_reported_in_range() {
    let mechanism = mechanism("0.01", u32::MAX);
    let stream = stream("many");
    for v in 0..1000 {
        let report = mechanism.report(u32::MAX - 1, &mut stream.node(v)).expect("a value");
        assert!(report < u32::MAX);
    }
}

#[test]
fn rows_of_the_transition_matrix_sum_to_one() {
    for row in mechanism("3", 7).transition_matrix() {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let check = |epsilon: &str, values| Params { epsilon: epsilon.parse().expect("epsilon"), values }.check();
    assert_eq!(check("inf", 3), Err(ParamError::NotPrivatised));
    assert_eq!(check("1", 0), Err(ParamError::NoValues));
    let unknown = InputError::UnknownValue { value: 3, values: 3 };
    assert_eq!(mechanism("1", 3).report(3, &mut stream("x").node(0)), Err(unknown));
    assert_eq!(mechanism("1", 3).distribution(3), Err(unknown));
}

#[test]
fn parameters_are_canonical() {
    assert_eq!(mechanism("1.50", 7).parameters().to_string(), "epsilon=1.5;values=7");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let mechanism = mechanism("1", 7);
    let stream = stream("threads");
    assert_same_for_any_split(|v| mechanism.report(v % 7, &mut stream.node(v)).expect("a value"));
}
