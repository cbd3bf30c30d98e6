//! Discrete Laplace noise.

use std::num::{NonZeroU64, NonZeroU128};

use num_integer::Integer;

use super::bernoulli::exp_minus;
use crate::coins::{NodeCoins, Uniform};

/// The scale Δ/ε of discrete Laplace noise as a fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaplaceScale {
    numerator: NonZeroU128,
    denominator: NonZeroU128,
}

impl LaplaceScale {
    /// Sensitivity/(ε = `numerator`/`denominator`). At most 2¹²⁸ − 2⁶⁵ + 1 in the numerator, so nothing overflows.
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

/// An integer k with probability ∝ e^(−|k|/scale), exactly (Canonne, Kamath, Steinke 2020, Algorithm 2).
///
/// Magnitudes from 2⁶⁴ on may come out smaller than drawn (never below 2⁶⁴): what is added to an i64 and cut to an
/// i64 does not change by that.
pub fn discrete_laplace(coins: &mut NodeCoins, scale: LaplaceScale) -> i128 {
    loop {
        if let Some(noise) = attempt(coins, scale) {
            return noise;
        }
    }
}

/// One round of the rejection loop.
pub(super) fn attempt(coins: &mut impl Uniform, scale: LaplaceScale) -> Option<i128> {
    let (t, s) = (scale.numerator, scale.denominator);
    // X = U + tV is geometric with ratio e^(−1/t): its remainder first, by rejection, then its quotient.
    let remainder = coins.below(t.get());
    if !exp_minus(coins, remainder, t) {
        return None;
    }
    let mut quotient = 0_u128;
    while exp_minus(coins, 1, NonZeroU128::MIN) {
        quotient = quotient.saturating_add(1);
    }
    // The saturated X is 2¹²⁸ − 1 and s < 2⁶⁴, so ⌊X/s⌋ is still at least 2⁶⁴.
    let geometric = t.get().saturating_mul(quotient).saturating_add(remainder);
    let magnitude = i128::try_from(geometric / s).unwrap_or(i128::MAX);
    let negative = coins.below(2) == 0;
    // Zero has one sign only, or it would be twice as likely.
    match (negative, magnitude) {
        (true, 0) => None,
        (true, _) => Some(-magnitude),
        (false, _) => Some(magnitude),
    }
}
