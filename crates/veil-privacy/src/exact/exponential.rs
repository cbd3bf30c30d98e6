//! e^x between two fixed-point numbers.

use std::num::NonZeroU64;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// Fractional bits of the fixed-point results of [`exp_bounds`].
pub const FRACTION_BITS: u64 = 256;

/// Lower and upper bound of e^(numerator/denominator), both in units of 2^-[`FRACTION_BITS`].
pub fn exp_bounds(numerator: u64, denominator: NonZeroU64) -> (BigUint, BigUint) {
    exp_bounds_to(numerator, denominator, FRACTION_BITS)
}

/// The same in units of 2^-`bits`, for a chosen precision.
///
/// Taylor's series at x/2ˢ ≤ ½, then s squarings. All terms are positive, so rounding each step
/// down (up) bounds the result from below (above); what the series leaves out is added to the upper
/// bound.
pub fn exp_bounds_to(numerator: u64, denominator: NonZeroU64, bits: u64) -> (BigUint, BigUint) {
    let one = BigUint::one() << bits;
    let numerator = BigUint::from(numerator);
    let mut denominator = BigUint::from(denominator.get());
    let mut halvings = 0_u32;
    while &numerator << 1_u32 > denominator {
        denominator <<= 1_u32;
        halvings += 1;
    }

    let (mut lower, mut upper) = (one.clone(), one.clone());
    let (mut low_term, mut high_term) = (one.clone(), one);
    let mut index = 1_u32;
    // Past a unit in the last place, further terms change nothing: the ratio of neighbouring terms
    // is at most ½.
    loop {
        let divisor = &denominator * index;
        low_term = low_term * &numerator / &divisor;
        high_term = (high_term * &numerator).div_ceil(&divisor);
        lower += &low_term;
        upper += &high_term;
        if high_term <= BigUint::one() {
            break;
        }
        index += 1;
    }
    // Σ over all later terms ≤ last term · (½ + ¼ + …).
    upper += &high_term;

    let mask = (BigUint::one() << bits) - 1_u32;
    for _ in 0..halvings {
        lower = (&lower * &lower) >> bits;
        let square = &upper * &upper;
        let round = !(&square & &mask).is_zero();
        upper = (square >> bits) + u32::from(round);
    }
    (lower, upper)
}
