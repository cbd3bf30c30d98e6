//! One bit for one bounded number (Ding, Kulkarni and Yekhanin 2017).
//!
//! x in the public [α, β] is sent as +1 with probability 1/(e^ε+1) + (x−α)/(β−α)·(e^ε−1)/(e^ε+1),
//! else as −1.
//!
//! **Guarantee.** ε, unit *feature* (of one dimension), local, pure. Whatever x is, the number of
//! words that say +1 is clamped to [lo, 2⁶⁴−lo], so both answers have a probability between lo/2⁶⁴
//! and 1−lo/2⁶⁴. lo is rounded up from 2⁶⁴/(e^ε+1), hence the ratio (2⁶⁴−lo)/lo is ≤ e^ε exactly.
//! Where in between the threshold lies is computed in floating point and rounded; that can cost
//! accuracy (2⁻⁵² of it), never privacy.
//!
//! **Not protected.** Who takes part; the range, which is public. Values outside it are clipped,
//! NaN is refused.

#[cfg(test)]
mod tests;

use std::num::{NonZeroU32, NonZeroU64};

use super::{InputError, ParamError, ValueRange, finite};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::exact::{Fraction, one_bit_floor};
use crate::fault::{self, Fault};
use crate::guarantee::ParameterList;
use crate::sampler::bernoulli_threshold;

/// The name in the coins' context.
pub const NAME: &str = "one-bit";

const WORDS: u128 = 1 << 64;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// The public range.
    pub range: ValueRange,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneBit {
    /// The number of words that mean +1 at the lower end of the range, and −1 at the upper end.
    floor: u64,
    scale: f64,
    epsilon: Epsilon,
    share: NonZeroU32,
    range: ValueRange,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// ε is infinite, or the rectified value would overflow.
    pub fn check(self) -> Result<OneBit, ParamError> {
        self.check_divided(NonZeroU32::MIN)
    }

    /// For one of `share` bits that spend ε together: each spends exactly ε/`share`, a fraction
    /// that need not be a decimal.
    ///
    /// # Errors
    /// As [`check`](Params::check).
    pub fn check_divided(self, share: NonZeroU32) -> Result<OneBit, ParamError> {
        let (numerator, denominator) = finite(self.epsilon)?;
        // 10⁹·2³² is below 2⁶⁴: nothing saturates.
        let floor = one_bit_floor(numerator.get(), denominator.saturating_mul(NonZeroU64::from(share)));
        // E[±1] = t·(1 − 2lo/2⁶⁴) for t in [−1, 1]: undone by the same lo that is used, not by the
        // ideal one.
        let scale = self.range.width() / 2.0 / Fraction::of_words(WORDS - 2 * u128::from(floor)).to_f64();
        if !scale.is_finite() {
            return Err(ParamError::ScaleOverflow { low: self.range.low(), high: self.range.high() });
        }
        Ok(OneBit { floor, scale, epsilon: self.epsilon, share, range: self.range })
    }
}

impl OneBit {
    /// ε of one report (of all bits together, if it is divided).
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// The public range.
    pub fn range(&self) -> ValueRange {
        self.range
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.epsilon).with("share", self.share).with("range", self.range)
    }

    /// One user's report: whether the bit is +1. Uses one word.
    ///
    /// # Errors
    /// If `x` is NaN.
    pub fn report(&self, x: f64, coins: &mut NodeCoins) -> Result<bool, InputError> {
        self.report_dimension(x, 0, coins)
    }

    /// As `report`, for a coordinate that an error names.
    pub(super) fn report_dimension(&self, x: f64, dimension: u32, coins: &mut NodeCoins) -> Result<bool, InputError> {
        let threshold = self.threshold(x).ok_or(InputError::NotANumber { dimension })?;
        Ok(bernoulli_threshold(coins, threshold))
    }

    /// The number of words that mean +1.
    fn threshold(&self, x: f64) -> Option<u128> {
        let floor = u128::from(self.floor) >> u32::from(fault::is(Fault::SignThresholdHalved));
        if fault::is(Fault::OutsideSentAsItIs) && (x < self.range.low() || x > self.range.high()) {
            return Some(if x > self.range.high() { WORDS } else { 0 });
        }
        // A float in [0, 1] times 2⁶⁴ is exact; the product with the width stays below 2¹²⁸ because
        // floor ≥ 1.
        let position = ((self.range.position(x)? * 2_f64.powi(64)) as u128).min(WORDS);
        let threshold = floor + ((position * (WORDS - 2 * floor)) >> 64);
        // The guarantee rests on this clamp alone, whatever the arithmetic above does.
        Some(threshold.clamp(floor, WORDS - floor))
    }

    /// P[x → +1], exactly.
    ///
    /// # Errors
    /// If `x` is NaN.
    pub fn positive(&self, x: f64) -> Result<Fraction, InputError> {
        self.positive_dimension(x, 0)
    }

    pub(super) fn positive_dimension(&self, x: f64, dimension: u32) -> Result<Fraction, InputError> {
        self.threshold(x).map(Fraction::of_words).ok_or(InputError::NotANumber { dimension })
    }

    /// P[x → −1] and P[x → +1], exactly.
    ///
    /// # Errors
    /// If `x` is NaN.
    pub fn distribution(&self, x: f64) -> Result<[Fraction; 2], InputError> {
        let threshold = self.threshold(x).ok_or(InputError::NotANumber { dimension: 0 })?;
        Ok([Fraction::of_words(WORDS - threshold), Fraction::of_words(threshold)])
    }

    /// The least probability either answer can have; one minus it is the largest.
    pub fn least(&self) -> Fraction {
        Fraction::of_words(u128::from(self.floor))
    }

    /// The unbiased estimate of x from its bit: middle ± [`scale`](OneBit::scale).
    pub fn rectify(&self, positive: bool) -> f64 {
        if positive { self.range.middle() + self.scale } else { self.range.middle() - self.scale }
    }

    /// (β−α)/2 · (e^ε+1)/(e^ε−1), from the implemented threshold, so that the estimate is unbiased.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}
