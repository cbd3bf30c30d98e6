//! The only door from private to released: the seal, coins, mechanisms, guarantees, the ledger.
//!
//! Raw data enter as a [`Private`] value ([`seal`](Private)). A [`release`] plans what would leave and what that promises
//! (a [`guarantee`] with an exact [`budget`]); the [`ledger`] charges it and gives a [`Permit`]; a [`mechanism`] consumes
//! the permit and draws each node's report with that node's own [`coins`]. [`exact`] computes thresholds that err on the
//! private side, and [`sampler`] draws from distributions without floating point. A [`device`] runs one node's part of a
//! [`protocol`] where the data are its own, and the owner of a whole graph releases it by [`central`] mechanisms or gives [`answers`] about public
//! nodes. [`accounting`] says what many answers cost together; [`resume`] keeps the key of a release that takes long.

pub mod accounting;
pub mod answers;
pub mod budget;
pub mod central;
pub mod coins;
pub mod device;
pub mod exact;
pub mod guarantee;
pub mod ledger;
pub mod mechanism;
pub mod parameters;
mod permit;
pub mod protocol;
pub mod registry;
pub mod release;
pub mod resume;
pub mod sampler;
mod seal;
#[cfg(test)]
mod testing;

pub use budget::{BudgetError, Delta, Epsilon};
pub use coins::{Coins, CoinsError, Context, NodeCoins, Stream};
pub use exact::Fraction;
pub use guarantee::{Assumption, Booking, Guarantee, ParameterList, Spent, Statement, Status, Trust, Unit};
pub use ledger::{Budget, Ledger, LedgerError};
pub use mechanism::{InputError, ParamError};
pub use permit::{Permit, PermitError, ReleaseId, Request};
pub use release::ReleaseError;
pub use resume::{KeyError, Resumable};
pub use seal::{Private, Public, Released, Truth};
