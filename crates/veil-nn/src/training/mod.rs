//! Training a network.
//!
//! [`train`] runs the loop for a [`Task`] with [`Options`]. A callback receives the
//! [`EpochMetrics`] of every epoch and may stop. A [`Keep`] selects the epoch whose weights are
//! kept.

mod rule;
mod run;
#[cfg(test)]
mod tests;

pub use rule::{Best, EpochMetrics, Keep, KeepError};
pub use run::{Ended, Options, Task, Trained, Trainer, TrainingError, train, train_parts, train_with};
