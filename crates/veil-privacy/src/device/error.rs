//! Errors of a device.

use super::{Sender, names};
use crate::parameters::ParameterError;
use crate::protocol::exchange::VectorError;
use crate::protocol::{ProtocolError, ProtocolParamError};

/// Why a device could not run its part. Lines of the inbox count from 1.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The protocol is unknown.
    #[error("unknown protocol {given:?} ({})", names().join(", "))]
    UnknownProtocol {
        /// The name.
        given: String,
    },
    /// The node's data are malformed.
    #[error("{source}")]
    Me {
        /// The problem and its place.
        source: serde_json::Error,
    },
    /// The node id is out of range.
    #[error("\"me\" is {me}, but node ids are below \"nodes\", {nodes}")]
    NoSuchNode {
        /// The node.
        me: u32,
        /// Their number.
        nodes: u32,
    },
    /// The node is its own neighbour.
    #[error("node {me} is in its own neighbour list")]
    OwnNeighbour {
        /// The node.
        me: u32,
    },
    /// A neighbour is listed twice.
    #[error("duplicate neighbour {neighbour}")]
    RepeatedNeighbour {
        /// The neighbour.
        neighbour: u32,
    },
    /// The id of a neighbour is out of range.
    #[error("neighbour {neighbour} is not below \"nodes\", {nodes}")]
    NoSuchNeighbour {
        /// The neighbour.
        neighbour: u32,
        /// The number of nodes.
        nodes: u32,
    },
    /// The node's own vector is invalid.
    #[error("\"features\": {source}")]
    OwnVector {
        /// The problem.
        source: VectorError,
    },
    /// The rectifier is not finite.
    #[error("\"features\": offset {offset} and scale {scale} must be finite numbers")]
    Rectifier {
        /// The value of dimensions without a sign.
        offset: f32,
        /// The factor of a sign.
        scale: f32,
    },
    /// The number of clusters is missing.
    #[error("degree-vectors requires the number of clusters, \"clusters\", in \"parameters\"")]
    NoClusters,
    /// ε is missing.
    #[error("\"epsilon-edges\" is missing in \"parameters\"")]
    NoEpsilon,
    /// A parameter by its former name.
    #[error("\"parameters\": {old:?} is called {new:?} now")]
    Renamed {
        /// The former name.
        old: &'static str,
        /// The name.
        new: &'static str,
    },
    /// A parameter is unknown, or its value has the wrong type.
    #[error("\"parameters\": {0}")]
    Setting(#[from] ParameterError),
    /// The parameters are not accepted.
    #[error(transparent)]
    Parameters(#[from] ProtocolParamError),
    /// The protocol cannot run.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A line is not a message of this protocol.
    #[error("line {line}: {source}")]
    Line {
        /// The line.
        line: usize,
        /// The problem.
        source: serde_json::Error,
    },
    /// The envelope of a message is incomplete.
    #[error("line {line}: {key:?} is missing or not a {expected}")]
    Envelope {
        /// The line.
        line: usize,
        /// The key.
        key: &'static str,
        /// The expected value.
        expected: &'static str,
    },
    /// The message is for another node.
    #[error("line {line}: the message is for node {to}, not for node {me}")]
    NotForMe {
        /// The line.
        line: usize,
        /// The receiver.
        to: u32,
        /// The node that reads it.
        me: u32,
    },
    /// The sender is not a neighbour.
    #[error("line {line}: {from} is not a neighbour of node {me}")]
    Stranger {
        /// The line.
        line: usize,
        /// The sender.
        from: Sender,
        /// The node that reads it.
        me: u32,
    },
    /// The message contradicts an earlier one.
    #[error("line {line}: {from} has already sent a different {message:?}")]
    Contradiction {
        /// The line.
        line: usize,
        /// The sender.
        from: Sender,
        /// The kind of the message.
        message: &'static str,
    },
    /// A vector is invalid.
    #[error("line {line}: {source}")]
    Vector {
        /// The line.
        line: usize,
        /// The problem.
        source: VectorError,
    },
    /// The content of a message is invalid.
    #[error("line {line}: {problem}")]
    Content {
        /// The line.
        line: usize,
        /// The problem.
        problem: &'static str,
    },
    /// The message does not belong to this protocol.
    #[error("line {line}: {message:?} is not a message of this protocol")]
    OutOfPlace {
        /// The line.
        line: usize,
        /// The kind of the message.
        message: &'static str,
    },
    /// The text of a key is malformed.
    #[error(
        "line {line}: expected a key of 64 hexadecimal digits, and after its first use a line \"release DIGEST\" and one line \
         \"reported ROUND DIGEST\" per report"
    )]
    Key {
        /// The malformed line.
        line: usize,
    },
    /// The key has made another report.
    #[error(
        "this key has already made another report {}",
        round.map_or(
            "for another release (with another protocol, parameter or neighbour list): a key serves one release"
                .to_owned(),
            |round| format!("in round {round}: comparing the two would reveal the noise"),
        )
    )]
    ReportedOtherwise {
        /// The round; `None` if the report was for another release.
        round: Option<u32>,
    },
    /// The round does not exist.
    #[error("round {round} does not exist: there are {rounds} rounds (from 0)")]
    NoSuchRound {
        /// The round.
        round: u32,
        /// Their number.
        rounds: u32,
    },
    /// The operating system's random source failed.
    #[error(transparent)]
    Coins(#[from] crate::coins::CoinsError),
}

impl DeviceError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            DeviceError::UnknownProtocol { .. } | DeviceError::Parameters(_) | DeviceError::NoClusters => true,
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
            DeviceError::Parameters(error) => error.hint(),
            DeviceError::Protocol(error) => error.hint(),
            _ => None,
        }
    }
}
