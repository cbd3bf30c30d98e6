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
mod lists;
mod me;
mod privatizer;
#[cfg(test)]
mod tests;
mod thesis;
mod vectors;

pub use error::DeviceError;
pub use inbox::Sender;
pub use key::DeviceKey;
pub use me::{Me, OwnFeatures, Parameters};

use serde::Serialize;
use serde_json::Value;
use veil_graph::NodeId;

use crate::coins::Stream;
use crate::guarantee::Guarantee;
use crate::protocol::{DegreeVectors, Protocol, degree_vectors, dummy_exchange, edge_flip};
use crate::protocol::{ProtocolError, graph_privatizer, neighbour_krr, shuffled_query, two_hop_rr};

/// The protocols that a device can take part in, by name.
pub const NAMES: [&str; 7] = [
    graph_privatizer::NAME,
    two_hop_rr::NAME,
    dummy_exchange::NAME,
    shuffled_query::NAME,
    neighbour_krr::NAME,
    edge_flip::NAME,
    degree_vectors::NAME,
];

/// A node that is ready to take part: its data and parameters are checked.
#[derive(Clone, Debug)]
pub struct Device {
    me: Me,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    List(Protocol),
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
        let Parameters { measure, strategy, alpha, delta, .. } = me.parameters;
        let (epsilon, nodes) = (me.parameters.epsilon_edges, me.nodes);
        let list = match protocol {
            graph_privatizer::NAME => {
                let reading = me.parameters.similarity;
                let params = graph_privatizer::Params { epsilon, strategy, alpha, delta, measure, reading };
                Protocol::GraphPrivatizer(params.check()?)
            }
            two_hop_rr::NAME => Protocol::TwoHopRr(two_hop_rr::Params { epsilon }.check()?),
            dummy_exchange::NAME => {
                let Parameters { max_dummies: most_dummies, candidates, .. } = me.parameters;
                let params = dummy_exchange::Params { epsilon, measure, most_dummies, candidates };
                Protocol::DummyExchange(params.check()?)
            }
            shuffled_query::NAME => Protocol::ShuffledQuery(shuffled_query::Params { epsilon, measure }.check()?),
            neighbour_krr::NAME => Protocol::NeighbourKrr(neighbour_krr::Params { epsilon, nodes }.check()?),
            edge_flip::NAME => {
                let limit = me.parameters.max_edges;
                let flip = edge_flip::Params { epsilon, nodes, max_edges: limit }.check()?;
                let expected = flip.expected_edges();
                if expected > limit {
                    return Err(ProtocolError::TooManyEdges { protocol: edge_flip::NAME, expected, limit }.into());
                }
                Protocol::EdgeFlip(flip)
            }
            degree_vectors::NAME => {
                let Parameters { rounds, unit, clusters, .. } = me.parameters;
                let clusters = clusters.ok_or(DeviceError::NoClusters)?;
                let vectors = degree_vectors::Params { epsilon, rounds, unit, clusters }.check()?;
                return Ok(Device { me, kind: Kind::Vectors(vectors) });
            }
            _ => return Err(DeviceError::UnknownProtocol { given: protocol.to_owned() }),
        };
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
            Kind::List(Protocol::GraphPrivatizer(protocol)) => privatizer::part(protocol, &self.me, inbox, coins),
            Kind::List(Protocol::TwoHopRr(protocol)) => lists::two_hop(protocol, &self.me, inbox, coins),
            Kind::List(Protocol::DummyExchange(protocol)) => thesis::dummies(protocol, &self.me, inbox, coins),
            Kind::List(Protocol::ShuffledQuery(protocol)) => thesis::queries(protocol, &self.me, inbox, coins),
            Kind::List(Protocol::NeighbourKrr(protocol)) => lists::alone(&self.me, inbox, |neighbours, out| {
                protocol.report(self.me.me, neighbours, &mut coins.node(self.me.me), out);
            }),
            Kind::List(Protocol::EdgeFlip(protocol)) => lists::alone(&self.me, inbox, |neighbours, out| {
                protocol.report(self.me.me, neighbours, &mut coins.node(self.me.me), out);
            }),
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
