//! What figures of several runs mean together.
//!
//! A case is run with several seeds: [`summary`](summary()) gives its mean, deviation and bootstrap interval,
//! [`gap`](gap()) what it lost against the same seeds at ε = ∞. Two cases are compared by [`wilcoxon`](wilcoxon()),
//! many pairs of cases with [`holm`](holm())'s correction. Of many cases [`front`](front()) finds those that no other
//! beats, and [`is_sweet`](is_sweet()) says of one whether it is worth it. [`joint`](joint()) says whether our figure and a published one
//! are the same.
//!
//! Everything is seeded and runs on one thread: the same input gives the same bits.

mod bootstrap;
mod error;
mod front;
mod gap;
mod holm;
mod joint;
mod summary;
mod sweet;
mod wilcoxon;

pub(crate) use bootstrap::mean;
pub use error::StatisticsError;
pub use front::{Point, front};
pub use gap::{Gap, gap};
pub use holm::holm;
pub use joint::{Agreement, Basis, Published, joint};
pub use summary::{Summary, summary};
pub use sweet::{LEAST_SEEDS, Region, is_sweet};
pub use wilcoxon::{Alternative, Method, SignedRank, wilcoxon, wilcoxon_by};
