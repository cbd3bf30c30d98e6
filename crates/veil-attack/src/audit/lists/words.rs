//! Nodes and lists as text.

use std::borrow::Cow;

use veil_graph::{Dataset, NodeId};

/// The largest number of nodes that are written out.
const MOST: usize = 8;

/// The name of a node.
pub(super) fn name(data: &Dataset, node: NodeId) -> Cow<'_, str> {
    data.names().name(node)
}

/// A list of nodes, abbreviated if it is long.
pub(super) fn set(data: &Dataset, nodes: &[NodeId]) -> String {
    let mut named: Vec<Cow<'_, str>> = nodes.iter().take(MOST).map(|&node| name(data, node)).collect();
    if nodes.len() > MOST {
        named.push(Cow::Owned(format!("… ({} in all)", nodes.len())));
    }
    format!("{{{}}}", named.join(", "))
}

/// A node with its list.
pub(super) fn list_is(data: &Dataset, node: NodeId, list: &[NodeId]) -> String {
    format!("the list of {} is {}", name(data, node), set(data, list))
}
