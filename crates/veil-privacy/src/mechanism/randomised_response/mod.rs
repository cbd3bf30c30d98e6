//! Randomised response on one of `k` values (Warner 1965; k-ary as in LPGNN, Sajadmanesh and
//! Gatica-Perez 2021).
//!
//! The true value is kept with probability e^ε/(e^ε+k−1), else each other value is sent with equal
//! probability.
//!
//! **Guarantee.** ε, unit *label*, local, pure. Let a word flip if it is below f. An output equal
//! to the truth has probability 1 − f/2⁶⁴, any other f/(2⁶⁴(k−1)), so between two truths an
//! output's probability changes by the ratio of these or not at all. f is rounded up from
//! 2⁶⁴(k−1)/(e^ε+k−1), hence the ratio is ≤ e^ε exactly: see `exact_loss_is_at_most_epsilon`. With
//! k = 1 there is nothing to hide: the report is constant, the loss 0.
//!
//! **Not protected.** Who takes part, and that a report exists; the set of values, which is public.

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

use num_bigint::BigUint;
use num_traits::One;

use super::{InputError, ParamError, finite};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::exact::{Fraction, flip_threshold};
use crate::fault::{self, Fault};
use crate::guarantee::ParameterList;
use crate::sampler::bernoulli_threshold;

/// The name in the coins' context.
pub const NAME: &str = "randomised-response";

/// Parameters; [`check`](Params::check) makes a mechanism of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The privacy loss of one report.
    pub epsilon: Epsilon,
    /// The number of values, k: reports are below it.
    pub values: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomisedResponse {
    flip_below: u64,
    values: NonZeroU32,
    epsilon: Epsilon,
}

impl Params {
    /// Computes the threshold.
    ///
    /// # Errors
    /// ε is infinite, or there are no values.
    pub fn check(self) -> Result<RandomisedResponse, ParamError> {
        let (numerator, denominator) = finite(self.epsilon)?;
        let values = NonZeroU32::new(self.values).ok_or(ParamError::NoValues)?;
        let flip_below = flip_threshold(numerator.get(), denominator, values);
        let flip_below = flip_below - u64::from(fault::is(Fault::FlipRoundedDown));
        Ok(RandomisedResponse { flip_below, values, epsilon: self.epsilon })
    }
}

impl RandomisedResponse {
    /// ε of one report.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// The number of values.
    pub fn values(&self) -> u32 {
        self.values.get()
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        ParameterList::default().with("epsilon", self.epsilon).with("values", self.values)
    }

    /// One user's report, drawn with the user's own coins.
    ///
    /// # Errors
    /// If `truth` is not one of the values.
    pub fn report(&self, truth: u32, coins: &mut NodeCoins) -> Result<u32, InputError> {
        self.known(truth)?;
        if !bernoulli_threshold(coins, self.flip_below.into()) {
            return Ok(truth);
        }
        // Only reached with at least two values: with one, no word is below 0.
        let others = self.values() - 1;
        let other = match () {
            () if fault::is(Fault::OtherNeverSent) => coins.below(u64::from(others.max(2) - 1)) as u32,
            () if fault::is(Fault::OtherByRemainder) => coins.below(u64::from(others + 1)) as u32 % others,
            () => coins.below(u64::from(others)) as u32,
        };
        Ok(other + u32::from(other >= truth))
    }

    /// The exact probability of keeping the truth.
    pub fn keep(&self) -> Fraction {
        Fraction::of_words((1 << 64) - u128::from(self.flip_below))
    }

    /// The exact probability of each particular other value (0 if there is none).
    pub fn exchange(&self) -> Fraction {
        let others = BigUint::from(self.values() - 1);
        Fraction::new(self.flip_below, others * (BigUint::one() << 64_u32)).unwrap_or_else(Fraction::zero)
    }

    /// P[truth → ·] for all values, exactly.
    ///
    /// # Errors
    /// If `truth` is not one of the values.
    pub fn distribution(&self, truth: u32) -> Result<Vec<Fraction>, InputError> {
        self.known(truth)?;
        let (keep, exchange) = (self.keep(), self.exchange());
        Ok((0..self.values()).map(|value| if value == truth { keep.clone() } else { exchange.clone() }).collect())
    }

    /// P[truth → report] as floats, one row for each truth, for forward correction (Patrini et al.
    /// 2017). Needs k² floats; for many values use [`keep`](Self::keep) and
    /// [`exchange`](Self::exchange), which determine it.
    pub fn transition_matrix(&self) -> Vec<Vec<f64>> {
        let (keep, exchange) = (self.keep().to_f64(), self.exchange().to_f64());
        (0..self.values())
            .map(|truth| (0..self.values()).map(|value| if value == truth { keep } else { exchange }).collect())
            .collect()
    }

    fn known(&self, value: u32) -> Result<(), InputError> {
        if value < self.values() { Ok(()) } else { Err(InputError::UnknownValue { value, values: self.values() }) }
    }
}
