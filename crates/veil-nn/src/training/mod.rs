//! What surrounds the steps of a training.
//!
//! [`EpochMetrics`] say how an epoch went; a [`Keep`] decides by them which epoch's weights stay, [`Patience`] when to stop; [`save`] puts
//! weights into a file and takes them out again.

mod rule;
pub mod save;

pub use rule::{Best, EpochMetrics, Keep, KeepError, Patience};
