//! What can be wrong on a device.

use super::{Sender, names};
use crate::parameters::ParameterError;
use crate::protocol::exchange::VectorError;
use crate::protocol::{ProtocolError, ProtocolParamError};

/// Why a device could not do its part. Lines are those of the inbox, from 1.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No protocol of this name.
    #[error("there is no protocol {given:?} ({})", names().join(", "))]
    UnknownProtocol {
        /// The name.
        given: String,
    },
    /// What the node holds is no JSON, or has other keys.
    #[error("{source}")]
    Me {
        /// What is wrong, and where.
        source: serde_json::Error,
    },
    /// The node is not one of the nodes.
    #[error("\"me\" is {me}, which is not below the {nodes} nodes that \"nodes\" says there are")]
    NoSuchNode {
        /// The node.
        me: u32,
        /// How many there are.
        nodes: u32,
    },
    /// A node is its own neighbour.
    #[error("node {me} is in its own list of neighbours")]
    OwnNeighbour {
        /// The node.
        me: u32,
    },
    /// A neighbour is there twice.
    #[error("neighbour {neighbour} is there more than once")]
    RepeatedNeighbour {
        /// The neighbour.
        neighbour: u32,
    },
    /// A neighbour is not one of the nodes.
    #[error("neighbour {neighbour} is not below the {nodes} nodes that \"nodes\" says there are")]
    NoSuchNeighbour {
        /// The neighbour.
        neighbour: u32,
        /// How many nodes there are.
        nodes: u32,
    },
    /// The node's own vector is none.
    #[error("\"features\": {source}")]
    OwnVector {
        /// What is wrong with it.
        source: VectorError,
    },
    /// What signs mean is not finite.
    #[error("\"features\": offset {offset} and scale {scale} must be finite numbers")]
    Rectifier {
        /// The value where no sign was sent.
        offset: f32,
        /// What a sign is multiplied by.
        scale: f32,
    },
    /// It is not known how many clusters there are.
    #[error("degree-vectors needs \"clusters\", their number, in \"parameters\"")]
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
    /// No mechanism has such parameters.
    #[error(transparent)]
    Parameters(#[from] ProtocolParamError),
    /// The protocol cannot run.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A line is no message of this protocol.
    #[error("line {line}: {source}")]
    Line {
        /// The line.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A message lacks something that every message has.
    #[error("line {line}: {key:?} is missing or is no {expected}")]
    Envelope {
        /// The line.
        line: usize,
        /// The key.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A message to somebody else.
    #[error("line {line}: this message is for node {to}, and this is node {me}")]
    NotForMe {
        /// The line.
        line: usize,
        /// For whom it is.
        to: u32,
        /// Who reads it.
        me: u32,
    },
    /// A message from someone who is no neighbour.
    #[error("line {line}: {from} is no neighbour of node {me}")]
    Stranger {
        /// The line.
        line: usize,
        /// Who sent it.
        from: Sender,
        /// Who reads it.
        me: u32,
    },
    /// A message that contradicts an earlier one.
    #[error("line {line}: {from} has sent another {message:?} before")]
    Contradiction {
        /// The line.
        line: usize,
        /// Who sent it.
        from: Sender,
        /// What kind of message it is.
        message: &'static str,
    },
    /// A vector that is none.
    #[error("line {line}: {source}")]
    Vector {
        /// The line.
        line: usize,
        /// What is wrong with it.
        source: VectorError,
    },
    /// A message whose content cannot be.
    #[error("line {line}: {problem}")]
    Content {
        /// The line.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A message that has no part in this protocol.
    #[error("line {line}: {message:?} is no message of this protocol")]
    OutOfPlace {
        /// The line.
        line: usize,
        /// What kind of message it is.
        message: &'static str,
    },
    /// The text of a key is none.
    #[error(
        "line {line}: a key is 64 hexadecimal digits, and, once it was used, a line \"release DIGEST\" and then one line \
         \"reported ROUND DIGEST\" for each report"
    )]
    Key {
        /// The line that is none.
        line: usize,
    },
    /// This key has made another report.
    #[error(
        "another report was made with this key {}, so this one is not made",
        round.map_or(
            "for another release (the protocol, a parameter or a neighbour was not the same), and a key serves one"
                .to_owned(),
            |round| format!("in round {round}, and comparing the two would undo the noise"),
        )
    )]
    ReportedOtherwise {
        /// The round; none if it was for another release.
        round: Option<u32>,
    },
    /// A report in a round that the release has not.
    #[error("a report in round {round} (from 0), and there are {rounds} rounds")]
    NoSuchRound {
        /// The round.
        round: u32,
        /// How many there are.
        rounds: u32,
    },
    /// The operating system gave no randomness.
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
