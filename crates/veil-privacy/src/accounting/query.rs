//! The loss of one answer.

use super::error::{AccountingError, positive};
use super::logs::{ln_1p_exp, ln_expm1};
use super::{finite, laplace};

/// The loss of one answer without sampling: a pair of distributions that dominates every pair of
/// adjacent inputs. All of these have an exchange symmetry (see [`sampling`](super::sampling)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query {
    /// Continuous Laplace noise. Also on each coordinate of a vector: the worst is that one
    /// coordinate takes the whole shift. (ln E is convex in the shift, and 0 at 0: see the module
    /// `laplace`. Tested numerically.)
    Laplace {
        /// L1 distance over the scale.
        shift: f64,
    },
    /// Laplace noise on integers, P(k) ∝ e^(−|k|/scale), as sampled. Also on vectors, likewise.
    DiscreteLaplace {
        /// L1 distance, in steps of the grid.
        steps: u64,
        /// The scale, in steps of the grid.
        scale_steps: f64,
    },
    /// The same on a vector no coordinate of which moves far: votes (one count up, one down), or a
    /// posterior, each part of which lies between 0 and 1. The worst is ⌊steps/each⌋ coordinates at
    /// `each` and one at the remainder.
    DiscreteLaplaceVector {
        /// L1 distance, in steps of the grid.
        steps: u64,
        /// The sensitivity of one coordinate, in steps of the grid.
        each: u64,
        /// The scale, in steps of the grid.
        scale_steps: f64,
    },
    /// Gaussian noise, also on vectors, by its Rényi divergence αs²/2. This covers the discrete
    /// Gaussian with the same σ on integers as well (Canonne, Kamath and Steinke 2020, Proposition
    /// 5), also coordinate by coordinate.
    Gaussian {
        /// L2 distance over σ.
        shift: f64,
    },
    /// k-ary randomised response on the answer.
    RandomisedResponse {
        /// k.
        classes: u32,
        /// Its pure loss.
        epsilon: f64,
    },
    /// Anything with a pure loss: dominated by binary randomised response (Kairouz, Oh and
    /// Viswanath 2015).
    Pure {
        /// Its pure loss.
        epsilon: f64,
    },
}

/// The randomised response that dominates a query.
#[derive(Clone, Copy)]
pub(super) struct Response {
    pub values: u32,
    pub epsilon: f64,
}

impl Query {
    /// Whether the numbers are in range.
    pub(super) fn check(self) -> Result<Query, AccountingError> {
        match self {
            Query::Laplace { shift } | Query::Gaussian { shift } => positive("the shift", shift).map(|_| ()),
            Query::DiscreteLaplace { steps, scale_steps } => grid(steps, steps, scale_steps),
            Query::DiscreteLaplaceVector { steps, each, scale_steps } => grid(steps, each, scale_steps),
            Query::RandomisedResponse { classes, epsilon } => {
                if classes < 2 {
                    return Err(AccountingError::Classes { given: classes });
                }
                positive("the epsilon of a query", epsilon).map(|_| ())
            }
            Query::Pure { epsilon } => positive("the epsilon of a query", epsilon).map(|_| ()),
        }?;
        Ok(self)
    }

    /// ln(E − 1) at a real order above 1, E the α-th moment of the ratio.
    pub(super) fn ln_excess(self, order: f64) -> f64 {
        match self {
            Query::Laplace { shift } => laplace::ln_excess(order, shift),
            Query::DiscreteLaplace { steps, scale_steps } => {
                laplace::ln_excess_discrete(order, steps as f64, scale_steps)
            }
            Query::DiscreteLaplaceVector { steps, each, scale_steps } => {
                let one = |steps: u64| laplace::ln_excess_discrete(order, steps as f64, scale_steps);
                if each == steps {
                    return one(steps);
                }
                let remainder = steps % each;
                let rest = if remainder == 0 { 0.0 } else { ln_1p_exp(one(remainder)) };
                ln_expm1((steps / each) as f64 * ln_1p_exp(one(each)) + rest)
            }
            Query::Gaussian { shift } => ln_expm1(order * (order - 1.0) * shift * shift / 2.0),
            Query::RandomisedResponse { classes, epsilon } => response_ln_excess(order, classes, epsilon),
            Query::Pure { epsilon } => response_ln_excess(order, 2, epsilon),
        }
    }

    /// The pure loss, if there is one.
    pub(super) fn pure(self) -> Option<f64> {
        match self {
            Query::Laplace { shift } => Some(shift),
            Query::DiscreteLaplace { steps, scale_steps } | Query::DiscreteLaplaceVector { steps, scale_steps, .. } => {
                Some(steps as f64 / scale_steps)
            }
            Query::Gaussian { .. } => None,
            Query::RandomisedResponse { epsilon, .. } | Query::Pure { epsilon } => Some(epsilon),
        }
    }

    /// The randomised response that dominates it: itself, or the binary one with its pure loss.
    pub(super) fn response(self) -> Option<Response> {
        match self {
            Query::RandomisedResponse { classes, epsilon } => Some(Response { values: classes, epsilon }),
            _ => self.pure().map(|epsilon| Response { values: 2, epsilon }),
        }
    }

    /// The pairs of a query that is randomised response (not merely dominated by it), on a sample.
    pub(super) fn finite(self, gamma: f64) -> Option<[finite::Pair; 2]> {
        match self {
            Query::RandomisedResponse { classes, epsilon } => Some(finite::pairs(classes, epsilon, gamma)),
            Query::Pure { epsilon } => Some(finite::pairs(2, epsilon, gamma)),
            _ => None,
        }
    }
}

fn grid(steps: u64, each: u64, scale_steps: f64) -> Result<(), AccountingError> {
    if each == 0 || each > steps {
        return Err(AccountingError::Steps { steps, each });
    }
    if !(scale_steps > 0.0 && scale_steps.is_finite()) {
        return Err(AccountingError::NotPositive { what: "the scale", given: scale_steps });
    }
    positive("the shift", steps as f64 / scale_steps).map(|_| ())
}

/// p^α·q^(1−α) + q^α·p^(1−α) + (k−2)q less 1 is q·e^−u·(e^u − 1)(e^(αε) − 1), u = (α−1)ε: nothing
/// cancels.
fn response_ln_excess(order: f64, values: u32, epsilon: f64) -> f64 {
    let ln_flip = -epsilon - libm::log1p(f64::from(values - 1) * libm::exp(-epsilon));
    let u = (order - 1.0) * epsilon;
    ln_flip - u + ln_expm1(u) + ln_expm1(order * epsilon)
}
