//! The only door from private to released: coins, mechanisms, guarantees, the ledger.
//!
//! A budget is an exact decimal ([`budget`]). Randomness comes from [`coins`], which give every node its own stream.
//! [`exact`] computes thresholds that err on the private side, [`sampler`] draws from distributions without floating
//! point, and [`mechanism`] holds a folder for each way of releasing something, with its guarantee and its proof.

pub mod budget;
pub mod coins;
pub mod exact;
pub mod mechanism;
pub mod sampler;
#[cfg(test)]
mod testing;

pub use budget::{BudgetError, Delta, Epsilon};
pub use coins::{Coins, CoinsError, Context, NodeCoins, Stream};
pub use exact::Fraction;
pub use mechanism::{InputError, ParamError};
