//! Writing a run folder, and reading it again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use veil_graph::write::WriteError;
use veil_graph::{Matrix, Part};
use veil_nn::training::EpochMetrics;
use veil_nn::{FileError, Model};
use veil_privacy::release::{OpenError, Privatised, Rounds};

use super::Score;
use super::record::{FORMAT, Record};
use crate::bayes::Bayes;
use crate::deployed::{Deployed, Surface};
use crate::error::LearnError;
use crate::learn::{self, Learned, Seen, edge_free_twin, most_likely, twin_reads_features};
use crate::metrics::classification;
use crate::network::network_input;
use crate::parameters::Scaling;
use crate::predictor::{Predictor, PredictorError};
use crate::scaled::Scaled;

/// Mean and deviation of the training graph's features, where these are standardised.
const MOMENTS: &str = "moments.json";

/// How counts are read by Bayes' rule, where they are.
const BAYES: &str = "bayes.json";

/// Which weights of a network are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// Those of the epoch that was chosen.
    #[default]
    Chosen,
    /// Those of the last epoch.
    Last,
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

/// Why a folder is not read as a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It has no `run.json`.
    #[error("{} is not a run folder: it has no run.json", folder.display())]
    NotARun {
        /// The folder.
        folder: PathBuf,
    },
    /// A file cannot be read or understood.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// It was made by another version.
    #[error("{} is of version {found}; this program reads version {FORMAT}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// What was released cannot be read.
    #[error(transparent)]
    Released(#[from] OpenError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A network cannot be read or written.
    #[error(transparent)]
    Network(#[from] FileError),
    /// Networks and release do not fit together.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// It cannot answer.
    #[error(transparent)]
    Predictor(#[from] PredictorError),
}

/// A run: what was released, and the networks that were trained on it.
#[derive(Clone, Debug)]
pub struct Run {
    record: Record,
    released: Privatised,
    chosen: Vec<Model>,
    last: Model,
    scaled: Scaled,
    bayes: Option<Bayes>,
    history: Vec<Vec<EpochMetrics>>,
}

impl Run {
    /// What was learned from a release.
    ///
    /// # Errors
    /// If there is no network.
    pub fn new(record: Record, released: Privatised, learned: Learned) -> Result<Run, LearnError> {
        let (mut chosen, mut last, mut history) = (Vec::new(), None, Vec::new());
        for stage in learned.stages {
            chosen.push(stage.chosen);
            last = Some(stage.last);
            history.push(stage.history);
        }
        let last = last.ok_or(LearnError::NoNetwork)?;
        Ok(Run { record, released, chosen, last, scaled: learned.scaled, bayes: learned.bayes, history })
    }

    /// The same networks on another graph (inductive inference, Algorithm 3 of LPGNet): a run of its own, that answers about that
    /// graph's nodes and never spends again. Rounds of degree vectors that the networks need are asked here.
    ///
    /// # Errors
    /// If networks and release do not fit together.
    pub fn on(
        &self,
        record: Record,
        mut released: Privatised,
        rounds: Option<&mut Rounds<'_>>,
    ) -> Result<Run, LearnError> {
        let mut seen = Seen { released: &mut released, rounds };
        learn::infer(&mut seen, &self.scaled, &record.parameters, &self.chosen, self.bayes.as_ref())?;
        let Run { chosen, last, scaled, bayes, .. } = self.clone();
        Ok(Run { record, released, chosen, last, scaled, bayes, history: Vec::new() })
    }

    /// How many features the first network reads, and how many classes there are.
    pub fn shape(&self) -> Option<(usize, u32)> {
        let inputs = self.chosen.first()?.architecture().inputs();
        Some((inputs, self.last.architecture().classes() as u32))
    }

    /// All that decided it.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The same, to be completed with timings.
    pub fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// What was released.
    pub fn released(&self) -> &Privatised {
        &self.released
    }

    /// The accuracy on (noisy) validation labels in the chosen epoch.
    pub fn validation_accuracy(&self) -> Option<f64> {
        if self.bayes.is_some() {
            return self.accuracy_on_validation_labels();
        }
        self.history.last()?.get(self.record.best_epoch)?.validation_accuracy
    }

    /// The same of what is answered in the end, where that is not for a network to say. `None` if other nodes validated.
    fn accuracy_on_validation_labels(&self) -> Option<f64> {
        let data = self.released.data();
        let (labels, split) = (data.labels()?, data.split()?);
        let validating = split.nodes(Part::Val).filter_map(|node| Some((node, labels.get(node)?)));
        classification(&self.posteriors().ok()?, validating).map(|found| found.accuracy)
    }

    /// The accuracy on (noisy) validation labels of LPGNet's first network, which reads no edge, where its loss was lowest: what the
    /// later ones, or Bayes' rule, have to beat. `None` where nothing follows it.
    pub fn edge_free_validation_accuracy(&self) -> Option<f64> {
        let (first, others) = self.history.split_first()?;
        let alone = others.is_empty() && self.bayes.is_none();
        if alone || !self.record.parameters.is_central() {
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
        // Later networks of a stack were trained on what the chosen ones said, so only the one that answers has other weights.
        if let (Weights::Last, Some(answers)) = (weights, stages.last_mut()) {
            *answers = self.last.clone();
        }
        let Run { released, scaled, record, bayes, .. } = self;
        Deployed::new(released, scaled, &record.parameters, surface, &stages, bayes.as_ref())
    }

    /// The edge-free twin as a service, trained here with this run's parameters and seed. LPGNet's first network is one already.
    /// `None` where nothing can be trained: a run on another graph has no labels, and only LPGNet brings its twin along.
    ///
    /// # Errors
    /// If training fails.
    pub fn twin(&self, weights: Weights) -> Result<Option<Deployed>, LearnError> {
        let Run { released, scaled, record, chosen, .. } = self;
        if let (true, Some(first)) = (record.parameters.is_central(), chosen.first()) {
            let input = network_input(released.data(), scaled, &record.parameters, 0)?;
            return Deployed::of(first, &input).map(Some);
        }
        if released.data().labels().is_none() {
            return Ok(None);
        }
        let (fitted, input) = edge_free_twin(released, scaled, &record.parameters, record.training_seed)?;
        let model = match weights {
            Weights::Chosen => &fitted.chosen,
            Weights::Last => &fitted.last,
        };
        Deployed::of(model, &input).map(Some)
    }

    /// Whether the twin reads anything of a node. If not, it says the same of all, and shows nothing about homophily.
    pub fn twin_reads_features(&self) -> bool {
        twin_reads_features(&self.released, &self.record.parameters)
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

    /// Writes everything into a folder that is there.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill(&self, folder: &Path, posteriors: &Matrix, score: Option<&Score>) -> Result<(), RunError> {
        write_json(&folder.join("run.json"), &self.record)?;
        self.released.fill_statement(folder)?;
        let released = folder.join("released");
        std::fs::create_dir(&released).map_err(WriteError::io(&released))?;
        self.released.fill(&released)?;
        for (stage, model) in self.chosen.iter().enumerate() {
            model.save(&folder.join(file_of(stage, self.chosen.len())))?;
        }
        self.last.save(&folder.join("last.safetensors"))?;
        if let Some(moments) = self.scaled.moments() {
            write_json(&folder.join(MOMENTS), moments)?;
        }
        if let Some(bayes) = &self.bayes {
            write_json(&folder.join(BAYES), bayes)?;
        }
        let note =
            "computed from the true labels and edges: not part of the release, and not covered by its guarantees";
        let metrics = Metrics {
            validation_accuracy: self.validation_accuracy(),
            truth: score.map(|score| Scored { note: note.to_owned(), score: score.clone() }),
            epochs: self.history.clone(),
        };
        write_json(&folder.join("metrics.json"), &metrics)?;
        let path = folder.join("predictions.csv");
        Ok(std::fs::write(&path, predictions(posteriors)).map_err(WriteError::io(&path))?)
    }

    /// Reads a run again; every epoch's numbers stay in its file.
    ///
    /// # Errors
    /// If the folder is no run, of another version, or broken.
    pub fn open(folder: &Path) -> Result<Run, RunError> {
        let path = folder.join("run.json");
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
        let record: Record = serde_json::from_value(value).map_err(|error| broken(error.to_string()))?;
        if record.stages == 0 || record.stages > 1000 {
            return Err(broken(format!("{} networks", record.stages)));
        }
        let chosen = (0..record.stages).map(|stage| Model::load(&folder.join(file_of(stage, record.stages))));
        let chosen = chosen.collect::<Result<Vec<Model>, FileError>>()?;
        let last = Model::load(&folder.join("last.safetensors"))?;
        let released = Privatised::open(&folder.join("released"))?;
        let standard = record.parameters.scale == Scaling::Standard && released.data().features().is_some();
        let scaled = Scaled::with(if standard { Some(read_json(&folder.join(MOMENTS))?) } else { None });
        let bayes = match record.parameters.reads_by_bayes() {
            true => {
                let (classes, rounds) = (last.architecture().classes(), record.parameters.rounds());
                Some(read_bayes(&folder.join(BAYES), classes, rounds as usize)?)
            }
            false => None,
        };
        Ok(Run { record, released, chosen, last, scaled, bayes, history: Vec::new() })
    }
}

fn file_of(stage: usize, stages: usize) -> String {
    if stage + 1 == stages { "model.safetensors".to_owned() } else { format!("stage-{stage}.safetensors") }
}

fn read_bayes(path: &Path, classes: usize, rounds: usize) -> Result<Bayes, RunError> {
    let bayes: Bayes = read_json(path)?;
    if bayes.fits(classes, rounds) {
        return Ok(bayes);
    }
    let problem = format!(
        "expected {rounds} rounds with means above 0 for each of {classes} classes and clusters, and finite weights"
    );
    Err(RunError::File { path: path.to_owned(), problem })
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let broken = |problem: String| RunError::File { path: path.to_owned(), problem };
    let text = std::fs::read_to_string(path).map_err(|error| broken(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| broken(error.to_string()))
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), WriteError> {
    let text = serde_json::to_string_pretty(value).map_err(WriteError::content(path))?;
    std::fs::write(path, text + "\n").map_err(WriteError::io(path))
}

/// `node,class,0,1,…`: the most likely class and the posterior of every node.
fn predictions(posteriors: &Matrix) -> String {
    let mut text = String::from("node,class");
    // Writing into a String cannot fail.
    for class in 0..posteriors.columns() {
        let _ = write!(text, ",{class}");
    }
    text.push('\n');
    for (node, class) in most_likely(posteriors).into_iter().enumerate() {
        let _ = write!(text, "{node},{class}");
        for probability in posteriors.row(node) {
            let _ = write!(text, ",{probability}");
        }
        text.push('\n');
    }
    text
}
