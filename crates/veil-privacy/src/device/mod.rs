//! One node's part of a protocol, where the data are its own.
//!
//! What a device holds is in [`Me`]: its neighbours, its released features and the public parameters. What it received is
//! an inbox of JSON lines (`inbox`). [`Device::part`] makes of both all messages that the node sends and, once it has
//! heard everything, its report: a function of the node's data, its key and the inbox, so it can be run again after every
//! message. The functions that draw are those of [`protocol`](crate::protocol), which the simulation uses too: with the
//! same coins a device sends the same bytes as the simulation.
//!
//! A part for each way of talking: `lists` (those who need nothing, or lists of neighbours), `privatizer`, `thesis` (both
//! protocols of the thesis) and `vectors`. [`DeviceKey`] keeps the coins, and what was reported with them.
//!
//! Neighbours are mutual here: who is in a node's list has the node in theirs, and every neighbour takes part.

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
pub use key::DeviceKey;
pub(crate) use lists::without_messages;
pub use me::{Me, OwnFeatures};

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use veil_graph::NodeId;

use crate::coins::Stream;
use crate::guarantee::Guarantee;
use crate::protocol::{self, DegreeVectors, Protocol, ProtocolError, ProtocolParamError, degree_vectors};
use crate::registry;

/// The protocols that a device can take part in.
pub fn names() -> Vec<&'static str> {
    protocol::ENTRIES.iter().map(|entry| entry.name).chain([degree_vectors::NAME]).collect()
}

/// A node that is ready to take part: its data and parameters are checked.
#[derive(Clone, Debug)]
pub struct Device {
    me: Me,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    List(Arc<dyn Protocol>),
    Vectors(DegreeVectors),
}

/// What a node has to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// All messages that it sends, given what it received: those that it sent before are here again.
    pub messages: Vec<Value>,
    /// What it reports to the server, once that is known.
    pub report: Option<Report>,
    /// What it has to hear before it can go on.
    pub waiting_for: Vec<Waiting>,
    /// What it reported in each round so far, and for which clusters; kept with the key, and not part of the file.
    #[serde(skip)]
    rounds: Vec<(u32, Vec<u32>, Report)>,
}

/// What a node reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// A list of nodes.
    Nodes(Vec<NodeId>),
    /// One vector of counts.
    Counts(Vec<i64>),
    /// A vector of counts for each round.
    Rounds(Vec<Vec<i64>>),
}

/// A message that has not come yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// From whom.
    pub from: Sender,
    /// Its kind.
    pub message: &'static str,
    /// Of which round, if its kind alone does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}

impl Device {
    /// Checks that a node can take part in a protocol.
    ///
    /// # Errors
    /// If there is no such protocol, its parameters are wrong, or the node lacks what it needs.
    pub fn new(protocol: &str, me: Me) -> Result<Device, DeviceError> {
        if protocol == degree_vectors::NAME {
            let (epsilon, clusters) = (me.epsilon()?, me.clusters()?);
            let settings = me.settings(&degree_vectors::Options::default());
            let degree_vectors::Options { rounds, unit } = registry::read(&settings)?;
            let vectors = degree_vectors::Params { epsilon, rounds, unit, clusters }.check();
            return Ok(Device { me, kind: Kind::Vectors(vectors.map_err(ProtocolParamError::from)?) });
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

    /// What taking part promises.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        match &self.kind {
            Kind::List(protocol) => protocol.guarantees(),
            Kind::Vectors(vectors) => vectors.guarantees(),
        }
    }

    /// How many rounds of reports there are.
    fn rounds(&self) -> u32 {
        match &self.kind {
            Kind::List(_) => 1,
            Kind::Vectors(vectors) => vectors.rounds(),
        }
    }

    /// The protocol and its parameters, in one canonical text.
    fn purpose(&self) -> String {
        let (name, parameters) = match &self.kind {
            Kind::List(protocol) => (protocol.name(), protocol.parameters()),
            Kind::Vectors(vectors) => (degree_vectors::NAME, vectors.parameters()),
        };
        format!("{name};{parameters};me={};nodes={}", self.me.me, self.me.nodes)
    }

    /// What the node says, given what it received: JSON lines, one message each. The same message twice counts once.
    ///
    /// # Errors
    /// If a line is no message of this protocol from a neighbour or the server, or contradicts an earlier one.
    pub fn part(&self, inbox: &str, coins: &Stream) -> Result<Part, DeviceError> {
        match &self.kind {
            Kind::List(protocol) => protocol.part(&self.me, inbox, coins),
            Kind::Vectors(protocol) => vectors::part(protocol, &self.me, inbox, coins),
        }
    }
}

impl Part {
    /// A part that sends these messages; it reports as soon as there is a list.
    fn of_list(messages: Vec<Value>, list: Option<Vec<NodeId>>, waiting_for: Vec<Waiting>) -> Part {
        let report = list.map(Report::Nodes);
        Part {
            messages,
            rounds: report.iter().map(|report| (0, Vec::new(), report.clone())).collect(),
            report,
            waiting_for,
        }
    }
}
