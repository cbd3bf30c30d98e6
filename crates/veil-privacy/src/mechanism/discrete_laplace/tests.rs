use super::*;
use crate::exact::Fraction;
use crate::testing::{EPSILONS, assert_noise_rates, assert_same_for_any_split, stream};

fn mechanism(epsilon: &str, sensitivity: u64) -> DiscreteLaplace {
    Params { epsilon: epsilon.parse().expect("epsilon"), sensitivity }.check().expect("parameters")
}

/// The worst ratio over inputs at distance Δ₁ is exp(step·Δ₁), and step·Δ₁ is exactly ε, as
/// fractions. That the sampler has this distribution is shown on its tree of outcomes
/// (`sampler::tests`).
#[test]
fn exact_loss_is_epsilon() {
    for epsilon in EPSILONS {
        let (n, d) = epsilon.parse::<Epsilon>().expect("epsilon").as_rational().expect("finite");
        for sensitivity in [1, 2, 3, 7, 1_000_003, u64::MAX] {
            let step = mechanism(epsilon, sensitivity).distribution(0).step();
            let loss = &step * &Fraction::new(sensitivity, 1_u32).expect("not zero");
            assert_eq!(Some(loss), Fraction::new(n, d), "{epsilon}, {sensitivity}");
        }
    }
}

/// The same from the probabilities, as floats: |ln P[v→k] − ln P[w→k]| ≤ |v−w|·ε/Δ₁ up to rounding
/// (10⁻⁹ relative), also where the tails are collected.
#[test]
fn loss_from_the_probabilities() {
    for epsilon in EPSILONS {
        let mechanism = mechanism(epsilon, 5);
        let step = mechanism.distribution(0).step().to_f64();
        for (v, w) in [(0, 5), (-2, 3), (i64::MAX, i64::MAX - 5), (i64::MIN, i64::MIN + 4)] {
            for k in [v, w, 0, 1, -7, 100, i64::MIN, i64::MAX, i64::MIN + 1, i64::MAX - 1] {
                let (a, b) =
                    (mechanism.distribution(v).log_probability(k), mechanism.distribution(w).log_probability(k));
                let allowed = step * v.abs_diff(w) as f64;
                assert!((a - b).abs() <= allowed * (1.0 + 1e-9) + 1e-12 * a.abs(), "{epsilon}: {v}, {w} at {k}");
            }
        }
    }
}

#[test]
fn probabilities_sum_to_one() {
    for epsilon in ["0.1", "1", "8"] {
        let distribution = mechanism(epsilon, 1).distribution(10);
        let sum: f64 = (-1000..1000).map(|k| distribution.probability(k)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{epsilon}: {sum}");
        // Cut at the end of i64: the end collects its tail.
        let distribution = mechanism(epsilon, 1).distribution(i64::MAX - 3);
        let sum: f64 = (0..1000).map(|k| distribution.probability(i64::MAX - k)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{epsilon}: {sum}");
    }
}

#[test]
fn noise_at_the_stated_rates() {
    for (epsilon, sensitivity) in [("0.5", 1), ("1", 2), ("4", 1)] {
        let mechanism = mechanism(epsilon, sensitivity);
        let (distribution, parameters) = (mechanism.distribution(100), mechanism.parameters().to_string());
        let release = |value, coins: &mut _| mechanism.release(&[value], coins)[0];
        assert_noise_rates(&parameters, 3, release, |k| distribution.probability(k));
    }
}

#[test]
fn sums_beyond_the_ends_are_cut() {
    // Noise of scale 10⁹·2⁶⁴ leaves i64 almost always; nothing overflows.
    let mechanism = mechanism("1e-9", u64::MAX);
    let stream = stream("ends");
    for v in 0..200 {
        let out = mechanism.release(&[i64::MIN, 0, i64::MAX], &mut stream.node(v));
        assert!(out.iter().all(|&noisy| noisy == i64::MIN || noisy == i64::MAX), "{out:?}");
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let check = |epsilon: &str, sensitivity| Params { epsilon: epsilon.parse().expect("epsilon"), sensitivity }.check();
    assert_eq!(check("inf", 1), Err(ParamError::NotPrivatised));
    assert_eq!(check("1", 0), Err(ParamError::BadSensitivity { given: 0.0 }));
}

#[test]
fn parameters_are_canonical() {
    assert_eq!(mechanism("0.50", 2).parameters().to_string(), "epsilon=0.5;sensitivity=2");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let mechanism = mechanism("0.7", 2);
    let stream = stream("threads");
    assert_same_for_any_split(|v| mechanism.release(&[i64::from(v), -5, 0], &mut stream.node(v)));
}
