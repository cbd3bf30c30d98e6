//! Errors of parameters.

/// A parameter without a graph, by itself or together with the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}, but must be {expected}")]
pub struct ParameterError {
    /// The parameter.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The accepted values.
    pub expected: String,
}

/// `Ok` if `holds`.
pub(super) fn check(
    holds: bool,
    name: &'static str,
    value: impl ToString,
    expected: impl Into<String>,
) -> Result<(), ParameterError> {
    if holds { Ok(()) } else { Err(ParameterError { name, value: value.to_string(), expected: expected.into() }) }
}
