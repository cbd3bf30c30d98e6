//! Methods that release a student: a private graph labels nodes of a public one, and a network
//! learns from these labels on the public graph. A whole node of the private graph is protected.
//!
//! [`privgnn`] trains a teacher per query and [`pate`] lets teachers vote; both query the public
//! nodes that [`choose`] picks, and a [`Teacher`] is what their mechanisms make to learn from
//! private nodes. [`class_sums`] has no teachers: noisy sums of the private graph decide to which
//! class a public node belongs. [`dp_mlp`] learns a network from noisy gradients of the private
//! nodes, which labels public nodes itself. Each is a [`LabelSource`]; what comes out is the public
//! graph with noisy labels ([`veil_privacy::answers`]), and the student learns from it as from any
//! release, after a linear model has denoised the labels (`denoise`). [`evaluate`] trains teachers
//! once and scores several mechanisms with them: that needs the truth, and is no release.

mod choose;
pub mod class_sums;
pub(crate) mod denoise;
pub mod dp_mlp;
pub mod evaluate;
pub mod pate;
pub mod privgnn;
mod teacher;
mod teaching;
#[cfg(test)]
mod tests;

pub use choose::choose;
pub use teacher::{Teacher, TeacherSettings};
pub use teaching::{Labels, Mechanism, Teaching};

use std::fmt::Debug;

use veil_graph::{Dataset, NodeId};
use veil_nn::{Activation, Description, Kind as Layer};
use veil_privacy::accounting::{AccountingError, Queries, calibrate};
use veil_privacy::answers::{AnswerError, Asked, Kept};
use veil_privacy::parameters::{Described, Parameters, Settings};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Delta, Epsilon, Guarantee, Permit, Private, Status, Unit, parameters};

use super::{Entry, Facts, Method, MethodError, ModelState, Shape, on_graph};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training};
use crate::learn::{Learned, TrainingData};
use crate::parameters::{Mlp, Network, Propagation, Reports, Select, Training};
use denoise::denoised;

/// Labels of public nodes that a private graph is ready to give.
pub trait LabelSource: Debug {
    /// What the labels promise.
    fn guarantee(&self) -> &Guarantee;

    /// The public nodes that are queried.
    fn queries(&self) -> &[NodeId];

    /// How many teachers are still to be trained when so many answers are missing.
    fn teachers(&self, missing: usize) -> u64;

    /// Whether single answers can be kept, so that an interrupted release resumes after the last
    /// one.
    fn keeps_answers(&self) -> bool {
        false
    }

    /// Answers every query that has no answer yet; the result is the public graph with the answers
    /// for labels. `done` is called after each teacher.
    ///
    /// # Errors
    /// If the permit is for something else, or an answer cannot be kept.
    fn answer(&self, permit: Permit, kept: Kept, done: &(dyn Fn() + Sync)) -> Result<Privatised, LearnError>;
}

parameters! {
    /// The student, and teachers likewise: the networks and the training of PrivGNN, §5.3.
    pub struct Learner: Student {}
    with {
        /// The network: two layers of GraphSAGE, 64 hidden units, batch normalisation, dropout ½.
        network: Network = Network {
            model: Layer::Sage,
            heads: None,
            activation: Activation::Relu,
            layers: Mlp { hidden: 64, batch_norm: true, ..Mlp::default() },
        },
        /// Propagation along the public edges.
        propagation: Propagation = Propagation::default(),
        /// 500 steps of Adam, without weight decay.
        training: Training = Training {
            epochs: 500,
            weight_decay: 0.0,
            select: Some(Select::Last),
            ..Training::default()
        },
    }
}

/// How a method labels public nodes.
pub(super) trait Labelling: Parameters + Debug + Default + Send + Sync + 'static {
    /// The name of the method.
    const NAME: &'static str;

    /// Defaults of the student, where they are not those of PrivGNN.
    fn learner() -> Learner {
        Learner::default()
    }

    /// Decides what was left open.
    fn decide(&self, _classes: u32, _settings: &mut Settings) -> Result<(), LearnError> {
        Ok(())
    }

    /// Whether labels are denoised before the student learns from them.
    fn denoises(&self) -> bool {
        false
    }

    /// See [`Method::teachings`].
    fn teachings(&self, _nodes: u32) -> f64 {
        0.0
    }

    /// The mechanism, checked against both graphs.
    fn source<'a>(
        &self,
        learner: &Learner,
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        seed: u64,
    ) -> Result<Box<dyn LabelSource + 'a>, LearnError>;
}

/// A labelling with its student.
#[derive(Debug)]
struct WithStudent<L> {
    labelling: L,
    learner: Learner,
}

/// The entry of a labelling.
pub(super) fn entry<L: Labelling>(about: &'static str, status: Status) -> Entry {
    let entry = Entry::new(L::NAME, about, |settings| {
        let mut method = WithStudent { labelling: L::default(), learner: L::learner() };
        for (name, value) in settings.iter() {
            let known = method.labelling.set(name, value)? || method.learner.set(name, value)?;
            debug_assert!(known, "{name}");
        }
        Ok(std::sync::Arc::new(method))
    });
    let needs = "features, labels, public graph";
    Entry { unit: Some(Unit::Node), status, needs, public_graph: true, ..entry }
}

impl<L: Labelling> Method for WithStudent<L> {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn list(&self) -> Vec<Described> {
        self.labelling.list().into_iter().chain(self.learner.list()).collect()
    }

    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = self.settings();
        settings.insert("heads", self.learner.network.description().heads);
        self.labelling.decide(facts.classes, &mut settings)?;
        Ok(settings)
    }

    fn reports(&self) -> Option<&Reports> {
        None
    }

    fn training(&self) -> &Training {
        &self.learner.training
    }

    fn edges(&self, _nodes: u32, _classes: u32) -> Result<EdgePlan, MethodError> {
        // Of another public graph that the student answers about: nothing is private there.
        Ok(EdgePlan::Raw)
    }

    fn check(&self, Shape { features, classes, .. }: Shape) -> Result<(), LearnError> {
        let Learner { network, propagation, training } = &self.learner;
        // A student has no validation nodes: their labels would have to be paid for.
        check_training(training, propagation, false)?;
        network.description().check(features.unwrap_or(0), classes)?;
        Ok(())
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        if self.labelling.denoises() {
            data.labels = denoised(&data.joined, &data.labels, seed)?;
        }
        let Learner { network, propagation, training } = &self.learner;
        on_graph::learn(data, true, (network, propagation, training), seed, watch)
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, surface: Surface) -> Result<Deployed, LearnError> {
        on_graph::deploy(released, state, surface, true, &self.learner.propagation)
    }

    fn twin(&self) -> Description {
        self.learner.network.description()
    }

    fn teachings(&self, nodes: u32) -> f64 {
        self.labelling.teachings(nodes)
    }

    fn label_source<'a>(
        &self,
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        seed: u64,
    ) -> Result<Option<Box<dyn LabelSource + 'a>>, LearnError> {
        Asked::apart(private, public)?;
        let facts = private.public();
        let (features, classes) = (facts.dimensions, facts.classes.unwrap_or(0) as usize);
        self.check(Shape { features, classes, validated: false, others: 0 })?;
        self.labelling.source(&self.learner, private, public, seed).map(Some)
    }
}

/// How much noise there is.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// The inverse of its scale.
    Lambda(Epsilon),
    /// As much as this ε needs.
    For(Epsilon),
}

impl Noise {
    /// From the two parameters, of which exactly one is set.
    fn of(method: &'static str, epsilon: Option<Epsilon>, lambda: Option<Epsilon>) -> Result<Noise, MethodError> {
        match (epsilon, lambda) {
            (Some(_), Some(_)) => Err(MethodError::TwoNoises),
            (None, None) => Err(MethodError::Missing { method, name: "epsilon or lambda" }),
            (Some(epsilon), None) => Ok(Noise::For(epsilon)),
            (None, Some(lambda)) => Ok(Noise::Lambda(lambda)),
        }
    }

    /// λ, or whatever else the account of so many queries is given, for this δ.
    fn chosen(
        self,
        delta: f64,
        queries: impl Fn(f64) -> Result<Queries, AccountingError>,
    ) -> Result<Epsilon, LearnError> {
        match self {
            Noise::Lambda(lambda) => Ok(lambda),
            Noise::For(epsilon) => {
                let found = calibrate(epsilon.as_f64(), delta, queries).map_err(AnswerError::from)?;
                // A decimal with nine places already.
                let nanos = (found.parameter * 1e9).round() as u64;
                Epsilon::from_nanos(nanos).ok_or_else(|| MethodError::NoNoiseIsEnough.into())
            }
        }
    }
}

/// δ as the exact decimal that was written.
pub(super) fn exact_delta(given: f64) -> Result<Delta, MethodError> {
    let bad = || MethodError::BadDelta { given };
    if !(given > 0.0 && given < 1.0) {
        return Err(bad());
    }
    // The shortest decimal of a float is the text that was typed.
    format!("{given}").parse().map_err(|_| bad())
}
