//! The only door from private to released: coins, mechanisms, guarantees, the ledger.

pub mod budget;

pub use budget::{BudgetError, Delta, Epsilon};
