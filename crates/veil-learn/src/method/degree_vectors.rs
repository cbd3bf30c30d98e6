//! LPGNet's counts in the local model (LPGNet, §6 suggests it): every user counts their own
//! neighbours per public cluster and reports the counts with noise
//! ([`veil_privacy::protocol::degree_vectors`]).
//!
//! There need be no features: the first network reads counts per released label (and features, if
//! they are used), later ones as in [`lpgnet`](super::lpgnet). Where a node's label was released,
//! the prediction is weighed with it by Bayes' rule before it becomes a cluster: on Cora that made
//! the second round worth 4 to 7 points. With `feature-encoder = codebook` features are reported as
//! hints of the class, which the answers are weighed with where validation labels say that it helps
//! (`hints`).

use veil_graph::Part;
use veil_nn::{Description, Model};
use veil_privacy::parameters::{Described, Kind, Parameters, Settings};
use veil_privacy::protocol::degree_vectors;
use veil_privacy::release::{EdgePlan, Privatised};
use veil_privacy::{Epsilon, Guarantee, Status, Trust, Unit, parameters};

use super::hints::{self, Hints, MOST_CLASSES};
use super::lpgnet::{Stack, vectors};
use super::{Entry, Method, MethodError, ModelState, Shape, configured, described_by_parameters, settings_of};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::fit::{Fitted, Watch, check_training};
use crate::learn::{Learned, TrainingData, TrainingView};
use crate::parameters::{Mlp, Propagation, Recipe, Reports, Training, UseFeatures};

/// The name of the method.
pub const NAME: &str = degree_vectors::NAME;

parameters! {
    /// Parameters of the local degree vectors.
    pub struct Params: Edges {
        /// ε of each user's edge reports, shared by all rounds; inf: no noise
        epsilon_edges: Option<Epsilon> = None => Kind::Epsilon,
        /// Inputs of the networks besides counts
        features: UseFeatures = UseFeatures::Released => Kind::Word(UseFeatures::WORDS),
    }
    with {
        /// Rounds and unit.
        options: degree_vectors::Options = degree_vectors::Options::default(),
        /// Features and labels.
        reports: Reports = Recipe::GraphPrivatizer.reports(),
        /// Each network.
        network: Mlp = Mlp { hidden: 64, ..Recipe::GraphPrivatizer.mlp() },
        /// The training of each network.
        training: Training = Recipe::GraphPrivatizer.training(),
    }
}

impl Params {
    fn stack(&self) -> Stack<'_> {
        let reads_features = self.reads_features();
        Stack { central: false, reads_features, network: &self.network, training: &self.training }
    }

    /// What users say about themselves, if it helps beside what the networks answer.
    fn hints(&self, data: &TrainingData<'_, '_>, stages: &[Fitted]) -> Result<Option<Hints>, LearnError> {
        if data.graphs.iter().all(|graph| graph.released.hints().is_none()) {
            return Ok(None);
        }
        let models: Vec<Model> = stages.iter().map(|stage| stage.chosen.clone()).collect();
        let state = ModelState { stages: &models, scaled: &data.scaled, extends: None, readout: None };
        let (mut reports, mut answers) = (Vec::new(), Vec::new());
        for graph in &data.graphs {
            let posteriors = self.stack().posteriors(graph.released, state)?;
            reports.extend(hints::reports(graph.released));
            answers.extend((0..posteriors.rows()).map(|node| in_doubles(posteriors.row(node))));
        }
        let validation = data.labels.evidence(&data.joined, Part::Val);
        Ok(Hints::learn(&reports, &validation, &|node| answers[node].clone()))
    }
}

impl Method for Params {
    described_by_parameters!();

    fn edges(&self, _nodes: u32, classes: u32) -> Result<EdgePlan, MethodError> {
        // Released labels are the first clusters, and one more is for nodes without a label.
        vectors(NAME, self.epsilon_edges, self.options.rounds, self.options.unit, classes.saturating_add(1))
    }

    fn check(&self, Shape { classes, validated, .. }: Shape) -> Result<(), LearnError> {
        check_training(&self.training, &Propagation::default(), validated)?;
        // Each network reads one number per cluster at least.
        self.network.description().check(1, classes)?;
        if self.reports.hints() && classes > MOST_CLASSES {
            return Err(LearnError::TooManyClasses { classes, limit: MOST_CLASSES });
        }
        Ok(())
    }

    fn reads_hints(&self, _nodes: u32) -> bool {
        self.reads_features()
    }

    fn learn(&self, data: &mut TrainingData<'_, '_>, seed: u64, watch: Watch<'_>) -> Result<Learned, LearnError> {
        let scaled = data.scaled.clone();
        let stages = self.stack().train(data, seed, watch)?;
        let hints = if self.reads_features() { self.hints(data, &stages)? } else { None };
        // Numbers and lists of numbers can be written.
        let readout = hints.and_then(|hints| serde_json::to_value(hints).ok());
        Ok(Learned { stages, scaled, readout })
    }

    fn infer(&self, state: ModelState<'_>, graph: &mut TrainingView<'_, '_>) -> Result<(), LearnError> {
        self.stack().infer(graph, state)
    }

    fn deploy(&self, released: &Privatised, state: ModelState<'_>, _surface: Surface) -> Result<Deployed, LearnError> {
        let mut posteriors = self.stack().posteriors(released, state)?;
        if let Some(hints) = read_hints(state.readout) {
            for (node, report) in hints::reports(released).into_iter().enumerate() {
                let Some(report) = report else { continue };
                let mut row = in_doubles(posteriors.row(node));
                hints.weigh(&mut row, report);
                posteriors.row_mut(node).iter_mut().zip(row).for_each(|(out, it)| *out = it as f32);
            }
        }
        Ok(Deployed::cached(posteriors, released))
    }

    fn check_readout(&self, readout: Option<&serde_json::Value>, classes: usize) -> Result<(), String> {
        match readout.map(|_| read_hints(readout)) {
            None => Ok(()),
            Some(Some(hints)) if hints.fit(classes) => Ok(()),
            Some(_) => Err(format!("expected a probability for each of {classes} classes and reports, and a power")),
        }
    }

    fn reads_features(&self) -> bool {
        self.features == UseFeatures::Released
    }

    fn networks(&self) -> u32 {
        self.options.rounds
    }
}

fn read_hints(readout: Option<&serde_json::Value>) -> Option<Hints> {
    serde_json::from_value(readout?.clone()).ok()
}

fn in_doubles(row: &[f32]) -> Vec<f64> {
    row.iter().map(|&it| f64::from(it)).collect()
}

pub(super) fn entry() -> Entry {
    let about = "MLPs on users' noisy degree vectors (LPGNet, local model)";
    let entry = Entry::new(NAME, about, configured::<Params>);
    let recognise = Box::new(recognise);
    Entry {
        unit: Some(Unit::EdgeBit),
        trust: Trust::Local,
        status: Status::Proven,
        needs: "labels",
        recognise,
        ..entry
    }
}

fn recognise(guarantee: &Guarantee) -> Option<Settings> {
    let own = guarantee.mechanism == NAME && guarantee.unit != Unit::Edge;
    own.then(|| settings_of(guarantee, [("rounds", "rounds"), ("unit", "unit")]))
}
