//! The exact curve of continuous Gaussian noise (Balle and Wang 2018, Theorem 8).
//!
//! It is exact for continuous noise, also composed: n answers with shift s are one with shift s√n.
//! It is **not** used for a [`Spending`](crate::accounting::Spending), because continuous noise
//! cannot be sampled exactly and we know no proof that the discrete Gaussian stays below this
//! curve. The Rényi divergence αs²/2 holds for both, and is compared with this.

use libm::{erfc, exp, log};

/// The smallest ε for `wanted`.
pub(super) fn epsilon(shift: f64, wanted: f64) -> f64 {
    if delta(shift, 0.0) <= wanted {
        return 0.0;
    }
    // The curve falls, and is below any δ at last.
    let (mut low, mut high) = (0.0, 1.0);
    while delta(shift, high) > wanted {
        high *= 2.0;
    }
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return high;
        }
        if delta(shift, middle) > wanted { low = middle } else { high = middle }
    }
}

/// The smallest δ for `epsilon` when the two worlds are `shift` standard deviations apart:
/// Φ(s/2 − ε/s) − e^ε·Φ(−s/2 − ε/s).
pub(super) fn delta(shift: f64, epsilon: f64) -> f64 {
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
