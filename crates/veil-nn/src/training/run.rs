//! The training loop: steps, validation, and the weights to keep.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use veil_graph::random::Random;

use super::rule::{EpochMetrics, Keep, KeepError};
use crate::input::Input;
use crate::loss::{Loss, LossError, Targets};
use crate::model::{FeaturesError, Model, Snapshot};
use crate::optimiser::{self, Adam, Schedule};
use crate::storage::Recycling;
use crate::tensor::Tensor;

/// A loss on training nodes, and its form for validation nodes.
#[derive(Clone, Debug)]
pub struct Task<'graph> {
    loss: Loss<'graph>,
    validation: Option<Loss<'static>>,
}

impl<'graph> Task<'graph> {
    /// A loss, and labels for its [validation](Loss::validation) form.
    ///
    /// # Errors
    /// If the labels do not fit the loss.
    pub fn new(loss: Loss<'graph>, validation: Option<Targets>) -> Result<Task<'graph>, LossError> {
        let validation = validation.map(|targets| loss.validation(targets)).transpose()?;
        Ok(Task { loss, validation })
    }
}

/// The options of a training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The maximum number of epochs.
    pub epochs: usize,
    /// The parameters of the optimiser.
    pub adam: optimiser::Params,
    /// The learning rate schedule.
    pub schedule: Schedule,
    /// The epoch whose weights are kept.
    pub keep: Keep,
    /// The number of consecutive epochs that were not kept after which to stop. With
    /// [`Keep::Last`] every epoch is kept, unless it is NaN.
    pub patience: Option<NonZeroUsize>,
    /// The seed of dropout.
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

/// Why a training failed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainingError {
    #[error(transparent)]
    Optimiser(#[from] optimiser::ParamsError),
    #[error(transparent)]
    Rule(#[from] KeepError),
    #[error("epochs is 0: it must be at least 1")]
    NoEpochs,
    #[error("there is nothing to train on")]
    NoParts,
    #[error(transparent)]
    Features(#[from] FeaturesError),
    #[error("the loss has {loss_nodes} nodes and {loss_classes} classes, the network {nodes} and {classes}")]
    Shape { loss_nodes: usize, loss_classes: usize, nodes: usize, classes: usize },
    #[error("the state of the optimiser belongs to another network, with other layers or another width")]
    OtherNetwork,
    #[error("batch normalisation requires at least 2 nodes, but there is {nodes}")]
    TooFewForNorm { nodes: usize },
    #[error("training diverged in epoch {epoch} (loss {loss}): the learning rate or the features may be too large")]
    Diverged { epoch: usize, loss: f64 },
}

impl TrainingError {
    /// Whether the error is a wrong usage rather than a failure.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, TrainingError::Optimiser(_) | TrainingError::Rule(_) | TrainingError::NoEpochs)
    }
}

/// How a training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// All epochs were run.
    Finished,
    /// The patience was exceeded.
    OutOfPatience,
    /// The callback stopped it.
    Cancelled,
}

/// The result of a training. The network itself has the weights of the last epoch.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The metrics of every epoch.
    pub history: Vec<EpochMetrics>,
    /// The kept epoch.
    pub kept: usize,
    /// Its weights.
    pub weights: Snapshot,
    /// How it ended.
    pub ended: Ended,
}

/// Trains a network; `watch` receives the metrics of every epoch and may stop the training.
///
/// # Errors
/// If the parts do not fit together, or the loss becomes NaN.
pub fn train(
    model: &mut Model,
    input: &Input,
    task: &Task,
    options: Options,
    watch: &mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>,
) -> Result<Trained, TrainingError> {
    train_with(&mut options.adam.check()?, model, input, task, options, watch)
}

/// As [`train`], continuing from the state of an optimiser, which is updated unless training fails.
///
/// # Errors
/// As [`train`], and if the state belongs to another network.
pub fn train_with(
    adam: &mut Adam,
    model: &mut Model,
    input: &Input,
    task: &Task,
    options: Options,
    watch: &mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>,
) -> Result<Trained, TrainingError> {
    train_some(adam, model, &[(input, task)], options, watch)
}

/// As [`train`], where every epoch reads the next of several parts of the data: for data that are
/// too large to be read in every epoch. Each part has the same validation nodes.
///
/// # Errors
/// As [`train`], and if there is no part.
pub fn train_parts(
    model: &mut Model,
    parts: &[(Input, Task)],
    options: Options,
    watch: &mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>,
) -> Result<Trained, TrainingError> {
    let parts: Vec<(&Input, &Task)> = parts.iter().map(|(input, task)| (input, task)).collect();
    train_some(&mut options.adam.check()?, model, &parts, options, watch)
}

fn train_some(
    adam: &mut Adam,
    model: &mut Model,
    parts: &[(&Input, &Task)],
    options: Options,
    watch: &mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>,
) -> Result<Trained, TrainingError> {
    let mut best = options.keep.check(parts.iter().all(|(_, task)| task.validation.is_some()))?;
    if !adam.fits(&model.parameters_mut()) {
        return Err(TrainingError::OtherNetwork);
    }
    let mut trainer = Trainer { adam: adam.clone(), ..Trainer::of(model, parts.to_vec(), options)? };
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
        // The network itself holds the weights of the last epoch, so they need no copy.
        if better && options.keep != Keep::Last {
            kept = Some((epoch, trainer.model.snapshot()));
        }
        if watch(&metrics).is_break() {
            ended = Ended::Cancelled;
            break;
        }
        if options.patience.is_some_and(|most| best.waited() >= most.get()) {
            ended = Ended::OutOfPatience;
            break;
        }
    }
    let last = history.len() - 1;
    let loss = history[last].validation_loss.unwrap_or(history[last].train_loss);
    let (kept, weights) = match kept {
        Some(kept) => kept,
        None if options.keep == Keep::Last => (last, trainer.model.snapshot()),
        // No epoch had comparable metrics.
        None => return Err(TrainingError::Diverged { epoch: last, loss }),
    };
    if !weights.is_finite() {
        return Err(TrainingError::Diverged { epoch: kept, loss });
    }
    *adam = trainer.adam;
    Ok(Trained { history, kept, weights, ended })
}

/// A training in progress, epoch by epoch.
#[derive(Debug)]
pub struct Trainer<'a> {
    model: &'a mut Model,
    /// Each epoch reads the next one.
    parts: Vec<(&'a Input, &'a Task<'a>)>,
    options: Options,
    adam: Adam,
    epoch: usize,
    dropout: u64,
    /// The projection of the first layer in the last validation, with which the next step begins.
    projected: Option<Vec<Tensor>>,
    /// All steps allocate the same tensors.
    _recycling: Recycling,
}

impl<'a> Trainer<'a> {
    /// A training before its first epoch.
    ///
    /// # Errors
    /// If the parts do not fit together.
    pub fn new(
        model: &'a mut Model,
        input: &'a Input,
        task: &'a Task<'a>,
        options: Options,
    ) -> Result<Trainer<'a>, TrainingError> {
        Trainer::of(model, vec![(input, task)], options)
    }

    fn of(
        model: &'a mut Model,
        parts: Vec<(&'a Input, &'a Task<'a>)>,
        options: Options,
    ) -> Result<Trainer<'a>, TrainingError> {
        if options.epochs == 0 {
            return Err(TrainingError::NoEpochs);
        }
        if parts.is_empty() {
            return Err(TrainingError::NoParts);
        }
        for (input, task) in &parts {
            model.fits(input)?;
            let (nodes, classes) = (input.nodes(), model.architecture().classes());
            let (loss_nodes, loss_classes) = (task.loss.targets().nodes(), task.loss.targets().classes());
            if (nodes, classes) != (loss_nodes, loss_classes) {
                return Err(TrainingError::Shape { loss_nodes, loss_classes, nodes, classes });
            }
            if model.architecture().description().batch_norm && nodes < 2 {
                return Err(TrainingError::TooFewForNorm { nodes });
            }
        }
        let dropout = Random::new(options.seed, "dropout").bits();
        Ok(Trainer {
            model,
            parts,
            options,
            adam: options.adam.check()?,
            epoch: 0,
            dropout,
            projected: None,
            _recycling: Recycling::start(),
        })
    }

    /// A training step and a validation.
    pub fn epoch(&mut self) -> EpochMetrics {
        let start = Instant::now();
        let Trainer { model, options, .. } = self;
        let (input, task) = self.parts[self.epoch % self.parts.len()];
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
            // The next step reads the same rows, if there is one part.
            self.projected = Some(projected).filter(|_| self.parts.len() == 1);
        }
        let epoch = self.epoch;
        self.epoch += 1;
        let seconds = start.elapsed().as_secs_f64();
        EpochMetrics { epoch, train_loss, train_accuracy, validation_loss, validation_accuracy, seconds }
    }
}
