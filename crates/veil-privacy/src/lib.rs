//! The only door from private to released: coins, mechanisms, guarantees, the ledger.

pub mod budget;
pub mod coins;
pub mod exact;
pub mod sampler;
#[cfg(test)]
mod testing;

pub use budget::{BudgetError, Delta, Epsilon};
pub use coins::{Coins, CoinsError, Context, NodeCoins, Stream};
pub use exact::Fraction;
