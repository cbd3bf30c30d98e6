//! The integer thresholds of the mechanisms, rounded towards more noise.

use std::num::{NonZeroU32, NonZeroU64};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

use super::{FRACTION_BITS, exp_bounds};

/// e¹²⁰ is far above 2⁶⁴·2³²: from here on every threshold is 1, and a lower bound of e^ε may be
/// taken lower still.
const LARGEST_EXPONENT: u64 = 120;

/// A lower bound of min(e^(numerator/denominator), e¹²⁰), fixed point.
fn exp_lower_bound(numerator: u64, denominator: NonZeroU64) -> BigUint {
    if numerator / denominator >= LARGEST_EXPONENT {
        exp_bounds(LARGEST_EXPONENT, NonZeroU64::MIN).0
    } else {
        exp_bounds(numerator, denominator).0
    }
}

/// How many of the 2⁶⁴ words make k-ary randomised response flip, ε = numerator/denominator:
/// max(1, ⌈2⁶⁴·(k−1)/(e^ε+k−1)⌉), at most ⌊2⁶⁴(k−1)/k⌋.
///
/// e^ε is taken from below, so the result is never below the real threshold and the loss never
/// above ε. The cap keeps the truth at least as likely as any other value; with ε ≥ 10⁻⁹ and k <
/// 2³² the two are at least 4 apart, so it binds only for k = 1, where nothing can flip.
pub fn flip_threshold(numerator: u64, denominator: NonZeroU64, values: NonZeroU32) -> u64 {
    let others = BigUint::from(values.get() - 1);
    let fixed_others = &others << FRACTION_BITS;
    let weight = exp_lower_bound(numerator, denominator) + &fixed_others;
    let flip = (fixed_others << 64_u32).div_ceil(&weight).max(BigUint::one());
    let cap = (others << 64_u32) / values.get();
    // The cap is below 2⁶⁴, so the conversion cannot fail.
    flip.min(cap).to_u64().unwrap_or(u64::MAX)
}

/// The smaller of the two probabilities of a one-bit report in units of 2⁻⁶⁴, x =
/// numerator/denominator the loss: ⌈2⁶⁴/(e^x+1)⌉, at most 2⁶³.
///
/// At 2⁶³ both answers are equally likely and the bit says nothing; mechanisms refuse that.
pub fn one_bit_floor(numerator: u64, denominator: NonZeroU64) -> u64 {
    let one = BigUint::one() << FRACTION_BITS;
    let weight = exp_lower_bound(numerator, denominator) + &one;
    let floor = (one << 64_u32).div_ceil(&weight);
    floor.to_u64().map_or(1 << 63, |floor| floor.min(1 << 63))
}
