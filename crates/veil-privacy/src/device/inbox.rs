//! Messages as lines of JSON.
//!
//! A line has the keys `from` (a node, or `"server"`) and `to`, and one more, which says what kind of message it is and
//! holds it. An answer to a question has `about`, which repeats the question: so no order of lines is needed, and a line
//! that comes twice says nothing new.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use veil_graph::NodeId;

use super::{DeviceError, Me, Waiting};

/// Who sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sender {
    /// The one who gathers reports.
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

/// A line without its envelope.
pub(super) struct Letter {
    pub line: usize,
    pub from: Sender,
    content: Map<String, Value>,
}

impl Letter {
    /// Takes a key out, if it is there.
    pub fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, DeviceError> {
        let line = self.line;
        let taken = self.content.remove(key).map(serde_json::from_value).transpose();
        taken.map_err(|source| DeviceError::Line { line, source })
    }

    /// What the rest says.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, DeviceError> {
        let line = self.line;
        serde_json::from_value(Value::Object(self.content)).map_err(|source| DeviceError::Line { line, source })
    }

    /// The neighbour that sent it.
    pub fn neighbour(&self, me: &Me) -> Result<NodeId, DeviceError> {
        match self.from {
            Sender::Node(node) if me.is_neighbour(node) => Ok(node),
            from => Err(DeviceError::Stranger { line: self.line, from, me: me.me }),
        }
    }
}

/// The lines of an inbox. Empty lines say nothing.
pub(super) fn letters(me: &Me, inbox: &str) -> Result<Vec<Letter>, DeviceError> {
    let lines = (1..).zip(inbox.lines()).filter(|(_, text)| !text.trim().is_empty());
    lines.map(|(line, text)| letter(me, line, text)).collect()
}

fn letter(me: &Me, line: usize, text: &str) -> Result<Letter, DeviceError> {
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
        // What the server sends may be for everyone.
        None if from == Sender::Server => {}
        _ => return Err(DeviceError::Envelope { line, key: "to", expected: "node" }),
    }
    let letter = Letter { line, from, content };
    if from != Sender::Server {
        letter.neighbour(me)?;
    }
    Ok(letter)
}

/// Messages of one kind, at most one from each neighbour.
#[derive(Debug)]
pub(super) struct Pile<T> {
    message: &'static str,
    letters: BTreeMap<NodeId, T>,
}

impl<T: PartialEq> Pile<T> {
    /// None yet.
    pub fn new(message: &'static str) -> Pile<T> {
        Pile { message, letters: BTreeMap::new() }
    }

    /// Another one. The same again is no news; anything else is a contradiction.
    pub fn put(&mut self, line: usize, from: NodeId, content: T) -> Result<(), DeviceError> {
        match self.letters.entry(from) {
            Entry::Vacant(place) => drop(place.insert(content)),
            Entry::Occupied(before) if *before.get() == content => {}
            Entry::Occupied(_) => {
                return Err(DeviceError::Contradiction { line, from: Sender::Node(from), message: self.message });
            }
        }
        Ok(())
    }

    /// What every neighbour sent, ascending; or who has not sent it yet.
    pub fn all(&self, me: &Me) -> Result<&BTreeMap<NodeId, T>, Vec<Waiting>> {
        let missing = me.neighbours.iter().filter(|node| !self.letters.contains_key(node));
        let waiting: Vec<Waiting> =
            missing.map(|&node| Waiting { from: Sender::Node(node), message: self.message, round: None }).collect();
        if waiting.is_empty() { Ok(&self.letters) } else { Err(waiting) }
    }

    /// What has come, ascending by sender.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &T)> {
        self.letters.iter().map(|(&from, content)| (from, content))
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
