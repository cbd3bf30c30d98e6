//! Discrete Gaussian noise.

use std::num::{NonZeroU64, NonZeroU128};

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::bernoulli::exp_minus;
use super::laplace::{self, LaplaceScale};
use crate::coins::{NodeCoins, Uniform};

/// σ² of discrete Gaussian noise: a fraction whose parts are at most 2⁶².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variance {
    numerator: NonZeroU64,
    denominator: NonZeroU64,
    /// t = ⌊σ⌋ + 1, the scale of the Laplace noise that is drawn first.
    scale: NonZeroU64,
}

impl Variance {
    /// The largest numerator and denominator: up to here 2pqt² fits 128 bits.
    pub const LARGEST: u64 = 1 << 62;

    /// `numerator`/`denominator`, if neither is above [`LARGEST`](Self::LARGEST).
    pub fn new(numerator: NonZeroU64, denominator: NonZeroU64) -> Option<Variance> {
        if numerator.get().max(denominator.get()) > Variance::LARGEST {
            return None;
        }
        // ⌊√(p/q)⌋ = ⌊√⌊p/q⌋⌋, at most 2³¹.
        let scale = NonZeroU64::MIN.saturating_add((numerator.get() / denominator).isqrt());
        Some(Variance { numerator, denominator, scale })
    }

    /// As a float.
    pub fn to_f64(self) -> f64 {
        self.numerator.get() as f64 / self.denominator.get() as f64
    }
}

/// An integer k with probability ∝ e^(−k²/2σ²), exactly (Canonne, Kamath, Steinke 2020, Algorithm 3): Laplace noise of scale t, accepted
/// with probability e^(−(|k| − σ²/t)²/2σ²). Magnitudes from 2⁶⁴ on are drawn as [`discrete_laplace`](super::discrete_laplace) draws them.
pub fn discrete_gaussian(coins: &mut NodeCoins, variance: Variance) -> i128 {
    loop {
        if let Some(noise) = attempt(coins, variance) {
            return noise;
        }
    }
}

/// One round of the rejection loop. Laplace noise that is rejected begins it anew too, which changes nothing: what is accepted has the
/// same proportions.
pub(super) fn attempt(coins: &mut impl Uniform, variance: Variance) -> Option<i128> {
    let scale = LaplaceScale::new(variance.scale, NonZeroU64::MIN, NonZeroU64::MIN);
    let drawn = laplace::attempt(coins, scale)?;
    accepted(coins, drawn.unsigned_abs(), variance).then_some(drawn)
}

/// True with probability e^(−x) for x = (|k| − σ²/t)²/2σ² = (|k|qt − p)²/(2pqt²), where σ² = p/q.
fn accepted(coins: &mut impl Uniform, magnitude: u128, variance: Variance) -> bool {
    let [p, q, t] = [variance.numerator, variance.denominator, variance.scale].map(NonZeroU128::from);
    // t² ≤ p/q + 2√(p/q) + 1, so this is at most 2p² + 4p√(pq) + 2pq ≤ 2¹²⁷: nothing saturates.
    let two = NonZeroU128::MIN.saturating_add(1);
    let below = two.saturating_mul(p).saturating_mul(q).saturating_mul(t).saturating_mul(t);
    let (p, each) = (p.get(), q.get() * t.get());
    let square = magnitude.checked_mul(each).map(|far| far.abs_diff(p)).and_then(|root| root.checked_mul(root));
    match square {
        Some(square) => exp_minus(coins, square, below),
        None => {
            // The same in wide numbers: e^−x = e^−⌊x⌋ · e^−(rest).
            let (far, p) = (BigUint::from(magnitude) * each, BigUint::from(p));
            let root = if far > p { far - p } else { p - far };
            let square = &root * &root;
            let whole = (&square / below.get()).to_u128().unwrap_or(u128::MAX);
            // Below the divisor, which fits.
            let rest = (square % below.get()).to_u128().unwrap_or(0);
            exp_minus(coins, whole, NonZeroU128::MIN) && exp_minus(coins, rest, below)
        }
    }
}
