//! The distribution of one released coordinate.

use crate::sampler::Variance;

/// The distribution of an integer with discrete Gaussian noise, as floats: the probabilities are
/// irrational.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distribution {
    value: i64,
    variance: Variance,
}

impl Distribution {
    pub(super) fn new(value: i64, variance: Variance) -> Distribution {
        Distribution { value, variance }
    }

    /// The logarithm of the probability of `output`.
    pub fn log_probability(&self, output: i64) -> f64 {
        let squared = self.variance.to_f64();
        let distance = output.abs_diff(self.value) as f64;
        // Σ e^(−k²/2σ²) = √(2πσ²)·(1 + 2Σ e^(−2π²σ²n²)) (Poisson): here σ² ≥ 1, so two terms are
        // exact.
        let term = |n: f64| libm::exp(-2.0 * std::f64::consts::PI.powi(2) * squared * n * n);
        let sum = (2.0 * std::f64::consts::PI * squared).sqrt() * (1.0 + 2.0 * (term(1.0) + term(2.0)));
        -distance * distance / (2.0 * squared) - libm::log(sum)
    }

    /// The probability of `output`.
    pub fn probability(&self, output: i64) -> f64 {
        libm::exp(self.log_probability(output))
    }
}
