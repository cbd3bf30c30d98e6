use proptest::prelude::*;

use super::*;
use crate::exact::Fraction;
use crate::testing::{EPSILONS, assert_binomial, assert_same_for_any_split, stream};

/// Posteriors over c classes: L1 distance up to 2.
fn posteriors(epsilon: &str, coordinates: u32, step_exponent: i32) -> GridLaplace {
    let epsilon = epsilon.parse().expect("epsilon");
    Params { epsilon, l1_sensitivity: 2.0, coordinates, step_exponent, bound: 1.0 }.check().expect("parameters")
}

fn distance(mechanism: &GridLaplace, v: &[f64], w: &[f64]) -> u64 {
    v.iter().zip(w).map(|(&x, &y)| mechanism.to_steps(x).abs_diff(mechanism.to_steps(y))).sum()
}

/// 2/h + c steps, and step·(that) is exactly ε.
#[test]
fn exact_loss_is_epsilon() {
    for epsilon in EPSILONS {
        let (n, d) = epsilon.parse::<Epsilon>().expect("epsilon").as_rational().expect("finite");
        for (coordinates, step_exponent) in [(1, 0), (7, 10), (40, 20), (1000, 40)] {
            let mechanism = posteriors(epsilon, coordinates, step_exponent);
            let steps = (2 << step_exponent) + u64::from(coordinates);
            assert_eq!(mechanism.sensitivity_in_steps(), steps);
            let loss = &mechanism.distribution(0.5).step() * &Fraction::new(steps, 1_u32).expect("not zero");
            assert_eq!(Some(loss), Fraction::new(n, d));
        }
    }
}

#[test]
fn the_sensitivity_is_rounded_up() {
    let check = |l1_sensitivity: f64, step_exponent| {
        let epsilon = "1".parse().expect("epsilon");
        let params = Params { epsilon, l1_sensitivity, coordinates: 3, step_exponent, bound: 1.0 };
        params.check().expect("parameters").sensitivity_in_steps()
    };
    assert_eq!(check(0.1, 4), 2 + 3);
    assert_eq!(check(0.125, 4), 2 + 3);
    assert_eq!(check(f64::from_bits(0.125_f64.to_bits() + 1), 4), 3 + 3);
    // What underflows still counts as a step.
    assert_eq!(check(5e-324, -256), 1 + 3);
}

/// Rounding costs up to one step per coordinate, and the bound is reached: a grid without "+
/// coordinates" would lie.
#[test]
fn rounding_can_cost_a_step_per_coordinate() {
    let epsilon = "1".parse().expect("epsilon");
    let params = Params { epsilon, l1_sensitivity: 1e-9, coordinates: 4, step_exponent: 0, bound: 10.0 };
    let mechanism = params.check().expect("parameters");
    let (v, w) = ([0.5; 4], [0.5 - 2e-10; 4]);
    assert_eq!(distance(&mechanism, &v, &w), 4);
    assert!(distance(&mechanism, &v, &w) <= mechanism.sensitivity_in_steps());
}

#[test]
fn odd_numbers_have_their_place() {
    let mechanism = posteriors("1", 1, 10);
    assert_eq!(mechanism.to_steps(f64::NAN), 0);
    assert_eq!(mechanism.to_steps(f64::INFINITY), 1024);
    assert_eq!(mechanism.to_steps(f64::NEG_INFINITY), -1024);
    assert_eq!(mechanism.to_steps(1e300), 1024);
    assert_eq!(mechanism.to_steps(5e-324), 0);
    assert_eq!(mechanism.to_steps(0.5), 512);
}

#[test]
fn released_numbers_lie_on_the_grid() {
    let mechanism = posteriors("1", 3, 10);
    let stream = stream("grid");
    for v in 0..200 {
        for x in mechanism.release(&[0.1, 0.2, 0.7], &mut stream.node(v)).expect("three") {
            assert_eq!((x * 1024.0).fract(), 0.0);
        }
    }
}

#[test]
fn noise_at_the_stated_rates() {
    // ε = 8 over 2·4 + 1 steps: cells −3…3 around 0.5.
    let mechanism = posteriors("8", 1, 2);
    let trials = 60_000_u64;
    let mut coins = stream(&mechanism.parameters().to_string()).node(0);
    let mut cells = [0_u64; 7];
    for _ in 0..trials {
        let steps = mechanism.release_steps(&[0.5], &mut coins).expect("one")[0];
        if let Some(cell) = usize::try_from(steps + 1).ok().and_then(|cell| cells.get_mut(cell)) {
            *cell += 1;
        }
    }
    for (k, hits) in (-1..).zip(cells) {
        assert_binomial(hits, trials, mechanism.distribution(0.5).probability(k), 7, "grid");
    }
}

#[test]
fn refuses_what_it_cannot_do() {
    let good = Params {
        epsilon: "1".parse().expect("epsilon"),
        l1_sensitivity: 1.0,
        coordinates: 2,
        step_exponent: 10,
        bound: 1.0,
    };
    assert!(good.check().is_ok());
    assert_eq!(Params { epsilon: Epsilon::INFINITE, ..good }.check(), Err(ParamError::NotPrivatised));
    assert_eq!(Params { coordinates: 0, ..good }.check(), Err(ParamError::NoDimensions));
    for given in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(matches!(Params { l1_sensitivity: given, ..good }.check(), Err(ParamError::BadSensitivity { .. })));
        assert!(matches!(Params { bound: given, ..good }.check(), Err(ParamError::BadBound { .. })));
    }
    for given in [257, -257, i32::MAX, i32::MIN] {
        assert_eq!(Params { step_exponent: given, ..good }.check(), Err(ParamError::BadStep { given, limit: 256 }));
    }
    assert!(matches!(Params { step_exponent: 63, ..good }.check(), Err(ParamError::TooManySteps { .. })));
    assert!(matches!(Params { bound: 1e300, ..good }.check(), Err(ParamError::TooManySteps { .. })));
    assert!(matches!(Params { l1_sensitivity: 1e300, ..good }.check(), Err(ParamError::TooManySteps { .. })));
    let wrong = InputError::WrongLength { given: 1, expected: 2 };
    let mechanism = good.check().expect("parameters");
    assert_eq!(mechanism.release(&[1.0], &mut stream("x").node(0)), Err(wrong));
}

#[test]
fn parameters_are_canonical() {
    assert_eq!(
        posteriors("1", 7, 20).parameters().to_string(),
        "epsilon=1;l1_sensitivity=2;coordinates=7;step_exponent=20;bound=1"
    );
}

#[test]
fn the_same_for_any_number_of_threads() {
    let mechanism = posteriors("1", 3, 20);
    let stream = stream("threads");
    assert_same_for_any_split(|v| {
        let x = f64::from(v) / 1000.0;
        mechanism.release_steps(&[x, 1.0 - x, 0.0], &mut stream.node(v)).expect("three")
    });
}

proptest! {
    /// Two vectors within Δ₁ of each other are within the stated steps of each other.
    #[test]
    fn the_sensitivity_holds(
        pairs in prop::collection::vec((-3.0..3.0_f64, -3.0..3.0_f64), 1..8),
        step_exponent in -3..40_i32,
        bound in 0.01..4.0_f64,
    ) {
        let (v, w): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        // Rounded up a little: the float sum may be below the real one by a few units in the last
        // place.
        let l1: f64 = pairs.iter().map(|(x, y)| (x - y).abs()).sum::<f64>() * (1.0 + 1e-14) + 1e-300;
        let params = Params {
            epsilon: "1".parse().expect("epsilon"),
            l1_sensitivity: l1,
            coordinates: v.len() as u32,
            step_exponent,
            bound,
        };
        let mechanism = params.check().expect("parameters");
        prop_assert!(distance(&mechanism, &v, &w) <= mechanism.sensitivity_in_steps());
    }
}
