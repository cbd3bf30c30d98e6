//! The best that can be done without a single edge: the floor under every method that pays for
//! edges.
//!
//! A stack of small MLPs reads public features in several ways (`views`): rows scaled to one
//! length, columns standardised, a few directions of wide features (`reduced`), and any of them
//! averaged over one and two hops along the nearest neighbours *of the features* (`neighbours`),
//! which are not edges of the graph. The scores are weighed by validation labels (`combine`): they
//! join one by one, as long as the likelihood of held-out labels grows. Where averaging hurts, the
//! answers are those of a plain MLP. No edge is read, so nothing is released of edges and nothing
//! is spent.
//!
//! Networks that learn in a few directions are kept as networks of all columns: their first layer
//! is the product of both maps. Of more than some ten thousand labels, every epoch reads the next
//! part.
//!
//! Constants are fixed; everything that depends on the data is chosen by validation labels inside
//! of the run, except that few labels and small or full features decide which networks are tried.

pub(crate) mod combine;
mod neighbours;
mod reduced;
pub(crate) mod scores;
pub(crate) mod stack;
#[cfg(test)]
mod tests;
pub(crate) mod views;

use veil_nn::Description;
use veil_nn::optimiser::Schedule;
use veil_privacy::parameters;
use veil_privacy::parameters::{Described, Kind, Parameters};
use veil_privacy::release::{EdgePlan, Privatised};

use super::{Entry, Method, MethodError, ModelState, Shape, configured, described_by_parameters};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::parameters::{Mlp, Propagation, Recipe, Reports, Scaling, Training};
use stack::{Stack, Trainer};
use views::Views;

/// The name of the method.
pub const NAME: &str = "edge-free";

parameters! {
    /// Parameters of the method.
    pub struct Params: Network {
    }
    with {
        /// The stack.
        stack: StackParams = StackParams::default(),
        /// Features and labels.
        reports: Reports = reports(),
        /// Each network.
        network: Mlp = network(),
        /// The training of each network.
        training: Training = training(),
    }
}

parameters! {
    /// What the stack is made of.
    pub struct StackParams: Network {
        /// Average features along their nearest neighbours, which takes minutes with a million
        /// nodes
        neighbours: bool = true => Kind::Switch,
        /// Fit a bias for each class on validation labels
        class_bias: bool = true => Kind::Switch,
    }
}

/// Features and labels are public; networks choose how features are scaled.
pub(super) fn reports() -> Reports {
    Reports { scale: Scaling::None, ..Recipe::Lpgnet.reports() }
}

pub(super) fn network() -> Mlp {
    Mlp { hidden: 64, dropout: 0.5, bias: true, ..Mlp::default() }
}

pub(super) fn training() -> Training {
    Training { epochs: 100, schedule: Schedule::LinearToZero, weight_decay: 5e-4, ..Training::default() }
}

/// Whether a stack can be trained.
pub(super) fn check(network: &Mlp, training: &Training, shape: Shape) -> Result<(), LearnError> {
    let Shape { features, classes, validated, .. } = shape;
    check_training(training, &Propagation::default(), validated)?;
    network.description().check(features.ok_or(LearnError::NoFeatures)?, classes)?;
    if validated { Ok(()) } else { Err(LearnError::NoValidationLabels) }
}

impl Method for Params {
    described_by_parameters!();

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        Ok(EdgePlan::Withheld)
    }

    fn check(&self, shape: Shape) -> Result<(), LearnError> {
        check(&self.network, &self.training, shape)
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let views = Views::of(&data.joined, data.labels.training(), self.stack.neighbours)?;
        let trainer = Trainer { network: &self.network, training: &self.training, labels: &data.labels, seed };
        let validation = data.labels.evidence(&data.joined, veil_graph::Part::Val);
        let (stages, stack, scores) = trainer.stack(&views, &validation, self.stack.class_bias, watch)?;
        let (posteriors, ranges) = (scores.posteriors(), data.ranges());
        for (view, range) in data.graphs.iter_mut().zip(ranges) {
            view.released.believe(posteriors.slice(range).to_matrix());
        }
        Ok(Learned { stages, scaled: data.scaled.clone(), readout: serde_json::to_value(&stack).ok() })
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        let stack = read(state.readout).ok_or(LearnError::NoNetwork)?;
        let scores = stack.scores(&Views::of(graph.released.data(), 0, stack.hops())?, state.stages)?;
        graph.released.believe(scores.posteriors().to_matrix());
        Ok(())
    }

    fn deploy(&self, released: &Privatised, _: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let beliefs = released.figures().beliefs.clone().ok_or(LearnError::NoBeliefs)?;
        Ok(Deployed::cached(beliefs, released))
    }

    fn check_readout(&self, readout: Option<&serde_json::Value>, classes: usize) -> Result<(), String> {
        let fits = read(readout).is_some_and(|stack| stack.fits(usize::MAX, classes));
        if fits { Ok(()) } else { Err(format!("expected finite weights for a stack of networks of {classes} classes")) }
    }

    fn networks(&self) -> u32 {
        // Two regularisations of up to two views and two hops, and of two hops and none in few
        // directions.
        14
    }
}

fn read(readout: Option<&serde_json::Value>) -> Option<Stack> {
    serde_json::from_value(readout?.clone()).ok()
}

pub(super) fn entry() -> Entry {
    Entry::new(NAME, "Stack of MLPs on features and their nearest neighbours, no edges (ours)", configured::<Params>)
}
