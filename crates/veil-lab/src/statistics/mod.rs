//! Statistics of figures over several runs.
//!
//! A case is run with several seeds: [`summary`](summary()) gives mean, deviation and bootstrap
//! interval, [`gap`](gap()) the loss against the same seeds at ε = ∞. Paired cases are tested by
//! [`wilcoxon`](wilcoxon()), many pairs with [`holm`](holm())'s correction. [`joint`](joint())
//! tells whether our figure agrees with a published one.
//!
//! Everything is seeded and runs on one thread: the same input gives the same bits.

mod holm;
mod joint;
mod summary;
mod wilcoxon;

pub use holm::holm;
pub use joint::{Agreement, Basis, Published, joint};
pub(crate) use summary::mean;
pub use summary::{Gap, Summary, gap, summary};
pub use wilcoxon::{SignedRank, wilcoxon};

/// Figures that cannot be used.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    #[error("no figures")]
    Empty,
    #[error("{value} is not a {kind}")]
    OutOfRange { kind: &'static str, value: f64 },
    #[error("{left} figures cannot be paired with {right}")]
    Unpaired { left: usize, right: usize },
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
