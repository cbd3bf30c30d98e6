//! The distribution of one released integer.

use num_bigint::BigUint;

use crate::exact::Fraction;
use crate::sampler::LaplaceScale;

/// v + discrete Laplace noise, saturated to i64.
///
/// The probabilities are irrational and given as floats. The privacy loss, the slope of the
/// log-probability, is an exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distribution {
    value: i64,
    scale: LaplaceScale,
}

impl Distribution {
    pub(super) fn new(value: i64, scale: LaplaceScale) -> Distribution {
        Distribution { value, scale }
    }

    /// ε/Δ₁ exactly: moving the input by one changes the log-probability of an output by this, up
    /// or down (for the two ends of i64, which collect tails, by at most this).
    pub fn step(&self) -> Fraction {
        Fraction::reduced(BigUint::from(self.scale.denominator()), BigUint::from(self.scale.numerator()))
    }

    /// The logarithm of the probability of `output`.
    pub fn log_probability(&self, output: i64) -> f64 {
        let step = self.step().to_f64();
        let distance = output.abs_diff(self.value) as f64;
        // With q = e^−step: P(k) = (1−q)/(1+q)·q^|k|, and a tail from distance n on is q^n/(1+q).
        let below_one = -(-step).exp_m1();
        let log_tail = -step * distance - (-step).exp().ln_1p();
        if output == i64::MIN || output == i64::MAX { log_tail } else { below_one.ln() + log_tail }
    }

    /// The probability of `output`.
    pub fn probability(&self, output: i64) -> f64 {
        self.log_probability(output).exp()
    }
}
