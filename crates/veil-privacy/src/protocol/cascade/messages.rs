//! What nodes send: numbers on a grid, of bounded sum.

use veil_graph::{Matrix, NodeId};

use super::super::ProtocolError;

/// The messages of all nodes: one number per class, in steps of the grid. The numbers of a message
/// are not negative and sum to at most one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    classes: usize,
    values: Vec<u32>,
}

impl Messages {
    /// Checked messages, one after the other, where one is `steps` steps.
    ///
    /// # Errors
    /// If a message sums to more than one.
    pub fn new(classes: usize, steps: u32, values: Vec<u32>) -> Result<Messages, ProtocolError> {
        let long = |message: &[u32]| message.iter().map(|&it| u64::from(it)).sum::<u64>() > u64::from(steps);
        let width = classes.max(1);
        if let Some(node) = values.chunks(width).position(long) {
            return Err(ProtocolError::LongMessage { node: node as NodeId, steps });
        }
        if !values.len().is_multiple_of(width) {
            let nodes = values.len() / width;
            return Err(ProtocolError::Nodes { what: "messages", nodes: nodes + 1, found: nodes });
        }
        Ok(Messages { classes, values })
    }

    /// Probabilities of the classes, truncated towards 0. What is not a probability becomes 0, and
    /// where the sum exceeds one by rounding, the largest number is smaller.
    pub fn of(beliefs: &Matrix, steps: u32) -> Messages {
        let classes = beliefs.columns();
        let mut values = Vec::with_capacity(beliefs.rows() * classes);
        for row in 0..beliefs.rows() {
            let start = values.len();
            // A cast takes what is not a number for 0, and clamps.
            values.extend(beliefs.row(row).iter().map(|&it| ((f64::from(it) * f64::from(steps)) as u32).min(steps)));
            let message = &mut values[start..];
            let mut excess = message.iter().map(|&it| u64::from(it)).sum::<u64>().saturating_sub(u64::from(steps));
            while excess > 0 {
                let Some(largest) = message.iter_mut().max() else { break };
                let less = u64::from(*largest).min(excess);
                *largest -= less as u32;
                excess -= less;
            }
        }
        Messages { classes, values }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.values.len() / self.classes.max(1)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The message of a node.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn of_node(&self, node: NodeId) -> &[u32] {
        let start = node as usize * self.classes;
        &self.values[start..start + self.classes]
    }

    /// All messages, one after the other.
    pub(super) fn values(&self) -> &[u32] {
        &self.values
    }

    /// The classes of a node, the likeliest first by its own message; the first among equals.
    pub fn preference(&self, node: NodeId) -> Vec<u32> {
        let message = self.of_node(node);
        let mut classes: Vec<u32> = (0..self.classes as u32).collect();
        classes.sort_by_key(|&class| (std::cmp::Reverse(message[class as usize]), class));
        classes
    }
}
