//! The interface of a model to the outside.

use veil_graph::{Matrix, NodeId};

/// Why a query could not be answered.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PredictorError {
    #[error("unknown node {node}: the model has {nodes} nodes")]
    NoSuchNode { node: NodeId, nodes: usize },
    #[error("{given} features for node {node}, but the model reads {expected}")]
    Features { node: NodeId, given: usize, expected: usize },
    #[error("duplicate features for node {node}")]
    Repeated { node: NodeId },
    #[error("the model did not answer: {problem}")]
    Foreign { problem: String },
}

/// A model as a service: features in, posteriors out. Attacks get nothing else, so the same attack
/// runs against a model in memory, a run folder, or anything else that answers.
pub trait Predictor: Sync {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// Number of classes.
    fn classes(&self) -> usize;

    /// The features of a node unless a query overrides them: the released ones.
    ///
    /// # Errors
    /// If there is no such node.
    fn features(&self, node: NodeId) -> Result<Vec<f32>, PredictorError>;

    /// The posterior of each of `nodes` (a row each), where the nodes in `changed` have these
    /// features instead.
    ///
    /// # Errors
    /// If a node does not exist or a feature vector has the wrong length.
    fn posteriors(&self, nodes: &[NodeId], changed: &[(NodeId, Vec<f32>)]) -> Result<Matrix, PredictorError>;
}

/// A model whose weights are known: derivatives instead of differences.
pub trait WhiteBox: Predictor {
    /// For each pair (source, target): the length of the derivative of the target's posterior when
    /// the source's features are scaled, at scale 1. This is LinkTeller's influence as the
    /// perturbation goes to 0.
    ///
    /// # Errors
    /// If a node does not exist.
    fn influences(&self, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, PredictorError>;
}
