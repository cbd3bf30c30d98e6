//! E − 1, where E is the moment of Laplace noise, continuous and on integers.
//!
//! For densities P and Q, the Rényi divergence of order α is ln(E)/(α−1) with E = E_Q[(P/Q)^α].
//! Both noises have
//!
//! E(s) = A·e^((α−1)s) + B·e^(−αs),  A, B > 0, A + B = 1,
//!
//! where s is the shift over the scale. Continuous (Mironov 2017): A = α/(2α−1). On the integers
//! with ratio q = e^(−1/t) the sum Σ_k P(k)^α Q(k)^(1−α) splits into three geometric sums, k ≤ 0, 0
//! < k < shift and k ≥ shift. With x = q^(1−2α) they add up to A = (x−q)/((x−1)(1+q)) and B =
//! (qx−1)/((x−1)(1+q)), which tend to the continuous ones as t grows.
//!
//! **Vectors.** The noise of coordinates is independent, so ln E adds up over them. ln E is convex
//! in s (a logarithm of a sum of exponentials of linear functions), 0 at 0 and nowhere negative. So
//! moving a part of the shift from a coordinate to one that moves no less never lowers the sum: the
//! worst is to concentrate it. With a bound on each coordinate besides, the worst has as many
//! coordinates at that bound as fit, and the remainder in one more.

use libm::{exp, expm1, log, log1p};

/// More than the rounding errors of the quotient below: E errs upwards.
const ROUNDING: f64 = 1e-14;

/// ln(E − 1) of continuous noise at `order`, the shift being so many scales.
pub fn ln_excess(order: f64, shift: f64) -> f64 {
    let (a, b) = (order / (2.0 * order - 1.0), (order - 1.0) / (2.0 * order - 1.0));
    combine(order, shift, a, b)
}

/// ln(E − 1) of noise on the integers with P(k) ∝ e^(−|k|/scale), the shift being a number of
/// steps.
pub fn ln_excess_discrete(order: f64, steps: f64, scale: f64) -> f64 {
    let step = 1.0 / scale;
    let both = -expm1(-(2.0 * order - 1.0) * step) * (1.0 + exp(-step));
    let a = -expm1(-2.0 * order * step) / both;
    let b = exp(-step) * -expm1(-(2.0 * order - 2.0) * step) / both;
    combine(order, steps * step, a, b)
}

/// ln(A(e^u − 1) − B(1 − e^−v)), u = (α−1)s, v = αs: the two nearly cancel for small shifts, so the
/// quotient is rounded down and what is left is rounded up.
fn combine(order: f64, shift: f64, a: f64, b: f64) -> f64 {
    let (u, v) = ((order - 1.0) * shift, order * shift);
    let quotient = b / a * (expm1(-v) / expm1(-u)) * exp(-u) * (1.0 - ROUNDING);
    // ln(e^u − 1), of a u of any size.
    let first = log(a) + u + log(-expm1(-u));
    first + log1p(-quotient.clamp(0.0, 1.0 - ROUNDING))
}
