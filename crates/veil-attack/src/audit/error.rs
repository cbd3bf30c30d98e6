//! Why an audit failed.

use veil_graph::{DatasetError, GraphError};
use veil_learn::{LearnError, MethodError, PipelineError};
use veil_privacy::answers::AnswerError;
use veil_privacy::mechanism::InputError;
use veil_privacy::parameters::ParameterError;
use veil_privacy::protocol::ProtocolError;
use veil_privacy::{CoinsError, ParamError, RequestError};

use super::subject::names;
use crate::attack::AttackError;

/// Why an audit failed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("{given:?} cannot be audited: expected one of {}", names())]
    Unknown { given: String },
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Mechanism(#[from] ParamError),
    #[error("{subject} promises nothing without a finite ε")]
    NoGuarantee { subject: &'static str },
    #[error("an end-to-end audit trains on released edges, and {subject} releases none")]
    NoEdges { subject: &'static str },
    #[error(
        "the answers of {subject} do not depend on features, so LinkTeller cannot be used: audit it without a training"
    )]
    NoInfluence { subject: &'static str },
    #[error("{nodes} nodes are too few for an audit of {mechanism}: at least {least} are needed")]
    TooSmall { mechanism: String, nodes: usize, least: usize },
    #[error("an audit of {mechanism} requires {what}, and the data have none")]
    Missing { mechanism: String, what: &'static str },
    #[error("the graph that is audited without data: {problem}")]
    Generated { problem: String },
    #[error("the release cannot be enumerated: {problem}")]
    Code { problem: String },
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Lists(#[from] GraphError),
    #[error(transparent)]
    Learn(#[from] LearnError),
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
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

impl From<RequestError> for AuditError {
    fn from(error: RequestError) -> AuditError {
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
