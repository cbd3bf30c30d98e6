//! Messages as lines of JSON.
//!
//! A line has the keys `from` (a node, or `"server"`) and `to`, and one more key, which is the kind
//! of the message and holds its content. An answer repeats its question in `about`, so the order of
//! lines and duplicates do not matter.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use veil_graph::NodeId;

use super::{DeviceError, Me, Waiting};

/// The sender of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sender {
    /// The server, which collects reports.
    Server,
    /// A node.
    Node(NodeId),
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sender::Server => f.write_str("the server"),
            Sender::Node(node) => write!(f, "node {node}"),
        }
    }
}

impl Serialize for Sender {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Sender::Server => serializer.serialize_str("server"),
            Sender::Node(node) => serializer.serialize_u32(*node),
        }
    }
}

/// A message with its line number and sender.
pub(super) struct Line {
    pub line: usize,
    pub from: Sender,
    content: Map<String, Value>,
}

impl Line {
    /// Removes a key and returns its value, if present.
    pub fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, DeviceError> {
        let line = self.line;
        let taken = self.content.remove(key).map(serde_json::from_value).transpose();
        taken.map_err(|source| DeviceError::Line { line, source })
    }

    /// The content of the remaining keys.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, DeviceError> {
        let line = self.line;
        serde_json::from_value(Value::Object(self.content)).map_err(|source| DeviceError::Line { line, source })
    }

    /// The sender, if it is a neighbour.
    pub fn neighbour(&self, me: &Me) -> Result<NodeId, DeviceError> {
        match self.from {
            Sender::Node(node) if me.is_neighbour(node) => Ok(node),
            from => Err(DeviceError::Stranger { line: self.line, from, me: me.me }),
        }
    }
}

/// The messages of an inbox. Empty lines are skipped.
pub(super) fn lines(me: &Me, inbox: &str) -> Result<Vec<Line>, DeviceError> {
    let numbered = (1..).zip(inbox.lines()).filter(|(_, text)| !text.trim().is_empty());
    numbered.map(|(line, text)| parse(me, line, text)).collect()
}

fn parse(me: &Me, line: usize, text: &str) -> Result<Line, DeviceError> {
    let mut content: Map<String, Value> =
        serde_json::from_str(text).map_err(|source| DeviceError::Line { line, source })?;
    let node = |value: &Value| value.as_u64().and_then(|node| NodeId::try_from(node).ok());
    let from = match content.remove("from") {
        Some(Value::String(name)) if name == "server" => Some(Sender::Server),
        other => other.as_ref().and_then(node).map(Sender::Node),
    };
    let from = from.ok_or(DeviceError::Envelope { line, key: "from", expected: "node or \"server\"" })?;
    match content.remove("to").as_ref().map(node) {
        Some(Some(to)) if to == me.me => {}
        Some(Some(to)) => return Err(DeviceError::NotForMe { line, to, me: me.me }),
        // Messages of the server may be broadcast.
        None if from == Sender::Server => {}
        _ => return Err(DeviceError::Envelope { line, key: "to", expected: "node" }),
    }
    let parsed = Line { line, from, content };
    if from != Sender::Server {
        parsed.neighbour(me)?;
    }
    Ok(parsed)
}

/// Messages of one kind, at most one per neighbour.
#[derive(Debug)]
pub(super) struct PerNeighbour<T> {
    message: &'static str,
    messages: BTreeMap<NodeId, T>,
}

impl<T: PartialEq> PerNeighbour<T> {
    /// No messages.
    pub fn new(message: &'static str) -> PerNeighbour<T> {
        PerNeighbour { message, messages: BTreeMap::new() }
    }

    /// Adds a message. A duplicate is ignored; a different message from the same neighbour is an
    /// error.
    pub fn put(&mut self, line: usize, from: NodeId, content: T) -> Result<(), DeviceError> {
        match self.messages.entry(from) {
            Entry::Vacant(place) => drop(place.insert(content)),
            Entry::Occupied(before) if *before.get() == content => {}
            Entry::Occupied(_) => {
                return Err(DeviceError::Contradiction { line, from: Sender::Node(from), message: self.message });
            }
        }
        Ok(())
    }

    /// The messages of all neighbours, ascending, or the missing ones.
    pub fn all(&self, me: &Me) -> Result<&BTreeMap<NodeId, T>, Vec<Waiting>> {
        let missing = me.neighbours.iter().filter(|node| !self.messages.contains_key(node));
        let waiting: Vec<Waiting> =
            missing.map(|&node| Waiting { from: Sender::Node(node), message: self.message, round: None }).collect();
        if waiting.is_empty() { Ok(&self.messages) } else { Err(waiting) }
    }

    /// The messages so far, ascending by sender.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &T)> {
        self.messages.iter().map(|(&from, content)| (from, content))
    }
}

/// A message to a neighbour, as a line of its inbox.
pub(super) fn to_node(me: &Me, to: NodeId, message: &impl Serialize) -> Value {
    let mut line = json!({ "from": me.me, "to": to });
    // A message is an enum with one value: a map with one key.
    if let (Some(line), Ok(Value::Object(content))) = (line.as_object_mut(), serde_json::to_value(message)) {
        line.extend(content);
    }
    line
}
