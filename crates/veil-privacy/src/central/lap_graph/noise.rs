//! The noise of a cell, and the probability of a level.

use std::num::NonZeroU64;

use num_bigint::BigUint;

use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::exact::{Fraction, exp_bounds_to};
use crate::mechanism::ParamError;
use crate::sampler::{LaplaceScale, discrete_laplace, geometric, truncated_geometric};

/// The sensitivity: the difference between an edge and none, in steps of the grid.
pub(super) const STEPS: NonZeroU64 = NonZeroU64::new(1 << 10).expect("not zero");

/// Bits for the search of a level: any level would do, so few are enough.
const SEARCH_BITS: u64 = 128;

/// Discrete Laplace noise in steps of 2⁻¹⁰: P(Z = k) ∝ e^(−|k|s), s = ε'/1024.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Noise {
    /// ε' in units of 10⁻⁹: s = nanos/(1024·10⁹).
    nanos: NonZeroU64,
    /// 1024·10⁹.
    unit: NonZeroU64,
    /// 1/s.
    scale: LaplaceScale,
    /// 1024.
    steps: NonZeroU64,
}

impl Noise {
    #[cfg(test)]
    pub(super) fn new(epsilon: Epsilon) -> Result<Noise, ParamError> {
        Noise::on_grid(epsilon, STEPS)
    }

    /// With so many steps between an edge and none: 1024, unless an auditor asks for fewer.
    pub(super) fn on_grid(epsilon: Epsilon, steps: NonZeroU64) -> Result<Noise, ParamError> {
        let (nanos, one) = epsilon.as_rational().ok_or(ParamError::NotPrivatised)?;
        let part = |n| NonZeroU64::new(n).ok_or(ParamError::NotPrivatised);
        let (nanos, one) = (part(nanos)?, part(one)?);
        Ok(Noise { nanos, unit: one.saturating_mul(steps), scale: LaplaceScale::new(steps, nanos, one), steps })
    }

    /// s as a fraction.
    #[cfg(test)]
    pub(super) fn rate(&self) -> (u64, u64) {
        (self.nanos.get(), self.unit.get())
    }

    /// 1024s, from the scale that the sampler draws with.
    pub(super) fn loss(&self) -> Fraction {
        Fraction::reduced(BigUint::from(self.scale.denominator()) * self.steps.get(), self.scale.numerator().into())
    }

    /// 1024a + Z, saturated at ±i64::MAX, which is post-processing.
    pub(super) fn value(&self, edge: bool, coins: &mut NodeCoins) -> i64 {
        let truth = if edge { i128::from(self.steps.get()) } else { 0 };
        let end = i128::from(i64::MAX);
        truth.saturating_add(discrete_laplace(coins, self.scale)).clamp(-end, end) as i64
    }

    /// Z, given that it is at least `level`, from 0 on: how far above, the noise has no memory of.
    pub(super) fn value_from(&self, level: u64, coins: &mut NodeCoins) -> i64 {
        let value = geometric(coins, self.scale).saturating_add(u128::from(level));
        i64::try_from(value).unwrap_or(i64::MAX)
    }

    /// The same if it is less than `below`.
    pub(super) fn value_between(&self, level: u64, below: u64, coins: &mut NodeCoins) -> i64 {
        let value = truncated_geometric(coins, self.scale, below - level).saturating_add(level);
        i64::try_from(value).unwrap_or(i64::MAX)
    }

    /// Lower and upper bound of e^(s·steps) in units of 2^−bits.
    pub(super) fn exp(&self, steps: u64, bits: u64) -> (BigUint, BigUint) {
        exp_bounds_to(steps * self.nanos.get(), self.unit, bits)
    }

    /// Lower and upper bound of 1/P(Z ≥ level) = e^(s·level) + e^(s·(level−1)), for levels from 1
    /// on.
    pub(super) fn rarity(&self, level: u64, bits: u64) -> (BigUint, BigUint) {
        let (a, b) = (self.exp(level, bits), self.exp(level - 1, bits));
        (a.0 + b.0, a.1 + b.1)
    }

    /// A level that a few more than `kept` of `cells` cells reach, expected: by six standard
    /// deviations and 64 more. The highest one; at least 1. In whole numbers, so that it is the
    /// same on every machine.
    pub(super) fn level(&self, kept: u64, cells: u64) -> u64 {
        let wanted = kept + 6 * kept.isqrt() + 64;
        let often_enough = |level| self.rarity(level, SEARCH_BITS).1 * wanted <= BigUint::from(cells) << SEARCH_BITS;
        // e⁴⁴ > 2⁶³: at the upper end not one cell is expected.
        let (mut low, mut high) = (1, 44 * self.unit.get() / self.nanos + 2);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if often_enough(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The next lower level: one that about twice as many cells reach (ln 2 < 0.7); at least 1.
    pub(super) fn next_level(&self, level: u64) -> u64 {
        let width = (7 * self.unit.get()).div_ceil(10 * self.nanos.get());
        level.saturating_sub(width).max(1)
    }
}
