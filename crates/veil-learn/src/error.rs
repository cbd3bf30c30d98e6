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
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// No features.
    #[error("the release has no features to learn from")]
    NoFeatures,
    /// No labels.
    #[error("the release has no labels to learn from")]
    NoLabels,
    /// No split.
    #[error("the release has no split, so it is not known which labels are for training")]
    NoSplit,
    /// No training node has a label.
    #[error("no training node has a label")]
    NoTrainingLabels,
    /// The weight of the counts is chosen by validation labels.
    #[error("readout = bayes requires validation nodes with labels: they choose the weight of the counts")]
    NoValidationLabels,
    /// A validation graph without validation nodes.
    #[error("the split of the validation graph has no validation nodes")]
    NoValidationNodes,
    /// Missing degree vectors.
    #[error("the release has no degree vectors")]
    NoVectors,
    /// Validation nodes with other features or classes.
    #[error(
        "the validation graph and the training graph differ in their number of features, their declared range or their number of classes"
    )]
    OtherValidation,
    /// A graph with other features than the model reads.
    #[error("the new graph has {found} features, but the model reads {expected}")]
    OtherFeatures {
        /// Number of features.
        found: usize,
        /// Number that the model reads.
        expected: usize,
    },
    /// Too many hops of propagation.
    #[error("{hops} hops of propagation are too many: at most {limit}")]
    TooManyHops {
        /// Requested hops.
        hops: usize,
        /// The limit.
        limit: usize,
    },
    /// More queries than public nodes.
    #[error("{requested} queries are too many: {data} has {found} training nodes")]
    TooManyQueries {
        /// Requested queries.
        requested: usize,
        /// Number of training nodes.
        found: usize,
        /// The public data set.
        data: String,
    },
    /// Missing parameters, or parameters out of range.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// Labels of public nodes that cannot be released.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// An invalid neighbourhood.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// No network.
    #[error("no network was trained")]
    NoNetwork,
    /// The statement names an invalid mechanism for labels.
    #[error("the mechanism for labels in the privacy statement is invalid: {0}")]
    Mechanism(#[from] ParamError),
    /// A round of degree vectors failed.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// Two graphs that do not fit together.
    #[error(transparent)]
    Together(#[from] DatasetError),
    /// Features that do not fit together.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// Features of another shape than the scaling.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A split of other nodes.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// An invalid network.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// Features and edges of other nodes.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Lists that are not messages.
    #[error(transparent)]
    Messages(#[from] MessagesError),
    /// Invalid labels.
    #[error(transparent)]
    Targets(#[from] TargetsError),
    /// An invalid transition matrix.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// A loss that does not fit.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// Training failed.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// A network for another number of features.
    #[error(transparent)]
    Features(#[from] FeaturesError),
}

impl LearnError {
    /// Whether the caller requested something impossible.
    pub fn is_usage(&self) -> bool {
        match self {
            LearnError::NoFeatures
            | LearnError::TooManyQueries { .. }
            | LearnError::Method(_)
            | LearnError::NoTrainingLabels
            | LearnError::NoValidationLabels
            | LearnError::NoValidationNodes
            | LearnError::Description(_)
            | LearnError::TooManyHops { .. }
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
                Some("release features (epsilon-features), or use degree-vectors, which needs none".to_owned())
            }
            LearnError::NoLabels | LearnError::NoTrainingLabels => {
                Some("release labels (epsilon-labels); the split needs training nodes with a label".to_owned())
            }
            LearnError::Method(error) => error.hint(),
            LearnError::Answers(error) => error.hint(),
            LearnError::Release(error) => error.hint(),
            _ => None,
        }
    }
}
