//! Why an audit failed.

use veil_graph::{DatasetError, GraphError};
use veil_learn::{LearnError, MethodError, PipelineError};
use veil_privacy::answers::AnswerError;
use veil_privacy::mechanism::InputError;
use veil_privacy::parameters::ParameterError;
use veil_privacy::protocol::ProtocolError;
use veil_privacy::{CoinsError, ParamError};

use super::subject::names;
use crate::attack::AttackError;

/// Why an audit failed.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// Unknown subject.
    #[error("{given:?} cannot be audited: expected one of {}", names())]
    Unknown {
        /// The name.
        given: String,
    },
    /// An unknown parameter, or a value of the wrong type.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A parameter out of range.
    #[error(transparent)]
    Mechanism(#[from] ParamError),
    /// No guarantee that could be tested.
    #[error("{subject} promises nothing without a finite ε")]
    NoGuarantee {
        /// The subject.
        subject: &'static str,
    },
    /// No edges to train on.
    #[error("an end-to-end audit trains on released edges, and {subject} releases none")]
    NoEdges {
        /// The subject.
        subject: &'static str,
    },
    /// A model whose answers do not depend on features.
    #[error("the answers of {subject} do not depend on features, so LinkTeller cannot be used: audit it without a training")]
    NoInfluence {
        /// The subject.
        subject: &'static str,
    },
    /// Too few nodes for a canary.
    #[error("{nodes} nodes are too few for an audit of {mechanism}: at least {least} are needed")]
    TooSmall {
        /// The mechanism.
        mechanism: String,
        /// Number of nodes.
        nodes: usize,
        /// The smallest number.
        least: usize,
    },
    /// Data that the mechanism reads are missing.
    #[error("an audit of {mechanism} requires {what}, and the data have none")]
    Missing {
        /// The mechanism.
        mechanism: String,
        /// The missing data.
        what: &'static str,
    },
    /// The protocol cannot run.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The mechanism refused an input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Lists with canaries are not a graph.
    #[error(transparent)]
    Lists(#[from] GraphError),
    /// The release cannot be planned, or the model cannot be deployed.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// The model cannot be trained.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The model cannot be queried.
    #[error(transparent)]
    Attack(#[from] AttackError),
}

impl From<MethodError> for AuditError {
    fn from(error: MethodError) -> AuditError {
        AuditError::Learn(error.into())
    }
}

impl From<AnswerError> for AuditError {
    fn from(error: AnswerError) -> AuditError {
        AuditError::Learn(error.into())
    }
}

impl From<DatasetError> for AuditError {
    fn from(error: DatasetError) -> AuditError {
        AuditError::Pipeline(error.into())
    }
}

impl From<CoinsError> for AuditError {
    fn from(error: CoinsError) -> AuditError {
        AuditError::Pipeline(error.into())
    }
}

impl AuditError {
    /// Whether the caller asked for something that cannot be done.
    pub fn is_usage(&self) -> bool {
        match self {
            AuditError::Unknown { .. }
            | AuditError::Parameter(_)
            | AuditError::Mechanism(_)
            | AuditError::NoGuarantee { .. }
            | AuditError::NoEdges { .. }
            | AuditError::NoInfluence { .. }
            | AuditError::TooSmall { .. }
            | AuditError::Missing { .. }
            | AuditError::Protocol(ProtocolError::TooManyEdges { .. }) => true,
            AuditError::Learn(error) => error.is_usage(),
            AuditError::Pipeline(error) => error.is_usage(),
            AuditError::Attack(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            AuditError::Learn(error) => error.hint(),
            AuditError::Pipeline(error) => error.hint(),
            AuditError::Attack(error) => error.hint(),
            _ => None,
        }
    }
}
