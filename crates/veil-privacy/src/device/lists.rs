//! Protocols without messages, and `two-hop-rr`, on a device.

use serde::{Deserialize, Serialize};
use veil_graph::NodeId;

use super::inbox::{PerNeighbour, lines, to_node};
use super::{Contribution, DeviceError, Me, Report};
use crate::coins::{NodeCoins, Stream};
use crate::protocol::TwoHopRr;
use crate::protocol::two_hop_rr::NodeSet;

/// The report of a protocol without messages. A message in the inbox is an error.
///
/// # Errors
/// If there is one.
pub fn without_messages(
    me: &Me,
    inbox: &str,
    coins: &Stream,
    report: impl FnOnce(NodeId, &[NodeId], &mut NodeCoins, &mut Vec<NodeId>),
) -> Result<Contribution, DeviceError> {
    refuse_messages(me, inbox)?;
    let mut list = Vec::new();
    report(me.me, &me.neighbours, &mut coins.node(me.me), &mut list);
    Ok(Contribution::of_list(Vec::new(), Some(list), Vec::new()))
}

/// The same for a protocol that also reports a noisy degree, which `report` returns.
///
/// # Errors
/// If there is a message in the inbox.
pub fn with_degree(
    me: &Me,
    inbox: &str,
    coins: &Stream,
    report: impl FnOnce(NodeId, &[NodeId], &mut NodeCoins, &mut Vec<NodeId>) -> i64,
) -> Result<Contribution, DeviceError> {
    refuse_messages(me, inbox)?;
    let mut nodes = Vec::new();
    let degree = report(me.me, &me.neighbours, &mut coins.node(me.me), &mut nodes);
    Ok(Contribution::of_report(Vec::new(), Some(Report::DegreeAndNodes { degree, nodes }), Vec::new()))
}

fn refuse_messages(me: &Me, inbox: &str) -> Result<(), DeviceError> {
    let problem = "this protocol has no messages";
    match lines(me, inbox)?.first() {
        Some(message) => Err(DeviceError::Content { line: message.line, problem }),
        None => Ok(()),
    }
}

/// Messages of `two-hop-rr`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Message {
    /// The sender's neighbours.
    List(Vec<NodeId>),
}

/// `two-hop-rr`: every node sends its list to its neighbours.
pub(crate) fn two_hop(protocol: &TwoHopRr, me: &Me, inbox: &str, coins: &Stream) -> Result<Contribution, DeviceError> {
    let mut lists = PerNeighbour::new("list");
    for message in lines(me, inbox)? {
        let (line, from) = (message.line, message.neighbour(me)?);
        let Message::List(list) = message.read()?;
        if list.iter().any(|&node| node >= me.nodes || node == from) {
            return Err(DeviceError::Content { line, problem: "the list contains its sender or an unknown node id" });
        }
        lists.put(line, from, list)?;
    }
    let mine = Message::List(me.neighbours.clone());
    let messages = me.neighbours.iter().map(|&to| to_node(me, to, &mine)).collect();
    let lists = match lists.all(me) {
        Ok(lists) => lists.values().map(Vec::as_slice),
        Err(waiting) => return Ok(Contribution::of_list(messages, None, waiting)),
    };
    let mut report = Vec::new();
    protocol.report(me.me, &me.neighbours, lists, &mut NodeSet::default(), &mut coins.node(me.me), &mut report);
    Ok(Contribution::of_list(messages, Some(report), Vec::new()))
}
