//! Discrete Laplace noise, and one side of it: geometric numbers.

use std::num::{NonZeroU64, NonZeroU128};

use num_integer::Integer;

use super::bernoulli::{exp_minus, exp_minus_one};
use crate::coins::{NodeCoins, Question, Uniform};

/// The scale Δ/ε of discrete Laplace noise as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaplaceScale {
    numerator: NonZeroU128,
    denominator: NonZeroU128,
}

impl LaplaceScale {
    /// Sensitivity/(ε = `numerator`/`denominator`). At most 2¹²⁸ − 2⁶⁵ + 1 in the numerator, so
    /// nothing overflows.
    pub fn new(sensitivity: NonZeroU64, numerator: NonZeroU64, denominator: NonZeroU64) -> LaplaceScale {
        let top = NonZeroU128::from(sensitivity).saturating_mul(NonZeroU128::from(denominator));
        let bottom = NonZeroU128::from(numerator);
        let common = top.get().gcd(&bottom.get());
        let reduce = |n: NonZeroU128| NonZeroU128::new(n.get() / common).unwrap_or(n);
        LaplaceScale { numerator: reduce(top), denominator: reduce(bottom) }
    }

    /// The numerator, in lowest terms.
    pub fn numerator(self) -> u128 {
        self.numerator.get()
    }

    /// The denominator, in lowest terms.
    pub fn denominator(self) -> u128 {
        self.denominator.get()
    }
}

/// An integer k with probability ∝ e^(−|k|/scale), exactly (Canonne, Kamath, Steinke 2020,
/// Algorithm 2).
///
/// Magnitudes from 2⁶⁴ on may come out smaller than drawn (never below 2⁶⁴): what is added to an
/// i64 and cut to an i64 does not change by that.
pub fn discrete_laplace(coins: &mut NodeCoins, scale: LaplaceScale) -> i128 {
    if let Some(answer) = coins.explored(|| Question::Laplace(scale)) {
        return answer;
    }
    loop {
        if let Some(noise) = attempt(coins, scale) {
            return noise;
        }
    }
}

/// One round of the rejection loop.
pub(super) fn attempt(coins: &mut impl Uniform, scale: LaplaceScale) -> Option<i128> {
    let magnitude = i128::try_from(attempt_geometric(coins, scale)?).unwrap_or(i128::MAX);
    let negative = coins.below(2) == 0;
    // Zero has one sign only, or it would be twice as likely.
    match (negative, magnitude) {
        (true, 0) => None,
        (true, _) => Some(-magnitude),
        (false, _) => Some(magnitude),
    }
}

/// An integer k ≥ 0 with probability ∝ e^(−k/scale), exactly. From 2⁶⁴ on it may come out smaller,
/// as above.
pub fn geometric(coins: &mut NodeCoins, scale: LaplaceScale) -> u128 {
    if let Some(answer) = coins.explored(|| Question::Geometric(scale)) {
        return answer as u128;
    }
    loop {
        if let Some(drawn) = attempt_geometric(coins, scale) {
            return drawn;
        }
    }
}

/// The same among the integers below `width` (0 if there is none): a uniform one, accepted with
/// probability e^(−k/scale). Quick where the width is not much more than the scale.
pub fn truncated_geometric(coins: &mut NodeCoins, scale: LaplaceScale, width: u64) -> u64 {
    match coins.explored(|| Question::Truncated(scale, width)) {
        Some(answer) => answer as u64,
        None => truncated_with(coins, scale, width),
    }
}

pub(super) fn truncated_with(coins: &mut impl Uniform, scale: LaplaceScale, width: u64) -> u64 {
    loop {
        let drawn = coins.below(u128::from(width));
        // The denominator is below 2⁶⁴, and so is what is drawn.
        if exp_minus(coins, drawn * scale.denominator.get(), scale.numerator) {
            return drawn as u64;
        }
    }
}

/// One round of the rejection loop of a geometric number.
fn attempt_geometric(coins: &mut impl Uniform, scale: LaplaceScale) -> Option<u128> {
    let (t, s) = (scale.numerator, scale.denominator);
    // X = U + tV is geometric with ratio e^(−1/t): its remainder first, by rejection, then its
    // quotient.
    let remainder = coins.below(t.get());
    if !exp_minus(coins, remainder, t) {
        return None;
    }
    let mut quotient = 0_u128;
    while exp_minus_one(coins) {
        quotient = quotient.saturating_add(1);
    }
    // The saturated X is 2¹²⁸ − 1 and s < 2⁶⁴, so ⌊X/s⌋ is still at least 2⁶⁴.
    let geometric = t.get().saturating_mul(quotient).saturating_add(remainder);
    Some(geometric / s)
}
