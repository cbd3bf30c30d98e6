//! The loop: steps, validation, and which weights are kept.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use veil_graph::random::Random;

use super::rule::{EpochMetrics, Keep, KeepError, Patience};
use crate::input::Input;
use crate::loss::{Loss, LossError, Targets};
use crate::model::{FeaturesError, Model, Snapshot};
use crate::optimiser::{self, Adam, Schedule};
use crate::storage::Recycling;
use crate::tensor::Tensor;

/// What is to be learned: a loss on some nodes, and others on which it is watched.
#[derive(Clone, Debug)]
pub struct Task<'graph> {
    loss: Loss<'graph>,
    validation: Option<Loss<'static>>,
}

impl<'graph> Task<'graph> {
    /// A loss, and labels on which its [validation](Loss::validation) form is watched.
    ///
    /// # Errors
    /// If the labels do not fit the loss.
    pub fn new(loss: Loss<'graph>, validation: Option<Targets>) -> Result<Task<'graph>, LossError> {
        let validation = validation.map(|targets| loss.validation(targets)).transpose()?;
        Ok(Task { loss, validation })
    }
}

/// How it is learned.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How many steps at most.
    pub epochs: usize,
    /// How weights move.
    pub adam: optimiser::Params,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// Which epoch's weights are kept.
    pub keep: Keep,
    /// After how many epochs without a better one to stop.
    pub patience: Option<NonZeroUsize>,
    /// What dropout depends on.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            epochs: 100,
            adam: optimiser::Params::default(),
            schedule: Schedule::Constant,
            keep: Keep::Last,
            patience: None,
            seed: 0,
        }
    }
}

/// Why a training cannot begin, or ended without a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainingError {
    /// The optimiser cannot work like that.
    #[error(transparent)]
    Optimiser(#[from] optimiser::ParamsError),
    /// The rule by which an epoch is kept does not fit.
    #[error(transparent)]
    Rule(#[from] KeepError),
    /// No step at all.
    #[error("0 epochs were asked for: it must be at least 1")]
    NoEpochs,
    /// The network reads other features.
    #[error(transparent)]
    Features(#[from] FeaturesError),
    /// The loss is about other nodes or classes.
    #[error("the loss is about {loss_nodes} nodes and {loss_classes} classes, the network gives {nodes} and {classes}")]
    Shape {
        /// Nodes of the loss.
        loss_nodes: usize,
        /// Classes of the loss.
        loss_classes: usize,
        /// Nodes of the input.
        nodes: usize,
        /// Classes of the network.
        classes: usize,
    },
    /// The optimiser remembers the parameters of another network.
    #[error("the optimiser has moved the weights of another network before, of other layers or another width")]
    OtherNetwork,
    /// One row cannot be normalised by its own mean and deviation.
    #[error("batch normalisation needs at least 2 nodes to learn from, and there is {nodes}")]
    TooFewForNorm {
        /// Nodes of the input.
        nodes: usize,
    },
    /// The loss is no number any more.
    #[error("training diverged in epoch {epoch} (loss {loss}): the learning rate or the features may be too large")]
    Diverged {
        /// In which epoch.
        epoch: usize,
        /// What it is.
        loss: f64,
    },
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// All epochs were run.
    Finished,
    /// No better epoch was found for as long as patience allows.
    OutOfPatience,
    /// Whoever watched said so.
    Cancelled,
}

/// What a training gave. The network itself has the weights of the last epoch.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Every epoch.
    pub history: Vec<EpochMetrics>,
    /// The epoch whose weights are kept.
    pub kept: usize,
    /// These weights.
    pub weights: Snapshot,
    /// How it ended.
    pub ended: Ended,
}

/// Trains a network; `watch` sees every epoch and may end it.
///
/// # Errors
/// If the parts do not fit together, or the loss stops being a number.
pub fn train(
    model: &mut Model,
    input: &Input,
    task: &Task,
    options: Options,
    watch: &mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>,
) -> Result<Trained, TrainingError> {
    train_with(&mut options.adam.check()?, model, input, task, options, watch)
}

/// The same with an optimiser that goes on from what it remembers, and remembers what follows, unless training fails.
///
/// # Errors
/// As [`train`], and if it remembers another network.
pub fn train_with(
    adam: &mut Adam,
    model: &mut Model,
    input: &Input,
    task: &Task,
    options: Options,
    watch: &mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>,
) -> Result<Trained, TrainingError> {
    let mut best = options.keep.check(task.validation.is_some())?;
    let mut patience = options.patience.map(Patience::new);
    if !adam.fits(&model.parameters_mut()) {
        return Err(TrainingError::OtherNetwork);
    }
    let mut trainer = Trainer { adam: adam.clone(), ..Trainer::new(model, input, task, options)? };
    let mut history: Vec<EpochMetrics> = Vec::new();
    let mut kept = None;
    let mut ended = Ended::Finished;
    for epoch in 0..options.epochs {
        let metrics = trainer.epoch();
        if !metrics.train_loss.is_finite() {
            return Err(TrainingError::Diverged { epoch, loss: metrics.train_loss });
        }
        history.push(metrics);
        let better = best.consider(&metrics);
        // The weights of the last epoch are in the network: no copy of each epoch's is needed for them.
        if better && options.keep != Keep::Last {
            kept = Some((epoch, trainer.model.snapshot()));
        }
        if watch(&metrics).is_break() {
            ended = Ended::Cancelled;
            break;
        }
        if patience.as_mut().is_some_and(|patience| patience.is_over(better)) {
            ended = Ended::OutOfPatience;
            break;
        }
    }
    let last = history.len() - 1;
    let loss = history[last].validation_loss.unwrap_or(history[last].train_loss);
    let (kept, weights) = match kept {
        Some(kept) => kept,
        None if options.keep == Keep::Last => (last, trainer.model.snapshot()),
        // No epoch had numbers that can be compared.
        None => return Err(TrainingError::Diverged { epoch: last, loss }),
    };
    if !weights.is_finite() {
        return Err(TrainingError::Diverged { epoch: kept, loss });
    }
    *adam = trainer.adam;
    Ok(Trained { history, kept, weights, ended })
}

/// A training that is under way, epoch by epoch.
#[derive(Debug)]
pub struct Trainer<'a> {
    model: &'a mut Model,
    input: &'a Input,
    task: &'a Task<'a>,
    options: Options,
    adam: Adam,
    epoch: usize,
    dropout: u64,
    /// What the first layer gave to the last validation: the next step begins with the same.
    projected: Option<Vec<Tensor>>,
    /// Every step makes the same tensors.
    _recycling: Recycling,
}

impl<'a> Trainer<'a> {
    /// Ready for the first epoch.
    ///
    /// # Errors
    /// If the parts do not fit together.
    pub fn new(
        model: &'a mut Model,
        input: &'a Input,
        task: &'a Task<'a>,
        options: Options,
    ) -> Result<Trainer<'a>, TrainingError> {
        if options.epochs == 0 {
            return Err(TrainingError::NoEpochs);
        }
        model.fits(input)?;
        let (nodes, classes) = (input.nodes(), model.architecture().classes());
        let (loss_nodes, loss_classes) = (task.loss.targets().nodes(), task.loss.targets().classes());
        if (nodes, classes) != (loss_nodes, loss_classes) {
            return Err(TrainingError::Shape { loss_nodes, loss_classes, nodes, classes });
        }
        if model.architecture().description().batch_norm && nodes < 2 {
            return Err(TrainingError::TooFewForNorm { nodes });
        }
        let dropout = Random::new(options.seed, "dropout").bits();
        Ok(Trainer {
            model,
            input,
            task,
            options,
            adam: options.adam.check()?,
            epoch: 0,
            dropout,
            projected: None,
            _recycling: Recycling::start(),
        })
    }

    /// A step, and a look at the validation nodes.
    pub fn epoch(&mut self) -> EpochMetrics {
        let start = Instant::now();
        let Trainer { model, input, task, options, .. } = self;
        let projected = self.projected.take().unwrap_or_else(|| model.project(input));
        let step = model.train(input, projected, self.dropout.wrapping_add(self.epoch as u64));
        let (train_loss, gradient) = task.loss.value_and_gradient(step.logits());
        let train_accuracy = task.loss.reported().accuracy(step.logits());
        model.backward(input, step, gradient);
        let rate = options.schedule.rate(options.adam.learning_rate, self.epoch, options.epochs);
        self.adam.step(rate, model.parameters_mut());
        let (mut validation_loss, mut validation_accuracy) = (None, None);
        if let Some(validation) = &task.validation {
            let (logits, projected) = model.evaluate(input, model.project(input));
            validation_loss = Some(validation.value(&logits));
            validation_accuracy = Some(validation.reported().accuracy(&logits));
            self.projected = Some(projected);
        }
        let epoch = self.epoch;
        self.epoch += 1;
        let seconds = start.elapsed().as_secs_f64();
        EpochMetrics { epoch, train_loss, train_accuracy, validation_loss, validation_accuracy, seconds }
    }
}
