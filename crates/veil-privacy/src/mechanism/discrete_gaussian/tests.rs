use super::*;
use crate::testing::{assert_binomial, assert_noise_rates, assert_same_for_any_split, stream};

fn mechanism(shift: &str, sensitivity_squared: u64) -> DiscreteGaussian {
    Params { shift: shift.parse().expect("shift"), sensitivity_squared }.check().expect("parameters")
}

/// Δ₂²/σ² ≤ shift², in whole numbers; and one less would be too little noise.
#[test]
fn the_shift_is_at_most_what_was_said() {
    for shift in ["0.00001", "0.1", "0.247213595", "1", "1.568", "3.7", "50"] {
        let (n, d) = shift.parse::<Epsilon>().expect("shift").as_rational().expect("finite");
        let (n, d) = (u128::from(n), u128::from(d));
        for sensitivity in [1, 5, 20_971_520] {
            let variance = u128::from(mechanism(shift, sensitivity).variance());
            let enough = |variance: u128| u128::from(sensitivity) * d * d <= variance * n * n;
            assert!(enough(variance), "{shift}, {sensitivity}");
            assert!(!enough(variance - 1), "{shift}, {sensitivity}");
        }
    }
}

/// The Rényi divergence between two inputs, from the probabilities, is at most α·j²/2σ² at every
/// order, and close to it where σ is large.
#[test]
fn loss_from_the_probabilities() {
    for (shift, sensitivity) in [("1", 1), ("0.5", 1), ("1", 9), ("0.7", 4)] {
        let mechanism = mechanism(shift, sensitivity);
        let far = sensitivity.isqrt() as i64;
        let (here, there) = (mechanism.distribution(0), mechanism.distribution(far));
        for order in [1.5, 2.0, 5.0, 20.0] {
            let moment = |k: i64| libm::exp(order * here.log_probability(k) + (1.0 - order) * there.log_probability(k));
            let divergence = (-2000..2000).map(moment).sum::<f64>().ln() / (order - 1.0);
            let bound = order * sensitivity as f64 / (2.0 * mechanism.variance() as f64);
            assert!(divergence <= bound + 1e-9, "{shift}, {order}: {divergence} > {bound}");
            assert!(divergence > 0.9 * bound, "{shift}, {order}: {divergence} against {bound}");
        }
    }
}

#[test]
fn probabilities_sum_to_one() {
    for shift in ["0.1", "0.5", "1", "8"] {
        let distribution = mechanism(shift, 1).distribution(10);
        let sum: f64 = (-1000..1000).map(|k| distribution.probability(k)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{shift}: {sum}");
    }
}

#[test]
fn noise_at_the_stated_rates() {
    for shift in ["0.5", "1", "0.25"] {
        let mechanism = mechanism(shift, 1);
        let (distribution, parameters) = (mechanism.distribution(100), mechanism.parameters().to_string());
        let release = |value, coins: &mut _| mechanism.release(&[value], coins)[0];
        assert_noise_rates(&parameters, 3, release, |k| distribution.probability(k));
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let check =
        |shift: &str, sensitivity_squared| Params { shift: shift.parse().expect("shift"), sensitivity_squared }.check();
    assert_eq!(check("inf", 1), Err(ParamError::NotPrivatised));
    assert_eq!(check("1", 0), Err(ParamError::BadSensitivity { given: 0.0 }));
    assert!(matches!(check("1e-9", 20_971_520), Err(ParamError::TooMuchNoise { .. })));
    assert!(matches!(check("1e-9", u64::MAX), Err(ParamError::TooMuchNoise { .. })));
}

#[test]
fn sums_beyond_the_ends_are_cut() {
    // σ = 2³¹: at the ends of i64 half of the noise has no room.
    let mechanism = mechanism("0.000000001", 4);
    let stream = stream("ends");
    let cut = (0..200).filter(|&v| mechanism.release(&[i64::MAX], &mut stream.node(v)) == [i64::MAX]).count();
    assert_binomial(cut as u64, 200, 0.5, 1, "cut");
}

#[test]
fn parameters_are_canonical() {
    assert_eq!(mechanism("0.50", 20).parameters().to_string(), "shift=0.5;sensitivity_squared=20;variance=80");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let mechanism = mechanism("0.7", 2);
    let stream = stream("threads");
    assert_same_for_any_split(|v| mechanism.release(&[i64::from(v), -5, 0], &mut stream.node(v)));
}
