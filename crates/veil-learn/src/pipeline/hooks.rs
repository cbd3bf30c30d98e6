//! What a caller sees of a job while it runs.

use std::ops::ControlFlow;

use veil_nn::training::EpochMetrics;

/// A step of the pipeline.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// What leaves is charged and released.
    Release,
    /// Teachers answer queries: so many of them are to be trained, and so many answers of an
    /// interrupted release are kept.
    Answers {
        /// Teachers to train.
        teachers: u64,
        /// Answers that are there already.
        kept: usize,
        /// All queries.
        queries: usize,
    },
    /// All answers are there, after so many seconds. The duration depends on private data: it may
    /// be shown to the owner, and is kept nowhere.
    Answered {
        /// Seconds.
        seconds: f64,
    },
    /// Networks are trained, for so many epochs in all.
    Train {
        /// Epochs of all networks.
        epochs: u64,
    },
    /// The model is scored and written.
    Write,
}

/// A caller that follows a job.
pub trait Hooks: Sync {
    /// A step begins.
    fn step(&self, _step: Step) {}

    /// An epoch has ended; breaking ends the training.
    fn epoch(&self, _metrics: &EpochMetrics) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A teacher has answered.
    fn answered(&self) {}

    /// Something that the owner should know.
    fn warn(&self, _warning: &str) {}
}

/// Follows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Hooks for Silent {}
