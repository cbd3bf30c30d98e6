//! The public order of the nodes.

use veil_graph::NodeId;

use super::super::ProtocolError;
use crate::coins::{Inputs, InputsBuilder};
use crate::fault::{self, Fault};

/// A total order of all nodes: senders first, which have no row, then the batches of receivers.
///
/// It must not depend on edges. It is fixed before the first batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    sequence: Vec<NodeId>,
    /// The place of each node in the sequence.
    place: Vec<u32>,
    senders: usize,
    batches: u32,
}

impl Order {
    /// The order of this sequence, in which the first `senders` nodes have no row and the others
    /// are divided into batches of equal size, up to one node.
    ///
    /// # Errors
    /// If the sequence does not have every node once, there are more senders than nodes, or there
    /// are no batches or more than receivers.
    pub fn new(sequence: Vec<NodeId>, senders: usize, batches: u32) -> Result<Order, ProtocolError> {
        let nodes = sequence.len();
        // No batch is empty, unless there is no receiver at all.
        let receivers = nodes.checked_sub(senders).map(|receivers| receivers.max(1) as u64);
        if receivers.is_none_or(|receivers| u64::from(batches) > receivers) || batches == 0 {
            return Err(ProtocolError::NotAnOrder { nodes });
        }
        let mut place = vec![u32::MAX; nodes];
        for (at, &node) in (0..).zip(&sequence) {
            match place.get_mut(node as usize) {
                Some(place) if *place == u32::MAX => *place = at,
                _ => return Err(ProtocolError::NotAnOrder { nodes }),
            }
        }
        Ok(Order { sequence, place, senders, batches })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.sequence.len()
    }

    /// The number of batches.
    pub fn batches(&self) -> u32 {
        self.batches
    }

    /// All nodes in this order.
    pub fn sequence(&self) -> &[NodeId] {
        &self.sequence
    }

    /// The nodes that send and have no row.
    pub fn senders(&self) -> &[NodeId] {
        &self.sequence[..self.senders]
    }

    /// The nodes whose rows are released in a batch, from 0.
    pub fn batch(&self, batch: u32) -> &[NodeId] {
        let receivers = &self.sequence[self.senders..];
        let bound = |batch: u32| (receivers.len() as u64 * u64::from(batch) / u64::from(self.batches)) as usize;
        let batch = batch.min(self.batches - 1);
        let more = usize::from(fault::is(Fault::BatchesOverlap) && batch + 1 < self.batches);
        &receivers[bound(batch)..bound(batch + 1) + more]
    }

    /// The batch of a node; `None` if it is a sender, or there is no such node.
    pub fn batch_of(&self, node: NodeId) -> Option<u32> {
        (0..self.batches).find(|&batch| self.batch(batch).contains(&node))
    }

    /// Whether one node is before another.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn is_before(&self, one: NodeId, other: NodeId) -> bool {
        self.place[one as usize] < self.place[other as usize]
    }

    /// Everything that an order decides.
    pub(super) fn inputs(&self) -> InputsBuilder {
        let shape = [self.senders as u32, self.batches];
        Inputs::of().with_numbers("order", &self.sequence).with_numbers("senders and batches", &shape)
    }

    /// A digest, by which users who see it can check that all of them used the same order.
    pub fn digest(&self) -> String {
        veil_graph::bytes::hex(&self.inputs().digest().0)
    }
}
