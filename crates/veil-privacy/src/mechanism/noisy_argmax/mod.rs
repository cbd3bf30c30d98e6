//! The largest of several numbers in [0, 1], with Laplace noise on each: the label of a teacher's
//! posterior (PrivGNN, Algorithm 1, line 7).
//!
//! Every number is rounded to a grid of step 2⁻²⁰ and gets [discrete
//! Laplace](super::discrete_laplace) noise of scale β = 1/λ on that grid; the first of the largest
//! is released, and nothing else.
//!
//! **Guarantee.** 2λ, pure, for any two vectors of numbers in [0, 1]; unit and trust are those of
//! the caller (PrivGNN: one *node*, central). Fix the noise of all coordinates but i. Then i wins
//! if and only if its noise reaches some threshold, and between two vectors that threshold moves by
//! at most two units: the number itself by one, its best rival by one. P[noise ≥ t + 2] ≥
//! e^(−2λ)·P[noise ≥ t] on the grid, whose steps divide 1, so no rounding adds to it. See
//! `exact_loss_is_at_most_twice_lambda`.
//!
//! The whole noisy vector is a Laplace mechanism too, and the argmax is post-processing of it. Two
//! posteriors have a distance of at most 2 in L1 (and any other vector is cut down to one): that is
//! what Rényi accounting uses
//! ([`published::noisy_argmax`](crate::accounting::published::noisy_argmax)).
//!
//! **Not protected.** The number of classes. The sampling time.

#[cfg(test)]
mod tests;

use super::{ParamError, discrete_laplace};
use crate::accounting::published::POSTERIOR_STEP_EXPONENT;
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::guarantee::ParameterList;

/// The name in statements and in the coins' context.
pub const NAME: &str = "noisy-argmax";

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// λ = 1/β: the inverse of the noise's scale.
    pub lambda: Epsilon,
    /// The number of numbers.
    pub classes: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoisyArgmax {
    noise: discrete_laplace::DiscreteLaplace,
    exponent: u32,
    params: Params,
}

impl Params {
    /// Computes the noise.
    ///
    /// # Errors
    /// λ is infinite, or there are no classes.
    pub fn check(self) -> Result<NoisyArgmax, ParamError> {
        self.on_grid(POSTERIOR_STEP_EXPONENT)
    }

    /// On a grid of step 2^−exponent: a coarse one lets an auditor enumerate all noise.
    ///
    /// # Errors
    /// As [`check`](Params::check).
    pub fn on_grid(self, exponent: u32) -> Result<NoisyArgmax, ParamError> {
        if self.classes == 0 {
            return Err(ParamError::NoValues);
        }
        let noise = discrete_laplace::Params { epsilon: self.lambda, sensitivity: 1 << exponent }.check()?;
        Ok(NoisyArgmax { noise, exponent, params: self })
    }
}

impl NoisyArgmax {
    /// λ.
    pub fn lambda(&self) -> Epsilon {
        self.params.lambda
    }

    /// The number of numbers.
    pub fn classes(&self) -> u32 {
        self.params.classes
    }

    /// Steps of the grid between 0 and 1.
    fn steps(&self) -> u64 {
        1 << self.exponent
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let Params { lambda, classes, .. } = self.params;
        ParameterList::default().with("lambda", lambda).with("classes", classes).with("step_exponent", self.exponent)
    }

    /// The class with the largest noisy number. NaN and missing numbers count as 0; others are
    /// clipped.
    pub fn release(&self, posterior: &[f32], coins: &mut NodeCoins) -> u32 {
        let mut best = (i64::MIN, 0);
        for (class, steps) in (0..).zip(self.on_the_grid(posterior)) {
            let noisy = self.noise.release_one(steps, coins);
            if class == 0 || noisy > best.0 {
                best = (noisy, class);
            }
        }
        best.1
    }

    /// The numbers in steps. Their sum is at most 1 plus half a step per class: any excess is taken
    /// from the last ones, so two vectors are never further apart than two posteriors.
    fn on_the_grid(&self, posterior: &[f32]) -> Vec<i64> {
        let classes = self.params.classes as usize;
        let mut steps: Vec<i64> = (0..classes).map(|class| self.steps_of(posterior.get(class))).collect();
        let mut beyond = steps.iter().sum::<i64>() - (self.steps() as i64 + classes as i64 / 2);
        for step in steps.iter_mut().rev() {
            let taken = beyond.clamp(0, *step);
            (*step, beyond) = (*step - taken, beyond - taken);
        }
        steps
    }

    fn steps_of(&self, number: Option<&f32>) -> i64 {
        let number = number.copied().filter(|number| !number.is_nan()).unwrap_or(0.0);
        // Exact: a power of two times a float.
        (f64::from(number.clamp(0.0, 1.0)) * self.steps() as f64).round() as i64
    }
}
