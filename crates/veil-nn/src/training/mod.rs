//! From a loss to a trained network.
//!
//! [`train`] runs the loop: a [`Task`] says what is to be learned, [`Options`] how, and whoever watches sees every epoch's
//! [`EpochMetrics`] and may end it. A [`Keep`] decides by them which epoch's weights stay, [`Patience`] when to stop.

mod rule;
mod run;
#[cfg(test)]
mod tests;

pub use rule::{Best, EpochMetrics, Keep, KeepError, Patience};
pub use run::{Ended, Options, Task, Trained, Trainer, TrainingError, train, train_with};
