//! One run: released, trained, scored and attacked in memory, with the figures of `veil train
//! --seed S` and `veil attack … --seed S`.

use std::collections::BTreeMap;
use std::sync::Arc;

use veil_attack::AttackError;
use veil_attack::attack::EdgeAttack;
use veil_attack::scores::Scores;
use veil_graph::{Dataset, Features};
use veil_learn::metrics::Classification;
use veil_learn::pipeline::{Graphs, Inferred, Input, Job, Payment, Place, Silent, Terms, Trained};
use veil_learn::run::{Score, Weights};
use veil_learn::{Deployed, Method, PipelineError, Run, method};
use veil_nn::Kind as Network;
use veil_privacy::{Private, Truth};

use super::attacks::{MEASURED, NamedAttack};
use super::plan::DataSets;
use crate::Promised;

/// Why a run failed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error("the data {name:?} are not given")]
    NoData { name: String },
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error("attack {attack}: {source}")]
    Attack { attack: String, source: AttackError },
}

impl WorkError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        match self {
            WorkError::Pipeline(error) => error.is_usage(),
            WorkError::Attack { source, .. } => source.is_usage(),
            WorkError::NoData { .. } => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            WorkError::Pipeline(error) => error.hint(),
            WorkError::Attack { source, .. } => source.hint(),
            WorkError::NoData { .. } => None,
        }
    }
}

/// What a run gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    /// Figures by name; all are numbers.
    pub figures: BTreeMap<String, f64>,
    /// What the release promised about the training graph.
    pub promises: Vec<Promised>,
}

/// What is measured of every training.
const TRAINED: [&str; 8] = [
    "test_accuracy",
    "validation_accuracy",
    "validation_loss",
    "edge_free_validation_accuracy",
    "best_epoch",
    "edges_before",
    "edges_after",
    "edges_kept",
];

/// What is measured of classes, here and elsewhere; the rarest one is looked at by itself.
const CLASSIFIED: [&str; 8] = [
    "macro_f1",
    "rare_f1",
    "rare_constant_f1",
    "rare_roc_auc",
    "rare_roc_auc_low",
    "rare_roc_auc_high",
    "rare_class",
    "rare_predicts",
];

/// Everything that decides a run.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub data: String,
    /// The graph on which a student learns, where there is one.
    pub public_graph: Option<String>,
    /// The graph to answer about: figures about it begin with `inference_`, and it is what is
    /// attacked.
    pub inference: Option<String>,
    /// With every default decided.
    pub method: Arc<dyn Method>,
    pub terms: Terms,
    pub seed: u64,
    pub attacks: Vec<NamedAttack>,
}

impl Work {
    /// The job of this run.
    pub fn job(&self, sets: &DataSets) -> Result<Job, WorkError> {
        let payment = Payment::experiment(self.seed);
        let data = find(sets, &self.data)?;
        let of = method::find(self.method.name());
        let mut terms = of.map_or(self.terms, |entry| self.terms.of(entry));
        let input = match &self.public_graph {
            Some(public) => Input::student(data, find(sets, public)?, &terms),
            None => {
                let inference = self.inference.as_ref().map(|name| find(sets, name)).transpose()?;
                Input::Graphs(Graphs::new(data, None, inference, false, &mut terms, &payment)?)
            }
        };
        Ok(Job { method: Arc::clone(&self.method), terms, payment, input })
    }

    /// Does it, on the thread that asks and in the pool that this thread is of.
    pub fn done(&self, sets: &DataSets) -> Result<Finished, WorkError> {
        let Trained { run, score, inference, truth, .. } = self.job(sets)?.run(Place::Memory, &Silent)?;
        let promises = Promised::of(run.released().statement());
        let mut found = Finished { figures: BTreeMap::new(), promises };
        found.trained(&run, score.as_ref());
        if let Some(Inferred { classification, .. }) = &inference {
            found.add("inference_accuracy", classification.as_ref().map(|answers| answers.accuracy));
            found.classified("inference_", classification.as_ref());
        }
        if let Some(truth) = &truth {
            self.attacked(inference.as_ref().map_or(&run, |it| &it.run), truth, &mut found)?;
        }
        Ok(found)
    }

    /// What its figures may be called; what could not be had is not there.
    pub fn figures(&self) -> Vec<String> {
        let here = TRAINED.iter().chain(&CLASSIFIED).map(|name| (*name).to_owned());
        let there = CLASSIFIED.iter().chain(["accuracy"].iter()).map(|name| format!("inference_{name}"));
        let attacks = self.attacks.iter().flat_map(NamedAttack::figures);
        here.chain(there.filter(|_| self.inference.is_some())).chain(attacks).collect()
    }

    fn attacked(&self, run: &Run, truth: &Private<Dataset>, found: &mut Finished) -> Result<(), WorkError> {
        let raw = truth.for_scoring(&Truth::for_scoring_only());
        // Attacks on the same weights have the same edge-free twin, whose training takes longest.
        let mut twins: Vec<(Weights, Option<Deployed>)> = Vec::new();
        for attack in &self.attacks {
            let name = &attack.name;
            let failed = |source| WorkError::Attack { attack: name.clone(), source };
            let EdgeAttack { surface, weights, .. } = attack.attack;
            let pairs = attack.attack.pairs(raw.graph(), self.seed).map_err(failed)?;
            let model = run.deployed(surface, weights).map_err(PipelineError::from)?;
            found.attacked(name, &attack.attack.run(&model, &pairs, self.seed).map_err(failed)?);
            // A twin that sees nothing of a node is no floor: what it gets says nothing.
            if !run.twin_reads_features() {
                continue;
            }
            let at = match twins.iter().position(|(other, _)| *other == weights) {
                Some(at) => at,
                None => {
                    twins.push((weights, run.twin(weights).map_err(PipelineError::from)?));
                    twins.len() - 1
                }
            };
            if let Some(twin) = &twins[at].1 {
                let scores = attack.attack.run(twin, &pairs, self.seed).map_err(failed)?;
                found.add(&format!("{name}_auc_edge_free"), Some(scores.auc));
            }
        }
        Ok(())
    }

    /// About how long it takes, in no unit: numbers that all trainings together touch. Each of
    /// `epochs` steps touches, for every one of the hidden numbers, the features that are stored
    /// (all of them once they are propagated), and in every layer the nodes and, where there are
    /// messages, the edges; attention looks at an edge several times for every head. Attacks train
    /// an edge-free twin for each kind of weights; teachers train on so much of the private graph
    /// as they see. Releases, and edges that noise adds or takes away, are not counted: this only
    /// says which run to begin first, and how long the others will take.
    pub fn cost(&self, sets: &DataSets) -> f64 {
        let step = |name: &String, with_edges: bool| sets.get(name).map_or(0.0, |data| self.step(data, with_edges));
        let steps = match &self.public_graph {
            Some(public) => {
                let nodes = sets.get(&self.data).map_or(1, Dataset::nodes);
                step(public, true) + self.method.teachings(nodes) * step(&self.data, true)
            }
            None => {
                let asked = |weights: &&Weights| self.attacks.iter().any(|it| it.attack.weights == **weights);
                let twins = [Weights::Chosen, Weights::Last].iter().filter(asked).count();
                f64::from(self.method.networks()) * step(&self.data, true) + twins as f64 * step(&self.data, false)
            }
        };
        self.method.training().epochs as f64 * steps
    }

    /// What one step of one network touches.
    fn step(&self, data: &Dataset, with_edges: bool) -> f64 {
        let description = self.method.twin();
        let propagates = self.method.settings().get("kx").is_some_and(|kx| *kx != 0);
        let nodes = f64::from(data.nodes());
        let stored = match data.features() {
            None => 0.0,
            Some(Features::Dense(features)) => nodes * features.columns() as f64,
            Some(features) if propagates => nodes * features.columns() as f64,
            Some(features) => features.nonzeros() as f64,
        };
        let looks = match description.kind {
            _ if !with_edges => 0.0,
            Network::Mlp => 0.0,
            Network::Gcn | Network::Sage => 1.0,
            _ => 3.0 * description.heads.max(1) as f64,
        };
        description.hidden as f64
            * (stored + description.layers as f64 * (nodes + looks * data.graph().entries() as f64))
    }
}

fn find(sets: &DataSets, name: &str) -> Result<Dataset, WorkError> {
    sets.get(name).cloned().ok_or_else(|| WorkError::NoData { name: name.to_owned() })
}

impl Finished {
    /// What is no number could not be had.
    fn add(&mut self, name: &str, figure: Option<f64>) {
        if let Some(figure) = figure.filter(|figure| !figure.is_nan()) {
            self.figures.insert(name.to_owned(), figure);
        }
    }

    fn trained(&mut self, run: &Run, scored: Option<&Score>) {
        self.add("validation_accuracy", run.validation_accuracy());
        self.add("validation_loss", run.validation_loss());
        self.add("edge_free_validation_accuracy", run.edge_free_validation_accuracy());
        self.add("best_epoch", Some(run.record().best_epoch as f64));
        let Some(scored) = scored else { return };
        self.add("test_accuracy", scored.test_accuracy);
        self.add("edges_before", Some(scored.edges_before as f64));
        self.add("edges_after", Some(scored.edges_after as f64));
        self.add("edges_kept", Some(scored.edges_kept as f64));
        self.classified("", scored.classification.as_ref());
    }

    fn classified(&mut self, place: &str, found: Option<&Classification>) {
        let Some(found) = found else { return };
        self.add(&format!("{place}macro_f1"), Some(found.macro_f1));
        let Some(rare) = &found.rare else { return };
        let figures = [
            ("f1", rare.f1),
            ("constant_f1", rare.constant_f1),
            ("roc_auc", rare.roc_auc),
            ("roc_auc_low", rare.roc_auc_low),
            ("roc_auc_high", rare.roc_auc_high),
            ("class", f64::from(rare.class)),
            ("predicts", rare.predicts as f64),
        ];
        figures.iter().for_each(|(name, figure)| self.add(&format!("{place}rare_{name}"), Some(*figure)));
    }

    fn attacked(&mut self, attack: &str, scores: &Scores) {
        let [low, high] = scores.auc_ci;
        let figures = [
            scores.auc,
            low,
            high,
            scores.average_precision,
            scores.precision,
            scores.recall,
            scores.tpr_at_fpr.per_cent,
        ];
        MEASURED.iter().zip(figures).for_each(|(name, figure)| self.add(&format!("{attack}_{name}"), Some(figure)));
    }
}
