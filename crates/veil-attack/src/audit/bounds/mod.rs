//! What so many right guesses prove.
//!
//! All rests on tails of the binomial distribution (`binomial`). [`one_run`] is for canaries that
//! went through one execution together, [`two_worlds`] for executions that know nothing of each
//! other. Each says which ε the guesses refute, and which true ε it would have found.

mod binomial;
mod one_run;
#[cfg(test)]
mod tests;
mod two_worlds;

pub(super) use binomial::{Chance, ln_at_least};
pub use one_run::{one_run, would_detect};
pub use two_worlds::{Errors, two_worlds, two_worlds_would_detect};

/// A violation counts as one that would be found if it is found in this share of all cases.
const POWER: f64 = 0.95;

/// The first number from `low` on for which this is true, if it stays true; `high` if there is none
/// below.
fn first(mut low: u64, mut high: u64, is: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if is(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
