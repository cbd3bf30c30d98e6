//! One linear step along the messages: y = D₁ · A · D₂ · x.

use std::sync::Arc;

use super::messages::Messages;
use crate::kernels::elementwise::scale_rows;
use crate::kernels::gather::{gather_sum, weighted_gather};
use crate::tensor::Tensor;

/// How the rows that a node receives are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// They are ignored: every node keeps its own row.
    Own,
    /// Kipf and Welling's Σ x_u/√(d_v·d_u), with self loops.
    Gcn,
    /// Σ x_u/√(d_v·d_u) without self loops, 0 where a degree is 0: one step of LPGNN's `KProp`.
    Symmetric,
    /// The mean, 0 without messages.
    Mean,
    /// The sum.
    Sum,
}

/// D₁ · A · D₂, where A is 0/1 (or counts repeated messages, or has their weights) and D₁, D₂ are
/// diagonal.
///
/// All linear aggregations have this form, so no further weight per message is stored. In both
/// factors, a node's degree is the number of messages that it receives, or the sum of their
/// weights, as in PyG's `gcn_norm` for directed graphs.
#[derive(Debug)]
pub struct Propagation {
    /// The messages that are summed.
    pub(crate) messages: Arc<Messages>,
    /// D₂, applied to each row before the sum.
    pub(crate) before: Option<Vec<f32>>,
    /// D₁, applied to each sum.
    pub(crate) after: Option<Vec<f32>>,
}

impl Propagation {
    /// A step along these messages; `Gcn` requires messages with self loops.
    pub(crate) fn new(aggregate: Aggregate, messages: Arc<Messages>) -> Propagation {
        let per_degree = |value: fn(f32) -> f32| -> Vec<f32> {
            let degree = |node: usize| match messages.weights_of(node) {
                None => messages.received_by(node).len() as f32,
                Some(weights) => weights.iter().sum(),
            };
            let degrees = (0..messages.nodes()).map(degree);
            degrees.map(|degree| if degree == 0.0 { 0.0 } else { value(degree) }).collect()
        };
        let (before, after) = match aggregate {
            Aggregate::Own | Aggregate::Sum => (None, None),
            Aggregate::Mean => (None, Some(per_degree(f32::recip))),
            Aggregate::Gcn | Aggregate::Symmetric => {
                let root = per_degree(|degree| degree.sqrt().recip());
                (Some(root.clone()), Some(root))
            }
        };
        Propagation { messages, before, after }
    }

    /// The rows of all nodes after `hops` steps.
    pub fn apply(&self, x: Tensor, hops: usize) -> Tensor {
        self.repeat(x, hops, false)
    }

    /// The gradient of the input of [`apply`](Propagation::apply), given that of its output.
    pub fn backward(&self, gradient: Tensor, hops: usize) -> Tensor {
        self.repeat(gradient, hops, true)
    }

    fn repeat(&self, mut x: Tensor, hops: usize, reversed: bool) -> Tensor {
        if hops == 0 {
            return x;
        }
        let (lists, before, after) = if reversed {
            (self.messages.reversed(), &self.after, &self.before)
        } else {
            (self.messages.lists(), &self.before, &self.after)
        };
        let stride = x.stride();
        if let Some(before) = before {
            scale_rows(before, stride, x.values_mut());
        }
        // Between two hops, both scalings are applied at once.
        let between: Option<Vec<f32>> = match (before, after) {
            (Some(before), Some(after)) => Some(before.iter().zip(after).map(|(a, b)| a * b).collect()),
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        };
        let mut y = Tensor::scratch(x.rows(), x.columns());
        for hop in 1..=hops {
            let scale = if hop == hops { after } else { &between };
            match self.messages.weights() {
                None => gather_sum(lists, x.values(), stride, scale.as_deref(), y.values_mut()),
                // The same for the reverse, because only symmetric messages have weights.
                Some(weights) => weighted_gather(lists, weights, x.values(), stride, scale.as_deref(), y.values_mut()),
            }
            std::mem::swap(&mut x, &mut y);
        }
        x
    }
}
