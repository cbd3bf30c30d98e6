//! Why nothing could be learned.

use veil_graph::read::Misfit;
use veil_graph::{DatasetError, GraphError, ShapeError, StackError};
use veil_nn::loss::{TargetsError, TransitionError};
use veil_nn::training::TrainingError;
use veil_nn::{DescriptionError, FeaturesError, InputError, LossError, MessagesError};
use veil_privacy::ReleaseError;
use veil_privacy::answers::AnswerError;
use veil_privacy::mechanism::ParamError;

use crate::method::MethodError;

/// Why nothing could be learned from a release.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    #[error("the release has no features to learn from")]
    NoFeatures,
    #[error("the release has no labels to learn from")]
    NoLabels,
    #[error("the release has no split, so it is not known which labels are for training")]
    NoSplit,
    #[error("no training node has a label")]
    NoTrainingLabels,
    #[error("this method requires validation nodes with labels: they choose its weights")]
    NoValidationLabels,
    #[error("the split of the validation graph has no validation nodes")]
    NoValidationNodes,
    #[error("the release has no degree vectors")]
    NoVectors,
    #[error("{batches} batches require at least as many non-training nodes; there are {nodes}")]
    TooFewNodes { nodes: usize, batches: u32 },
    #[error("{classes} classes are too many for this method: at most {limit}")]
    TooManyClasses { classes: usize, limit: usize },
    #[error("the release has no noisy degrees")]
    NoDegrees,
    #[error("about {pairs} pairs would be edges of the estimated graph, more than the limit of {limit}")]
    TooManyPairs { pairs: u64, limit: u64 },
    #[error("the release lacks the noisy rows of a round")]
    NoRows,
    #[error("the model makes no predictions for nodes of {data}: each node applies the model to its own features")]
    AboutNobody { data: String },
    #[error("the release has no stored answers")]
    NoBeliefs,
    #[error(
        "the validation graph and the training graph differ in their number of features, their declared range or their number of classes"
    )]
    OtherValidation,
    #[error("the new graph has {found} features, but the model reads {expected}")]
    OtherFeatures { found: usize, expected: usize },
    #[error("{hops} hops of propagation are too many: at most {limit}")]
    TooManyHops { hops: usize, limit: usize },
    #[error("{requested} queries are too many: {data} has {found} training nodes")]
    TooManyQueries { requested: usize, found: usize, data: String },
    #[error(
        "the model reads standardised columns, {numbers} numbers for this graph: at most {limit} are made of sparse features"
    )]
    TooDense { numbers: usize, limit: usize },
    #[error(transparent)]
    Method(#[from] MethodError),
    #[error(transparent)]
    Answers(#[from] AnswerError),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("no network was trained")]
    NoNetwork,
    #[error("the mechanism for labels in the privacy statement is invalid: {0}")]
    Mechanism(#[from] ParamError),
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error(transparent)]
    Together(#[from] DatasetError),
    #[error(transparent)]
    Stack(#[from] StackError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Misfit(#[from] Misfit),
    #[error(transparent)]
    Description(#[from] DescriptionError),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Messages(#[from] MessagesError),
    #[error(transparent)]
    Targets(#[from] TargetsError),
    #[error(transparent)]
    Transition(#[from] TransitionError),
    #[error(transparent)]
    Loss(#[from] LossError),
    #[error(transparent)]
    Training(#[from] TrainingError),
    #[error(transparent)]
    Features(#[from] FeaturesError),
}

impl LearnError {
    /// Whether the caller requested something impossible.
    pub fn is_usage(&self) -> bool {
        match self {
            LearnError::NoFeatures
            | LearnError::TooManyQueries { .. }
            | LearnError::AboutNobody { .. }
            | LearnError::Method(_)
            | LearnError::NoTrainingLabels
            | LearnError::NoValidationLabels
            | LearnError::NoValidationNodes
            | LearnError::Description(_)
            | LearnError::TooManyHops { .. }
            | LearnError::TooManyClasses { .. }
            | LearnError::TooFewNodes { .. }
            | LearnError::Training(TrainingError::Optimiser(_) | TrainingError::NoEpochs | TrainingError::Rule(_)) => {
                true
            }
            LearnError::Answers(error) => error.is_usage(),
            LearnError::Release(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            LearnError::NoFeatures => {
                let none = "lpgnet, degree-vectors or cascade-local, which need none";
                Some(format!("release features (epsilon-features), where there are any; or use {none}"))
            }
            LearnError::NoLabels | LearnError::NoTrainingLabels => {
                Some("release labels (epsilon-labels); the split needs training nodes with a label".to_owned())
            }
            LearnError::AboutNobody { .. } => {
                Some("publish the model, or apply it to a graph whose features are public".to_owned())
            }
            LearnError::TooManyPairs { .. } => Some("raise epsilon-edges or degree-share".to_owned()),
            LearnError::Method(error) => error.hint(),
            LearnError::Answers(error) => error.hint(),
            LearnError::Release(error) => error.hint(),
            _ => None,
        }
    }
}
