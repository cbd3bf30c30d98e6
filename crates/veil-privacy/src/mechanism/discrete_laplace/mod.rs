//! Discrete Laplace noise on a vector of integers (Ghosh, Roughgarden and Sundararajan 2009; sampled exactly as in
//! Canonne, Kamath and Steinke 2020).
//!
//! Each integer v is released as v + k with P(k) ∝ e^(−ε|k|/Δ₁), independently; a sum outside i64 becomes its end.
//!
//! **Guarantee.** ε, pure, for inputs whose L1 distance is at most Δ₁; unit and trust are those of whoever bounds that
//! distance (counts of one user: *edge-bit* with Δ₁ = 1, local). Moving one coordinate by j multiplies the probability
//! of any output by at most e^(εj/Δ₁), so all coordinates together by at most e^ε. Cutting to i64 is post-processing.
//! ε/Δ₁ is an exact fraction and the sampler uses whole numbers only: see `exact_loss_is_epsilon`.
//!
//! **Not protected.** The number of coordinates. How long sampling took (it grows with the noise drawn).

mod distribution;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

pub use distribution::Distribution;

use super::{ParamError, finite};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::guarantee::ParameterList;
use crate::sampler::{LaplaceScale, discrete_laplace};

/// Name for the coins' context.
pub const NAME: &str = "discrete-laplace";

/// Parameters as a user gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of one release.
    pub epsilon: Epsilon,
    /// Δ₁: how far two adjacent inputs can be apart, in L1 distance.
    pub sensitivity: u64,
}

/// Checked once. Nothing below asks again.
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

    /// The vector with noise. The coins are those of whoever releases it.
    pub fn release(&self, values: &[i64], coins: &mut NodeCoins) -> Vec<i64> {
        values.iter().map(|&value| self.release_one(value, coins)).collect()
    }

    /// One coordinate with noise.
    pub fn release_one(&self, value: i64, coins: &mut NodeCoins) -> i64 {
        let noisy = i128::from(value).saturating_add(discrete_laplace(coins, self.scale));
        // Noise too large to be exact is beyond ±2⁶⁴ and ends here whatever the value is.
        noisy.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// The distribution of one released coordinate.
    pub fn distribution(&self, value: i64) -> Distribution {
        Distribution::new(value, self.scale)
    }
}
