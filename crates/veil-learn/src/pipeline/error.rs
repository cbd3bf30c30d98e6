//! Why a job failed.

use std::path::PathBuf;

use veil_graph::DatasetError;
use veil_graph::read::ReadError;
use veil_graph::write::WriteError;
use veil_privacy::answers::AnswerError;
use veil_privacy::release::OpenError;
use veil_privacy::{CoinsError, Epsilon, KeyError, LedgerError, ReleaseError};

use crate::error::LearnError;
use crate::method::MethodError;
use crate::predictor::PredictorError;
use crate::run::RunError;

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// A data set of the catalogue that was not fetched.
    #[error("{name} is not here yet")]
    NotFetched {
        /// Its name.
        name: String,
    },
    /// There is no place for fetched data.
    #[error("this system has no cache folder: name one in VEIL_CACHE")]
    NoCache,
    /// A release where raw data are needed.
    #[error("{data} is a release: raw data are needed here")]
    NotRaw {
        /// The folder.
        data: String,
    },
    /// A release that lies inside the raw data invites publishing the wrong folder.
    #[error("{} lies inside the raw data in {}: choose another place", out.display(), data.display())]
    InsideData {
        /// The result.
        out: PathBuf,
        /// The data.
        data: PathBuf,
    },
    /// A method that needs a public graph, or one that does not.
    #[error("{method} {}", if *needed { "requires a public graph, on which its student learns" } else { "has no public graph" })]
    PublicGraph {
        /// The method.
        method: &'static str,
        /// Whether it needs one.
        needed: bool,
    },
    /// A method that cannot learn from an existing release.
    #[error("{data} is released already: {method} cannot learn from it. Use {maker}, gnn or mlp")]
    NotOnRelease {
        /// The release.
        data: String,
        /// The method.
        method: &'static str,
        /// The method that made the release.
        maker: &'static str,
    },
    /// Something was decided when a release was made.
    #[error("{data} is released already: {name} was decided then")]
    Decided {
        /// The release.
        data: String,
        /// The parameter.
        name: String,
    },
    /// Something that the input decides.
    #[error("{name} has no effect on {input}")]
    NoEffect {
        /// What was given.
        name: &'static str,
        /// The input.
        input: &'static str,
    },
    /// A model on noisy edges, with a method that would release unchanged edges of other graphs.
    #[error(
        "the model was trained on edges that {mechanism} released, but {method} would release unchanged edges of other graphs: \
         train on the raw data"
    )]
    OtherEdges {
        /// The method of the model.
        method: &'static str,
        /// The mechanism that released the edges.
        mechanism: String,
    },
    /// A record with an unreadable range.
    #[error("the record of the run has the range {text:?}: {problem}")]
    Range {
        /// The range.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// The truth has another number of nodes than the release.
    #[error("the raw data have {truth} nodes, but the run has {run}")]
    OtherSize {
        /// Nodes of the raw data.
        truth: u32,
        /// Nodes of the run.
        run: u32,
    },
    /// One graph where several share ε.
    #[error("graphs that share edges: a validation graph or an inference graph is required")]
    OneGraph,
    /// A budget split over graphs that share edges, with reports that each graph would repeat.
    #[error(
        "graphs that share edges share the ε of the edges: features and labels would be reported once per graph, so release \
         them unchanged (inf)"
    )]
    RepeatedReports,
    /// A budget too small to be split.
    #[error("epsilon-edges = {whole} leaves nothing for each of {graphs} graphs")]
    NothingPerGraph {
        /// The whole.
        whole: Epsilon,
        /// Number of graphs.
        graphs: u32,
    },
    /// Graphs that do not fit together.
    #[error("{validation} does not fit {train} as its validation graph: {source}")]
    Validation {
        /// The validation graph.
        validation: String,
        /// The training graph.
        train: String,
        /// What is wrong.
        source: DatasetError,
    },
    /// Min–max scaling of several graphs.
    #[error("scale = minmax scales every graph by its own features: for several graphs use rows, standard or none")]
    MinmaxOfSeveral,
    /// A graph with more classes than the model.
    #[error("{graph} has {found} classes, but the model has {expected}")]
    MoreClasses {
        /// The graph.
        graph: String,
        /// Its classes.
        found: u32,
        /// Those of the model.
        expected: u32,
    },
    /// A graph whose classes have other names.
    #[error("the class names of {graph} differ from those of the model")]
    OtherClassNames {
        /// The graph.
        graph: String,
    },
    /// Degree vectors that count per predicted class, without a model.
    #[error(
        "later rounds of degree vectors, and all rounds of lpgnet, count per predicted class, so they need a training"
    )]
    NeedsTraining,
    /// The workplace of another process.
    #[error("{} is in use by another command", folder.display())]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// No method, or a parameter that is missing or out of range.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// Data cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A release cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Data do not fit together.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// A release cannot be planned or made.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// Labels of public nodes cannot be released.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// The ledger refuses.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No randomness.
    #[error(transparent)]
    Coins(#[from] CoinsError),
    /// The key of an interrupted release cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Nothing can be learned.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The run cannot be written or read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The model cannot answer.
    #[error(transparent)]
    Predictor(#[from] PredictorError),
    /// Something cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A path cannot be resolved.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl PipelineError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        match self {
            PipelineError::NotRaw { .. }
            | PipelineError::InsideData { .. }
            | PipelineError::PublicGraph { .. }
            | PipelineError::NotOnRelease { .. }
            | PipelineError::Decided { .. }
            | PipelineError::NoEffect { .. }
            | PipelineError::OtherEdges { .. }
            | PipelineError::OneGraph
            | PipelineError::RepeatedReports
            | PipelineError::NothingPerGraph { .. }
            | PipelineError::Validation { .. }
            | PipelineError::MinmaxOfSeveral
            | PipelineError::NeedsTraining
            | PipelineError::NoCache
            | PipelineError::Method(_) => true,
            PipelineError::Release(error) => error.is_usage(),
            PipelineError::Answers(error) => error.is_usage(),
            PipelineError::Ledger(error) => error.is_usage(),
            PipelineError::Learn(error) => error.is_usage(),
            PipelineError::Run(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            PipelineError::NotFetched { name } => Some(format!("veil data fetch {name}")),
            PipelineError::Write(WriteError::Exists { .. }) => {
                Some("choose another place, or delete what is there".to_owned())
            }
            PipelineError::Method(error) => error.hint(),
            PipelineError::Release(error) => error.hint(),
            PipelineError::Answers(error) => error.hint(),
            PipelineError::Ledger(error) => error.hint(),
            PipelineError::Learn(error) => error.hint(),
            PipelineError::Run(error) => error.hint(),
            _ => None,
        }
    }
}
