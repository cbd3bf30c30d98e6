//! What is missing or cannot be in parameters.

use veil_nn::Kind;
use veil_privacy::mechanism::ParamError;

use super::Edges;
use crate::method::Method;

/// What is missing or cannot be in parameters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParametersError {
    /// A protocol without an ε.
    #[error("--edges {edges} needs --epsilon-edges")]
    NoEpsilon {
        /// The protocol.
        edges: Edges,
    },
    /// An ε that nothing uses.
    #[error("--epsilon-edges says nothing about --edges {edges}")]
    UselessEpsilon {
        /// What happens to the edges.
        edges: Edges,
    },
    /// A method with somebody else's edges.
    #[error("--method {method} decides what happens to the edges: it is not --edges {edges} with --model {model}")]
    NotOfMethod {
        /// The method.
        method: Method,
        /// What was to happen to the edges.
        edges: Edges,
        /// The kind of network.
        model: Kind,
    },
    /// Reports have no mean and deviation worth the name.
    #[error("--scale standard needs features as they are: it does not go with a finite --epsilon-features")]
    StandardReports,
    /// More edges would be made up than anybody wants to hold.
    #[error(
        "{edges} would make up about {expected} edges, more than the {limit} that are allowed: raise --max-edges or ε (of lapgraph: --epsilon-count)"
    )]
    TooManyEdges {
        /// What happens to the edges.
        edges: Edges,
        /// How many are expected.
        expected: u64,
        /// How many may be.
        limit: u64,
    },
    /// More rounds than anyone needs: every one of them trains a network.
    #[error("{rounds} rounds of degree-vectors are too many: at most {limit}")]
    TooManyRounds {
        /// How many were asked for.
        rounds: u32,
        /// How many there may be.
        limit: u32,
    },
    /// Labels are what is learned.
    #[error("labels are needed: pass --epsilon-labels (inf for labels as they are)")]
    NoLabels,
    /// A protocol cannot run like that.
    #[error("--edges {edges}: {source}")]
    Protocol {
        /// The protocol.
        edges: Edges,
        /// What is wrong.
        source: ParamError,
    },
}
