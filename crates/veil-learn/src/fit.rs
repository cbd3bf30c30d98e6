//! One network, trained on labels that were reported through randomised response.

use std::ops::ControlFlow;

use veil_graph::{Dataset, Features, Labels, Matrix, NodeId, Part, Split};
use veil_nn::loss::{Loss, Targets, Transition};
use veil_nn::optimiser::{self, Adam};
use veil_nn::training::{self, EpochMetrics, Options, Task, TrainingError};
use veil_nn::{Description, Input, Model};
use veil_privacy::Public;
use veil_privacy::mechanism::RandomisedResponse;

use crate::bayes::Evidence;
use crate::error::LearnError;
use crate::parameters::{Edges, Parameters};
use crate::stack;

/// Labels as they were released, and how they were randomised.
#[derive(Clone, Debug)]
pub(crate) struct Reported {
    train: Targets,
    validation: Option<Targets>,
    transition: Transition,
    /// With which probability a label was reported as it is.
    keep: f64,
}

impl Reported {
    /// What released data say about labels that this mechanism randomised (`None`: labels as they are).
    pub fn of(data: &Dataset, mechanism: Option<RandomisedResponse>) -> Result<Reported, LearnError> {
        let labels = data.labels().ok_or(LearnError::NoLabels)?;
        let split = data.split().ok_or(LearnError::NoSplit)?;
        let (nodes, classes) = (labels.nodes(), labels.classes() as usize);
        let of = |part| -> Vec<(NodeId, u32)> { labelled(labels, split, part).collect() };
        let train = of(Part::Train);
        if train.is_empty() {
            return Err(LearnError::NobodyToLearnFrom);
        }
        let validation = of(Part::Val);
        let unchanged =
            || (0..classes).map(|row| (0..classes).map(|column| f64::from(row == column)).collect()).collect();
        let rows = mechanism.as_ref().map_or_else(unchanged, |mechanism| mechanism.transition_matrix());
        Ok(Reported {
            train: Targets::new(train, nodes, classes)?,
            validation: if validation.is_empty() { None } else { Some(Targets::new(validation, nodes, classes)?) },
            transition: Transition::new(rows)?,
            keep: mechanism.map_or(1.0, |mechanism| mechanism.keep().to_f64()),
        })
    }

    /// What is believed of each node once its released label is taken into account: P(class | x)·P(reported | class).
    pub fn believed(&self, mut posteriors: Matrix, labels: Option<&Labels>) -> Matrix {
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

    /// What the released labels of a part of the split say.
    pub fn evidence(&self, data: &Dataset, part: Part) -> Vec<Evidence> {
        let (Some(labels), Some(split)) = (data.labels(), data.split()) else { return Vec::new() };
        let said = |(node, label): (NodeId, u32)| Evidence {
            node: node as usize,
            likelihood: self.transition.given(label as usize).to_vec(),
        };
        labelled(labels, split, part).map(said).collect()
    }

    /// Nodes with a label, for training or validation, ascending.
    fn nodes(&self) -> Vec<NodeId> {
        let validating = self.validation.iter().flat_map(Targets::iter);
        let mut nodes: Vec<NodeId> = self.train.iter().chain(validating).map(|(node, _)| node).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The same labels, where only these nodes are left; all of those with a label are among them.
    fn among(&self, nodes: &[NodeId]) -> Result<Reported, LearnError> {
        let moved = |targets: &Targets| {
            let place = |node: NodeId| nodes.partition_point(|&other| other < node) as NodeId;
            let pairs = targets.iter().map(|(node, label)| (place(node), label)).collect();
            Targets::new(pairs, nodes.len(), targets.classes())
        };
        let (train, validation) = (moved(&self.train)?, self.validation.as_ref().map(moved).transpose()?);
        Ok(Reported { train, validation, ..self.clone() })
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
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

/// Who watches a training, and may end it.
pub type Watch<'a> = &'a mut dyn FnMut(&EpochMetrics) -> ControlFlow<()>;

/// Hops beyond which nothing new is heard on any graph that fits, and a training would seem to hang.
const MOST_HOPS: usize = 10_000;

/// Whether a training can begin on what these parameters would release of these data, with validation nodes in a graph of
/// their own, if there is one: asked before anything is paid for.
///
/// # Errors
/// As [`learn`](crate::learn()) would fail, as far as public facts tell.
pub fn check(parameters: &Parameters, data: &Public<'_>, validation: Option<&Public<'_>>) -> Result<(), LearnError> {
    let validated = validated(data, validation);
    check_training(parameters, validated)?;
    let classes = data.classes.ok_or(LearnError::NoLabels)? as usize;
    let features = data.dimensions.filter(|_| parameters.epsilon_features.is_some());
    match parameters.edges {
        _ if parameters.is_central() => {
            stack::description(parameters).check(features.ok_or(LearnError::NoFeatures)?, classes)?
        }
        // Each reads one number per cluster at least.
        Edges::DegreeVectors => stack::description(parameters).check(1, classes)?,
        _ => parameters.description().check(features.ok_or(LearnError::NoFeatures)?, classes)?,
    };
    let split = data.split.ok_or(LearnError::NoSplit)?;
    if split.count(Part::Train) == 0 {
        return Err(LearnError::NobodyToLearnFrom);
    }
    if let Some(other) = validation {
        let shape = |it: &Public<'_>| (it.dimensions, it.classes, it.feature_range.map(|(low, high)| [low, high]));
        if shape(data) != shape(other) {
            return Err(LearnError::OtherValidation);
        }
        if other.split.is_none_or(|split| split.count(Part::Val) == 0) {
            return Err(LearnError::NobodyInValidation);
        }
    }
    if parameters.reads_by_bayes() && !validated {
        return Err(LearnError::NobodyValidates);
    }
    Ok(())
}

/// Whether a training can begin at all, whatever is learned, with or without validation nodes.
pub(crate) fn check_training(parameters: &Parameters, validated: bool) -> Result<(), LearnError> {
    if parameters.epochs == 0 {
        return Err(TrainingError::NoEpochs.into());
    }
    let hops = parameters.kx.max(parameters.ky);
    if hops > MOST_HOPS {
        return Err(LearnError::TooManyHops { hops, limit: MOST_HOPS });
    }
    adam(parameters).check().map_err(TrainingError::from)?;
    parameters.selection(validated).keep(1.0).check(validated).map_err(TrainingError::from)?;
    Ok(())
}

/// Whether there are validation nodes: in these data, or in a graph of their own.
pub fn validated(data: &Public<'_>, validation: Option<&Public<'_>>) -> bool {
    let split = validation.map_or(data.split, |other| other.split);
    split.is_some_and(|split| split.count(Part::Val) > 0)
}

pub(crate) fn adam(parameters: &Parameters) -> optimiser::Params {
    let Parameters { lr: learning_rate, weight_decay, .. } = *parameters;
    optimiser::Params { learning_rate, weight_decay, ..optimiser::Params::default() }
}

/// Trains a network where nobody hears anybody: nodes without a label change nothing, so it sees the others alone.
pub(crate) fn fit_alone(
    description: Description,
    features: &Features,
    reported: &Reported,
    parameters: &Parameters,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let nodes = reported.nodes();
    let input = Input::without_graph(features.selected(&nodes))?;
    fit(description, &input, &reported.among(&nodes)?, parameters, 0, seed.into(), watch)
}

/// Where a training begins.
pub(crate) struct Start<'a> {
    /// What weights and dropout are drawn from.
    pub seed: u64,
    /// An optimiser that goes on from what it remembers.
    pub adam: Option<&'a Adam>,
}

impl From<u64> for Start<'_> {
    fn from(seed: u64) -> Self {
        Start { seed, adam: None }
    }
}

/// Trains a network. Its loss is Drop's (forward correction, with K_y hops of label propagation along the input's messages).
pub(crate) fn fit(
    description: Description,
    input: &Input,
    reported: &Reported,
    parameters: &Parameters,
    hops: usize,
    Start { seed, adam: before }: Start<'_>,
    watch: Watch<'_>,
) -> Result<Fitted, LearnError> {
    let architecture = description.check(input.dimensions(), reported.classes())?;
    let Reported { train, validation, transition, keep } = reported.clone();
    let loss = Loss::drop(train, validation.as_ref(), transition, input.topology(), hops)?;
    let options = Options {
        epochs: parameters.epochs,
        adam: adam(parameters),
        schedule: parameters.schedule,
        keep: parameters.selection(validation.is_some()).keep(keep),
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
