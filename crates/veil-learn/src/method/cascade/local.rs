//! The cascade of users who trust nobody: each computes their own row on their own device.
//!
//! The server publishes the order, once, and the messages of each batch; a user of the batch sums
//! the messages of their neighbours and reports the sum with noise, once, with their whole ε
//! ([`veil_privacy::protocol::cascade`]: unit *edge-bit*). If users count only neighbours
//! before them in the order, every edge is in one report, and a relationship costs ε too; if they
//! count all of them, it costs 2ε and rows say more.
//!
//! Features may be public, reported, or not released at all: with features it learns like the
//! owner's
//! [`cascade`](super), without them from released labels alone (`labels`).

use veil_nn::Description;
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::protocol::cascade::{self, Heard};
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Guarantee, Status, Trust, Unit, parameters};

use super::super::{
    Entry, Facts, Method, MethodError, ModelState, Shape, configured, described_by_parameters, edge_free,
};
use super::learner::Learner;
use super::{
    MOST_CLASSES, ReadoutParams, answers, check_batches, check_memory, in_pairs, infer, learned, plan, recognised,
    scale_of,
};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::method::edge_free::StackParams;
use crate::parameters::{Mlp, Paired, Propagation, Recipe, Reports, Training};

/// The name of the method.
pub const NAME: &str = "cascade-local";

/// Batches where no features are released. On generated graphs two to four were alike.
const BATCHES_WITHOUT_FEATURES: u32 = 4;

parameters! {
    /// Parameters of the cascade of users.
    pub struct Params: Edges {
        /// ε of each user's only report; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of batches, in one of which each user reports [1; without features 4]
        batches: Option<u32> = None => Kind::Whole,
        /// Report pairs of classes as differences [with features, if ε ≤ 4]
        paired: Paired = Paired::Auto => Kind::Word(Paired::WORDS),
        /// Neighbours that a user counts: earlier (ε per relationship) or all (2ε)
        heard: Heard = Heard::Earlier => Kind::Word(Heard::WORDS),
    }
    with {
        /// The readout.
        readout: ReadoutParams = ReadoutParams::default(),
        /// The stack without edges.
        stack: StackParams = StackParams::default(),
        /// Features and labels.
        reports: Reports = Recipe::GraphPrivatizer.reports(),
        /// Each network.
        network: Mlp = edge_free::network(),
        /// The training of each network.
        training: Training = edge_free::training(),
    }
}

impl Params {
    fn batches(&self) -> u32 {
        self.batches.unwrap_or(if self.with_features() { 1 } else { BATCHES_WITHOUT_FEATURES })
    }

    fn with_features(&self) -> bool {
        self.reports.vectors()
    }

    fn in_pairs(&self) -> bool {
        match self.paired {
            Paired::Auto => self.with_features() && in_pairs(self.paired, self.epsilon_edges),
            chosen => in_pairs(chosen, self.epsilon_edges),
        }
    }

    fn learner(&self, seed: u64) -> Learner<'_> {
        Learner {
            network: &self.network,
            training: &self.training,
            self_training: self.readout.self_training,
            stack: &self.stack,
            batches: self.batches(),
            scale: scale_of(self.epsilon_edges),
            seed,
        }
    }
}

impl Method for Params {
    described_by_parameters!();

    fn decided(&self, facts: Facts) -> Result<Settings, LearnError> {
        let mut settings = Method::settings(self);
        let select = self.training.select.unwrap_or_else(|| Recipe::Lpgnet.select(facts.validated));
        settings.insert("select", select.name());
        settings.insert("batches", self.batches());
        settings.insert("paired", if self.in_pairs() { Paired::Yes } else { Paired::No }.name());
        Ok(settings)
    }

    fn edges(&self, _nodes: u32, classes: u32) -> Result<EdgePlan, MethodError> {
        let epsilon = self.epsilon_edges.ok_or(MethodError::Missing { method: NAME, name: "epsilon-edges" })?;
        let (unit, classes, steps) = (Unit::EdgeBit, classes.max(1), cascade::STEPS);
        let (batches, paired, heard) = (self.batches(), self.in_pairs(), self.heard);
        plan(cascade::Params { epsilon, unit, classes, batches, steps, paired, heard })
    }

    fn check(&self, shape: Shape) -> Result<(), LearnError> {
        let Shape { classes, validated, .. } = shape;
        if self.with_features() {
            edge_free::check(&self.network, &self.training, shape)?;
        } else {
            check_training(&self.training, &Propagation::default(), validated)?;
            self.network.description().check(1, classes)?;
            if !validated {
                return Err(LearnError::NoValidationLabels);
            }
        }
        if classes > MOST_CLASSES {
            return Err(LearnError::TooManyClasses { classes, limit: MOST_CLASSES });
        }
        check_batches(shape.others, self.batches())
    }

    fn check_other(&self, nodes: u32, learned: bool) -> Result<(), LearnError> {
        if learned && self.reports.epsilon_features.is_none() {
            // Nothing distinguishes the nodes of a graph without labels and features.
            return Err(LearnError::NoFeatures);
        }
        check_batches(nodes as usize, self.batches())
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let learner = self.learner(seed);
        let found = match data.joined.features() {
            Some(_) => learner.learn(data, watch)?,
            None => learner.learn_from_labels(data, self.heard, watch)?,
        };
        Ok(learned(found, data))
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        infer(&self.learner(0), state, graph)
    }

    fn deploy(&self, released: &Privatised, _: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        answers(released)
    }

    fn check_readout(&self, readout: Option<&serde_json::Value>, classes: usize) -> Result<(), String> {
        check_memory(readout, self.batches(), classes)
    }

    fn networks(&self) -> u32 {
        match self.with_features() {
            true => self.readout.self_training.saturating_mul(self.batches()).saturating_add(8),
            false => 1,
        }
    }
}

pub(in crate::method) fn entry() -> Entry {
    let about = "Users' noisy sums, each user reports once (cascade, local model)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    let (trust, status, needs) = (Trust::Local, Status::Proven, "labels");
    Entry { unit: Some(Unit::EdgeBit), trust, status, needs, recognise: Box::new(recognise), ..entry }
}

fn recognise(guarantee: &Guarantee) -> Option<Settings> {
    let mut settings = recognised(guarantee).filter(|_| guarantee.unit != Unit::Edge)?;
    if let Some(heard) = guarantee.parameters.get("heard") {
        settings.insert("heard", heard);
    }
    Some(settings)
}
