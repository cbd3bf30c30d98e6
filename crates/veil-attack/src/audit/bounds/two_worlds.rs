//! Many executions in each of two adjacent worlds, told apart by one fixed event.
//!
//! The adversary says "inside" where the event happens. With (ε, δ) it is at most e^ε times as
//! likely inside as outside, plus δ, and the same holds for its complement with the worlds
//! exchanged. Executions know nothing of each other, so errors are binomial and Clopper and Pearson
//! bound their rates: both bounds hold with probability 1 − β if each is taken at β/2. From the
//! same two bounds follow both ratios, so the larger one costs nothing more (Jagielski, Ullman and
//! Oprea 2020).

use libm::log;

use super::binomial::{Chance, ln_at_least, lowest};
use super::{POWER, first};
use crate::audit::Promise;

/// How often an adversary was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// Executions inside.
    pub inside: u64,
    /// How many of these it called outside.
    pub missed: u64,
    /// Executions outside.
    pub outside: u64,
    /// How many of these it called inside.
    pub false_alarms: u64,
}

/// The largest ε that these errors refute with confidence 1 − β; never below 0.
///
/// # Panics
/// If there are more errors than executions, or β is not between 0 and 1.
pub fn two_worlds(errors: Errors, delta: f64, beta: f64) -> f64 {
    let Errors { inside, missed, outside, false_alarms } = errors;
    let miss = highest(missed, inside, beta / 2.0);
    let alarm = highest(false_alarms, outside, beta / 2.0);
    let bound = |hit: f64, error: f64| if hit > delta { log((hit - delta) / error).max(0.0) } else { 0.0 };
    bound(miss.no(), alarm.yes()).max(bound(alarm.no(), miss.yes()))
}

/// The highest rate of errors that cannot be excluded.
fn highest(errors: u64, of: u64, beta: f64) -> Chance {
    Chance::of_logit(-lowest(of - errors, of, beta))
}

/// An ε at which a violation is found in at least 95 % of all cases, if both errors are those of
/// randomised response at that ε, 1/(1+e^ε): the smallest one at which the bound exceeds the
/// promise though both errors are as frequent as they are in the worst 2.5 % of cases. `None` if no
/// errors at all would not suffice.
pub fn two_worlds_would_detect(inside: u64, outside: u64, promise: Promise, beta: f64) -> Option<f64> {
    let found = |missed, false_alarms| {
        two_worlds(Errors { inside, missed, outside, false_alarms }, promise.delta, beta) > promise.epsilon
    };
    if !found(0, 0) {
        return None;
    }
    let (mut low, mut high) = (promise.epsilon, promise.epsilon + 1.0);
    let found_at = |x: f64| found(worst(inside, x), worst(outside, x));
    while !found_at(high) {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if found_at(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The errors that randomised response at ε = x exceeds in 2.5 % of all cases at most.
fn worst(executions: u64, x: f64) -> u64 {
    let rare = log((1.0 - POWER) / 2.0);
    first(0, executions, |errors| ln_at_least(errors + 1, executions, Chance::of_logit(-x)) <= rare)
}
