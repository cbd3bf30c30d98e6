//! Cascade: the edges of every node that the public is not sure about, each counted once (ours).
//!
//! 1. **Without edges.** The [stack](super::edge_free) learns from public features and training
//!    labels. It costs nothing.
//! 2. **A public order.** Training nodes first, whose classes are known; then the others, the most
//!    certain first.
//! 3. **Messages** are the probabilities of the sender's classes, on a grid; those of training
//!    nodes are their labels.
//! 4. **Batches along the order.** Each node releases the noisy sum of its earlier neighbours'
//!    messages ([`cascade`]: ε once, however many batches). With *pairs* there are half as many
//!    noisy numbers, which pays where noise is large.
//! 5. **Readout.** The likelihood of a row for each class (`readout`), combined with what was
//!    believed before by weights that are fitted on validation labels. Where rows say nothing, the
//!    weights are those of the stack.
//! 6. **Self-training.** A network learns from what is believed now about all nodes; its scores
//!    improve the belief before the rows, and the rows are read again.
//!
//! [`local`] is the same where users trust nobody, also without features (`labels`). Growing graphs
//! extend an earlier release ([`extension`](cascade::Extension)).
//!
//! Steps 5 and 6 are post-processing. Answers are stored with the release, so predictions cost
//! nothing more.
//!
//! **Constants.** Lengths, ladders and penalties are fixed and were not chosen on the test labels
//! of any data set. Three batches with one round of self-training each predict the validation
//! labels of Cora and Citeseer (public split, ε = 1 and 4) better than one batch with two to four
//! rounds, at the price of one network more than two rounds. Everything else is decided by
//! validation labels inside of the run.

mod bits;
mod density;
mod labels;
mod learner;
pub mod local;
mod readout;
mod state;
#[cfg(test)]
mod tests;

use veil_graph::limits::MOST_ROUNDS;
use veil_nn::Description;
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::protocol::cascade::{self, Heard};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Guarantee, Status, Unit, parameters};

use super::edge_free::StackParams;
use super::{
    Entry, Facts, Method, MethodError, ModelState, Other, Shape, configured, described_by_parameters, edge_free,
    settings_of,
};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Fitted, Watch};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::parameters::{Mlp, Paired, Recipe, Reports, Training};
use learner::{Learner, Memory};

/// The name of the method.
pub const NAME: &str = cascade::NAME;

/// Who hears whom is a square of classes, and its equations are the square of that.
const MOST_CLASSES: usize = 64;
/// Up to this ε pairs are released as differences, by default.
const PAIRED_UP_TO: f64 = 4.0;

parameters! {
    /// Parameters of the cascade.
    pub struct Params: Edges {
        /// ε of the edges, for all batches together; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of batches along the order; each costs nothing more
        batches: u32 = 3 => Kind::Whole,
        /// Release pairs of classes as differences [if ε ≤ 4]
        paired: Paired = Paired::Auto => Kind::Word(Paired::WORDS),
    }
    with {
        /// The readout.
        readout: ReadoutParams = ReadoutParams::default(),
        /// The stack.
        stack: StackParams = StackParams::default(),
        /// Features and labels.
        reports: Reports = edge_free::reports(),
        /// Each network.
        network: Mlp = edge_free::network(),
        /// The training of each network.
        training: Training = edge_free::training(),
    }
}

parameters! {
    /// How rows are read.
    pub struct ReadoutParams: Network {
        /// Rounds of self-training in each batch on what is believed about all nodes
        self_training: u32 = 1 => Kind::Whole,
    }
}

impl Params {
    fn in_pairs(&self) -> bool {
        in_pairs(self.paired, self.epsilon_edges)
    }

    fn learner(&self, seed: u64) -> Learner<'_> {
        Learner {
            network: &self.network,
            training: &self.training,
            self_training: self.readout.self_training,
            stack: &self.stack,
            batches: self.batches,
            scale: scale_of(self.epsilon_edges),
            seed,
        }
    }
}

/// Whether pairs are released as differences: by default where noise is large.
fn in_pairs(chosen: Paired, epsilon: Option<Epsilon>) -> bool {
    match chosen {
        Paired::Yes => true,
        Paired::No => false,
        Paired::Auto => epsilon.is_some_and(|epsilon| epsilon.as_f64() <= PAIRED_UP_TO),
    }
}

/// The scale of the noise, in messages.
fn scale_of(epsilon: Option<Epsilon>) -> f64 {
    epsilon.filter(|it| it.is_finite()).map_or(0.0, |it| 1.0 / it.as_f64())
}

/// A release of rows.
fn plan(params: cascade::Params) -> Result<EdgePlan, MethodError> {
    if params.batches > MOST_ROUNDS {
        return Err(MethodError::TooManyRounds { rounds: params.batches, limit: MOST_ROUNDS });
    }
    params.check().map(EdgePlan::Cascade).map_err(|source| MethodError::Mechanism { mechanism: NAME, source })
}

/// Only nodes whose class is not known surely hear their neighbours.
fn check_batches(nodes: usize, batches: u32) -> Result<(), LearnError> {
    if nodes < batches.max(1) as usize { Err(LearnError::TooFewNodes { nodes, batches }) } else { Ok(()) }
}

fn learned((stages, memory): (Vec<Fitted>, Memory), data: &TrainingData<'_, '_>) -> Learned {
    Learned { stages, scaled: data.scaled.clone(), readout: serde_json::to_value(&memory).ok() }
}

/// Answers about another graph, or about the nodes that were added to one.
fn infer(learner: &Learner<'_>, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
    let memory: Memory = read(state.readout).ok_or(LearnError::NoNetwork)?;
    match state.extends {
        Some(earlier) => learner.extend(&memory, state.stages, graph, earlier),
        None => learner.infer(&memory, state.stages, graph),
    }
}

fn answers(released: &Privatised) -> Result<Deployed, LearnError> {
    let beliefs = released.figures().beliefs.clone().ok_or(LearnError::NoBeliefs)?;
    Ok(Deployed::cached(beliefs, released))
}

fn check_memory(readout: Option<&serde_json::Value>, batches: u32, classes: usize) -> Result<(), String> {
    let fits = read(readout).is_some_and(|memory: Memory| memory.fits(batches as usize, classes));
    if fits { Ok(()) } else { Err(format!("expected readings of {batches} batches of rows of {classes} classes")) }
}

impl Method for Params {
    described_by_parameters!();

    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = Method::settings(self);
        let select = self.training.select.unwrap_or_else(|| Recipe::Lpgnet.select(facts.validated));
        settings.insert("select", select.name());
        settings.insert("paired", if self.in_pairs() { Paired::Yes } else { Paired::No }.name());
        Ok(settings)
    }

    fn edges(&self, _nodes: u32, classes: u32) -> Result<EdgePlan, MethodError> {
        let epsilon = self.epsilon_edges.ok_or(MethodError::Missing { method: NAME, name: "epsilon-edges" })?;
        let (unit, classes, steps) = (Unit::Edge, classes.max(1), cascade::STEPS);
        let (batches, paired, heard) = (self.batches, self.in_pairs(), Heard::Earlier);
        plan(cascade::Params { epsilon, unit, classes, batches, steps, paired, heard })
    }

    fn check(&self, shape: Shape) -> Result<(), LearnError> {
        edge_free::check(&self.network, &self.training, shape)?;
        if shape.classes > MOST_CLASSES {
            return Err(LearnError::TooManyClasses { classes: shape.classes, limit: MOST_CLASSES });
        }
        check_batches(shape.others, self.batches)
    }

    fn check_other(&self, other: Other) -> Result<(), LearnError> {
        check_batches(other.nodes as usize, self.batches)
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let found = self.learner(seed).learn(data, watch)?;
        Ok(learned(found, data))
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        infer(&self.learner(0), state, graph)
    }

    fn deploy(&self, released: &Privatised, _: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        answers(released)
    }

    fn check_readout(&self, readout: Option<&serde_json::Value>, classes: usize) -> Result<(), String> {
        check_memory(readout, self.batches, classes)
    }

    fn networks(&self) -> u32 {
        self.readout.self_training.saturating_mul(self.batches).saturating_add(14)
    }
}

fn read<M: serde::de::DeserializeOwned>(readout: Option<&serde_json::Value>) -> Option<M> {
    serde_json::from_value(readout?.clone()).ok()
}

pub(super) fn entry() -> Entry {
    let about = "Noisy sums in which every edge is counted once (ours; recommended)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    Entry { unit: Some(Unit::Edge), status: Status::Proven, recognise: Box::new(recognise), ..entry }
}

fn recognise(guarantee: &Guarantee) -> Option<Settings> {
    recognised(guarantee).filter(|_| guarantee.unit == Unit::Edge)
}

/// The settings of a cascade, of whatever unit.
fn recognised(guarantee: &Guarantee) -> Option<Settings> {
    (guarantee.mechanism == cascade::NAME).then(|| {
        let mut settings = settings_of(guarantee, [("batches", "batches")]);
        let paired = guarantee.parameters.get("paired") == Some("true");
        settings.insert("paired", if paired { Paired::Yes } else { Paired::No }.name());
        settings
    })
}
