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
//! `key` holds the coins and digests of past reports; [`KeyFile`](files::KeyFile) is the only way to report with a stored key.
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
use crate::mechanism::codebook as codebooks;
use crate::protocol::{
    self, Cascade, DegreeVectors, Protocol, ProtocolError, ProtocolParamError, cascade as cascades, degree_vectors,
};
use crate::registry;

/// Protocols that report no lists.
const OTHERS: [&str; 3] = [degree_vectors::NAME, cascades::NAME, codebooks::NAME];

/// The protocols that a device can take part in.
pub fn names() -> Vec<&'static str> {
    protocol::ENTRIES.iter().map(|entry| entry.name).chain(OTHERS).collect()
}

/// A node with checked data and parameters.
#[derive(Clone, Debug)]
pub struct Device {
    me: Me,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    List(Arc<dyn Protocol>),
    Vectors(DegreeVectors),
    Cascade(Cascade),
    Codebook(Box<codebook::User>),
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
        if protocol == degree_vectors::NAME {
            let (epsilon, clusters) = (me.epsilon()?, me.clusters()?);
            let settings = me.settings(&degree_vectors::Options::default());
            let degree_vectors::Options { rounds, unit } = registry::read(&settings)?;
            let vectors = degree_vectors::Params { epsilon, rounds, unit, clusters }.check();
            return Ok(Device { me, kind: Kind::Vectors(vectors.map_err(ProtocolParamError::from)?) });
        }
        if protocol == cascades::NAME {
            let cascade = cascade::build(&me)?;
            return Ok(Device { me, kind: Kind::Cascade(cascade) });
        }
        if protocol == codebooks::NAME {
            let user = codebook::User::new(&me)?;
            return Ok(Device { me, kind: Kind::Codebook(Box::new(user)) });
        }
        let entry = protocol::find(protocol);
        let entry = entry.ok_or_else(|| DeviceError::UnknownProtocol { given: protocol.to_owned() })?;
        let settings = me.settings(&*(entry.parameters)());
        let list = (entry.build)(me.epsilon()?, me.nodes, &settings)?;
        if list.compares_features() && me.features.is_none() {
            return Err(ProtocolError::NoFeatures { protocol: list.name() }.into());
        }
        Ok(Device { me, kind: Kind::List(list) })
    }

    /// The node.
    pub fn me(&self) -> &Me {
        &self.me
    }

    /// The guarantees of taking part.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        match &self.kind {
            Kind::List(protocol) => protocol.guarantees(),
            Kind::Vectors(vectors) => vectors.guarantees(),
            Kind::Cascade(cascade) => cascade.guarantees(),
            Kind::Codebook(user) => vec![user.codebook().guarantee()],
        }
    }

    /// The number of rounds or batches.
    fn rounds(&self) -> u32 {
        match &self.kind {
            Kind::List(_) => 1,
            Kind::Vectors(vectors) => vectors.rounds(),
            Kind::Cascade(cascade) => cascade.params().batches,
            Kind::Codebook(_) => codebooks::ROUNDS,
        }
    }

    /// The canonical text of the protocol and its parameters.
    fn purpose(&self) -> String {
        let what = match &self.kind {
            Kind::List(protocol) => format!("{};{}", protocol.name(), protocol.parameters()),
            Kind::Vectors(vectors) => format!("{};{}", degree_vectors::NAME, vectors.parameters()),
            Kind::Cascade(cascade) => format!("{};{}", cascades::NAME, cascade.parameters()),
            Kind::Codebook(user) => user.purpose(),
        };
        format!("{what};me={};nodes={}", self.me.me, self.me.nodes)
    }

    /// The output of the node, given its inbox: JSON lines, one message each. Duplicates are
    /// ignored.
    ///
    /// # Errors
    /// If a line is not a message of this protocol from a neighbour or the server, or contradicts
    /// an earlier one.
    pub fn part(&self, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
        match &self.kind {
            Kind::List(protocol) => protocol.part(&self.me, inbox, coins),
            Kind::Vectors(protocol) => vectors::part(protocol, &self.me, inbox, coins),
            Kind::Cascade(protocol) => cascade::part(protocol, &self.me, inbox, coins),
            Kind::Codebook(user) => user.part(&self.me, inbox, coins),
        }
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
