//! What the outside sees of a model.

use veil_graph::{Matrix, NodeId};

/// Why a question could not be answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PredictorError {
    /// A node that the model does not know.
    #[error("node {node} was asked about, but the model knows {nodes} nodes")]
    NoSuchNode {
        /// The node.
        node: NodeId,
        /// How many there are.
        nodes: usize,
    },
    /// A feature vector of another length.
    #[error("node {node} was given {given} features, but the model reads {expected}")]
    Features {
        /// Whose features.
        node: NodeId,
        /// How many were given.
        given: usize,
        /// How many the model reads.
        expected: usize,
    },
    /// Two feature vectors for one node.
    #[error("node {node} was given features twice")]
    Repeated {
        /// The node.
        node: NodeId,
    },
}

/// A model as a service: features in, posteriors out. Attacks get nothing else, so the same attack
/// runs against a model in memory, a run folder, or whatever else answers.
pub trait Predictor: Sync {
    /// How many nodes it knows.
    fn nodes(&self) -> usize;

    /// How many classes there are.
    fn classes(&self) -> usize;

    /// The features that stand for a node unless a question gives others: the released ones.
    ///
    /// # Errors
    /// If there is no such node.
    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError>;

    /// How likely each class is, one row for each of `nodes`, when the nodes in `changed` have
    /// these features instead.
    ///
    /// # Errors
    /// If a node does not exist or a feature vector has the wrong length.
    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError>;
}

/// A model in hand: derivatives instead of differences.
pub trait WhiteBox: Predictor {
    /// For each pair (source, target): the length of the derivative of the target's posterior when
    /// the source's features are scaled, at scale 1. This is LinkTeller's influence as the
    /// perturbation goes to 0.
    ///
    /// # Errors
    /// If a node does not exist.
    fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError>;
}
