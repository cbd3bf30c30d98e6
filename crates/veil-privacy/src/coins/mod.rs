//! Where all randomness comes from.
//!
//! [`Coins`] holds one 256-bit key per release. A [`Context`] says what the coins are for (release, mechanism, all
//! parameters, data, round, query); HMAC-SHA-256 of it under the key is the key of a [`Stream`]; ChaCha20 under that
//! key, with the node's id as its stream number, gives that node's [`NodeCoins`]. So a node's outcome depends on
//! nothing else: not on threads, order or batches. And another ε, or other data, means other coins.
//!
//! Every layout here is pinned by test vectors: another implementation can, and must, produce the same words.

mod context;
mod key;
mod node;
#[cfg(test)]
mod tests;

pub use context::Context;
pub use key::{Coins, CoinsError};
pub(crate) use node::Uniform;
pub use node::{NodeCoins, Stream};
