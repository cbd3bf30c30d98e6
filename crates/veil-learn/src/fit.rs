//! One network, trained on labels that were released through randomised response.

use std::ops::ControlFlow;

use veil_graph::{Dataset, Features, Labels, Matrix, NodeId, Part, Split};
use veil_nn::loss::{Loss, Targets, Transition};
use veil_nn::optimiser::{self, Adam};
use veil_nn::training::{self, EpochMetrics, Options, Task, TrainingError};
use veil_nn::{Description, Input, Model};
use veil_privacy::Public;
use veil_privacy::mechanism::RandomisedResponse;

use crate::error::LearnError;
use crate::method::lpgnet::bayes::Evidence;
use crate::parameters::{Propagation, Select, Training};

/// Released labels, and how they were randomised.
#[derive(Clone, Debug)]
pub struct ReportedLabels {
    train: Targets,
    validation: Option<Targets>,
    transition: Transition,
    /// Probability that a label is kept.
    keep: f64,
}

impl ReportedLabels {
    /// The labels of released data that this mechanism randomised (`None`: unchanged labels).
    pub(crate) fn of(data: &Dataset, mechanism: Option<RandomisedResponse>) -> Result<ReportedLabels, LearnError> {
        let labels = data.labels().ok_or(LearnError::NoLabels)?;
        let split = data.split().ok_or(LearnError::NoSplit)?;
        let (nodes, classes) = (labels.nodes(), labels.classes() as usize);
        let of = |part| -> Vec<(NodeId, u32)> { labelled(labels, split, part).collect() };
        let train = of(Part::Train);
        if train.is_empty() {
            return Err(LearnError::NoTrainingLabels);
        }
        let validation = of(Part::Val);
        let unchanged =
            || (0..classes).map(|row| (0..classes).map(|column| f64::from(row == column)).collect()).collect();
        let rows = mechanism.as_ref().map_or_else(unchanged, |mechanism| mechanism.transition_matrix());
        Ok(ReportedLabels {
            train: Targets::new(train, nodes, classes)?,
            validation: if validation.is_empty() { None } else { Some(Targets::new(validation, nodes, classes)?) },
            transition: Transition::new(rows)?,
            keep: mechanism.map_or(1.0, |mechanism| mechanism.keep().to_f64()),
        })
    }

    /// Posteriors weighed with released labels by Bayes' rule: P(class | x)·P(label | class).
    pub(crate) fn weighed(&self, mut posteriors: Matrix, labels: Option<&Labels>) -> Matrix {
        let Some(labels) = labels else { return posteriors };
        for (node, label) in labels.iter().enumerate().filter_map(|(node, label)| Some((node, label?))) {
            for (posterior, &likelihood) in
                posteriors.row_mut(node).iter_mut().zip(self.transition.given(label as usize))
            {
                *posterior *= likelihood as f32;
            }
        }
        posteriors
    }

    /// The evidence of the released labels of one part.
    pub(crate) fn evidence(&self, data: &Dataset, part: Part) -> Vec<Evidence> {
        let (Some(labels), Some(split)) = (data.labels(), data.split()) else { return Vec::new() };
        let evidence = |(node, label): (NodeId, u32)| Evidence {
            node: node as usize,
            likelihood: self.transition.given(label as usize).to_vec(),
        };
        labelled(labels, split, part).map(evidence).collect()
    }

    /// Nodes with a label, for training or validation, ascending.
    fn nodes(&self) -> Vec<NodeId> {
        let validating = self.validation.iter().flat_map(Targets::iter);
        let mut nodes: Vec<NodeId> = self.train.iter().chain(validating).map(|(node, _)| node).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The same labels, where only these nodes are left; all of those with a label are among them.
    fn among(&self, nodes: &[NodeId]) -> Result<ReportedLabels, LearnError> {
        let moved = |targets: &Targets| {
            let place = |node: NodeId| nodes.partition_point(|&other| other < node) as NodeId;
            let pairs = targets.iter().map(|(node, label)| (place(node), label)).collect();
            Targets::new(pairs, nodes.len(), targets.classes())
        };
        let (train, validation) = (moved(&self.train)?, self.validation.as_ref().map(moved).transpose()?);
        Ok(ReportedLabels { train, validation, ..self.clone() })
    }

    /// Number of training labels.
    pub(crate) fn training(&self) -> usize {
        self.train.len()
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.train.classes()
    }
}

fn labelled<'a>(labels: &'a Labels, split: &'a Split, part: Part) -> impl Iterator<Item = (NodeId, u32)> + 'a {
    split.nodes(part).filter_map(|node| Some((node, labels.get(node)?)))
}

/// A trained network.
#[derive(Debug)]
pub struct Fitted {
    /// With the weights of the epoch that was chosen.
    pub chosen: Model,
    /// With the weights of the last epoch: what the published attacks looked at.
    pub last: Model,
    /// Every epoch.
    pub history: Vec<EpochMetrics>,
    /// Which epoch was chosen.
    pub kept: usize,
}

/// Called after every epoch; may end the training.
pub type Watch<'a> = &'a mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>;

/// More hops than any graph that fits has, which would take forever.
const MOST_HOPS: usize = 10_000;

/// Whether a training can begin, with or without validation nodes.
pub(crate) fn check_training(
    training: &Training,
    propagation: &Propagation,
    validated: bool,
) -> Result<(), LearnError> {
    if training.epochs == 0 {
        return Err(TrainingError::NoEpochs.into());
    }
    let hops = propagation.kx.max(propagation.ky);
    if hops > MOST_HOPS {
        return Err(LearnError::TooManyHops { hops, limit: MOST_HOPS });
    }
    adam(training).check().map_err(TrainingError::from)?;
    selected(training).keep(1.0).check(validated).map_err(TrainingError::from)?;
    Ok(())
}

/// The rule for the epoch; a training that nothing was decided about keeps the last one.
fn selected(training: &Training) -> Select {
    training.select.unwrap_or(Select::Last)
}

/// Whether there are validation nodes: in these data, or in a graph of their own.
pub fn validated(data: &Public<'_>, validation: Option<&Public<'_>>) -> bool {
    let split = validation.map_or(data.split, |other| other.split);
    split.is_some_and(|split| split.count(Part::Val) > 0)
}

pub(crate) fn adam(training: &Training) -> optimiser::Params {
    let Training { lr: learning_rate, weight_decay, .. } = *training;
    optimiser::Params { learning_rate, weight_decay, ..optimiser::Params::default() }
}

/// Trains a network without messages: nodes without a label contribute nothing, so they are left
/// out.
pub(crate) fn fit_without_edges(
    description: Description,
    features: &Features,
    reported: &ReportedLabels,
    training: &Training,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let nodes = reported.nodes();
    let input = Input::without_graph(features.selected(&nodes))?;
    fit(description, &input, &reported.among(&nodes)?, training, 0, seed.into(), watch)
}

/// Where a training begins.
pub(crate) struct Start<'a> {
    /// What weights and dropout are drawn from.
    pub seed: u64,
    /// An optimiser with the state of earlier trainings.
    pub adam: Option<&'a Adam>,
}

impl From<u64> for Start<'_> {
    fn from(seed: u64) -> Self {
        Start { seed, adam: None }
    }
}

/// Trains a network. Its loss is Drop's (forward correction, with K_y hops of label propagation
/// along the input's messages).
pub(crate) fn fit(
    description: Description,
    input: &Input,
    reported: &ReportedLabels,
    training: &Training,
    hops: usize,
    Start { seed, adam: before }: Start<'_>,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let ReportedLabels { train, validation, transition, .. } = reported.clone();
    let loss = Loss::drop(train, validation.as_ref(), transition, input.topology(), hops)?;
    fit_loss(description, input, (loss, reported), training, Start { seed, adam: before }, watch)
}

/// Trains a network on beliefs about nodes instead of labels: each has a weight for each class.
/// Nodes ascend.
pub(crate) fn fit_soft(
    description: Description,
    input: &Input,
    wanted: Vec<(NodeId, Vec<f32>)>,
    reported: &ReportedLabels,
    training: &Training,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let likeliest = |row: &[f32]| (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
    let pairs = wanted.iter().map(|(node, row)| (*node, likeliest(row).unwrap_or(0) as u32)).collect();
    let targets = Targets::new(pairs, input.nodes(), reported.classes())?;
    let weights = wanted.into_iter().flat_map(|(_, row)| row).collect();
    let loss = Loss::soft(targets, weights, reported.transition.clone())?;
    fit_loss(description, input, (loss, reported), training, seed.into(), watch)
}

fn fit_loss(
    description: Description,
    input: &Input,
    (loss, reported): (Loss<'_>, &ReportedLabels),
    training: &Training,
    Start { seed, adam: before }: Start<'_>,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let architecture = description.check(input.dimensions(), reported.classes())?;
    let ReportedLabels { validation, keep, .. } = reported.clone();
    let options = Options {
        epochs: training.epochs,
        adam: adam(training),
        schedule: training.schedule,
        keep: selected(training).keep(keep),
        seed,
        ..Options::default()
    };
    let task = Task::new(loss, validation)?;
    let mut last = Model::new(architecture, seed);
    let mut adam = before.cloned().map_or_else(|| options.adam.check(), Ok).map_err(TrainingError::from)?;
    let trained = training::train_with(&mut adam, &mut last, input, &task, options, watch)?;
    let mut chosen = Model::new(architecture, seed);
    chosen.restore(&trained.weights);
    Ok(Fitted { chosen, last, history: trained.history, kept: trained.kept })
}
