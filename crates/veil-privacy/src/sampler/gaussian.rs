//! Discrete Gaussian noise.

use std::num::{NonZeroU64, NonZeroU128};

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::bernoulli::exp_minus;
use super::laplace::{self, LaplaceScale};
use crate::coins::{NodeCoins, Question, Uniform};

/// σ² of discrete Gaussian noise: a fraction whose parts are at most 2⁶².
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

    /// Numerator and denominator.
    pub(crate) fn parts(self) -> (u64, u64) {
        (self.numerator.get(), self.denominator.get())
    }

    /// As a float.
    pub fn to_f64(self) -> f64 {
        self.numerator.get() as f64 / self.denominator.get() as f64
    }
}

/// An integer k with probability ∝ e^(−k²/2σ²), exactly (Canonne, Kamath, Steinke 2020, Algorithm
/// 3): Laplace noise of scale t, accepted with probability e^(−(|k| − σ²/t)²/2σ²). Magnitudes from
/// 2⁶⁴ on are drawn as [`discrete_laplace`](super::discrete_laplace) draws them.
pub fn discrete_gaussian(coins: &mut NodeCoins, variance: Variance) -> i128 {
    if let Some(answer) = coins.explored(|| Question::Gaussian(variance)) {
        return answer;
    }
    loop {
        if let Some(noise) = attempt(coins, variance) {
            return noise;
        }
    }
}

/// One round of the rejection loop. Laplace noise that is rejected begins it anew too, which
/// changes nothing: what is accepted has the same proportions.
pub(super) fn attempt(coins: &mut impl Uniform, variance: Variance) -> Option<i128> {
    let scale = LaplaceScale::new(variance.scale, NonZeroU64::MIN, NonZeroU64::MIN);
    let drawn = laplace::attempt(coins, scale)?;
    accepted(coins, drawn.unsigned_abs(), variance).then_some(drawn)
}

/// True with probability e^(−x) for x = (|k| − σ²/t)²/2σ².
pub(super) fn accepted(coins: &mut impl Uniform, magnitude: u128, variance: Variance) -> bool {
    let Exponent { whole, rest, below } =
        Exponent::narrow(magnitude, variance).unwrap_or_else(|| Exponent::wide(magnitude, variance));
    // e^−x = e^−⌊x⌋ · e^−(rest).
    exp_minus(coins, whole, NonZeroU128::MIN) && exp_minus(coins, rest, below)
}

/// x = (|k|qt − p)²/(2pqt²), where σ² = p/q: `whole` + `rest`/`below`, the rest below 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exponent {
    pub whole: u128,
    pub rest: u128,
    pub below: NonZeroU128,
}

impl Exponent {
    /// In 128 bits, if it fits.
    pub(super) fn narrow(magnitude: u128, variance: Variance) -> Option<Exponent> {
        let (p, each, below) = Exponent::parts(variance);
        let root = magnitude.checked_mul(each)?.abs_diff(p);
        let square = root.checked_mul(root)?;
        Some(Exponent { whole: square / below, rest: square % below, below })
    }

    /// In arbitrary precision. A whole part that does not fit saturates; none so large is ever
    /// reached.
    pub(super) fn wide(magnitude: u128, variance: Variance) -> Exponent {
        let (p, each, below) = Exponent::parts(variance);
        let (far, p) = (BigUint::from(magnitude) * each, BigUint::from(p));
        let root = if far > p { far - p } else { p - far };
        let square = &root * &root;
        Exponent {
            whole: (&square / below.get()).to_u128().unwrap_or(u128::MAX),
            // Below the divisor, which fits.
            rest: (square % below.get()).to_u128().unwrap_or(0),
            below,
        }
    }

    /// p, qt and 2pqt².
    fn parts(variance: Variance) -> (u128, u128, NonZeroU128) {
        let [p, q, t] = [variance.numerator, variance.denominator, variance.scale].map(NonZeroU128::from);
        // t² ≤ p/q + 2√(p/q) + 1, so this is at most 2p² + 4p√(pq) + 2pq ≤ 2¹²⁷: nothing saturates.
        let two = NonZeroU128::MIN.saturating_add(1);
        let below = two.saturating_mul(p).saturating_mul(q).saturating_mul(t).saturating_mul(t);
        (p.get(), q.get() * t.get(), below)
    }
}
