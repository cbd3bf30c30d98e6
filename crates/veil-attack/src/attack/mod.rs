//! An attack against a model.

use veil_graph::{Matrix, NodeId};
use veil_learn::{Predictor, PredictorError};

use crate::pairs::Pairs;
use crate::scores::{Scores, ScoresError, Scoring};

/// Why an attack could not be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AttackError {
    /// The model did not answer.
    #[error(transparent)]
    Predictor(#[from] PredictorError),
    /// The ratings could not be scored.
    #[error(transparent)]
    Scores(#[from] ScoresError),
    /// The pairs are of another graph.
    #[error("the true graph has {truth} nodes, but the model knows {model}")]
    Nodes {
        /// How many nodes the true graph has.
        truth: usize,
        /// How many the model knows.
        model: usize,
    },
    /// The model gave a table of another shape than was asked for.
    #[error("the posteriors of {nodes} nodes over {classes} classes were asked for; {rows}×{columns} numbers came")]
    Answer {
        /// How many nodes were asked about.
        nodes: usize,
        /// How many classes the model says there are.
        classes: usize,
        /// The rows of the answer.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A perturbation that moves no 32-bit number, or every one out of range.
    #[error("features cannot be scaled by 1 + {step}: the step must be finite and at least {least}")]
    Step {
        /// The step that was given.
        step: f64,
        /// The smallest that changes a feature.
        least: f64,
    },
}

/// A way to rate pairs of nodes by what a model of kind `M` says: the higher, the more likely an edge.
pub trait Attack<M: Predictor + ?Sized> {
    /// One rating for each pair (source, target).
    ///
    /// # Errors
    /// If the model cannot answer, or the attack's parameters make no sense.
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError>;
}

/// Runs an attack and compares its ratings with the truth.
///
/// # Errors
/// If the model has another number of nodes than the true graph, the attack fails, or a rating is not a number.
pub fn run<M, A>(attack: &A, model: &M, pairs: &Pairs, scoring: Scoring) -> Result<Scores, AttackError>
where
    M: Predictor + ?Sized,
    A: Attack<M> + ?Sized,
{
    if model.nodes() != pairs.nodes() {
        return Err(AttackError::Nodes { truth: pairs.nodes(), model: model.nodes() });
    }
    let ratings = attack.rate(model, pairs.list())?;
    Ok(Scores::new(pairs, &ratings, scoring)?)
}

/// A question to a model whose answer has the right shape, or else an error: whatever answers may not be ours.
pub(crate) fn ask<M: Predictor + ?Sized>(
    model: &M,
    nodes: &[NodeId],
    changed: &[(NodeId, Vec<f32>)],
) -> Result<Matrix, AttackError> {
    let answer = model.posteriors(nodes, changed)?;
    let (rows, columns) = (answer.rows(), answer.columns());
    if (rows, columns) != (nodes.len(), model.classes()) {
        return Err(AttackError::Answer { nodes: nodes.len(), classes: model.classes(), rows, columns });
    }
    Ok(answer)
}

/// The nodes of a list once each, ascending, so that [`position`] finds them.
pub(crate) fn distinct(nodes: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = nodes.collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Where a node of a [`distinct`] list stands in it.
///
/// # Panics
/// In debug builds, if it is not there.
pub(crate) fn position(nodes: &[NodeId], node: NodeId) -> usize {
    let position = nodes.partition_point(|&other| other < node);
    debug_assert_eq!(nodes.get(position), Some(&node));
    position
}

#[cfg(test)]
mod tests;
