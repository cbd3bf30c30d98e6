//! Growth: a cascade of a graph to which nodes were added since.
//!
//! **Algorithm.** Every node of the earlier release keeps its place in the order, and the new nodes
//! follow. The earlier nodes are senders: only new nodes have a row, which sums the messages of all
//! their neighbours before them, old or new. What the public believed about an old node is its
//! message. An extension can be extended again. Edges between two old nodes that appear (or vanish)
//! later are not counted.
//!
//! **Guarantee.** All releases of a growing graph together cost the largest of their ε: ε once over
//! the life of the graph.
//!
//! *Proof.* A life is a sequence of graphs G₁, G₂, … to which nodes are added; let two lives differ
//! in one edge {u, v}, which is in some of the graphs of the one and in none of the other. Which
//! nodes are added when is public and the same in both. The orders extend each other, so the later
//! end is the same in all releases in which both are: let it be v. A node has a row in one release
//! at most, the one in which it is new; let s be that of v. Fix any transcript of everything before
//! the batch of v. The exact rows of other nodes, in this release and in all others, do not contain
//! the message of u or v as a neighbour over this edge: u is before v, and v has no second row. The
//! row of v in release s changes by one message if the edge is in G_s of the one life, and not at
//! all otherwise. So one probability of the product over all batches of all releases changes, by a
//! factor of at most e^(ε_s). ∎ In the local model likewise for a relationship; a user reports once
//! in a life.
//!
//! **Conditions.** That a node is called the same in all graphs, and has one name, is assumed: a
//! node with another name than before is a new node, whose edges then cost ε again. These are
//! checked:
//! * earlier nodes are recognised by their names, and none is missing ([`carried`]); mere numbers
//!   are no names;
//! * their places are those of the earlier release: the digest of its order, over names, is a
//!   parameter of the guarantee, and the first batch is refused if it has another one;
//! * one release is extended once: two extensions of the same release may both have a row for the
//!   same new node. A ledger refuses the second one and counts it as a sum if it is there, so
//!   whoever extends a release must charge a ledger;
//! * an extension has the ε of the release that it extends, which is proven and not reproducible.
//!
//! **Not protected.** When a node was added, and its name.

use veil_graph::bytes::{from_hex, hex};
use veil_graph::{NodeId, NodeNames};

use super::{HEARD, NAME, Order, ProtocolError};
use crate::coins::Inputs;
use crate::guarantee::{Assumption, Guarantee, ParameterList};

/// The name of the parameter that says which release is extended.
const EXTENDS: &str = "extends";
/// The name of the parameter that says which release was the first.
const FIRST: &str = "first";
/// The name of the parameter that says how many nodes that release has.
const BEFORE: &str = "before";
/// The name of the parameter with the digest of its order.
const ORDER: &str = "order";

/// The release that a cascade extends, and its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Its id.
    release: [u8; 16],
    /// The id of the first release.
    first: [u8; 16],
    /// How many nodes it has.
    nodes: u32,
    /// A digest of their names, in its order.
    order: [u8; 32],
}

impl Extension {
    /// Extends the release with this id, these guarantees, nodes and order; `None` if it is no
    /// cascade.
    pub fn of(release: &str, guarantees: &[Guarantee], names: &NodeNames, order: &Order) -> Option<Extension> {
        let before = guarantees.iter().find(|it| it.mechanism == NAME)?;
        let release = from_hex(release)?;
        let first = before.parameters.get(FIRST).map_or(Some(release), from_hex)?;
        let sequence = order.sequence();
        Some(Extension { release, first, nodes: sequence.len() as u32, order: digest(names, sequence) })
    }

    /// Whether an order of nodes with these names extends that of the release.
    pub fn is_extended_by(&self, order: &Order, names: &NodeNames) -> bool {
        let senders = order.senders();
        order.batches() == 1 && senders.len() == self.nodes as usize && digest(names, senders) == self.order
    }

    /// The extension that these parameters list, if they list one.
    ///
    /// # Errors
    /// If one of its parameters is missing or cannot be read: its name.
    pub fn of_parameters(list: &ParameterList) -> Result<Option<Extension>, &'static str> {
        let Some(release) = list.get(EXTENDS) else { return Ok(None) };
        let release = from_hex(release).ok_or(EXTENDS)?;
        let first = list.get(FIRST).and_then(from_hex).ok_or(FIRST)?;
        let nodes = list.get(BEFORE).and_then(|text| text.parse().ok()).ok_or(BEFORE)?;
        let order = list.get(ORDER).and_then(from_hex).ok_or(ORDER)?;
        Ok(Some(Extension { release, first, nodes, order }))
    }

    pub(super) fn listed(&self, list: ParameterList) -> ParameterList {
        let list = list.with(EXTENDS, hex(&self.release)).with(FIRST, hex(&self.first));
        list.with(BEFORE, self.nodes).with(ORDER, hex(&self.order))
    }

    pub(super) fn assumption(&self) -> Assumption {
        Assumption::Extends { release: hex(&self.release), nodes: self.nodes }
    }
}

/// The release that a cascade with these parameters extends, and the first one.
pub(crate) fn extended<'a>(mechanism: &str, parameters: &'a ParameterList) -> Option<(&'a str, &'a str)> {
    Some((parameters.get(EXTENDS)?, parameters.get(FIRST)?)).filter(|_| mechanism == NAME)
}

/// Whether a cascade with these parameters counts every edge at both ends.
pub(crate) fn counts_twice(parameters: &ParameterList) -> bool {
    parameters.get(HEARD).is_some()
}

/// Where the nodes of an earlier graph are in a later one, by their names.
///
/// # Errors
/// If names do not say who a node is, or one of them is missing.
pub fn carried(before: &NodeNames, now: &NodeNames) -> Result<Vec<NodeId>, ProtocolError> {
    if before.shared_with(now).is_none() {
        return Err(ProtocolError::NoNamesInCommon);
    }
    let place = |node: usize| {
        let name = before.name(node as NodeId);
        now.node(&name).ok_or_else(|| ProtocolError::NodeIsMissing { name: name.into_owned() })
    };
    (0..before.len()).map(place).collect()
}

/// A digest of names, in this sequence.
fn digest(names: &NodeNames, sequence: &[NodeId]) -> [u8; 32] {
    let all = sequence.iter().fold(Inputs::of(), |all, &node| all.with("node", names.name(node).as_bytes()));
    all.digest().0
}
