//! Mechanisms for single values and vectors: one folder each, with guarantee, proof and tests.
//!
//! `Params::check` turns parameters into a mechanism. A mechanism works on one user's value and
//! coins ([`NodeCoins`](crate::NodeCoins)), independent of data sets, threads and ledgers.
//! `parameters()` is part of the coins' context; `distribution()` gives the exact probabilities of
//! the implementation, for tests and the auditor.
//!
//! From one value to vectors: [`randomised_response`] (one of k values), [`one_bit`] (a bounded
//! number), [`multi_bit`] (a vector of bounded numbers), [`codebook`] (a direction, as a codeword
//! or a class), [`discrete_laplace`] and [`discrete_gaussian`] (integers), [`grid_laplace`]
//! (reals),
//! [`noisy_argmax`] (which of several numbers is the largest).

mod bit_flip;
pub mod codebook;
pub mod discrete_gaussian;
pub mod discrete_laplace;
mod error;
pub mod grid_laplace;
pub mod multi_bit;
pub mod noisy_argmax;
pub mod one_bit;
pub mod randomised_response;
mod range;

pub(crate) use bit_flip::BitFlip;
pub use codebook::Codebook;
pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;
pub use error::{InputError, ParamError};
pub use grid_laplace::GridLaplace;
pub use multi_bit::MultiBit;
pub use noisy_argmax::NoisyArgmax;
pub use one_bit::OneBit;
pub use randomised_response::RandomisedResponse;
pub use range::ValueRange;

use std::num::NonZeroU64;

use crate::budget::Epsilon;

/// ε as a fraction. Mechanisms require a finite ε.
fn finite(epsilon: Epsilon) -> Result<(NonZeroU64, NonZeroU64), ParamError> {
    epsilon
        .as_rational()
        .and_then(|(n, d)| Some((NonZeroU64::new(n)?, NonZeroU64::new(d)?)))
        .ok_or(ParamError::NotPrivatised)
}
