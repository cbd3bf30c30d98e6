use std::num::{NonZeroU32, NonZeroU64};

use num_bigint::BigUint;
use num_traits::One;
use proptest::prelude::*;

use super::*;
use crate::testing::exp_lower;

const NANO: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("not zero");

fn fixed(value: &BigUint) -> Fraction {
    Fraction::reduced(value.clone(), BigUint::one() << FRACTION_BITS)
}

#[test]
fn the_bounds_enclose_e_and_are_close() {
    for nanos in [1_u64, 10_000_000, 500_000_000, 999_999_999, 1_000_000_000, 37_000_000_000, 120_000_000_000] {
        let (lower, upper) = exp_bounds(nanos, NANO);
        assert!(lower <= upper);
        // The independent partial sum is below e^x, hence below our upper bound; and our lower
        // bound is below e^x, hence within the sum's (tiny) remainder of it.
        let partial = exp_lower(nanos, NANO.get());
        assert!(partial <= fixed(&upper), "{nanos}");
        let remainder = Fraction::new(1_u32, BigUint::one() << 150_u32).expect("not zero");
        assert!(fixed(&lower) <= &partial + &(&partial * &remainder), "{nanos}");
        // Relative width at most 2⁻²⁴⁰.
        assert!((&upper - &lower) << 240_u32 <= upper, "{nanos}");
    }
    assert_eq!(exp_bounds(0, NANO).0, BigUint::one() << FRACTION_BITS);
}

#[test]
fn e_to_the_one_has_its_known_digits() {
    // ⌊e·10⁴⁰⌋
    let digits: BigUint = "27182818284590452353602874713526624977572".parse().expect("digits");
    let scale = BigUint::from(10_u32).pow(40);
    let (lower, upper) = exp_bounds(1, NonZeroU64::MIN);
    assert_eq!((lower * &scale) >> FRACTION_BITS, digits);
    assert_eq!((upper * &scale) >> FRACTION_BITS, digits);
}

#[test]
fn flip_thresholds_at_the_ends() {
    let flip = |nanos, values| flip_threshold(nanos, NANO, NonZeroU32::new(values).expect("not zero"));
    // Nothing to flip to.
    assert_eq!(flip(1_000_000_000, 1), 0);
    assert_eq!(flip(1_000_000_000, 2), expected_floor_at_one());
    // Never impossible, however large ε is.
    assert_eq!(flip(50_000_000_000, 2), 1);
    assert_eq!(flip(1_000_000_000_000_000, 2), 1);
    assert_eq!(flip(1_000_000_000_000_000, u32::MAX), 1);
    // 2⁶⁴/(e³⁷+1) = 1574.07
    assert_eq!(flip(37_000_000_000, 2), 1575);
}

/// ⌈2⁶⁴/(e+1)⌉ from the known digits of e, not from our exponential.
fn expected_floor_at_one() -> u64 {
    let scale = BigUint::from(10_u32).pow(40);
    let e: BigUint = "27182818284590452353602874713526624977572".parse().expect("digits");
    let quotient = (&scale << 64_u32) / (e + &scale);
    u64::try_from(quotient + 1_u32).expect("fits")
}

#[test]
fn the_cap_never_binds_for_a_representable_epsilon() {
    for values in [2_u32, 3, 7, 1000, 1 << 31, u32::MAX] {
        let cap = ((u128::from(values) - 1) << 64) / u128::from(values);
        let flip = flip_threshold(1, NANO, NonZeroU32::new(values).expect("not zero"));
        assert!(u128::from(flip) < cap, "{values}");
    }
}

#[test]
fn one_bit_floors() {
    assert_eq!(one_bit_floor(1_000_000_000, NANO), expected_floor_at_one());
    assert_eq!(one_bit_floor(0, NANO), 1 << 63);
    assert_eq!(one_bit_floor(u64::MAX, NonZeroU64::MIN), 1);
    // 10⁻⁹ over four billion dimensions: the smallest share that can be asked for still says
    // something.
    let smallest = NonZeroU64::new(1_000_000_000 * u64::from(u32::MAX)).expect("not zero");
    assert_eq!(one_bit_floor(1, smallest), (1 << 63) - 1);
}

#[test]
fn fractions_compute() {
    let fraction = |n: u32, d: u32| Fraction::new(n, d).expect("denominator");
    assert_eq!(fraction(2, 4), fraction(1, 2));
    assert_eq!(Fraction::new(1_u32, 0_u32), None);
    assert_eq!(&fraction(1, 3) + &fraction(1, 6), fraction(1, 2));
    assert_eq!(&fraction(2, 3) * &fraction(3, 4), fraction(1, 2));
    assert!(fraction(1, 3) < fraction(34, 100));
    assert_eq!([fraction(1, 3), fraction(2, 3)].iter().sum::<Fraction>(), Fraction::one());
    assert_eq!(Fraction::of_words(1 << 63), fraction(1, 2));
    assert_eq!(fraction(1, 10).to_f64(), 0.1);
    assert_eq!(Fraction::of_words(1).to_f64(), 2_f64.powi(-64));
    assert_eq!(Fraction::zero().to_f64(), 0.0);
    let huge = Fraction::new(BigUint::one() << 1023_u32, 1_u32).expect("denominator");
    assert_eq!(huge.to_f64(), 2_f64.powi(1023));
    let tiny = Fraction::new(1_u32, BigUint::one() << 1023_u32).expect("denominator");
    assert_eq!(tiny.to_f64(), 2_f64.powi(-1023));
    assert_eq!((&huge * &huge).to_f64(), f64::INFINITY);
}

proptest! {
    #[test]
    fn to_f64_is_the_nearest(n in 1_u64..1 << 53, d in 1_u64..1 << 53) {
        // Both are exact floats, and the processor's division is correctly rounded.
        prop_assert_eq!(Fraction::new(n, d).expect("denominator").to_f64(), n as f64 / d as f64);
    }

    #[test]
    fn thresholds_fall_with_epsilon(a in 1_u64..50_000_000_000, b in 1_u64..50_000_000_000, values in 2_u32..1000) {
        let values = NonZeroU32::new(values).expect("not zero");
        let (a, b) = (a.min(b), a.max(b));
        prop_assert!(flip_threshold(a, NANO, values) >= flip_threshold(b, NANO, values));
        prop_assert!(one_bit_floor(a, NANO) >= one_bit_floor(b, NANO));
    }
}
