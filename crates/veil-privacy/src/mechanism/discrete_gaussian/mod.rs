//! Discrete Gaussian noise on a vector of integers (Canonne, Kamath and Steinke 2020).
//!
//! Each integer v is released as v + k with P(k) ∝ e^(−k²/2σ²), independently; sums saturate at the
//! ends of i64.
//!
//! **Guarantee.** Δ₂²/2σ²-zCDP for inputs whose L2 distance is at most Δ₂; unit and trust are those
//! of the caller that bounds this distance. Moving one coordinate by an integer j costs a Rényi
//! divergence of at most αj²/2σ² at every order α (Proposition 5), coordinates are independent, so
//! all of them together cost αΔ₂²/2σ²: that of [`Query::Gaussian`] with the shift Δ₂/σ. Saturation
//! is post-processing. The shift is a decimal, σ² is rounded up to a whole number, and the sampler
//! uses whole numbers only: see `the_shift_is_at_most_what_was_said` and
//! `loss_from_the_probabilities`.
//!
//! **Not protected.** The number of coordinates. The sampling time, which grows with the noise
//! drawn.

mod distribution;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

pub use distribution::Distribution;

use super::{ParamError, finite};
use crate::accounting::Query;
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::fault::{self, Fault};
use crate::guarantee::ParameterList;
use crate::sampler::{Variance, discrete_gaussian};

/// The name in the coins' context.
pub const NAME: &str = "discrete-gaussian";

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Δ₂/σ, a decimal: what [`calibrate`](crate::accounting::calibrate) finds for an ε and a δ.
    pub shift: Epsilon,
    /// Δ₂², the square of the L2 sensitivity.
    pub sensitivity_squared: u64,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteGaussian {
    variance: Variance,
    whole: NonZeroU64,
    shift: Epsilon,
    sensitivity_squared: NonZeroU64,
}

impl Params {
    /// Computes σ² = ⌈Δ₂²/shift²⌉.
    ///
    /// # Errors
    /// The shift is infinite, the sensitivity is 0, or the noise exceeds the range of integers.
    pub fn check(self) -> Result<DiscreteGaussian, ParamError> {
        let (numerator, denominator) = finite(self.shift)?;
        let sensitivity_squared =
            NonZeroU64::new(self.sensitivity_squared).ok_or(ParamError::BadSensitivity { given: 0.0 })?;
        let wide = |n: NonZeroU64| u128::from(n.get());
        // Denominators of a decimal are at most 10⁹: the product is below 2¹²⁴.
        let top = wide(sensitivity_squared) * wide(denominator) * wide(denominator);
        let mut squared = top.div_ceil(wide(numerator) * wide(numerator));
        if fault::is(Fault::VarianceHalved) {
            squared = squared.div_ceil(2);
        }
        let whole = u64::try_from(squared).ok().and_then(NonZeroU64::new);
        let variance = whole.and_then(|whole| Some((whole, Variance::new(whole, NonZeroU64::MIN)?)));
        let (whole, variance) = variance.ok_or(ParamError::TooMuchNoise { shift: self.shift })?;
        Ok(DiscreteGaussian { variance, whole, shift: self.shift, sensitivity_squared })
    }
}

impl DiscreteGaussian {
    /// σ², in steps of one.
    pub fn variance(&self) -> u64 {
        self.whole.get()
    }

    /// Δ₂².
    pub fn sensitivity_squared(&self) -> u64 {
        self.sensitivity_squared.get()
    }

    /// The dominating query, with the given shift, which is not below Δ₂/σ.
    pub fn query(&self) -> Query {
        Query::Gaussian { shift: self.shift.as_f64() }
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let squared = self.sensitivity_squared;
        ParameterList::default()
            .with("shift", self.shift)
            .with("sensitivity_squared", squared)
            .with("variance", self.whole)
    }

    /// Whether a statement lists these parameters, the variance too, which follows from the others.
    pub(crate) fn is_listed_in(&self, stated: &ParameterList) -> bool {
        self.parameters().iter().all(|(name, value)| stated.get(name) == Some(value))
    }

    /// The vector with noise, drawn with the coins of the releasing party.
    pub fn release(&self, values: &[i64], coins: &mut NodeCoins) -> Vec<i64> {
        values.iter().map(|&value| self.release_one(value, coins)).collect()
    }

    fn release_one(&self, value: i64, coins: &mut NodeCoins) -> i64 {
        let noisy = i128::from(value).saturating_add(discrete_gaussian(coins, self.variance));
        noisy.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// The distribution of one released coordinate, before saturation.
    pub fn distribution(&self, value: i64) -> Distribution {
        Distribution::new(value, self.variance)
    }
}
