//! Coins with a chosen bias.

use std::num::NonZeroU128;

use crate::coins::{NodeCoins, Question, Uniform};

/// True with probability `threshold`/2⁶⁴ (1 from 2⁶⁴ on). Always uses one word.
pub fn bernoulli_threshold(coins: &mut NodeCoins, threshold: u128) -> bool {
    if let Some(answer) = coins.explored(|| Question::Chance { below: threshold, of: 1 << 64 }) {
        return answer == 1;
    }
    u128::from(coins.next_u64()) < threshold
}

/// True with probability e^−x exactly, x = `numerator`/`denominator` (Canonne, Kamath, Steinke
/// 2020, Algorithm 1).
pub fn bernoulli_exp_minus(coins: &mut NodeCoins, numerator: u128, denominator: NonZeroU128) -> bool {
    let question = || Question::ExpMinus { numerator, denominator: denominator.get() };
    match coins.explored(question) {
        Some(answer) => answer == 1,
        None => exp_minus(coins, numerator, denominator),
    }
}

pub(super) fn exp_minus(coins: &mut impl Uniform, numerator: u128, denominator: NonZeroU128) -> bool {
    // The common case, without a division.
    if numerator < denominator.get() {
        return exp_minus_below_one(coins, numerator, denominator);
    }
    // e^−x = (e^−1)^⌊x⌋ · e^−(rest), the rest below 1. The first failure decides.
    let mut whole = numerator / denominator;
    while whole > 0 {
        if !exp_minus_one(coins) {
            return false;
        }
        whole -= 1;
    }
    exp_minus_below_one(coins, numerator % denominator, denominator)
}

/// For γ < 1: count successes of Bernoulli(γ/1), Bernoulli(γ/2), … before the first failure; the
/// count is even with probability Σ (−γ)ⁱ/i! = e^−γ.
fn exp_minus_below_one(coins: &mut impl Uniform, numerator: u128, denominator: NonZeroU128) -> bool {
    let mut trial = 1_u128;
    // Bernoulli(γ/K) as Bernoulli(γ) and Bernoulli(1/K), so that no product can overflow.
    while coins.below(denominator.get()) < numerator && coins.below(trial) == 0 {
        trial = trial.saturating_add(1);
    }
    trial % 2 == 1
}

/// The same for γ = 1: Bernoulli(γ) needs no coin.
pub(super) fn exp_minus_one(coins: &mut impl Uniform) -> bool {
    let mut trial = 1_u128;
    while coins.below(trial) == 0 {
        trial = trial.saturating_add(1);
    }
    trial % 2 == 1
}
