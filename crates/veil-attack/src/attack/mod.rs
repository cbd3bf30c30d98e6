//! Attacks: the table of all of them, and what attacks on edges have in common.
//!
//! `registry` is the table. An [`EdgeAttack`] (`edges`) is an attack on edges with all its
//! parameters; its core is an [`EdgeRating`]. [`Table`] is a model of which nothing but posteriors
//! is known.

mod edges;
mod registry;
mod table;
#[cfg(test)]
mod tests;

pub use edges::{EdgeAttack, Scope};
pub use registry::{Attack, ENTRIES, Entry, find, on_edges, title};
pub use table::Table;

use veil_graph::{Matrix, NodeId};
use veil_learn::{Predictor, PredictorError};
use veil_privacy::parameters::ParameterError;

use crate::pairs::Pairs;
use crate::scores::{Scores, Scoring};

/// Why an attack failed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AttackError {
    #[error("unknown attack {given:?}: expected one of {}", registry::names())]
    Unknown { given: String },
    #[error("{name} is not an attack on edges")]
    NotOnEdges { name: &'static str },
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("{name} requires {requires}")]
    Requires { name: &'static str, requires: &'static str },
    #[error("{one} and {other} exclude each other")]
    Exclusive { one: &'static str, other: &'static str },
    #[error(transparent)]
    Predictor(#[from] PredictorError),
    #[error("{asked} {what} are too few: at least {least} are needed")]
    TooFew { what: &'static str, asked: usize, least: usize },
    #[error("{pairs} pairs are too many: at most {most}")]
    TooMany { pairs: usize, most: usize },
    #[error("none of the {pairs} pairs among {nodes} nodes is an edge: there is nothing to find")]
    NoEdge { nodes: usize, pairs: usize },
    #[error("all of the {pairs} pairs among {nodes} nodes are edges: there is nothing to tell them from")]
    NoOther { nodes: usize, pairs: usize },
    #[error("the rating of the pair ({source_node}, {target_node}) is not a number")]
    NotANumber { source_node: NodeId, target_node: NodeId },
    #[error("{ratings} ratings for {pairs} pairs")]
    Length { pairs: usize, ratings: usize },
    #[error("belief = {belief}: expected a share between 0 and 1")]
    Belief { belief: f64 },
    #[error("the true graph has {truth} nodes, but the model has {model}")]
    Nodes { truth: usize, model: usize },
    #[error(
        "expected posteriors of {nodes} nodes over {classes} classes, but the model answered with {rows}×{columns} numbers"
    )]
    Answer { nodes: usize, classes: usize, rows: usize, columns: usize },
    #[error("features cannot be scaled by 1 + {step}: the step must be finite and at least {least}")]
    Step { step: f64, least: f64 },
}

impl AttackError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            AttackError::Unknown { .. }
                | AttackError::NotOnEdges { .. }
                | AttackError::Parameter(_)
                | AttackError::Requires { .. }
                | AttackError::Exclusive { .. }
                | AttackError::TooFew { .. }
                | AttackError::TooMany { .. }
                | AttackError::Belief { .. }
                | AttackError::Step { .. }
        )
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        matches!(self, AttackError::TooMany { .. }).then(|| "reduce the number of nodes or pairs".to_owned())
    }
}

/// A way to rate pairs of nodes by the answers of a model of kind `M`: the higher, the more likely
/// an edge.
pub trait EdgeRating<M: Predictor + ?Sized> {
    /// One rating for each pair (source, target).
    ///
    /// # Errors
    /// If the model cannot answer, or a parameter is out of range.
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError>;
}

/// Rates pairs and compares the ratings with the truth.
///
/// # Errors
/// If the model has another number of nodes than the true graph, the attack fails, or a rating is
/// not a number.
pub fn run<M, R>(rating: &R, model: &M, pairs: &Pairs, scoring: Scoring) -> Result<Scores, AttackError>
where
    M: Predictor + ?Sized,
    R: EdgeRating<M> + ?Sized,
{
    if model.nodes() != pairs.nodes() {
        return Err(AttackError::Nodes { truth: pairs.nodes(), model: model.nodes() });
    }
    let ratings = rating.rate(model, pairs.list())?;
    Scores::new(pairs, &ratings, scoring)
}

/// Queries a model and checks the shape of its answer: the model may not be ours.
pub(crate) fn query<M: Predictor + ?Sized>(
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

/// The position of a node in a [`distinct`] list.
///
/// # Panics
/// In debug builds, if it is not in the list.
pub(crate) fn position(nodes: &[NodeId], node: NodeId) -> usize {
    let position = nodes.partition_point(|&other| other < node);
    debug_assert_eq!(nodes.get(position), Some(&node));
    position
}
