//! One node's part of a protocol, run where the node's data are.
//!
//! [`Me`] holds the node's neighbours, its features and the public parameters; the inbox
//! holds received messages as JSON lines (`inbox`). [`Device::part`] computes from both all
//! messages that the node sends and, once all messages have arrived, its report. It is a function
//! of the node's data, its key and the inbox, so it can be run again after every message. Devices
//! and the simulation share the functions of [`protocol`](mod@crate::protocol): with the same coins
//! they send the same bytes.
//!
//! Message handling is in `lists` (no messages, or neighbour lists), `privatizer`, `thesis` (both
//! protocols of the thesis), `vectors` and `cascade`; `codebook` reports features instead of edges.
//! `task` is what a device knows of its protocol, and the table of protocols that report no lists.
//! `key` holds the coins and digests of past reports; [`KeyFile`](files::KeyFile) is the only way
//! to report with a stored key.
//!
//! Neighbours are mutual: a node is in the list of each of its neighbours, and all of them take
//! part.

mod cascade;
mod codebook;
mod error;
pub mod files;
mod inbox;
mod key;
pub(crate) mod lists;
mod me;
pub(crate) mod privatizer;
mod task;
#[cfg(test)]
mod tests;
pub(crate) mod thesis;
mod vectors;

pub use error::DeviceError;
pub use inbox::Sender;
pub(crate) use key::DeviceKey;
pub use lists::{with_degree, without_messages};
pub use me::{Me, OwnFeatures};

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use veil_graph::NodeId;

use crate::coins::Stream;
use crate::guarantee::Guarantee;
use task::Task;

pub use task::names;

/// A node with checked data and parameters.
#[derive(Clone, Debug)]
pub struct Device {
    me: Me,
    task: Arc<dyn Task>,
}

/// The output of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Contribution {
    /// All messages that the node sends, given its inbox, including those of earlier runs.
    pub messages: Vec<Value>,
    /// The report to the server, once it is complete.
    pub report: Option<Report>,
    /// The messages that the node waits for.
    pub waiting_for: Vec<Waiting>,
    /// The digest of the order of a cascade, to be compared with the published one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// The reports of all rounds so far, with the clusters or messages that were asked for: stored
    /// with the key, not in the file.
    #[serde(skip)]
    rounds: Vec<(u32, Vec<u32>, Report)>,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// A list of nodes.
    Nodes(Vec<NodeId>),
    /// A noisy degree, and a list of nodes.
    DegreeAndNodes {
        /// The degree.
        degree: i64,
        /// The list.
        nodes: Vec<NodeId>,
    },
    /// One vector of counts, or the row of a cascade.
    Counts(Vec<i64>),
    /// A vector of counts for each round.
    Rounds(Vec<Vec<i64>>),
    /// A codeword or a class.
    Hint(u32),
}

/// A missing message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Its sender.
    pub from: Sender,
    /// Its kind.
    pub message: &'static str,
    /// Its round, for protocols with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}

impl Device {
    /// Checks that a node can take part in a protocol.
    ///
    /// # Errors
    /// If the protocol is unknown, a parameter is invalid, or required data are missing.
    pub fn new(protocol: &str, me: Me) -> Result<Device, DeviceError> {
        let task = task::build(protocol, &me)?;
        Ok(Device { me, task })
    }

    /// The node.
    pub fn me(&self) -> &Me {
        &self.me
    }

    /// The guarantees of taking part.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        self.task.guarantees()
    }

    /// The number of rounds or batches.
    fn rounds(&self) -> u32 {
        self.task.rounds()
    }

    /// The canonical text of the protocol and its parameters.
    fn purpose(&self) -> String {
        format!("{};me={};nodes={}", self.task.purpose(), self.me.me, self.me.nodes)
    }

    /// The output of the node, given its inbox: JSON lines, one message each. Duplicates are
    /// ignored.
    ///
    /// # Errors
    /// If a line is not a message of this protocol from a neighbour or the server, or contradicts
    /// an earlier one.
    pub fn part(&self, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        self.task.part(&self.me, inbox, coins)
    }
}

impl Contribution {
    /// A part with these messages, and a report if the list is complete.
    fn of_list(messages: Vec<Value>, list: Option<Vec<NodeId>>, waiting_for: Vec<Waiting>) -> Contribution {
        Contribution::of_report(messages, list.map(Report::Nodes), waiting_for)
    }

    /// A part with these messages, and a report if it is complete.
    fn of_report(messages: Vec<Value>, report: Option<Report>, waiting_for: Vec<Waiting>) -> Contribution {
        Contribution {
            messages,
            rounds: report.iter().map(|report| (0, Vec::new(), report.clone())).collect(),
            report,
            waiting_for,
            order: None,
        }
    }
}
