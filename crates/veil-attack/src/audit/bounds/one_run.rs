//! Many canaries in one execution (Steinke, Nasr and Jagielski 2023, "Privacy auditing with one (1)
//! training run").
//!
//! Each of m canaries is one of two adjacent inputs, by a fair coin of its own. From the output of
//! *one* execution an adversary guesses r of the coins.
//!
//! **Pure ε** (their Proposition 5.1). Whatever the output and the other coins are, the two values
//! of a coin are at most e^ε apart in likelihood: a guess is right with probability at most q =
//! e^ε/(1+e^ε), also given whether the guesses before it were right. So the number of right guesses
//! is below Binomial(r, q) in the sense that P\[right ≥ v\] ≤ P\[Binomial(r, q) ≥ v\]. Given the
//! output this holds for any r, even if the output chose it.
//!
//! **(ε, δ)** (their Theorem 5.2). For each coin the output is, but for a part of mass δ in either
//! of its two worlds, as with pure ε. Count the coins whose part was hit: F, on average at most
//! 2mδ. Right guesses are then below Binomial(r, q) + F, and the worst F adds i to the count with
//! probability 2mδ/i: P\[right ≥ v\] ≤ P\[B ≥ v\] + mδ·max over i of (2/i)·P\[v > B ≥ v − i\], with
//! B ~ Binomial(r, q). Here r must be a number that the output does not choose; if it does, the two
//! parts may each reach β, and half of β makes up for it: see
//! [`judge`](super::super::guesses::judge).

use libm::exp;

use super::binomial::{Chance, ln_at_least, ln_mass, lowest};
use super::{POWER, first};
use crate::audit::Promise;

/// The probability that a mechanism which keeps (ε, δ) lets so many guesses or more be right, at
/// most.
///
/// # Panics
/// If more guesses are right than were made.
pub fn p_value(right: u64, guesses: u64, canaries: u64, promise: Promise) -> f64 {
    assert!(right <= guesses, "{right} right guesses of {guesses}");
    let chance = Chance::of_logit(promise.epsilon);
    let tail = exp(ln_at_least(right, guesses, chance));
    if promise.delta == 0.0 {
        return tail;
    }
    let hit = 2.0 * canaries as f64 * promise.delta;
    (tail + hit * largest_mean(right, guesses, chance)).min(1.0)
}

/// max over i ≥ 1 of P\[v > B ≥ v − i\]/i: the largest mean of the masses just below v.
///
/// Going down from v − 1 the masses grow until the mode and fall then. So their mean grows until it
/// meets the next mass, and falls ever after: that place is searched for.
fn largest_mean(v: u64, n: u64, chance: Chance) -> f64 {
    let beyond = exp(ln_at_least(v, n, chance));
    let mean = |i: u64| (exp(ln_at_least(v - i, n, chance)) - beyond) / i as f64;
    let grows = |i: u64| {
        let next = v - i - 1;
        next as f64 > n as f64 * chance.yes() || exp(ln_mass(next, n, chance)) > mean(i)
    };
    if v == 0 {
        return 0.0;
    }
    // The first i whose mean does not grow any more; beyond v there is no mass left.
    mean(first(1, v, |i| !grows(i)))
}

/// The largest ε that `right` of so many guesses refute with confidence 1 − β; never below 0.
///
/// The p-value grows with ε wherever it is below about 1/2, so that there is one ε at which it is
/// β.
///
/// # Panics
/// If more guesses are right than were made, or β is not between 0 and 1.
pub fn one_run(right: u64, guesses: u64, canaries: u64, delta: f64, beta: f64) -> f64 {
    let pure = lowest(right, guesses, beta).max(0.0);
    let refuted = |epsilon| p_value(right, guesses, canaries, Promise { epsilon, delta }) < beta;
    if delta == 0.0 || pure == 0.0 {
        return pure;
    }
    if !refuted(0.0) {
        return 0.0;
    }
    // A δ can only explain more: the bound is between 0 and that without.
    let (mut low, mut high) = (0.0, pure);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if refuted(middle) { low = middle } else { high = middle }
    }
    low
}

/// The smallest x such that, if each guess is right with probability e^x/(1+e^x), independently,
/// the bound at β exceeds the promised ε in 95 % of all cases; `None` if not even guesses that are
/// all right would exceed it.
pub fn would_detect(guesses: u64, canaries: u64, promise: Promise, beta: f64) -> Option<f64> {
    let refutes = |right| p_value(right, guesses, canaries, promise) < beta;
    if !refutes(guesses) {
        return None;
    }
    Some(lowest(first(0, guesses, refutes), guesses, POWER))
}
