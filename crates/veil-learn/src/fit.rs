//! One network, trained on labels that were released through randomised response.

use std::ops::ControlFlow;
use std::sync::Arc;

use veil_graph::random::Random;
use veil_graph::{Dataset, Features, Labels, Matrix, NodeId, Part, Split};
use veil_nn::graph::Topology;
use veil_nn::loss::{Loss, Targets, Transition};
use veil_nn::optimiser::{self, Adam};
use veil_nn::training::{self, EpochMetrics, Options, Task, TrainingError};
use veil_nn::{Description, Input, Messages, Model};
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

    /// The same labels, where only these nodes are left, which ascend.
    fn among(&self, nodes: &[NodeId]) -> Result<ReportedLabels, LearnError> {
        Ok(ReportedLabels { train: among(&self.train, nodes)?, validation: self.validating(nodes)?, ..self.clone() })
    }

    fn validating(&self, nodes: &[NodeId]) -> Result<Option<Targets>, LearnError> {
        self.validation.as_ref().map(|targets| among(targets, nodes)).transpose()
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

/// The targets among these nodes, by their place there.
fn among(targets: &Targets, nodes: &[NodeId]) -> Result<Targets, LearnError> {
    let place = |node: NodeId| nodes.binary_search(&node).ok().map(|place| place as NodeId);
    let pairs = targets.iter().filter_map(|(node, label)| Some((place(node)?, label))).collect();
    Ok(Targets::new(pairs, nodes.len(), targets.classes())?)
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

impl Fitted {
    /// The same training, as networks of features X where these read X·`map`; MLPs only.
    pub(crate) fn reading_through(self, map: &Matrix) -> Option<Fitted> {
        let (chosen, last) = (self.chosen.reading_through(map)?, self.last.reading_through(map)?);
        Some(Fitted { chosen, last, ..self })
    }
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
    validation.map_or(data.validated, |other| other.validated)
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

/// Rows of features of some nodes.
pub(crate) type RowsOf<'a> = &'a (dyn Fn(&[NodeId]) -> Features + Sync);

/// What is believed about some nodes, which ascend: a weight for each class.
pub(crate) type Beliefs = [(NodeId, Vec<f32>)];

/// Trains a network without messages on labels or, if there are any, on beliefs. Of many rows, each
/// epoch reads the next part.
pub(crate) fn fit_rows(
    description: Description,
    rows: RowsOf<'_>,
    (beliefs, reported): (Option<&Beliefs>, &ReportedLabels),
    training: &Training,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let nodes = match beliefs {
        Some(beliefs) => beliefs.iter().map(|&(node, _)| node).collect(),
        None => reported.train.iter().map(|(node, _)| node).collect(),
    };
    let validation: Vec<NodeId> = reported.validation.iter().flat_map(Targets::iter).map(|(node, _)| node).collect();
    let parts = parts(nodes, &validation, seed);
    let without = |part: &Vec<NodeId>| Arc::new(Topology::new(Messages::none(part.len() as u32)));
    let topologies: Vec<Arc<Topology>> = parts.iter().map(without).collect();
    let mut tasks: Vec<(Input, Task<'_>)> = Vec::with_capacity(parts.len());
    for (nodes, topology) in parts.iter().zip(&topologies) {
        let input = Input::along(rows(nodes), Arc::clone(topology), 0)?;
        let validation = reported.validating(nodes)?;
        let transition = reported.transition.clone();
        let loss = match beliefs {
            None => Loss::drop(among(&reported.train, nodes)?, validation.as_ref(), transition, topology, 0)?,
            Some(beliefs) => {
                let place = |node: &NodeId| nodes.binary_search(node).ok().map(|place| place as NodeId);
                let moved = beliefs.iter().filter_map(|(node, row)| Some((place(node)?, row.as_slice())));
                soft(moved.collect(), (nodes.len(), reported.classes()), transition)?
            }
        };
        tasks.push((input, Task::new(loss, validation)?));
    }
    let inputs = tasks.first().map_or(0, |(input, _)| input.dimensions());
    let architecture = description.check(inputs, reported.classes())?;
    let options = options(training, reported, seed);
    let mut last = Model::new(architecture, seed);
    let trained = training::train_parts(&mut last, &tasks, options, watch)?;
    let mut chosen = Model::new(architecture, seed);
    chosen.restore(&trained.weights);
    Ok(Fitted { chosen, last, history: trained.history, kept: trained.kept })
}

/// The most training rows of one epoch, and of the parts that take turns.
const MOST_ROWS: usize = 1 << 16;
const MOST_PARTS: usize = 4;
/// More validation rows than this say nothing new about an epoch.
const MOST_VALIDATION: usize = 1 << 14;

/// Nodes to train on in parts that are not too large, each with the nodes that validate, ascending.
fn parts(mut nodes: Vec<NodeId>, validation: &[NodeId], seed: u64) -> Vec<Vec<NodeId>> {
    let count = nodes.len().div_ceil(MOST_ROWS).max(1);
    if count > 1 {
        Random::new(seed, "parts of a training").shuffle(&mut nodes);
    }
    let each = nodes.len().div_ceil(count).max(1);
    let every = validation.len().div_ceil(MOST_VALIDATION).max(1);
    let with_validation = |part: &[NodeId]| {
        let mut part: Vec<NodeId> = part.iter().chain(validation.iter().step_by(every)).copied().collect();
        part.sort_unstable();
        part
    };
    nodes.chunks(each).take(MOST_PARTS).map(with_validation).collect()
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
    wanted: &Beliefs,
    reported: &ReportedLabels,
    training: &Training,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let moved = wanted.iter().map(|(node, row)| (*node, row.as_slice())).collect();
    let loss = soft(moved, (input.nodes(), reported.classes()), reported.transition.clone())?;
    fit_loss(description, input, (loss, reported), training, seed.into(), watch)
}

/// The loss of beliefs about some nodes.
fn soft(
    wanted: Vec<(NodeId, &[f32])>,
    (nodes, classes): (usize, usize),
    transition: Transition,
) -> Result<Loss<'static>, LearnError> {
    let likeliest = |row: &[f32]| (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
    let pairs = wanted.iter().map(|(node, row)| (*node, likeliest(row).unwrap_or(0) as u32)).collect();
    let targets = Targets::new(pairs, nodes, classes)?;
    let weights = wanted.into_iter().flat_map(|(_, row)| row).copied().collect();
    Ok(Loss::soft(targets, weights, transition)?)
}

fn options(training: &Training, reported: &ReportedLabels, seed: u64) -> Options {
    Options {
        epochs: training.epochs,
        adam: adam(training),
        schedule: training.schedule,
        keep: selected(training).keep(reported.keep),
        seed,
        ..Options::default()
    }
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
    let options = options(training, reported, seed);
    let task = Task::new(loss, reported.validation.clone())?;
    let mut last = Model::new(architecture, seed);
    let mut adam = before.cloned().map_or_else(|| options.adam.check(), Ok).map_err(TrainingError::from)?;
    let trained = training::train_with(&mut adam, &mut last, input, &task, options, watch)?;
    let mut chosen = Model::new(architecture, seed);
    chosen.restore(&trained.weights);
    Ok(Fitted { chosen, last, history: trained.history, kept: trained.kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_one_part_and_many_take_turns() {
        let few = parts(vec![5, 1, 9], &[2, 7], 1);
        assert_eq!(few, [vec![1, 2, 5, 7, 9]]);
        let (count, validation) = (5 * MOST_ROWS + 3, 3 * MOST_VALIDATION);
        let nodes = || (0..count as NodeId).collect::<Vec<_>>();
        let validating: Vec<NodeId> = (0..validation as NodeId).map(|it| count as NodeId + it).collect();
        let many = parts(nodes(), &validating, 1);
        assert_eq!(many, parts(nodes(), &validating, 1));
        assert_eq!(many.len(), MOST_PARTS);
        let mut seen = vec![0; count];
        for part in &many {
            assert!(part.is_sorted() && part.len() <= MOST_ROWS + MOST_VALIDATION);
            let (trained, validated): (Vec<NodeId>, Vec<NodeId>) = part.iter().partition(|&&it| (it as usize) < count);
            trained.iter().for_each(|&it| seen[it as usize] += 1);
            assert_eq!(validated.len(), MOST_VALIDATION);
        }
        assert!(seen.iter().all(|&times| times <= 1));
    }
}
