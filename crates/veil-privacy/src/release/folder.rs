//! Released data and their folder.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use veil_graph::read::{self, Misfit, ReadError};
use veil_graph::write::{self, WriteError};
use veil_graph::{Dataset, Features, Graph, Labels, Part};

use super::vectors;
use crate::answers;
use crate::guarantee::{Guarantee, Statement, Unit};
use crate::mechanism::{ParamError, RandomisedResponse, randomised_response};
use crate::permit::Permit;
use crate::protocol::degree_vectors::Counts;
use crate::seal::{Public, Released};

/// A released data set with its privacy statement.
#[derive(Clone, Debug)]
pub struct Privatised {
    data: Dataset,
    vectors: Vec<Counts>,
    statement: Statement,
}

/// Why a folder cannot be read as a release.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} has no privacy.json: it is not a release", folder.display())]
    NotReleased { folder: PathBuf },
    #[error("{}: {problem}", path.display())]
    Statement { path: PathBuf, problem: String },
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl OpenError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}

impl Privatised {
    pub(super) fn new(
        public: &Public<'_>,
        features: Option<Released<Features>>,
        labels: Option<Released<Labels>>,
        lists: Option<Released<Graph>>,
        promised_vectors: Vec<Guarantee>,
        permit: &Permit,
    ) -> Result<Privatised, Misfit> {
        let mut withheld = Vec::new();
        let mut guarantees: Vec<Guarantee> = Vec::new();
        let (mut data, of_edges) = match lists {
            Some(lists) => {
                let (graph, promised) = lists.into_parts();
                (Dataset::new(public.name, graph, Default::default()), promised)
            }
            None => {
                let instead = if promised_vectors.is_empty() {
                    ""
                } else {
                    ", except for noisy counts of neighbours per cluster"
                };
                withheld.push(format!("the edges{instead}"));
                (Dataset::with_edges_withheld(public.name, public.nodes), promised_vectors)
            }
        };
        data = data.with_names(public.names.clone())?.with_declared(public.declared);
        if let Some(split) = public.split {
            data = data.with_split(split.clone())?;
        }
        match features {
            Some(released) => {
                let (features, promised) = released.into_parts();
                guarantees.extend(promised);
                data = data.with_features(features)?;
            }
            None => withheld.push("the features".to_owned()),
        }
        match labels {
            Some(released) => {
                let (labels, promised) = released.into_parts();
                guarantees.extend(promised);
                data = data.with_labels(labels)?;
                let others = public.split.map_or(0, |split| split.count(Part::Test) + split.count(Part::None));
                withheld.push(format!("the labels of the {others} nodes outside of training and validation"));
            }
            None => withheld.push("the labels".to_owned()),
        }
        guarantees.extend(of_edges);
        let statement = Statement {
            format: Statement::FORMAT,
            release: permit.release().to_string(),
            data: public.name.to_owned(),
            reproducible: permit.seed().is_some(),
            seed: permit.seed(),
            booked: permit.booked(),
            guarantees,
            withheld,
        };
        Ok(Privatised { data, vectors: Vec::new(), statement })
    }

    /// A public graph with answers of a private one for labels; `withheld` names further withheld
    /// data.
    pub(crate) fn answered(
        data: Dataset,
        private: &str,
        (guarantees, withheld): (Vec<Guarantee>, &str),
        permit: &Permit,
    ) -> Privatised {
        let statement = Statement {
            format: Statement::FORMAT,
            release: permit.release().to_string(),
            data: private.to_owned(),
            reproducible: permit.seed().is_some(),
            seed: permit.seed(),
            booked: permit.booked(),
            guarantees,
            withheld: vec![format!("{private} itself: its nodes, features, labels and edges"), withheld.to_owned()],
        };
        Privatised { data, vectors: Vec::new(), statement }
    }

    /// One more thing that is not released.
    pub(super) fn withhold(&mut self, what: String) {
        self.statement.withheld.push(what);
    }

    pub(super) fn add_vectors(&mut self, counts: Counts) {
        self.vectors.push(counts);
    }

    /// The released data: features, labels and edges as reported.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// The released degree vectors, round by round.
    pub fn vectors(&self) -> &[Counts] {
        &self.vectors
    }

    /// The mechanism of the labels, according to the statement; `None` if they are unperturbed.
    ///
    /// # Errors
    /// If the statement has invalid parameters.
    pub fn label_mechanism(&self) -> Result<Option<RandomisedResponse>, ParamError> {
        let of_labels = |guarantee: &Guarantee| {
            let reported = guarantee.unit == Unit::Label && guarantee.epsilon.is_finite();
            if reported { Some(guarantee.epsilon) } else { answers::loss_of_one_label(guarantee) }
        };
        let Some(epsilon) = self.statement.guarantees.iter().find_map(of_labels) else { return Ok(None) };
        let values = self.data.labels().map_or(0, Labels::classes);
        randomised_response::Params { epsilon, values }.check().map(Some)
    }

    /// The privacy statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Writes the released data in the folder format, with `privacy.json` and `privacy.md`, into an
    /// existing folder: for use inside [`write::atomically`], which creates the folder before
    /// anything is charged.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill(&self, folder: &Path) -> Result<(), WriteError> {
        write::fill_folder(&self.data, folder)?;
        if !self.vectors.is_empty() {
            let path = folder.join(vectors::FILE);
            std::fs::write(&path, vectors::to_csv(&self.vectors)).map_err(WriteError::io(&path))?;
        }
        self.fill_statement(folder)
    }

    /// Writes `privacy.json` and `privacy.md` alone.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn fill_statement(&self, folder: &Path) -> Result<(), WriteError> {
        let (json, markdown) = (folder.join(STATEMENT), folder.join("privacy.md"));
        let text = serde_json::to_string_pretty(&self.statement).map_err(WriteError::content(&json))?;
        std::fs::write(&json, text + "\n").map_err(WriteError::io(&json))?;
        std::fs::write(&markdown, self.statement.to_markdown()).map_err(WriteError::io(&markdown))
    }

    /// Whether a folder is a release.
    pub fn is_released(folder: &Path) -> bool {
        folder.join(STATEMENT).is_file()
    }

    /// Reads a release.
    ///
    /// # Errors
    /// If the folder is not a release, or cannot be read.
    pub fn open(folder: &Path) -> Result<Privatised, OpenError> {
        if !Privatised::is_released(folder) {
            return Err(OpenError::NotReleased { folder: folder.to_owned() });
        }
        let path = folder.join(STATEMENT);
        let broken = |problem: String| OpenError::Statement { path: path.clone(), problem };
        let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
        let Version { format } = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        if format != Statement::FORMAT {
            return Err(broken(format!("version {format} of the format, not {}", Statement::FORMAT)));
        }
        let statement: Statement = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        let data = read::open(folder)?;
        let path = folder.join(vectors::FILE);
        let vectors = if path.exists() {
            let broken = |problem: String| OpenError::Statement { path: path.clone(), problem };
            let text = std::fs::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
            vectors::from_csv(&text, data.nodes() as usize).map_err(broken)?
        } else {
            Vec::new()
        };
        Ok(Privatised { data, vectors, statement })
    }
}

/// The version of a statement.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// The file that makes a folder a release.
const STATEMENT: &str = "privacy.json";
