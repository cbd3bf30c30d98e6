//! What is missing or out of range in the parameters of a method.

use veil_privacy::mechanism::ParamError;
use veil_privacy::parameters::ParameterError;
use veil_privacy::protocol::ProtocolParamError;

/// Why a method cannot be configured.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    #[error("unknown method {given:?}: expected one of {}", names())]
    UnknownMethod { given: String },
    #[error("{name} is not a parameter of {method}{}", of(others))]
    NotAParameter { method: &'static str, name: String, others: Vec<&'static str> },
    #[error("{method} requires {name}")]
    Missing { method: &'static str, name: &'static str },
    #[error("training requires labels: set epsilon-labels")]
    NoLabels,
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error("scale = standard requires unchanged features: epsilon-features must be inf")]
    StandardReports,
    #[error("{method} has no teachers")]
    NoTeachers { method: &'static str },
    #[error("set either epsilon or lambda, not both")]
    TwoNoises,
    #[error("no noise gives noisy-log-posterior a finite ε: set lambda instead of epsilon")]
    NoNoiseIsEnough,
    #[error("delta = {given}: δ must be above 0 and below 1")]
    BadDelta { given: f64 },
    #[error("epsilon = {given} is too small for {method}")]
    EpsilonTooSmall { method: &'static str, given: f64 },
    #[error("{rounds} rounds are too many: at most {limit}")]
    TooManyRounds { rounds: u32, limit: u32 },
    #[error("{mechanism}: {source}")]
    Mechanism { mechanism: &'static str, source: ParamError },
    #[error("{}{source}", prefix(protocol, source))]
    Protocol { protocol: &'static str, source: ProtocolParamError },
}

impl MethodError {
    /// Whether the caller asked for something that cannot be done: always.
    pub fn is_usage(&self) -> bool {
        true
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            MethodError::NotAParameter { method, .. } => {
                let read = super::find(method).ok()?.parameters();
                let names: Vec<String> = read.into_iter().map(|it| it.name).collect();
                Some(format!("{method} reads {}", names.join(", ")))
            }
            MethodError::Protocol { source: ProtocolParamError::TooManyEdges { .. }, .. } => {
                Some("raise max-edges or ε (lapgraph: epsilon-count)".to_owned())
            }
            MethodError::Protocol {
                source: ProtocolParamError::Parameter(ParamError::NothingAfterCount { .. }),
                ..
            } => Some("lower epsilon-count or raise epsilon-edges".to_owned()),
            _ => None,
        }
    }
}

fn names() -> String {
    super::entries().iter().map(|it| it.name).collect::<Vec<_>>().join(", ")
}

/// The name of a protocol before its problem, if the problem does not begin with it.
fn prefix(protocol: &str, source: &ProtocolParamError) -> String {
    match source {
        ProtocolParamError::TooManyEdges { .. } => String::new(),
        _ => format!("{protocol}: "),
    }
}

/// The methods that read a parameter, in words.
fn of(others: &[&str]) -> String {
    match others {
        [] => ": unknown parameter".to_owned(),
        [one] => format!(": only {one} reads it"),
        [rest @ .., last] => format!(": it belongs to {} and {last}", rest.join(", ")),
    }
}
