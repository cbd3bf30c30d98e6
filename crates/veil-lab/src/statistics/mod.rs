//! Statistics of figures over several runs.
//!
//! A case is run with several seeds: [`summary`](summary()) gives mean, deviation and bootstrap
//! interval, [`gap`](gap()) the loss against the same seeds at ε = ∞. Paired cases are tested by
//! [`wilcoxon`](wilcoxon()), many pairs with [`holm`](holm())'s correction. [`front`](front())
//! finds the Pareto front, and [`joint`](joint()) tells whether our figure agrees with a published
//! one.
//!
//! Everything is seeded and runs on one thread: the same input gives the same bits.

mod front;
mod holm;
mod joint;
mod summary;
mod wilcoxon;

pub use front::{Point, front};
pub use holm::holm;
pub use joint::{Agreement, Basis, Published, joint};
pub(crate) use summary::mean;
pub use summary::{Gap, Summary, gap, summary};
pub use wilcoxon::{SignedRank, wilcoxon};

/// Figures that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    /// No figures.
    #[error("no figures")]
    Empty,
    /// NaN, infinite, or outside of the range of its kind.
    #[error("{value} is not a {kind}")]
    OutOfRange {
        /// What it should be.
        kind: &'static str,
        /// The value.
        value: f64,
    },
    /// Lists of different lengths, or without a common seed.
    #[error("{left} figures cannot be paired with {right}")]
    Unpaired {
        /// The length of the first list.
        left: usize,
        /// The length of the second.
        right: usize,
    },
}

/// Checks that all values are of a kind.
fn check(values: &[f64], kind: &'static str, is_of_kind: impl Fn(f64) -> bool) -> Result<(), StatisticsError> {
    match values.iter().find(|value| !is_of_kind(**value)) {
        Some(&value) => Err(StatisticsError::OutOfRange { kind, value }),
        None => Ok(()),
    }
}

fn finite(values: &[f64]) -> Result<(), StatisticsError> {
    check(values, "finite number", f64::is_finite)
}
