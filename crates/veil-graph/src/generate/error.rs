//! Why a graph with such parameters cannot be made.

/// A parameter that no graph can have, alone or together with the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}, but must be {expected}")]
pub struct ParameterError {
    /// The parameter.
    pub name: &'static str,
    /// What was given.
    pub value: String,
    /// What can be given.
    pub expected: String,
}

/// `Ok` if the parameter holds.
pub(super) fn check(
    holds: bool,
    name: &'static str,
    value: impl ToString,
    expected: impl Into<String>,
) -> Result<(), ParameterError> {
    if holds { Ok(()) } else { Err(ParameterError { name, value: value.to_string(), expected: expected.into() }) }
}
