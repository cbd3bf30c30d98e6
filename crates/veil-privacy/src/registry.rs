//! Registries of mechanisms that protect edges: name, help, unit, status, parameters, constructor.

use std::sync::Arc;

use crate::budget::Epsilon;
use crate::guarantee::{Status, Unit};
use crate::mechanism::ParamError;
use crate::parameters::{Kind, ParameterError, Parameters, Settings};

/// The largest number of edges that a mechanism may be expected to release, by default.
pub const MAX_EDGES: u64 = 100_000_000;

/// A mechanism of the kind `M` (such as `dyn Protocol`) in its registry.
#[derive(Debug)]
pub struct Entry<M: ?Sized> {
    /// The name in files, on the command line and in the coins' context.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// The protected unit; the first one if there are several.
    pub unit: Unit,
    /// Whether its guarantee holds.
    pub status: Status,
    /// The parameters besides ε, with defaults.
    pub parameters: fn() -> Box<dyn Parameters>,
    /// Constructs the mechanism from ε, the number of nodes and settings, whose names are those of
    /// `parameters`.
    #[allow(clippy::type_complexity, reason = "an alias would hide the arguments")]
    pub build: fn(Epsilon, u32, &Settings) -> Result<Arc<M>, ProtocolParamError>,
}

/// Why a mechanism of a registry cannot be constructed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProtocolParamError {
    #[error(transparent)]
    Setting(#[from] ParameterError),
    #[error(transparent)]
    Parameter(#[from] ParamError),
    #[error("{protocol} is expected to release {expected} edges, more than the limit of {limit}")]
    TooManyEdges { protocol: &'static str, expected: u64, limit: u64 },
}

impl ProtocolParamError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ProtocolParamError::Setting(_) => None,
            ProtocolParamError::Parameter(error) => error.hint(),
            ProtocolParamError::TooManyEdges { .. } => Some("raise max-edges or epsilon-edges".to_owned()),
        }
    }

    /// Fails if more edges than `limit` are expected.
    pub(crate) fn too_many(protocol: &'static str, expected: u64, limit: u64) -> Result<(), ProtocolParamError> {
        if expected > limit { Err(ProtocolParamError::TooManyEdges { protocol, expected, limit }) } else { Ok(()) }
    }
}

/// The struct of parameters `P` with these settings.
pub(crate) fn read<P: Parameters + Default>(settings: &Settings) -> Result<P, ParameterError> {
    let mut parameters = P::default();
    parameters.apply(settings)?;
    Ok(parameters)
}

/// For [`Entry::parameters`]: a default `P`.
pub(crate) fn defaults<P: Parameters + Default + 'static>() -> Box<dyn Parameters> {
    Box::new(P::default())
}

crate::parameters! {
    /// Parameters of a mechanism that flips every bit of a graph.
    pub struct EdgeLimit: Edges {
        /// Refuse if more false edges than this are expected
        max_edges: u64 = MAX_EDGES => Kind::Whole,
    }

    /// Parameters of a mechanism that has none besides ε.
    pub struct NoParameters: Edges {}
}
