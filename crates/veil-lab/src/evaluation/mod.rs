//! Several ways to release labels, scored with teachers that are trained once. This looks at the
//! truth: it is no release.
//!
//! A [`Scoring`] asks the teachers of a private graph about public nodes, and applies one [`Way`]
//! after the other to what they [`Said`]. `posteriors` keeps that in a file, because teachers of
//! PrivGNN take hours.

mod asking;
mod posteriors;
mod scoring;
#[cfg(test)]
mod tests;
mod way;

pub use asking::{Said, Watch};
pub use scoring::{Scored, Scoring};
pub use way::{Way, WayError};

use std::path::PathBuf;

use veil_graph::write::WriteError;
use veil_graph::{DatasetError, HoldersError};
use veil_learn::LearnError;
use veil_nn::Kind;
use veil_privacy::answers::AnswerError;

/// Why releases could not be scored.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum EvaluationError {
    #[error(transparent)]
    Learn(#[from] LearnError),
    #[error(transparent)]
    Answers(#[from] AnswerError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Holders(#[from] HoldersError),
    #[error(transparent)]
    Data(#[from] DatasetError),
    #[error(transparent)]
    Way(#[from] WayError),
    #[error("the parameters cannot be written down: {0}")]
    Parameters(#[from] serde_json::Error),
    #[error("{} is of another evaluation (other data, parameters, seed or version)", path.display())]
    OtherEvaluation { path: PathBuf },
    #[error("{} is in use by another command", folder.display())]
    Busy { folder: PathBuf },
    #[error("{}, line {line}: expected question,{classes} numbers; is it of another evaluation?", path.display())]
    Line { path: PathBuf, line: usize, classes: usize },
    #[error("the release {name} does not go with what these teachers said")]
    OtherTeachers { name: String },
    #[error(
        "with one optimiser for all, teachers know something of each other's samples, and the ε of {name} would not hold: only none and \
         noisy-log-posterior, of which nothing is proven, go with it"
    )]
    NotFresh { name: String },
    #[error(
        "one optimiser for all needs students like their teachers: a {student} cannot go on where a {teacher} ended"
    )]
    OtherStudent { teacher: Kind, student: Kind },
    #[error("no public test node has a label to score with")]
    NoTruth,
}

impl EvaluationError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        match self {
            EvaluationError::NoTruth | EvaluationError::OtherStudent { .. } | EvaluationError::Holders(_) => true,
            EvaluationError::Learn(error) => error.is_usage(),
            EvaluationError::Answers(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            EvaluationError::OtherEvaluation { .. } => Some("keep it in another file or folder".to_owned()),
            EvaluationError::Learn(error) => error.hint(),
            EvaluationError::Answers(error) => error.hint(),
            _ => None,
        }
    }
}
