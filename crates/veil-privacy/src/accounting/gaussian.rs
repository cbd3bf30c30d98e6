//! The exact curve of continuous Gaussian noise (Balle and Wang 2018, Theorem 8).
//!
//! It is exact for continuous noise, also composed: n answers with shift s are one with shift s√n.
//! It is **not** used for a [`Spending`](super::Spending), because continuous noise cannot be
//! sampled exactly and we know no proof that the discrete Gaussian stays below this curve. The
//! Rényi divergence αs²/2 holds for both.

use libm::{erfc, exp, log};

use super::error::{AccountingError, delta, positive};

/// The smallest δ for `epsilon` when the two worlds are `shift` standard deviations apart:
/// Φ(s/2 − ε/s) − e^ε·Φ(−s/2 − ε/s).
///
/// # Errors
/// A shift that is not positive and finite, an ε that is negative or no number.
pub fn analytic_delta(shift: f64, epsilon: f64) -> Result<f64, AccountingError> {
    let shift = positive("the shift", shift)?;
    if !(epsilon >= 0.0 && epsilon.is_finite()) {
        return Err(AccountingError::NotPositive { what: "epsilon", given: epsilon });
    }
    Ok(curve(shift, epsilon))
}

/// The smallest ε for `delta`.
///
/// # Errors
/// A shift that is not positive and finite, a δ outside (0, 1).
pub fn analytic_epsilon(shift: f64, delta_wanted: f64) -> Result<f64, AccountingError> {
    let (shift, wanted) = (positive("the shift", shift)?, delta(delta_wanted)?);
    if curve(shift, 0.0) <= wanted {
        return Ok(0.0);
    }
    // The curve falls, and is below any δ at last.
    let mut high = 1.0;
    while curve(shift, high) > wanted {
        high *= 2.0;
    }
    let mut low = 0.0;
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return Ok(high);
        }
        if curve(shift, middle) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
}

fn curve(shift: f64, epsilon: f64) -> f64 {
    let (x, y) = (epsilon / shift - shift / 2.0, epsilon / shift + shift / 2.0);
    // e^ε·Φ(−y) = φ(x)·Φ(−y)/φ(y), because y² − x² = 2ε. So both are φ(x) times a Mills ratio, and
    // nothing overflows.
    if x > 0.0 {
        let density = exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        density * (mills(x) - mills(y))
    } else {
        let second = exp(epsilon + log(mills(y)) - y * y / 2.0) / (2.0 * std::f64::consts::PI).sqrt();
        0.5 * erfc(x / std::f64::consts::SQRT_2) - second
    }
}

/// Φ(−x)/φ(x) for x ≥ 0.
fn mills(x: f64) -> f64 {
    if x < 10.0 {
        return 0.5 * erfc(x / std::f64::consts::SQRT_2) * exp(x * x / 2.0) * (2.0 * std::f64::consts::PI).sqrt();
    }
    // Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/…))): here 60 terms are more than enough.
    let fraction = (1..=60).rev().fold(x, |tail, k| x + f64::from(k) / tail);
    1.0 / fraction
}
