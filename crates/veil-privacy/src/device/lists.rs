//! Nodes that need to hear nothing, or only the lists of their neighbours.

use serde::{Deserialize, Serialize};
use veil_graph::NodeId;

use super::inbox::{Pile, letters, to_node};
use super::{DeviceError, Me, Part};
use crate::coins::{NodeCoins, Stream};
use crate::protocol::TwoHopRr;
use crate::protocol::two_hop_rr::NodeSet;

/// Protocols without messages: the report at once. Whoever writes to such a node is mistaken.
pub(crate) fn without_messages(
    me: &Me,
    inbox: &str,
    coins: &Stream,
    report: impl FnOnce(NodeId, &[NodeId], &mut NodeCoins, &mut Vec<NodeId>),
) -> Result<Part, DeviceError> {
    if let Some(letter) = letters(me, inbox)?.first() {
        let problem = "this protocol has no messages";
        return Err(DeviceError::Content { line: letter.line, problem });
    }
    let mut list = Vec::new();
    report(me.me, &me.neighbours, &mut coins.node(me.me), &mut list);
    Ok(Part::of_list(Vec::new(), Some(list), Vec::new()))
}

/// What nodes send each other in `two-hop-rr`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Message {
    /// The sender's neighbours.
    List(Vec<NodeId>),
}

/// `two-hop-rr`: everyone sends its list to everyone in it.
pub(crate) fn two_hop(protocol: &TwoHopRr, me: &Me, inbox: &str, coins: &Stream) -> Result<Part, DeviceError> {
    let mut lists = Pile::new("list");
    for letter in letters(me, inbox)? {
        let (line, from) = (letter.line, letter.neighbour(me)?);
        let Message::List(list) = letter.read()?;
        if list.iter().any(|&node| node >= me.nodes || node == from) {
            return Err(DeviceError::Content { line, problem: "a list that names its sender or who is no node" });
        }
        lists.put(line, from, list)?;
    }
    let mine = Message::List(me.neighbours.clone());
    let messages = me.neighbours.iter().map(|&to| to_node(me, to, &mine)).collect();
    let lists = match lists.all(me) {
        Ok(lists) => lists.values().map(Vec::as_slice),
        Err(waiting) => return Ok(Part::of_list(messages, None, waiting)),
    };
    let mut report = Vec::new();
    protocol.report(me.me, &me.neighbours, lists, &mut NodeSet::default(), &mut coins.node(me.me), &mut report);
    Ok(Part::of_list(messages, Some(report), Vec::new()))
}
