//! Why a job failed.

use std::path::{Path, PathBuf};

use veil_graph::DatasetError;
use veil_graph::read::ReadError;
use veil_graph::write::WriteError;
use veil_nn::FileError;
use veil_privacy::answers::AnswerError;
use veil_privacy::release::OpenError;
use veil_privacy::{CoinsError, Delta, Epsilon, KeyError, LedgerError, ReleaseError, RequestError, Spent, Unit};

use crate::choose::ChooseError;
use crate::error::LearnError;
use crate::method::MethodError;
use crate::predictor::PredictorError;
use crate::run::RunError;

/// Why a job failed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error("data set {name} has not been fetched")]
    NotFetched { name: String },
    #[error("this system has no cache folder: name one in VEIL_CACHE")]
    NoCache,
    #[error("{data} is a release: raw data are needed here")]
    NotRaw { data: String },
    #[error("{} lies inside the raw data in {}: choose another place", out.display(), data.display())]
    InsideData { out: PathBuf, data: PathBuf },
    #[error("{method} {}", if *needed { "requires a public graph, on which its student learns" } else { "reads no public graph" })]
    PublicGraph { method: &'static str, needed: bool },
    #[error("{data} is a release that {method} cannot learn from: use {maker}, gnn or mlp")]
    NotOnRelease { data: String, method: &'static str, maker: &'static str },
    #[error("{data} is a release: {name} was fixed when it was made")]
    Decided { data: String, name: String },
    #[error("{name} has no effect on {input}")]
    NoEffect { name: &'static str, input: &'static str },
    #[error(
        "the model was trained on edges that {mechanism} released, but {method} would release unchanged edges of other graphs: \
         train on the raw data"
    )]
    OtherEdges { method: &'static str, mechanism: String },
    #[error("the record of the run has the range {text:?}: {problem}")]
    Range { text: String, problem: String },
    #[error("the raw data have {truth} nodes, but the run has {run}")]
    OtherSize { truth: u32, run: u32 },
    #[error("graphs that share edges: a validation graph or an inference graph is required")]
    OneGraph,
    #[error("{method}: this run cannot be extended to new nodes; only a cascade with its answers can")]
    NotGrowing { method: &'static str },
    #[error("only a ledger records earlier extensions: extend a release with the ledger that it was charged to")]
    GrowthWithoutLedger,
    #[error(
        "the edges of {data} are not protected, or were released with a known seed: an extension would not be protected either"
    )]
    GrowthOfUnprotected { data: String },
    #[error("the release about {data} has ε = {epsilon}: an extension must use the same ε")]
    OtherGrowth { data: String, epsilon: Epsilon },
    #[error(
        "the run about {data} depends on other graphs too, whose nodes may have rows of their own: only a run that was trained on one graph can grow"
    )]
    GrowthOfSeveral { data: String },
    #[error("{data} has no new nodes: the run knows all of them")]
    NothingNew { data: String },
    #[error(
        "graphs that share edges share the ε of the edges: features and labels would be reported once per graph, so release \
         them unchanged (inf)"
    )]
    RepeatedReports,
    #[error("{nodes} of {one} is in {other} too: a node that is released in two graphs loses the ε of both")]
    RepeatedNodes { one: String, other: String, nodes: String },
    #[error("epsilon-edges = {whole} leaves nothing for each of {graphs} graphs")]
    NothingPerGraph { whole: Epsilon, graphs: u32 },
    #[error("{validation} does not fit {train} as its validation graph: {source}")]
    Validation { validation: String, train: String, source: DatasetError },
    #[error("scale = minmax scales every graph by its own features: for several graphs use rows, standard or none")]
    MinmaxOfSeveral,
    #[error("{graph} has {found} classes, but the model has {expected}")]
    MoreClasses { graph: String, found: u32, expected: u32 },
    #[error("the class names of {graph} differ from those of the model")]
    OtherClassNames { graph: String },
    #[error("the rounds of this release depend on predictions, so they need a training")]
    NeedsTraining,
    #[error("{name} belongs to a training: a release without a model has none")]
    OnlyTrained { name: String },
    #[error("{} is in use by another command", folder.display())]
    Busy { folder: PathBuf },
    #[error("{}: no space for a result of about {bytes} bytes ({source}); nothing was charged", folder.display())]
    NoSpace { folder: PathBuf, bytes: u64, source: std::io::Error },
    #[error("{source}{}", charged_already(charged))]
    Unfinished { source: Box<PipelineError>, charged: Vec<(Unit, Spent, Delta)>, folder: Option<PathBuf> },
    #[error(transparent)]
    Choose(#[from] ChooseError),
    #[error(transparent)]
    Method(#[from] MethodError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Data(#[from] DatasetError),
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error(transparent)]
    Answers(#[from] AnswerError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Coins(#[from] CoinsError),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Learn(#[from] LearnError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Predictor(#[from] PredictorError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl PipelineError {
    /// Whether the caller requested something impossible.
    pub fn is_usage(&self) -> bool {
        match self {
            PipelineError::NotRaw { .. }
            | PipelineError::InsideData { .. }
            | PipelineError::PublicGraph { .. }
            | PipelineError::NotOnRelease { .. }
            | PipelineError::Decided { .. }
            | PipelineError::NoEffect { .. }
            | PipelineError::OnlyTrained { .. }
            | PipelineError::OtherEdges { .. }
            | PipelineError::OneGraph
            | PipelineError::RepeatedReports
            | PipelineError::NotGrowing { .. }
            | PipelineError::GrowthWithoutLedger
            | PipelineError::GrowthOfUnprotected { .. }
            | PipelineError::OtherGrowth { .. }
            | PipelineError::GrowthOfSeveral { .. }
            | PipelineError::NothingNew { .. }
            | PipelineError::RepeatedNodes { .. }
            | PipelineError::NothingPerGraph { .. }
            | PipelineError::Validation { .. }
            | PipelineError::MinmaxOfSeveral
            | PipelineError::NeedsTraining
            | PipelineError::NoCache
            | PipelineError::Method(_) => true,
            PipelineError::Choose(error) => error.is_usage(),
            PipelineError::Release(error) => error.is_usage(),
            PipelineError::Answers(error) => error.is_usage(),
            PipelineError::Ledger(error) => error.is_usage(),
            PipelineError::Learn(error) => error.is_usage(),
            PipelineError::Run(error) => error.is_usage(),
            PipelineError::Unfinished { source, .. } => source.is_usage(),
            _ => false,
        }
    }

    /// Whether the same job would fail in the same way.
    pub(super) fn recurs(&self) -> bool {
        match self {
            // Answers may be kept on a disk that is full. What was released is kept for another way
            // to read it.
            PipelineError::Learn(error) | PipelineError::Run(RunError::Learn(error)) => {
                !matches!(error, LearnError::Answers(_) | LearnError::TooManyPairs { .. })
            }
            // A network that cannot be written has weights that are no numbers.
            PipelineError::Run(RunError::Network(FileError::Content { .. })) => true,
            PipelineError::Run(RunError::Method(_) | RunError::Predictor(_)) => true,
            PipelineError::Release(_) | PipelineError::Method(_) | PipelineError::Predictor(_) => true,
            _ => false,
        }
    }

    /// The same error of a job on which something was spent, and the folder from which it resumes.
    pub(super) fn unfinished(self, charged: Vec<(Unit, Spent, Delta)>, folder: Option<&Path>) -> PipelineError {
        if charged.is_empty() && folder.is_none() {
            return self;
        }
        PipelineError::Unfinished { source: Box::new(self), charged, folder: folder.map(Path::to_owned) }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            PipelineError::NotFetched { name } => Some(format!("veil data fetch {name}")),
            PipelineError::Read(ReadError::Unrecognised { path, .. }) if !path.exists() => {
                Some("veil data list shows the names of known data sets".to_owned())
            }
            PipelineError::RepeatedNodes { .. } => {
                Some("choose another graph, or declare that nodes are released once per graph".to_owned())
            }
            PipelineError::Read(error) => error.hint(),
            PipelineError::Write(error) => error.hint(),
            PipelineError::Choose(error) => error.hint(),
            PipelineError::Method(error) => error.hint(),
            PipelineError::Release(error) => error.hint(),
            PipelineError::Answers(error) => error.hint(),
            PipelineError::Ledger(error) => error.hint(),
            PipelineError::Request(error) => error.hint(),
            PipelineError::Learn(error) => error.hint(),
            PipelineError::Run(error) => error.hint(),
            PipelineError::Key(error) => error.hint(),
            PipelineError::Unfinished { source, charged, folder: Some(folder) } => {
                let first = source.hint().map_or_else(String::new, |hint| format!("{hint}; "));
                let uncertain = matches!(&**source, PipelineError::Ledger(error) if error.is_uncertain());
                let (once, spent) = match (uncertain, charged.is_empty()) {
                    (true, _) => (" and is charged once", ", and what was charged stays spent"),
                    (false, false) => (" and is charged nothing more", ", and what was charged stays spent"),
                    // There is no ledger.
                    (false, true) => ("", ""),
                };
                Some(format!("{first}the same job continues{once}; rm -r {} abandons it{spent}", folder.display()))
            }
            PipelineError::Unfinished { source, .. } => source.hint(),
            _ => None,
        }
    }
}

/// What an error adds about the ledger.
fn charged_already(charged: &[(Unit, Spent, Delta)]) -> String {
    let each = |(unit, spent, delta): &(Unit, Spent, Delta)| match delta.is_zero() {
        true => format!("ε = {spent} for {unit}"),
        false => format!("ε = {spent}, δ = {delta} for {unit}"),
    };
    let list: Vec<String> = charged.iter().map(each).collect();
    if list.is_empty() { String::new() } else { format!("; the ledger was charged before: {}", list.join(", ")) }
}
