//! Students of a private graph: releases of labels, scored with teachers that are trained once.
//! This looks at the truth: it is no release.
//!
//! [`Teachers`] answer questions about public nodes. One [`Way`] after the other releases what they
//! said, and a student learns from the labels ([`Scoring`], [`Scored`]). A [`Grid`] is that for the
//! teachers, releases and seeds of a published table. `kept` keeps answers and outcomes in files,
//! because teachers of PrivGNN take hours.

mod grid;
mod kept;
mod scoring;
mod teachers;
mod way;

pub use grid::{Grid, Parts};
pub use scoring::{Scored, Scoring};
pub use teachers::Teachers;
pub use way::{Way, WayError};

/// Called with what is being done, how much of it is done, and how much there is.
pub type Watch<'a> = &'a (dyn Fn(&str, usize, usize) + Sync);

/// The λ of PrivGNN's tables.
pub(crate) const LAMBDAS: [f64; 5] = [0.1, 0.2, 0.4, 0.8, 1.0];

use std::path::PathBuf;

use veil_graph::write::WriteError;
use veil_graph::{DatasetError, HoldersError};
use veil_learn::LearnError;
use veil_nn::Kind;

/// Why students could not be scored.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum StudentsError {
    #[error(transparent)]
    Learn(#[from] LearnError),
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
    #[error("{} belongs to another evaluation (other data, parameters, seed or version)", path.display())]
    OtherEvaluation { path: PathBuf },
    #[error("{} is in use by another command", folder.display())]
    Busy { folder: PathBuf },
    #[error("{}, line {line}: expected question,{classes} numbers; does it belong to another evaluation?", path.display())]
    Line { path: PathBuf, line: usize, classes: usize },
    #[error("mechanism {name} does not apply to these teachers' answers")]
    OtherTeachers { name: String },
    #[error(
        "with a shared optimiser, teachers depend on each other's samples, so the ε of {name} would not hold; only none and \
         noisy-log-posterior (unproven) are allowed"
    )]
    NotFresh { name: String },
    #[error("a shared optimiser requires one network type: a {student} cannot continue from a {teacher}")]
    OtherStudent { teacher: Kind, student: Kind },
    #[error("no public test node has a label to score with")]
    NoTruth,
}

impl StudentsError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        match self {
            StudentsError::NoTruth | StudentsError::OtherStudent { .. } | StudentsError::Holders(_) => true,
            StudentsError::Learn(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            StudentsError::OtherEvaluation { .. } => Some("keep it in another file or folder".to_owned()),
            StudentsError::Learn(error) => error.hint(),
            _ => None,
        }
    }
}
