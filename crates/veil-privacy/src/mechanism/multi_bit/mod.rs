//! The multi-bit encoder of LPGNN (Sajadmanesh and Gatica-Perez 2021) for a vector of bounded
//! numbers.
//!
//! m of the d dimensions are sampled without replacement; each is sent as one bit ([`one_bit`])
//! that spends ε/m. The report is those m (dimension, sign) pairs: one pair for 1433 dimensions at
//! ε = 3.
//!
//! **Guarantee.** ε, unit *feature* (the whole vector), local, pure. Which dimensions are sampled
//! does not depend on the vector. Given them, the signs are independent, and each changes its
//! probability by at most e^(ε/m) exactly, whatever the vector is replaced by; the product of m is
//! at most e^ε. See `exact_loss_is_at_most_epsilon`.
//!
//! **Not protected.** Who takes part; the number of dimensions and their common range, which are
//! public. Values outside the range are clipped. NaN in a sampled dimension is refused; other
//! dimensions are not read, so the caller has to check for NaN.

mod distribution;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

pub use distribution::{Distribution, Report};

use super::{InputError, OneBit, ParamError, ValueRange, one_bit};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::exact::Fraction;
use crate::fault::{self, Fault};
use crate::guarantee::ParameterList;
use crate::sampler::choose;

/// The name in the coins' context.
pub const NAME: &str = "multi-bit";

/// ε per sampled dimension that minimises the variance: 2.18, as LPGNN derives it, in 10⁻⁹.
const NANOS_PER_SAMPLE: u64 = 2_180_000_000;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// The length of the vector, d.
    pub dimensions: u32,
    /// The public range of every coordinate.
    pub range: ValueRange,
    /// m, the number of sampled dimensions; `None` follows the [rule](default_samples).
    pub samples: Option<u32>,
}

/// The rule m = max(1, min(d, ⌊ε/2.18⌋)), exact in decimals. All dimensions for infinite ε.
pub fn default_samples(epsilon: Epsilon, dimensions: u32) -> u32 {
    let by_budget = epsilon.nanos().map_or(u64::MAX, |nanos| nanos / NANOS_PER_SAMPLE);
    u32::try_from(by_budget).unwrap_or(u32::MAX).min(dimensions).max(1)
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiBit {
    bit: OneBit,
    dimensions: u32,
    samples: NonZeroU32,
    scale: f64,
}

impl Params {
    /// Applies the rule for m and computes the threshold.
    ///
    /// # Errors
    /// ε is infinite, d is 0, m is not in 1..=d, or the rectified value would overflow.
    pub fn check(self) -> Result<MultiBit, ParamError> {
        let Params { epsilon, dimensions, range, samples } = self;
        if dimensions == 0 {
            return Err(ParamError::NoDimensions);
        }
        let wanted = samples.unwrap_or_else(|| default_samples(epsilon, dimensions));
        let samples = NonZeroU32::new(wanted)
            .filter(|samples| samples.get() <= dimensions)
            .ok_or(ParamError::BadSamples { samples: wanted, dimensions })?;
        let bit = one_bit::Params { epsilon, range }.check_divided(samples)?;
        // A dimension is sampled with probability m/d.
        let scale = bit.scale() * (f64::from(dimensions) / f64::from(samples.get()));
        if !scale.is_finite() {
            return Err(ParamError::ScaleOverflow { low: range.low(), high: range.high() });
        }
        Ok(MultiBit { bit, dimensions, samples, scale })
    }
}

impl MultiBit {
    /// ε of one report.
    pub fn epsilon(&self) -> Epsilon {
        self.bit.epsilon()
    }

    /// The length of the vector, d.
    pub fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// m, the number of dimensions in a report.
    pub fn samples(&self) -> u32 {
        self.samples.get()
    }

    /// The public range of every coordinate.
    pub fn range(&self) -> ValueRange {
        self.bit.range()
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        ParameterList::default()
            .with("epsilon", self.epsilon())
            .with("dimensions", self.dimensions)
            .with("samples", self.samples)
            .with("range", self.range())
    }

    /// One user's report, appended to `out`: m pairs (dimension, whether the sign is +), sorted by
    /// dimension. `row` is read at the sampled dimensions only. The coins are the user's own.
    ///
    /// # Errors
    /// If a sampled coordinate is NaN; `out` is then as before.
    pub fn report(
        &self,
        row: impl Fn(u32) -> f32,
        coins: &mut NodeCoins,
        out: &mut Vec<(u32, bool)>,
    ) -> Result<(), InputError> {
        let before = out.len();
        let mut send = |dimension: u32, coins: &mut NodeCoins| {
            let sign = self.bit.report_dimension(f64::from(row(dimension)), dimension, coins)?;
            out.push((dimension, sign));
            Ok(())
        };
        let sent = if self.samples() == 1 {
            // The draw of `choose`, without its list.
            let dimension = coins.below(u64::from(self.dimensions)) as u32;
            let largest = || (0..self.dimensions).max_by(|&a, &b| row(a).total_cmp(&row(b))).unwrap_or(0);
            let dimension = if fault::is(Fault::DimensionByValue) { largest() } else { dimension };
            send(dimension, coins)
        } else {
            choose(coins, self.samples(), self.dimensions).into_iter().try_for_each(|dimension| send(dimension, coins))
        };
        if sent.is_err() {
            out.truncate(before);
        }
        sent
    }

    /// The estimate in a dimension that was not sampled: the middle of the range.
    pub fn offset(&self) -> f64 {
        self.range().middle()
    }

    /// The estimate in a sampled dimension is [`offset`](Self::offset) ± scale:
    /// d(β−α)/(2m)·(e^(ε/m)+1)/(e^(ε/m)−1), from the implemented threshold, so that it is unbiased.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The least probability either sign of a sampled dimension can have; one minus it is the
    /// largest.
    pub fn least(&self) -> Fraction {
        self.bit.least()
    }

    /// The exact distribution of the report of one vector. Reads all dimensions.
    ///
    /// # Errors
    /// If a coordinate is NaN.
    pub fn distribution(&self, row: impl Fn(u32) -> f32) -> Result<Distribution, InputError> {
        let positive = (0..self.dimensions)
            .map(|dimension| self.bit.positive_dimension(f64::from(row(dimension)), dimension))
            .collect::<Result<_, _>>()?;
        Ok(Distribution::new(positive, self.samples()))
    }
}
