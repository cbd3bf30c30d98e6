//! Exact samplers: no floating point between the coins and the outcome.
//!
//! Each sampler's output has exactly the stated distribution, given uniform words: thresholds on a
//! word, uniform numbers by rejection, and from these Bernoulli(e^−x), geometric, discrete Laplace
//! and discrete Gaussian for rational parameters (Canonne, Kamath and Steinke 2020), subsets
//! (Floyd), and skips to the next success of coins that rarely succeed. The tests walk the tree of
//! all coin outcomes and add up their masses.
//!
//! Running times depend on the outcome: the guarantees assume that they are not observed.

mod bernoulli;
mod gaussian;
mod laplace;
mod skips;
mod subset;
#[cfg(test)]
mod tests;

pub use bernoulli::{bernoulli_exp_minus, bernoulli_threshold};
pub use gaussian::{Variance, discrete_gaussian};
pub use laplace::{LaplaceScale, discrete_laplace, geometric, truncated_geometric};
pub use skips::Skips;
pub use subset::choose;
