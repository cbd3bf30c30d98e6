//! Why a folder is not read as a run.

use std::path::PathBuf;

use veil_graph::write::WriteError;
use veil_nn::FileError;
use veil_privacy::integrity::IntegrityError;
use veil_privacy::release::OpenError;

use super::record::FORMAT;
use crate::error::LearnError;
use crate::method::MethodError;
use crate::predictor::PredictorError;

/// Why a folder is not read as a run.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{} is not a run folder: it has no run.json", folder.display())]
    NotARun { folder: PathBuf },
    #[error("{}: {problem}", path.display())]
    File { path: PathBuf, problem: String },
    #[error("{} has version {found}; this program reads version {FORMAT}", path.display())]
    Version { path: PathBuf, found: u64 },
    #[error("{}: privacy.json is not the statement of what the run released", folder.display())]
    OtherStatement { folder: PathBuf },
    #[error("{} has no {name}/privacy.json: its model depends on that release", folder.display())]
    NoStatement { folder: PathBuf, name: &'static str },
    #[error(transparent)]
    Released(#[from] OpenError),
    #[error(transparent)]
    Integrity(#[from] IntegrityError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Network(#[from] FileError),
    #[error(transparent)]
    Method(#[from] MethodError),
    #[error(transparent)]
    Learn(#[from] LearnError),
    #[error(transparent)]
    Predictor(#[from] PredictorError),
}

impl RunError {
    /// Whether the caller requested something impossible.
    pub fn is_usage(&self) -> bool {
        match self {
            RunError::Learn(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            RunError::NotARun { .. } => Some("a training writes one".to_owned()),
            RunError::Version { .. } => Some("train it again with this program".to_owned()),
            RunError::Learn(error) => error.hint(),
            RunError::Released(error) => error.hint(),
            RunError::Integrity(error) => error.hint(),
            _ => None,
        }
    }
}
