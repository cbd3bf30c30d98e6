use proptest::prelude::*;

use super::*;
use crate::testing::{EPSILONS, assert_binomial, assert_same_for_any_split, exp_lower, stream};

fn mechanism(epsilon: &str, share: u32, low: f64, high: f64) -> OneBit {
    let range = ValueRange::new(low, high).expect("range");
    Params { epsilon: epsilon.parse().expect("epsilon"), range }
        .check_divided(NonZeroU32::new(share).expect("not zero"))
        .expect("parameters")
}

/// Inputs where rounding could go wrong: ends, neighbours of ends, tiny, huge, infinite.
const INPUTS: [f64; 14] = [
    f64::NEG_INFINITY,
    -1e300,
    -2.0,
    -1.0,
    -0.999_999_999_999_999_9,
    -5e-324,
    0.0,
    1e-20,
    0.3,
    0.999_999_999_999_999_9,
    1.0,
    3.0,
    1e300,
    f64::INFINITY,
];

#[test]
fn exact_loss_is_at_most_epsilon() {
    for epsilon in EPSILONS {
        let (n, d) = epsilon.parse::<Epsilon>().expect("epsilon").as_rational().expect("finite");
        for share in [1_u32, 2, 3, 7, 1433] {
            let bound = exp_lower(n, d * u64::from(share));
            let mechanism = mechanism(epsilon, share, -1.0, 1.0);
            let rows: Vec<_> = INPUTS.iter().map(|&x| mechanism.distribution(x).expect("a number")).collect();
            for side in 0..2 {
                let largest = rows.iter().map(|row| &row[side]).max().expect("rows");
                let smallest = rows.iter().map(|row| &row[side]).min().expect("rows");
                assert!(*largest <= &bound * smallest, "{epsilon}/{share}");
                // The ends are where the least and the largest probabilities are.
                assert_eq!(*smallest, mechanism.least());
                assert_eq!(largest + smallest, Fraction::one());
            }
        }
    }
}

/// E[rectified] = x at both ends, in exact arithmetic on the implemented probabilities; in between
/// P(+1) is linear in x up to 2⁻⁶⁴ and the rounding of x's position. The tolerance is that of the
/// floats `rectify` returns: a few units in the last place of middle ± scale, which cancel.
#[test]
fn the_rectifier_is_unbiased() {
    for epsilon in EPSILONS {
        for share in [1, 7, 1433] {
            for (low, high) in [(0.0, 1.0), (-1.0, 1.0), (-3.5, 100.0)] {
                let mechanism = mechanism(epsilon, share, low, high);
                for part in 0..=8 {
                    let x = low + (high - low) * f64::from(part) / 8.0;
                    // 2P − 1 from whole numbers: in floats it would cancel.
                    let threshold = mechanism.threshold(x).expect("a number") as i128;
                    let mean_sign = (2 * threshold - (1 << 64)) as f64 / 2_f64.powi(64);
                    let mean = mechanism.range().middle() + mechanism.scale() * mean_sign;
                    // One word more or less is scale·2⁻⁶³; the rest is rounding of a few products.
                    let tolerance = 4.0 * f64::EPSILON * (high - low + low.abs() + high.abs())
                        + mechanism.scale() * 2_f64.powi(-62);
                    assert!((mean - x).abs() <= tolerance, "{epsilon}/{share}: {mean} for {x}");
                }
                let sum = mechanism.rectify(true) + mechanism.rectify(false);
                assert!((sum / 2.0 - mechanism.range().middle()).abs() <= f64::EPSILON * mechanism.scale().max(high));
            }
        }
    }
}

#[test]
fn says_plus_at_the_stated_rates() {
    let trials = 60_000_u64;
    let cases = [("0.1", 1, 0.0), ("1", 1, 0.25), ("1", 3, 1.0), ("4", 1, 0.0), ("8", 2, 0.9)];
    for (epsilon, share, x) in cases {
        let mechanism = mechanism(epsilon, share, 0.0, 1.0);
        let mut coins = stream(&mechanism.parameters().to_string()).node(0);
        let hits = (0..trials).filter(|_| mechanism.report(x, &mut coins).expect("a number"));
        let p = mechanism.positive(x).expect("a number").to_f64();
        assert_binomial(hits.count() as u64, trials, p, cases.len() as u64, &mechanism.parameters().to_string());
    }
}

#[test]
fn outside_values_are_clipped_and_nan_is_refused() {
    let mechanism = mechanism("1", 1, 0.0, 1.0);
    assert_eq!(mechanism.positive(f64::INFINITY), mechanism.positive(1.0));
    assert_eq!(mechanism.positive(-7.0), mechanism.positive(0.0));
    let refused = InputError::NotANumber { dimension: 0 };
    assert_eq!(mechanism.report(f64::NAN, &mut stream("nan").node(0)), Err(refused));
    assert_eq!(mechanism.distribution(f64::NAN), Err(refused));
}

#[test]
fn refuses_what_it_cannot_do() {
    let epsilon = "1e-9".parse().expect("epsilon");
    let range = ValueRange::new(0.0, 1e308).expect("range");
    assert!(matches!(Params { epsilon, range }.check(), Err(ParamError::ScaleOverflow { .. })));
    let infinite = Params { epsilon: Epsilon::INFINITE, range: ValueRange::UNIT };
    assert_eq!(infinite.check(), Err(ParamError::NotPrivatised));
    for (low, high) in [(1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (-1e308, 1e308)]
    {
        assert!(matches!(ValueRange::new(low, high), Err(ParamError::BadRange { .. })), "{low}..{high}");
    }
}

#[test]
fn parameters_are_canonical() {
    assert_eq!(mechanism("1", 1, -0.0, 1.0).parameters().to_string(), "epsilon=1;share=1;range=0..1");
    assert_eq!(mechanism("3", 2, -0.5, 0.1).parameters().to_string(), "epsilon=3;share=2;range=-0.5..0.1");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let mechanism = mechanism("1", 1, 0.0, 1.0);
    let stream = stream("threads");
    assert_same_for_any_split(|v| mechanism.report(f64::from(v) / 1000.0, &mut stream.node(v)).expect("a number"));
}

proptest! {
    #[test]
    fn any_number_in_any_range_stays_within_the_floor(
        x in any::<f64>(), low in any::<f64>(), high in any::<f64>(), nanos in 1_u64..60_000_000_000,
    ) {
        let Ok(range) = ValueRange::new(low.min(high), low.max(high)) else { return Ok(()) };
        let epsilon = Epsilon::from_nanos(nanos).expect("finite");
        let Ok(mechanism) = (Params { epsilon, range }).check() else { return Ok(()) };
        match mechanism.distribution(x) {
            Err(_) => prop_assert!(x.is_nan()),
            Ok([minus, plus]) => {
                prop_assert!(minus >= mechanism.least() && plus >= mechanism.least());
                prop_assert_eq!(&minus + &plus, Fraction::one());
            }
        }
    }

    #[test]
    fn more_is_never_less_likely(a in -2.0..2.0_f64, b in -2.0..2.0_f64) {
        let mechanism = mechanism("1", 1, -1.0, 1.0);
        prop_assert!(mechanism.positive(a.min(b)) .expect("a number") <= mechanism.positive(a.max(b)).expect("a number"));
    }
}
