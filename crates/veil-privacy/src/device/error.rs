//! Errors of a device.

use super::{Sender, names};
use crate::mechanism::InputError;
use crate::parameters::ParameterError;
use crate::protocol::exchange::VectorError;
use crate::protocol::{ProtocolError, ProtocolParamError};

/// Why a device could not run its part. Lines of the inbox count from 1.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error("unknown protocol {given:?} ({})", names().join(", "))]
    UnknownProtocol { given: String },
    #[error("{source}")]
    Me { source: serde_json::Error },
    #[error("\"me\" is {me}, but node ids are below \"nodes\", {nodes}")]
    NoSuchNode { me: u32, nodes: u32 },
    #[error("\"{what}\" is {found}: it must be at most {most}")]
    TooMany { what: &'static str, found: u32, most: u64 },
    #[error("node {me} is in its own neighbour list")]
    OwnNeighbour { me: u32 },
    #[error("duplicate neighbour {neighbour}")]
    RepeatedNeighbour { neighbour: u32 },
    #[error("{protocol} has no order, so \"order\" would be checked against nothing: leave it out")]
    NoOrder { protocol: String },
    #[error("neighbour {neighbour} is not below \"nodes\", {nodes}")]
    NoSuchNeighbour { neighbour: u32, nodes: u32 },
    #[error("\"features\": {source}")]
    OwnVector { source: VectorError },
    #[error("\"features\": offset {offset} and scale {scale} must be finite numbers")]
    Rectifier { offset: f32, scale: f32 },
    #[error("{protocol} reports the node's own vector, but \"raw\" is missing")]
    NoRaw { protocol: &'static str },
    #[error("\"raw\" must be the vector itself (\"sparse\" or \"dense\"), not a report of it")]
    RawIsReported,
    #[error("\"raw\": {source}")]
    OwnRaw { source: InputError },
    #[error("{protocol} requires {name:?} in \"parameters\"")]
    Missing { protocol: &'static str, name: &'static str },
    #[error("\"epsilon-edges\" is missing in \"parameters\"")]
    NoEpsilon,
    #[error("\"parameters\": {old:?} is called {new:?} now")]
    Renamed { old: &'static str, new: &'static str },
    #[error("\"parameters\": {0}")]
    Setting(#[from] ParameterError),
    #[error(transparent)]
    Parameters(#[from] ProtocolParamError),
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    #[error("line {line}: {source}")]
    Line { line: usize, source: serde_json::Error },
    #[error("line {line}: {key:?} is missing or not a {expected}")]
    Envelope { line: usize, key: &'static str, expected: &'static str },
    #[error("line {line}: the message is for node {to}, not for node {me}")]
    NotForMe { line: usize, to: u32, me: u32 },
    #[error("line {line}: {from} is not a neighbour of node {me}")]
    Stranger { line: usize, from: Sender, me: u32 },
    #[error("line {line}: {from} has already sent a different {message:?}")]
    Contradiction { line: usize, from: Sender, message: &'static str },
    #[error("line {line}: {source}")]
    Vector { line: usize, source: VectorError },
    #[error("line {line}: {problem}")]
    Content { line: usize, problem: &'static str },
    #[error("line {line}: the order has the digest {digest}, but the published one is {published}")]
    NotThePublishedOrder { line: usize, digest: String, published: String },
    #[error("this key has already been used with another order")]
    AnotherOrder,
    #[error("line {line}: {message:?} is not a message of this protocol")]
    OutOfPlace { line: usize, message: &'static str },
    #[error(
        "line {line}: expected a key of 64 hexadecimal digits, and after its first use a line \"release DIGEST\", a line \
         \"order DIGEST\" if there is an order, and one line \"reported ROUND DIGEST\" per report"
    )]
    Key { line: usize },
    #[error(
        "this key has already been used for another report {}",
        round.map_or(
            "(with another protocol, parameter or neighbour list): a key serves one release"
                .to_owned(),
            |round| format!("in round {round}: comparing the two would reveal the noise"),
        )
    )]
    ReportedOtherwise { round: Option<u32> },
    #[error("round {round} does not exist: there are {rounds} rounds (from 0)")]
    NoSuchRound { round: u32, rounds: u32 },
    #[error(transparent)]
    Coins(#[from] crate::coins::CoinsError),
}

impl DeviceError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            DeviceError::UnknownProtocol { .. } | DeviceError::Parameters(_) | DeviceError::Missing { .. } => true,
            DeviceError::Protocol(error) => error.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            DeviceError::ReportedOtherwise { .. } => Some(
                "other data, parameters or messages are another release, which costs its own ε and needs its own key"
                    .to_owned(),
            ),
            DeviceError::NotThePublishedOrder { .. } | DeviceError::AnotherOrder => Some(
                "do not take part: a server that uses two orders can count a relationship at both of its ends, which costs 2ε"
                    .to_owned(),
            ),
            DeviceError::Parameters(error) => error.hint(),
            DeviceError::Protocol(error) => error.hint(),
            _ => None,
        }
    }
}
