//! Why nothing could be learned.

use veil_graph::read::Misfit;
use veil_graph::{DatasetError, GraphError, ShapeError, StackError};
use veil_nn::loss::{TargetsError, TransitionError};
use veil_nn::training::TrainingError;
use veil_nn::{DescriptionError, FeaturesError, InputError, LossError, MessagesError};
use veil_privacy::ReleaseError;
use veil_privacy::answers::AnswerError;
use veil_privacy::mechanism::ParamError;

use crate::parameters::ParametersError;

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
    #[error("no training node of the release has a label")]
    NobodyToLearnFrom,
    /// How much counts weigh is decided by validation labels.
    #[error("--readout bayes needs validation nodes with labels: they decide how much counts weigh")]
    NobodyValidates,
    /// A graph that is there for its validation nodes, and has none.
    #[error("the validation graph has no validation nodes in its split")]
    NobodyInValidation,
    /// Degree vectors were asked for, and none are there.
    #[error("the release has no degree vectors")]
    NoVectors,
    /// Validation nodes with other features or classes.
    #[error(
        "the validation graph has other features (their number, their declared range) or another number of classes than the training graph"
    )]
    OtherValidation,
    /// A graph that a model is asked about, with other features.
    #[error("the new graph has {found} features, but the model reads {expected}")]
    OtherFeatures {
        /// How many it has.
        found: usize,
        /// How many are read.
        expected: usize,
    },
    /// A propagation that would not end.
    #[error("{hops} hops of propagation are too many: at most {limit}")]
    TooManyHops {
        /// How many were asked for.
        hops: usize,
        /// How many there may be.
        limit: usize,
    },
    /// More public nodes are to be asked about than there are.
    #[error("{asked} public nodes are to be asked about, but {data} has {found} that are for training")]
    TooManyQueries {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        found: usize,
        /// The public data set.
        data: String,
    },
    /// Parameters that cannot be.
    #[error(transparent)]
    Parameters(#[from] ParametersError),
    /// Labels that cannot be asked for.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// A neighbourhood that cannot be.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// There is nothing that could answer.
    #[error("no network was trained")]
    NoNetwork,
    /// The statement names a mechanism for labels that cannot be.
    #[error("the privacy statement's mechanism for labels cannot be: {0}")]
    Mechanism(#[from] ParamError),
    /// A round of degree vectors failed.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// Two graphs that do not go together.
    #[error(transparent)]
    Together(#[from] DatasetError),
    /// Features that do not go together.
    #[error(transparent)]
    Stack(#[from] StackError),
    /// Features that are not those that were scaled before.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A split of other nodes.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// A network that cannot be.
    #[error(transparent)]
    Description(#[from] DescriptionError),
    /// Features and edges of other nodes.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Lists that are no messages.
    #[error(transparent)]
    Messages(#[from] MessagesError),
    /// Labels that cannot be.
    #[error(transparent)]
    Targets(#[from] TargetsError),
    /// A transition that cannot be.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// A loss that does not fit.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// Training failed.
    #[error(transparent)]
    Training(#[from] TrainingError),
    /// A network and features that have nothing to do with each other.
    #[error(transparent)]
    Features(#[from] FeaturesError),
}
