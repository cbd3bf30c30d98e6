//! The source of all randomness.
//!
//! [`Coins`] hold one 256-bit key per release. A [`Context`] is the purpose of a stream (release,
//! redemption, mechanism, all parameters, inputs, data, round, query); its HMAC-SHA-256 under
//! the key is the key of a [`Stream`]. ChaCha20 under that key, with the node's id as stream
//! number, yields the node's [`NodeCoins`]. A node's outcome therefore depends on nothing else: not
//! on threads, order or batches. Another ε or other data means other coins.
//!
//! [`mod@enumerate`] has coins for auditors, which fork instead of falling.
//!
//! Test vectors pin every layout: another implementation must produce the same words.

mod context;
pub mod enumerate;
mod inputs;
mod key;
mod node;
#[cfg(test)]
mod tests;

pub use context::Context;
pub(crate) use enumerate::Question;
pub(crate) use inputs::Inputs;
pub(crate) use key::hmac;
pub use key::{Coins, CoinsError};
pub(crate) use node::Uniform;
pub use node::{NodeCoins, Stream};
