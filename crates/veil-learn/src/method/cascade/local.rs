//! The cascade of users who trust nobody: each computes their own row on their own device.
//!
//! The server publishes the order, once, and the messages of each batch; a user of the batch sums
//! the messages of their neighbours and reports the sum with noise, once, with their whole ε
//! ([`veil_privacy::protocol::cascade`]: unit *edge-bit*). If users count only neighbours
//! before them in the order, every edge is in one report, and a relationship costs ε too; if they
//! count all of them, it costs 2ε and rows say more.
//!
//! Where ε is so large that few bits of randomised response are false, users report bits about
//! other nodes instead of sums (`bits`): the server then hears both ends of an edge. The choice is
//! made before anything is released, from ε and the number of nodes alone.
//!
//! Features may be public, reported, or not released at all: with features it learns like the
//! owner's
//! [`cascade`](super), without them from released labels alone (`labels`).

use std::sync::Arc;

use veil_nn::Description;
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::protocol::cascade::{self, Heard};
use veil_privacy::protocol::edge_flip::{self, EdgeFlip};
use veil_privacy::registry::MAX_EDGES;
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Guarantee, Status, Trust, Unit, parameters};

use super::super::{
    Entry, Facts, Method, MethodError, ModelState, Other, Shape, configured, described_by_parameters, edge_free,
    settings_of,
};
use super::bits::{self, Bits};
use super::learner::Learner;
use super::{
    MOST_CLASSES, ReadoutParams, answers, check_batches, check_memory, in_pairs, infer, learned, plan, read,
    recognised, scale_of,
};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Watch, check_training};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::method::edge_free::StackParams;
use crate::parameters::{Mlp, Paired, Propagation, Recipe, Reported, Reports, Training};

/// The name of the method.
pub const NAME: &str = "cascade-local";

/// Batches where no features are released. On generated graphs two to four were alike.
const BATCHES_WITHOUT_FEATURES: u32 = 4;

/// Users report bits if no more false links than this are expected per node. On generated graphs
/// bits predict validation labels better than rows up to there.
const MOST_FALSE: f64 = 1.25;
/// Users report bits from this ε on: in small graphs there is little noise to share below.
const BITS_FROM: f64 = 5.0;

parameters! {
    /// Parameters of the cascade of users.
    pub struct Params: Edges {
        /// ε of each user's only report; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// What users report: noisy sums (rows), bits about other nodes, or what fits ε and the
        /// number of nodes (auto)
        reported: Reported = Reported::Auto => Kind::Word(Reported::WORDS),
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

    /// The bits that users report about a graph of so many nodes, unless they report rows.
    fn bits(&self, nodes: u32) -> Result<Option<EdgeFlip>, MethodError> {
        let epsilon = self.epsilon_edges.ok_or(MethodError::Missing { method: NAME, name: "epsilon-edges" })?;
        // Who chooses how rows are released, or hints beside them, wants rows.
        let rows = self.batches.is_some() || self.paired != Paired::Auto || self.reports.hints();
        let free = self.reported == Reported::Auto && !rows;
        let large = epsilon.is_finite() && epsilon.as_f64() >= BITS_FROM;
        if !(self.reported == Reported::Bits || free && large) {
            return Ok(None);
        }
        let wrong = |source| MethodError::Mechanism { mechanism: edge_flip::NAME, source };
        let params = edge_flip::Params { epsilon, nodes, max_edges: MAX_EDGES, heard: self.heard };
        let protocol = params.check().map_err(wrong)?;
        let few = Bits::of(&protocol, self.heard).is_some_and(|bits| bits.false_links(nodes) <= MOST_FALSE);
        let chosen = self.reported == Reported::Bits || few && protocol.expected_edges() <= MAX_EDGES;
        Ok(chosen.then_some(protocol))
    }

    /// How the bits of a release of so many nodes were drawn, if it is one of bits.
    fn drawn(&self, nodes: u32) -> Result<Option<Bits>, LearnError> {
        let protocol = self.bits(nodes).map_err(LearnError::from)?;
        Ok(protocol.and_then(|protocol| Bits::of(&protocol, self.heard)))
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
        if self.drawn(facts.nodes)?.is_some() {
            settings.insert("reported", Reported::Bits.name());
            return Ok(settings);
        }
        settings.insert("reported", Reported::Rows.name());
        settings.insert("batches", self.batches());
        settings.insert("paired", if self.in_pairs() { Paired::Yes } else { Paired::No }.name());
        Ok(settings)
    }

    fn edges(&self, nodes: u32, classes: u32) -> Result<EdgePlan, MethodError> {
        if let Some(bits) = self.bits(nodes)? {
            return Ok(EdgePlan::Lists(Arc::new(bits)));
        }
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

    fn check_other(&self, other: Other) -> Result<(), LearnError> {
        if !other.validates && !other.features {
            // Nothing distinguishes the nodes of a graph without labels and features.
            return Err(LearnError::NoFeatures);
        }
        check_batches(other.nodes as usize, self.batches())
    }

    /// Beside rows: bits say who the neighbours are, and hints add nothing to that.
    fn reads_hints(&self, nodes: u32) -> bool {
        !self.with_features() && self.bits(nodes).is_ok_and(|bits| bits.is_none())
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let learner = self.learner(seed);
        let nodes = data.graphs.first().map_or(0, |graph| graph.released.data().nodes());
        if let Some(bits) = self.drawn(nodes)? {
            let (stages, memory) = learner.learn_from_bits(data, bits, watch)?;
            return Ok(Learned { stages, scaled: data.scaled.clone(), readout: serde_json::to_value(&memory).ok() });
        }
        let found = match data.joined.features() {
            Some(_) => learner.learn(data, watch)?,
            None => learner.learn_from_labels(data, self.heard, watch)?,
        };
        Ok(learned(found, data))
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        let learner = self.learner(0);
        match self.drawn(graph.released.data().nodes())? {
            Some(bits) => {
                let memory: bits::Memory = read(state.readout).ok_or(LearnError::NoNetwork)?;
                learner.infer_from_bits(&memory, state.stages, graph, bits)
            }
            None => infer(&learner, state, graph),
        }
    }

    fn deploy(&self, released: &Privatised, _: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        answers(released)
    }

    fn check_readout(&self, readout: Option<&serde_json::Value>, classes: usize) -> Result<(), String> {
        if read::<bits::Memory>(readout).is_some_and(|memory| memory.fits(classes)) {
            return Ok(());
        }
        check_memory(readout, self.batches(), classes)
    }

    fn networks(&self) -> u32 {
        match self.with_features() {
            true => self.readout.self_training.saturating_mul(self.batches()).saturating_add(10),
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
    if guarantee.mechanism == edge_flip::NAME {
        let mut settings = settings_of(guarantee, []);
        settings.insert("reported", Reported::Bits.name());
        settings.insert("heard", guarantee.parameters.get("heard").unwrap_or(Heard::All.name()));
        return Some(settings);
    }
    let mut settings = recognised(guarantee).filter(|_| guarantee.unit != Unit::Edge)?;
    if let Some(heard) = guarantee.parameters.get("heard") {
        settings.insert("heard", heard);
    }
    Some(settings)
}
