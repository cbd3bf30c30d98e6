//! Laplace noise on a grid, for vectors of real numbers.
//!
//! Each number is clipped to a public bound, rounded to the nearest multiple of h = 2^−g, and
//! released with [discrete Laplace](super::discrete_laplace) noise on that grid. Adding a
//! floating-point Laplace sample would leak the input through the low bits of the sum (Mironov
//! 2012).
//!
//! **Guarantee.** ε, pure, for inputs whose L1 distance is at most Δ₁ *after cleaning* (NaN
//! replaced by 0, the rest clipped to ±bound); unit and trust are those of the caller that bounds
//! this distance. Clipping brings no two inputs further apart. Rounding moves each coordinate by at
//! most h/2, so the distance in steps is at most Δ₁/h plus one for each coordinate; that, rounded
//! up, is the sensitivity of the discrete mechanism. Multiplying by h is post-processing.
//!
//! **Not protected.** The number of coordinates. A Δ₁ derived for numbers does not cover a pair of
//! inputs with NaN against a number further than Δ₁ from 0: derive it for cleaned vectors.

#[cfg(test)]
mod tests;

use super::{InputError, ParamError, discrete_laplace};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::guarantee::ParameterList;

/// The name in the coins' context.
pub const NAME: &str = "grid-laplace";

/// Within 2^±256 every product below is an exact float or rounds to 0.
const STEP_LIMIT: i32 = 256;
/// The largest bound or sensitivity in steps, far from the ends of i64.
const MOST_STEPS: f64 = (1_u64 << 62) as f64;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The privacy loss of one release.
    pub epsilon: Epsilon,
    /// Δ₁, the L1 sensitivity of cleaned vectors.
    pub l1_sensitivity: f64,
    /// The number of coordinates.
    pub coordinates: u32,
    /// g: the grid's step is 2^−g.
    pub step_exponent: i32,
    /// Numbers are clipped to −bound..bound. Public.
    pub bound: f64,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridLaplace {
    noise: discrete_laplace::DiscreteLaplace,
    params: Params,
}

impl Params {
    /// Computes the sensitivity in steps, rounded up.
    ///
    /// # Errors
    /// ε is infinite; there are no coordinates; Δ₁ or the bound is not positive and finite or does
    /// not fit the grid.
    pub fn check(self) -> Result<GridLaplace, ParamError> {
        let Params { epsilon, l1_sensitivity, coordinates, step_exponent, bound } = self;
        if coordinates == 0 {
            return Err(ParamError::NoDimensions);
        }
        if !(l1_sensitivity > 0.0 && l1_sensitivity.is_finite()) {
            return Err(ParamError::BadSensitivity { given: l1_sensitivity });
        }
        if !(bound > 0.0 && bound.is_finite()) {
            return Err(ParamError::BadBound { given: bound });
        }
        if !(-STEP_LIMIT..=STEP_LIMIT).contains(&step_exponent) {
            return Err(ParamError::BadStep { given: step_exponent, limit: STEP_LIMIT });
        }
        let in_steps = |what, value: f64| {
            // A power of two, so the product is exact unless it underflows; at least 1 covers that.
            let steps = (value * 2_f64.powi(step_exponent)).ceil().max(1.0);
            if steps <= MOST_STEPS {
                Ok(steps as u64)
            } else {
                Err(ParamError::TooManySteps { what, value, step_exponent })
            }
        };
        in_steps("the bound", bound)?;
        let sensitivity = in_steps("the sensitivity", l1_sensitivity)? + u64::from(coordinates);
        let noise = discrete_laplace::Params { epsilon, sensitivity }.check()?;
        Ok(GridLaplace { noise, params: self })
    }
}

impl GridLaplace {
    /// ε of one release.
    pub fn epsilon(&self) -> Epsilon {
        self.params.epsilon
    }

    /// The grid's step, h.
    pub fn step(&self) -> f64 {
        2_f64.powi(-self.params.step_exponent)
    }

    /// The sensitivity in steps: ⌈Δ₁/h⌉ + coordinates.
    pub fn sensitivity_in_steps(&self) -> u64 {
        self.noise.sensitivity()
    }

    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let Params { epsilon, l1_sensitivity, coordinates, step_exponent, bound } = self.params;
        ParameterList::default()
            .with("epsilon", epsilon)
            .with("l1_sensitivity", l1_sensitivity)
            .with("coordinates", coordinates)
            .with("step_exponent", step_exponent)
            .with("bound", bound)
    }

    /// A number on the grid, in steps: NaN becomes 0, the rest is clipped to the bound and rounded
    /// to the nearest.
    pub fn to_steps(&self, x: f64) -> i64 {
        if x.is_nan() {
            return 0;
        }
        let clipped = x.clamp(-self.params.bound, self.params.bound);
        (clipped * 2_f64.powi(self.params.step_exponent)).round() as i64
    }

    /// The vector with noise, each coordinate a multiple of the step, up to float rounding.
    ///
    /// # Errors
    /// If the vector has another length than the parameters, which would invalidate the
    /// sensitivity.
    pub fn release(&self, values: &[f64], coins: &mut NodeCoins) -> Result<Vec<f64>, InputError> {
        let steps = self.release_steps(values, coins)?;
        Ok(steps.into_iter().map(|steps| steps as f64 * self.step()).collect())
    }

    /// As [`release`](Self::release), counted in steps.
    ///
    /// # Errors
    /// As [`release`](Self::release).
    pub fn release_steps(&self, values: &[f64], coins: &mut NodeCoins) -> Result<Vec<i64>, InputError> {
        let expected = self.params.coordinates;
        if values.len() != expected as usize {
            return Err(InputError::WrongLength { given: values.len(), expected });
        }
        Ok(values.iter().map(|&x| self.noise.release_one(self.to_steps(x), coins)).collect())
    }

    /// The distribution of one released coordinate, in steps.
    pub fn distribution(&self, x: f64) -> discrete_laplace::Distribution {
        self.noise.distribution(self.to_steps(x))
    }
}
