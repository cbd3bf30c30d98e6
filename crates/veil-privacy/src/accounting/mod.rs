//! What many answers cost together: Rényi divergences, Poisson sampling, composition, and the way back to (ε, δ).
//!
//! A [`Query`] says how far one answer can tell two adjacent inputs apart, as a pair of distributions that dominates
//! every such pair. [`Queries`] are so many of them, each on a fresh Poisson sample. [`Queries::spending`] is the smallest
//! ε with a proof, and [`Spending::proof`] names it. [`calibrate`] turns the question round: how much noise for a wanted
//! ε. [`published`] holds what papers computed, so that their tables can be checked; nothing there is a promise.
//!
//! The ways, in the order in which they are tried: [`renyi`](Queries::renyi) divergences ([`sampling`] says which bound
//! holds for what, [`conversion`] how they become ε), exact composition where the pair is finite, and the plain sum.
//! [`gaussian`] has the exact curve of continuous Gaussian noise, which no exact sampler draws.
//!
//! **Floating point.** Everything is computed in logarithms, so that order 512 does not overflow, from sums of positive
//! terms where that is possible. Spendings are then rounded up by [`MARGIN`], far above the rounding errors.

mod calibrate;
pub mod conversion;
mod error;
mod finite;
pub mod gaussian;
mod laplace;
mod logs;
pub mod published;
mod queries;
mod query;
pub mod sampling;
mod spending;
#[cfg(test)]
mod tests;

pub use calibrate::{Calibrated, calibrate};
pub use error::AccountingError;
pub use queries::{LARGEST_ORDER, MOST_EXACT, Queries};
pub use query::Query;
pub use spending::{MARGIN, Proof, Spending};
