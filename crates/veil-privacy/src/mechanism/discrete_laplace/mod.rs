//! Discrete Laplace noise on a vector of integers (Ghosh, Roughgarden and Sundararajan 2009;
//! sampled exactly as in Canonne, Kamath and Steinke 2020).
//!
//! Each integer v is released as v + k with P(k) ∝ e^(−ε|k|/Δ₁), independently; sums saturate at
//! the ends of i64.
//!
//! **Guarantee.** ε, pure, for inputs whose L1 distance is at most Δ₁; unit and trust are those of
//! the caller that bounds this distance (counts of one user: *edge-bit* with Δ₁ = 1, local). Moving
//! one coordinate by j multiplies the probability of any output by at most e^(εj/Δ₁), so all
//! coordinates together by at most e^ε. Saturation is post-processing. ε/Δ₁ is an exact fraction
//! and the sampler uses whole numbers only: see `exact_loss_is_epsilon`.
//!
//! **Not protected.** The number of coordinates. The sampling time, which grows with the noise
//! drawn.

mod distribution;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

pub use distribution::Distribution;

use super::{ParamError, finite};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::fault::{self, Fault};
use crate::guarantee::ParameterList;
use crate::sampler::{LaplaceScale, discrete_laplace};

/// The name in the coins' context.
pub const NAME: &str = "discrete-laplace";

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of one release.
    pub epsilon: Epsilon,
    /// Δ₁, the L1 sensitivity.
    pub sensitivity: u64,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscreteLaplace {
    scale: LaplaceScale,
    epsilon: Epsilon,
    sensitivity: NonZeroU64,
}

impl Params {
    /// Computes the scale Δ₁/ε, a fraction.
    ///
    /// # Errors
    /// ε is infinite, or the sensitivity is 0.
    pub fn check(self) -> Result<DiscreteLaplace, ParamError> {
        let (numerator, denominator) = finite(self.epsilon)?;
        let sensitivity = NonZeroU64::new(self.sensitivity).ok_or(ParamError::BadSensitivity { given: 0.0 })?;
        let scale = LaplaceScale::new(sensitivity, numerator, denominator);
        Ok(DiscreteLaplace { scale, epsilon: self.epsilon, sensitivity })
    }
}

impl DiscreteLaplace {
    /// ε of one release.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// Δ₁.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity.get()
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.epsilon).with("sensitivity", self.sensitivity)
    }

    /// The vector with noise, drawn with the coins of the releasing party.
    pub fn release(&self, values: &[i64], coins: &mut NodeCoins) -> Vec<i64> {
        values.iter().map(|&value| self.release_one(value, coins)).collect()
    }

    /// One coordinate with noise.
    pub fn release_one(&self, value: i64, coins: &mut NodeCoins) -> i64 {
        let noise = match discrete_laplace(coins, self.scale) {
            noise if fault::is(Fault::NoiseHalved) => noise / 2,
            noise if fault::is(Fault::NoiseOneSided) => noise.abs(),
            noise => noise,
        };
        let noisy = i128::from(value).saturating_add(noise);
        // Noise too large to be exact is beyond ±2⁶⁴ and saturates for every value.
        noisy.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// The distribution of one released coordinate.
    pub fn distribution(&self, value: i64) -> Distribution {
        Distribution::new(value, self.scale)
    }
}
