//! The privacy cost of many answers: Rényi divergences, Poisson sampling, composition, conversion
//! to (ε, δ).
//!
//! A [`Query`] is the loss of one answer, as a dominating pair of distributions. [`Queries`] are
//! many answers, each on a fresh Poisson sample. [`Queries::spending`] is the smallest proven ε,
//! and [`Spending::proof`] names its proof. [`calibrate`] finds the noise for a target ε.
//! [`published`] reproduces the figures of papers; nothing there is a guarantee.
//!
//! Three accountants are tried: [`renyi`](Queries::renyi) divergences ([`sampling`] has the bounds
//! for Poisson samples, [`conversion`] the conversion to ε), exact composition of finite pairs, and
//! basic composition.
//!
//! **Floating point.** Everything is computed in logarithms, so that order 512 does not overflow,
//! from sums of positive terms where that is possible. Spendings are then rounded up by [`MARGIN`],
//! far above the rounding errors.

mod calibrate;
pub mod conversion;
mod error;
mod finite;
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
