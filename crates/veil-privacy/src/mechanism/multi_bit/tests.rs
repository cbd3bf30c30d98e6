use std::cell::RefCell;

use num_bigint::BigUint;

use super::*;
use crate::testing::{EPSILONS, assert_drawn_as, assert_same_for_any_split, bound, stream};

fn mechanism(epsilon: &str, dimensions: u32, samples: Option<u32>) -> MultiBit {
    let range = ValueRange::UNIT;
    Params { epsilon: epsilon.parse().expect("epsilon"), dimensions, range, samples }.check().expect("parameters")
}

fn report(mechanism: &MultiBit, row: &[f32], coins: &mut NodeCoins) -> Vec<(u32, bool)> {
    let mut out = Vec::new();
    mechanism.report(|dimension| row[dimension as usize], coins, &mut out).expect("numbers");
    out
}

/// Worst case over all vectors: each sampled sign has probability 1−lo/2⁶⁴ in one world and lo/2⁶⁴
/// in the other, so the ratio is ((2⁶⁴−lo)/lo)^m. Compared with a partial sum of the series of e^ε
/// itself, not of e^(ε/m).
#[test]
fn exact_loss_is_at_most_epsilon() {
    for epsilon in EPSILONS {
        let bound = bound(epsilon);
        for (dimensions, samples) in
            [(1, None), (7, None), (7, Some(7)), (100, Some(3)), (1433, None), (1433, Some(50)), (1433, Some(1433))]
        {
            let mechanism = mechanism(epsilon, dimensions, samples);
            let least = mechanism.least();
            let m = mechanism.samples();
            let most = least.denominator() - least.numerator();
            // Powers of whole numbers: most^m / least^m.
            let ratio = Fraction::new(most.pow(m), least.numerator().pow(m)).expect("positive");
            assert!(ratio <= bound, "epsilon {epsilon}, d {dimensions}, m {m}");
        }
    }
}

/// And for all reports and pairs of extreme vectors, from the distributions themselves.
#[test]
fn exact_loss_from_the_distributions() {
    for epsilon in EPSILONS {
        let bound = bound(epsilon);
        for (dimensions, samples) in [(1, 1), (3, 1), (3, 2), (4, 4)] {
            let mechanism = mechanism(epsilon, dimensions, Some(samples));
            let rows = [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.5, 2.0], [1.0, -3.0, 0.1, 0.0_f32]];
            let all: Vec<_> = rows
                .iter()
                .map(|row| {
                    let distribution = mechanism.distribution(|dimension| row[dimension as usize]).expect("numbers");
                    distribution.enumerate().expect("few reports")
                })
                .collect();
            for one in &all {
                assert_eq!(one.iter().map(|(_, mass)| mass).sum::<Fraction>(), Fraction::one());
                for other in &all {
                    for ((report, p), (same, q)) in one.iter().zip(other) {
                        assert_eq!(report, same);
                        assert!(*p <= &bound * q, "{epsilon}, {dimensions}, {samples}, {report:?}");
                    }
                }
            }
        }
    }
}

/// The estimate's expectation over all reports, by their exact masses. Signs that cancel are summed
/// as fractions; only the final product is in floats: relative 10⁻¹⁵ of the products, plus one word
/// (2⁻⁶⁴) of the threshold's rounding times the scale.
#[test]
fn the_rectifier_is_unbiased() {
    let row = [0.0, 0.125, 0.5, 1.0_f32];
    for epsilon in EPSILONS {
        for samples in [None, Some(1), Some(2), Some(4)] {
            let mechanism = mechanism(epsilon, 4, samples);
            let distribution = mechanism.distribution(|dimension| row[dimension as usize]).expect("numbers");
            for (dimension, &x) in (0_u32..).zip(&row) {
                let mass = |wanted: bool| -> Fraction {
                    let reports = distribution.enumerate().expect("few reports");
                    let hits = reports.into_iter().filter(|(report, _)| report.contains(&(dimension, wanted)));
                    hits.map(|(_, mass)| mass).sum()
                };
                let (plus, minus) = (mass(true), mass(false));
                let (sign, larger, smaller) = if plus >= minus { (1.0, plus, minus) } else { (-1.0, minus, plus) };
                let difference = Fraction::reduced(
                    larger.numerator() * smaller.denominator() - smaller.numerator() * larger.denominator(),
                    larger.denominator() * smaller.denominator(),
                );
                let mean = mechanism.offset() + mechanism.scale() * sign * difference.to_f64();
                let tolerance = 1e-15 + mechanism.scale() * 2_f64.powi(-62);
                assert!((mean - f64::from(x)).abs() <= tolerance, "{epsilon}, {samples:?}: {mean} for {x}");
            }
        }
    }
}

#[test]
fn the_rule_for_samples_is_exact() {
    let rule = |epsilon: &str, dimensions| default_samples(epsilon.parse().expect("epsilon"), dimensions);
    assert_eq!(rule("0.01", 1433), 1);
    assert_eq!(rule("3", 1433), 1);
    assert_eq!(rule("4.359999999", 1433), 1);
    assert_eq!(rule("4.36", 1433), 2);
    // 15.26/2.18 is 7, but 6.999999999999999 or 7.000000000000001 for those who divide floats.
    assert_eq!(rule("15.26", 1433), 7);
    assert_eq!(rule("50", 10), 10);
    assert_eq!(rule("50", 1433), 22);
    assert_eq!(rule("1000000", u32::MAX), 458_715);
}

#[test]
fn a_report_is_sorted_and_asks_for_nothing_else() {
    let mechanism = mechanism("8", 20, None);
    assert_eq!(mechanism.samples(), 3);
    let stream = stream("asks");
    for v in 0..200 {
        let asked = RefCell::new(Vec::new());
        let mut out = vec![(99, true)];
        let row = |dimension| {
            asked.borrow_mut().push(dimension);
            0.5
        };
        mechanism.report(row, &mut stream.node(v), &mut out).expect("numbers");
        assert_eq!(out.remove(0), (99, true), "what was there stays");
        let dimensions: Vec<u32> = out.iter().map(|&(dimension, _)| dimension).collect();
        assert!(dimensions.windows(2).all(|pair| pair[0] < pair[1]) && dimensions.len() == 3);
        assert_eq!(dimensions, asked.into_inner());
    }
}

#[test]
fn one_sample_is_what_choose_would_draw() {
    let mechanism = mechanism("3", 1433, None);
    let stream = stream("one");
    for v in 0..100 {
        let out = report(&mechanism, &[0.0; 1433], &mut stream.node(v));
        assert_eq!(vec![out[0].0], choose(&mut stream.node(v), 1, 1433));
    }
}

#[test]
fn reports_at_the_stated_rates() {
    let row = [0.0, 0.3, 1.0_f32];
    let cases = [("1", 1), ("1", 2), ("5", 3)];
    let tests = 6 + 12 + 8;
    for (epsilon, samples) in cases {
        let mechanism = mechanism(epsilon, 3, Some(samples));
        let mut coins = stream(&mechanism.parameters().to_string()).node(0);
        let distribution = mechanism.distribution(|dimension| row[dimension as usize]).expect("numbers");
        let expected = distribution.enumerate().expect("few reports");
        assert_drawn_as(expected, 60_000, tests, || report(&mechanism, &row, &mut coins));
    }
}

#[test]
fn the_distribution_knows_what_is_no_report() {
    let distribution = mechanism("1", 30, Some(2)).distribution(|_| 0.5).expect("numbers");
    assert_eq!(distribution.subsets(), BigUint::from(435_u32));
    assert!(distribution.probability(&[(3, true)]).is_zero());
    assert!(distribution.probability(&[(4, true), (3, true)]).is_zero());
    assert!(distribution.probability(&[(3, true), (30, true)]).is_zero());
    assert_eq!(distribution.positive(30), None);
    assert_eq!(distribution.enumerate().map(|all| all.len()), Some(435 * 4));
    let wide = mechanism("50", 1433, None).distribution(|_| 0.5).expect("numbers");
    assert_eq!(wide.enumerate(), None);
}

#[test]
fn refuses_what_it_cannot_do() {
    let check = |epsilon: &str, dimensions, samples| {
        let range = ValueRange::UNIT;
        Params { epsilon: epsilon.parse().expect("epsilon"), dimensions, range, samples }.check()
    };
    assert_eq!(check("inf", 3, None), Err(ParamError::NotPrivatised));
    assert_eq!(check("1", 0, None), Err(ParamError::NoDimensions));
    assert_eq!(check("1", 3, Some(0)), Err(ParamError::BadSamples { samples: 0, dimensions: 3 }));
    assert_eq!(check("1", 3, Some(4)), Err(ParamError::BadSamples { samples: 4, dimensions: 3 }));
    // The least ε, the most dimensions: a valid if useless mechanism.
    assert!(check("1e-9", u32::MAX, Some(u32::MAX)).is_ok());
}

#[test]
fn nan_is_refused_and_leaves_no_trace() {
    let mechanism = mechanism("50", 5, None);
    let mut out = vec![(7, false)];
    let row = |dimension| if dimension == 3 { f32::NAN } else { 0.0 };
    let refused = mechanism.report(row, &mut stream("nan").node(0), &mut out);
    assert_eq!(refused, Err(InputError::NotANumber { dimension: 3 }));
    assert_eq!(out, [(7, false)]);
    assert_eq!(mechanism.distribution(row), Err(InputError::NotANumber { dimension: 3 }));
}

#[test]
fn parameters_are_canonical() {
    assert_eq!(mechanism("3", 1433, None).parameters().to_string(), "epsilon=3;dimensions=1433;samples=1;range=0..1");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let mechanism = mechanism("8", 50, None);
    let stream = stream("threads");
    assert_same_for_any_split(|v| {
        let row: Vec<f32> = (0..50).map(|i| ((v + i) % 7) as f32 / 7.0).collect();
        report(&mechanism, &row, &mut stream.node(v))
    });
}
