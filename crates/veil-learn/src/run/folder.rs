//! Writing a run folder, and reading it again.

mod digest;
mod predictions;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use veil_graph::write::{self, WriteError};
use veil_graph::{Features, Matrix, Part};
use veil_nn::training::EpochMetrics;
use veil_nn::{FileError, Model};
use veil_privacy::identity::Identity;
use veil_privacy::integrity;
use veil_privacy::release::{OpenError, Privatised, Rounds, fill_statement};
use veil_privacy::{Statement, words};

use super::error::RunError;
use super::record::{FORMAT, Record, Seconds};
use super::{Score, TRAINING, VALIDATION, owner};
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::learn::{Learned, TrainingView, edge_free_twin};
use crate::method::on_graph::network_input;
use crate::method::{Method, ModelState};
use crate::metrics::classification;
use crate::parameters::Scaling;
use crate::predictor::Predictor;
use crate::scaled::Scaled;

const RECORD: &str = "run.json";
const STATEMENT: &str = "privacy.json";
const RELEASED: &str = "released";
const MODEL: &str = "model.safetensors";
const LAST: &str = "last.safetensors";

/// Duration of the steps, for the owner alone.
const TIMINGS: &str = "timings.json";

/// Figures of the training and scores, for the owner alone.
pub(super) const METRICS: &str = "metrics.json";

/// The graphs that the networks depend on or answered about, for the owner alone.
const GRAPHS: &str = "graphs.json";

/// Mean and deviation of the training graph's features, where these are standardised.
const MOMENTS: &str = "moments.json";

/// Learned numbers of a method besides the weights of its networks.
const READOUT: &str = "readout.json";

words! {
    /// Weights of a network.
    #[derive(Default)]
    pub enum Weights: "choice of weights" {
        /// Those of the chosen epoch.
        #[default]
        Chosen = "chosen",
        /// Those of the last epoch.
        Last = "last",
    }
}

/// `metrics.json`.
#[derive(Serialize, Deserialize)]
struct Metrics {
    validation_accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<Scored>,
    #[serde(skip_deserializing)]
    epochs: Vec<Vec<EpochMetrics>>,
}

#[derive(Serialize, Deserialize)]
struct Scored {
    note: String,
    #[serde(flatten)]
    score: Score,
}

/// A run: what was released, and the networks that were trained on it.
#[derive(Clone, Debug)]
pub struct Run {
    record: Record,
    method: Arc<dyn Method>,
    released: Privatised,
    chosen: Vec<Model>,
    last: Model,
    scaled: Scaled,
    readout: Option<serde_json::Value>,
    history: Vec<Vec<EpochMetrics>>,
    /// Statements of other releases that the networks depend on, by the name of their folder: of
    /// the training graph, if this run is about another one, and of the validation graph.
    others: Vec<(&'static str, Statement)>,
    /// Everything that the networks depend on or answered about, as far as it is known here.
    graphs: Vec<Identity>,
    /// The owner's list of these graphs, if the run was read from the owner's folder.
    list: Option<PathBuf>,
}

impl Run {
    /// What was learned from a release.
    ///
    /// # Errors
    /// If there is no network.
    pub fn new(
        mut record: Record,
        method: Arc<dyn Method>,
        released: Privatised,
        learned: Learned,
    ) -> Result<Run, LearnError> {
        record.stages = learned.stages.len();
        record.best_epoch = learned.stages.last().map_or(0, |stage| stage.kept);
        let (mut chosen, mut last, mut history) = (Vec::new(), None, Vec::new());
        for stage in learned.stages {
            chosen.push(stage.chosen);
            last = Some(stage.last);
            history.push(stage.history);
        }
        let last = last.ok_or(LearnError::NoNetwork)?;
        let Learned { scaled, readout, .. } = learned;
        let (others, graphs) = (Vec::new(), Vec::new());
        Ok(Run { record, method, released, chosen, last, scaled, readout, history, others, graphs, list: None })
    }

    /// The same networks on another graph (inductive inference; LPGNet, Algorithm 3): a run of its
    /// own, which answers about that graph's nodes and never spends again. Rounds of counts that
    /// the networks need are requested here. It `extends` the release of this run if the graph is
    /// the same one, to which nodes were added.
    ///
    /// # Errors
    /// If networks and release do not fit together.
    pub fn on(
        &self,
        record: Record,
        method: Arc<dyn Method>,
        mut released: Privatised,
        rounds: Option<&mut Rounds<'_>>,
        extends: bool,
    ) -> Result<Run, LearnError> {
        let state = ModelState { extends: extends.then_some(&self.released), ..self.state(&self.chosen) };
        method.infer(state, &mut TrainingView { released: &mut released, rounds })?;
        let Run { chosen, last, scaled, readout, mut others, graphs, .. } = self.clone();
        if self.record.trained_on.is_none() {
            others.push((TRAINING, self.released.statement().clone()));
        }
        let (history, list) = (Vec::new(), None);
        Ok(Run { record, method, released, chosen, last, scaled, readout, history, others, graphs, list })
    }

    fn state<'a>(&'a self, stages: &'a [Model]) -> ModelState<'a> {
        ModelState { stages, scaled: &self.scaled, readout: self.readout.as_ref(), extends: None }
    }

    /// The method.
    pub fn method(&self) -> &Arc<dyn Method> {
        &self.method
    }

    /// Number of features that were released, or that the first network reads if none were, and of
    /// classes.
    pub fn shape(&self) -> Option<(usize, u32)> {
        let inputs = self.chosen.first()?.architecture().inputs();
        let released = self.released.data().features().filter(|it| it.rows() > 0).map(Features::columns);
        Some((released.unwrap_or(inputs), self.last.architecture().classes() as u32))
    }

    /// Everything that decided it.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The same, to be completed with timings.
    pub fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// Adds the release of a validation graph, on which the choice of networks depends.
    pub(crate) fn validated_by(&mut self, released: &Privatised) {
        self.others.push((VALIDATION, released.statement().clone()));
    }

    /// Statements of other releases that the networks depend on, by the name of their folder.
    pub(crate) fn others(&self) -> &[(&'static str, Statement)] {
        &self.others
    }

    /// The graphs that the networks depend on or answered about, as far as it is known here.
    pub fn graphs(&self) -> &[Identity] {
        &self.graphs
    }

    /// Adds graphs that the networks depend on or answer about.
    pub(crate) fn about(&mut self, graphs: impl IntoIterator<Item = Identity>) {
        for graph in graphs {
            if !self.graphs.contains(&graph) {
                self.graphs.push(graph);
            }
        }
    }

    /// Notes in the owner's list that the model answered about another graph: whoever asks about
    /// its nodes again is told.
    pub(crate) fn answered_about(&self, graph: Identity) -> Result<(), WriteError> {
        let Some(list) = &self.list else { return Ok(()) };
        let all: Vec<&Identity> = self.graphs.iter().chain([&graph]).collect();
        write::owner::replace_file(list, &json_of(list, &all)?)
    }

    /// The statements of everything that was released for this run: its own first.
    pub fn statements(&self) -> Vec<&Statement> {
        std::iter::once(self.released.statement()).chain(self.others.iter().map(|(_, it)| it)).collect()
    }

    /// What was released.
    pub fn released(&self) -> &Privatised {
        &self.released
    }

    /// The accuracy on (noisy) validation labels in the chosen epoch.
    pub fn validation_accuracy(&self) -> Option<f64> {
        if self.readout.is_some() {
            return self.accuracy_on_validation_labels();
        }
        self.history.last()?.get(self.record.best_epoch)?.validation_accuracy
    }

    /// The same of the final posteriors, where they are not those of a network. `None` if other
    /// nodes validated.
    fn accuracy_on_validation_labels(&self) -> Option<f64> {
        let data = self.released.data();
        let (labels, split) = (data.labels()?, data.split()?);
        let validating = split.nodes(Part::Val).filter_map(|node| Some((node, labels.get(node)?)));
        classification(&self.posteriors().ok()?, validating).map(|found| found.accuracy)
    }

    /// The accuracy on (noisy) validation labels of a first network that reads no edge, where its
    /// loss was lowest: the later ones have to beat it. `None` where nothing follows it.
    pub fn edge_free_validation_accuracy(&self) -> Option<f64> {
        let (first, others) = self.history.split_first()?;
        let only = others.is_empty() && self.readout.is_none();
        if only || !self.method.first_network_is_edge_free() {
            return None;
        }
        let validated = first.iter().filter_map(|epoch| Some((epoch.validation_loss?, epoch.validation_accuracy?)));
        validated.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, accuracy)| accuracy)
    }

    /// The loss on (noisy) validation labels in the chosen epoch.
    pub fn validation_loss(&self) -> Option<f64> {
        self.history.last()?.get(self.record.best_epoch)?.validation_loss
    }

    /// The model as a service.
    ///
    /// # Errors
    /// If networks and release do not fit together.
    pub fn deployed(&self, surface: Surface, weights: Weights) -> Result<Deployed, LearnError> {
        let mut stages = self.chosen.clone();
        // Later networks of a stack were trained on scores of the chosen ones, so only the one that
        // answers has other weights.
        if let (Weights::Last, Some(answers)) = (weights, stages.last_mut()) {
            *answers = self.last.clone();
        }
        self.method.deploy(&self.released, self.state(&stages), surface)
    }

    /// The edge-free twin as a service, trained here with this run's parameters and seed; a first
    /// network that reads no edge is one already. `None` where nothing can be trained: a run on
    /// another graph has no labels.
    ///
    /// # Errors
    /// If training fails.
    pub fn twin(&self, weights: Weights) -> Result<Option<Deployed>, LearnError> {
        let Run { method, released, scaled, record, chosen, .. } = self;
        if let (true, Some(first)) = (method.first_network_is_edge_free(), chosen.first()) {
            return Deployed::of(first, &network_input(released.data(), scaled, false, 0)?).map(Some);
        }
        if released.data().labels().is_none() {
            return Ok(None);
        }
        let (fitted, input) = edge_free_twin(&**method, released, scaled, record.training_seed)?;
        let model = match weights {
            Weights::Chosen => &fitted.chosen,
            Weights::Last => &fitted.last,
        };
        Deployed::of(model, &input).map(Some)
    }

    /// Whether the twin reads anything of a node. If not, it predicts the same for all, and shows
    /// nothing about homophily.
    pub fn twin_reads_features(&self) -> bool {
        self.released.data().features().is_some() && self.method.reads_features()
    }

    /// Whether whole nodes are protected, so that none is in the release.
    pub fn answers_about_nobody(&self) -> bool {
        self.released.data().nodes() == 0
    }

    /// Posteriors of all nodes.
    ///
    /// # Errors
    /// If networks and release do not fit together.
    pub fn posteriors(&self) -> Result<Matrix, RunError> {
        let deployed = self.deployed(Surface::Pipeline, Weights::Chosen)?;
        let nodes: Vec<u32> = (0..self.released.data().nodes()).collect();
        Ok(deployed.posteriors(&nodes, &[])?)
    }

    /// Writes everything into an existing folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill(&self, folder: &Path, posteriors: &Matrix, score: Option<&Score>) -> Result<(), RunError> {
        write_json(&folder.join(RECORD), &self.record)?;
        self.released.fill_statement(folder)?;
        let owner = owner::create(folder)?;
        fill_release(&self.released, &owner::place_of(folder, RELEASED, self.released.statement()))?;
        fill_statements(&self.others, folder)?;
        self.fill_model(folder)?;
        self.last.save(&folder.join(LAST))?;
        write_json(&owner.join(TIMINGS), &self.record.seconds)?;
        write_json(&owner.join(GRAPHS), &self.graphs)?;
        let note =
            "computed from the true labels and edges: not part of the release, and not covered by its guarantees";
        let metrics = Metrics {
            validation_accuracy: self.validation_accuracy(),
            truth: score.map(|score| Scored { note: note.to_owned(), score: score.clone() }),
            epochs: self.history.clone(),
        };
        write_json(&owner.join(METRICS), &metrics)?;
        // Answers about protected nodes are for their owner, and for each node about itself.
        let place = if self.answers_about_nobody() { &*owner } else { folder };
        let path = place.join("predictions.csv");
        Ok(std::fs::write(&path, predictions::to_csv(posteriors)).map_err(WriteError::io(&path))?)
    }

    /// Writes the part of a run that may be handed over, with another statement if more was
    /// declared public since.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn fill_public(&self, released: &Privatised, folder: &Path) -> Result<(), RunError> {
        write_json(&folder.join(RECORD), &self.record)?;
        fill_release(released, &folder.join(RELEASED))?;
        self.fill_model(folder)
    }

    /// Writes the networks and what else was learned.
    fn fill_model(&self, folder: &Path) -> Result<(), RunError> {
        for (stage, model) in self.chosen.iter().enumerate() {
            model.save(&folder.join(file_of(stage, self.chosen.len())))?;
        }
        if let Some(moments) = self.scaled.moments() {
            write_json(&folder.join(MOMENTS), moments)?;
        }
        if let Some(readout) = &self.readout {
            write_json(&folder.join(READOUT), readout)?;
        }
        Ok(())
    }

    /// Reads a run; the metrics of its epochs stay in their file.
    ///
    /// # Errors
    /// If the folder is no run, of another version, or damaged.
    pub fn open(folder: &Path) -> Result<Run, RunError> {
        integrity::check(folder)?;
        let path = folder.join(RECORD);
        if !path.is_file() {
            return Err(RunError::NotARun { folder: folder.to_owned() });
        }
        let broken = |problem: String| RunError::File { path: path.clone(), problem };
        let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(found) if found == u64::from(FORMAT) => {}
            Some(found) => return Err(RunError::Version { path: path.clone(), found }),
            None => return Err(broken("no version in `format`".to_owned())),
        }
        let mut record: Record = serde_json::from_value(value).map_err(|error| broken(error.to_string()))?;
        let timings = folder.join(owner::FOLDER).join(TIMINGS);
        // What is for the owner alone is not everywhere.
        record.seconds = if timings.exists() { read_json(&timings)? } else { Seconds::default() };
        if record.stages == 0 || record.stages > 1000 {
            return Err(broken(format!("{} networks", record.stages)));
        }
        let chosen = (0..record.stages).map(|stage| Model::load(&folder.join(file_of(stage, record.stages))));
        let chosen = chosen.collect::<Result<Vec<Model>, FileError>>()?;
        let path = folder.join(LAST);
        // A published run has the answering network alone.
        let last = if path.exists() { Model::load(&path)? } else { Model::load(&folder.join(MODEL))? };
        let released = Privatised::open(&owner::find(folder, RELEASED))?;
        let method = record.configured()?;
        let scaling = method.reports().map_or(Scaling::None, |reports| reports.scale);
        let standard = scaling == Scaling::Standard && released.data().features().is_some();
        let scaled = Scaled::with(if standard { Some(read_json(&folder.join(MOMENTS))?) } else { None });
        let path = folder.join(READOUT);
        let readout = if path.exists() { Some(read_json(&path)?) } else { None };
        let classes = last.architecture().classes();
        method.check_readout(readout.as_ref(), classes).map_err(|problem| RunError::File { path, problem })?;
        if folder.join(STATEMENT).exists() && Privatised::statement_of(folder)? != *released.statement() {
            return Err(RunError::OtherStatement { folder: folder.to_owned() });
        }
        let other = |name: &'static str| {
            let place = owner::find(folder, name);
            place.exists().then(|| Privatised::statement_of(&place).map(|statement| (name, statement)))
        };
        let others: Vec<_> = [TRAINING, VALIDATION].into_iter().filter_map(other).collect::<Result<_, OpenError>>()?;
        // The networks depend on these releases too.
        for (name, needed) in [(TRAINING, record.trained_on.is_some()), (VALIDATION, record.validated_on.is_some())] {
            if needed && !others.iter().any(|(other, _)| *other == name) {
                return Err(RunError::NoStatement { folder: folder.to_owned(), name });
            }
        }
        let list = Some(folder.join(owner::FOLDER).join(GRAPHS)).filter(|it| it.exists());
        let graphs = list.as_deref().map_or(Ok(Vec::new()), read_json)?;
        let history = Vec::new();
        Ok(Run { record, method, released, chosen, last, scaled, readout, history, others, graphs, list })
    }
}

/// Writes statements into new folders.
pub(crate) fn fill_statements(others: &[(&'static str, Statement)], folder: &Path) -> Result<(), WriteError> {
    others.iter().try_for_each(|(name, statement)| {
        let place = folder.join(name);
        std::fs::create_dir(&place).map_err(WriteError::io(&place))?;
        fill_statement(statement, &place)
    })
}

/// Writes a release into a new folder.
pub(crate) fn fill_release(released: &Privatised, folder: &Path) -> Result<(), RunError> {
    std::fs::create_dir(folder).map_err(WriteError::io(folder))?;
    Ok(released.fill(folder)?)
}

fn file_of(stage: usize, stages: usize) -> String {
    if stage + 1 == stages { MODEL.to_owned() } else { format!("stage-{stage}.safetensors") }
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let broken = |problem: String| RunError::File { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| broken(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| broken(error.to_string()))
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), WriteError> {
    std::fs::write(path, json_of(path, value)?).map_err(WriteError::io(path))
}

fn json_of<T: Serialize>(path: &Path, value: &T) -> Result<Vec<u8>, WriteError> {
    serde_json::to_string_pretty(value).map(|text| (text + "\n").into_bytes()).map_err(WriteError::content(path))
}
