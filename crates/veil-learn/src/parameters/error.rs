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
    /// A method that asks for labels, and something that it cannot do without.
    #[error("--method {method} needs {what}")]
    Missing {
        /// The method.
        method: Method,
        /// What it needs.
        what: &'static str,
    },
    /// Two ways to say how much noise there is.
    #[error("--epsilon chooses the noise and --lambda is the noise: give one of them")]
    TwoNoises,
    /// What is refuted has no noise that suffices.
    #[error("no amount of noise gives --release noisy-log-posterior an ε: give --lambda")]
    NoNoiseIsEnough,
    /// Something that only another method has.
    #[error("{flag} says nothing about --method {method}")]
    NotOfThisMethod {
        /// The flag.
        flag: &'static str,
        /// The method.
        method: Method,
    },
    /// Teachers were asked for.
    #[error("--method {method} has no teachers")]
    NoTeachers {
        /// The method.
        method: Method,
    },
    /// A δ that is no probability, or promises nothing.
    #[error("--delta {found}: δ of the guarantee must be above 0 and below 1")]
    BadDelta {
        /// What was given.
        found: f64,
    },
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
