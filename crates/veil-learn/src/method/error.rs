//! What is missing or out of range in the parameters of a method.

use veil_privacy::mechanism::ParamError;
use veil_privacy::parameters::ParameterError;
use veil_privacy::protocol::ProtocolParamError;

/// Why a method cannot be configured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// Unknown method.
    #[error("unknown method {given:?}: expected one of {}", names())]
    UnknownMethod {
        /// The name.
        given: String,
    },
    /// A parameter of other methods.
    #[error("{name} is not a parameter of {method}{}", of(others))]
    NotAParameter {
        /// The method.
        method: &'static str,
        /// The parameter.
        name: String,
        /// Methods that read it.
        others: Vec<&'static str>,
    },
    /// A parameter that has to be set.
    #[error("{method} requires {name}")]
    Missing {
        /// The method.
        method: &'static str,
        /// The parameter.
        name: &'static str,
    },
    /// Labels are withheld, so there is nothing to learn from.
    #[error("training requires labels: set epsilon-labels")]
    NoLabels,
    /// A value of the wrong type.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Standardisation of noisy features.
    #[error("scale = standard requires unchanged features: epsilon-features must be inf")]
    StandardReports,
    /// A method without teachers where teachers are needed.
    #[error("{method} has no teachers")]
    NoTeachers {
        /// The method.
        method: &'static str,
    },
    /// Two ways to choose the noise.
    #[error("epsilon chooses the noise and lambda is the noise: set one of them")]
    TwoNoises,
    /// A mechanism without a guarantee.
    #[error("no noise gives noisy-log-posterior a finite ε: set lambda instead of epsilon")]
    NoNoiseIsEnough,
    /// A δ that is no small probability.
    #[error("delta = {given}: δ must be above 0 and below 1")]
    BadDelta {
        /// The value.
        given: f64,
    },
    /// An ε so small that no noise in the grid has it.
    #[error("epsilon = {given} is too small for {method}")]
    EpsilonTooSmall {
        /// The method.
        method: &'static str,
        /// The value.
        given: f64,
    },
    /// Too many rounds.
    #[error("{rounds} rounds are too many: at most {limit}")]
    TooManyRounds {
        /// Number of rounds.
        rounds: u32,
        /// The limit.
        limit: u32,
    },
    /// A mechanism that cannot run with these parameters.
    #[error("{mechanism}: {source}")]
    Mechanism {
        /// The mechanism.
        mechanism: &'static str,
        /// What is wrong.
        source: ParamError,
    },
    /// A protocol that cannot run with these parameters.
    #[error("{protocol}: {source}")]
    Protocol {
        /// The protocol.
        protocol: &'static str,
        /// What is wrong.
        source: ProtocolParamError,
    },
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

/// The methods that read a parameter, in words.
fn of(others: &[&str]) -> String {
    match others {
        [] => ": unknown parameter".to_owned(),
        [one] => format!(": only {one} reads it"),
        [rest @ .., last] => format!(": it belongs to {} and {last}", rest.join(", ")),
    }
}
