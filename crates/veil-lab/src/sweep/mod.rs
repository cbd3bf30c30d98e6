//! Sweeps: many runs from one file, kept in one book.
//!
//! A [`Sweep`] is read from a TOML `file` (`text` knows on which line everything stands, `settings`
//! what parameters there are, `attacks` which attacks; a `condition` picks some of the runs).
//! `wanted` multiplies its cases with its grid, its data and its seeds. A [`Plan`] joins that with
//! [`DataSets`] and checks all of it, so that nothing is run before everything could be; a [`Key`]
//! says what makes two runs the same one. [`run`] does what the [`Book`] does not hold yet, one run
//! per core (`pool`); `work` is one run: released, trained, scored and attacked in memory, with the
//! figures that `veil train` and `veil attack` give for the same seed. [`export`] makes tables of
//! what the book holds.
//!
//! Runs of a sweep are reproducible and booked in no ledger: they are experiments on data whose
//! owner looks at them anyway, and nothing of them may be published as private.

mod attacks;
mod book;
mod condition;
pub mod export;
mod file;
#[cfg(test)]
mod golden;
mod key;
mod plan;
mod pool;
mod settings;
#[cfg(test)]
mod tests;
mod text;
mod wanted;
mod work;

pub use attacks::NamedAttack;
pub(crate) use book::locked;
pub use book::{Book, BookError};
pub use file::{FileError, Sweep};
pub use key::{Key, RESULTS};
pub use plan::{DataSets, Plan, PlanError};
pub use pool::{DIED, Done, Progress, run};
pub use settings::OF_RUNS;
pub use wanted::Wanted;
pub use work::{Finished, WorkError};
