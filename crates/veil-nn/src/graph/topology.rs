//! What the layers of a network share about one graph.

use std::sync::{Arc, OnceLock};

use super::{Aggregate, Messages, Propagation};
use crate::tensor::Tensor;

/// Messages and the linear steps along them, each computed on first use.
#[derive(Debug)]
pub struct Topology {
    messages: Arc<Messages>,
    looped: OnceLock<Arc<Messages>>,
    /// By aggregation.
    steps: [OnceLock<Propagation>; 5],
}

impl Topology {
    /// The topology of these messages.
    pub fn new(messages: Messages) -> Topology {
        Topology { messages: Arc::new(messages), looped: OnceLock::new(), steps: Default::default() }
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
        let messages = match aggregate {
            Aggregate::Own => return None,
            Aggregate::Gcn => self.looped(),
            Aggregate::Symmetric | Aggregate::Mean | Aggregate::Sum => &self.messages,
        };
        Some(self.steps[aggregate as usize].get_or_init(|| Propagation::new(aggregate, Arc::clone(messages))))
    }

    /// The rows of all nodes after `hops` steps of this kind.
    pub(crate) fn apply(&self, aggregate: Aggregate, x: Tensor, hops: usize) -> Tensor {
        match self.propagation(aggregate).filter(|_| hops > 0) {
            Some(step) => step.apply(x, hops),
            None => x,
        }
    }

    /// The gradient of the input of [`apply`](Topology::apply), given that of its output.
    pub(crate) fn backward(&self, aggregate: Aggregate, gradient: Tensor, hops: usize) -> Tensor {
        match self.propagation(aggregate).filter(|_| hops > 0) {
            Some(step) => step.backward(gradient, hops),
            None => gradient,
        }
    }
}
