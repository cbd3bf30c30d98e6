//! What the layers of a network share about one graph.

use std::sync::{Arc, OnceLock};

use super::{Aggregate, Messages, Propagation};

/// Messages and the linear steps along them, each computed on first use.
#[derive(Debug)]
pub struct Topology {
    messages: Arc<Messages>,
    looped: OnceLock<Arc<Messages>>,
    gcn: OnceLock<Propagation>,
    symmetric: OnceLock<Propagation>,
    mean: OnceLock<Propagation>,
    sum: OnceLock<Propagation>,
}

impl Topology {
    /// The topology of these messages.
    pub fn new(messages: Messages) -> Topology {
        Topology {
            messages: Arc::new(messages),
            looped: OnceLock::new(),
            gcn: OnceLock::new(),
            symmetric: OnceLock::new(),
            mean: OnceLock::new(),
            sum: OnceLock::new(),
        }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.messages.nodes()
    }

    /// The messages, without added self loops.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The messages with exactly one self loop per node.
    pub fn looped(&self) -> &Arc<Messages> {
        self.looped.get_or_init(|| Arc::new(self.messages.with_loops()))
    }

    /// The linear step of this kind, or `None` if every node keeps its own row.
    pub fn propagation(&self, aggregate: Aggregate) -> Option<&Propagation> {
        let (cell, messages) = match aggregate {
            Aggregate::Own => return None,
            Aggregate::Gcn => (&self.gcn, self.looped()),
            Aggregate::Symmetric => (&self.symmetric, &self.messages),
            Aggregate::Mean => (&self.mean, &self.messages),
            Aggregate::Sum => (&self.sum, &self.messages),
        };
        Some(cell.get_or_init(|| Propagation::new(aggregate, Arc::clone(messages))))
    }
}
