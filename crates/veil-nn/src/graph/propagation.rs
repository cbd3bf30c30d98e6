//! One step along the messages that is linear: y = D₁ · A · D₂ · x.

use std::sync::Arc;

use super::messages::Messages;
use crate::kernels::elementwise::scale_rows;
use crate::kernels::gather::gather_sum;
use crate::tensor::Tensor;

/// How the messages that a node receives become one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Not at all: every node keeps its own row.
    Own,
    /// Kipf and Welling's Σ x_u/√(d_v·d_u), every node also hearing itself.
    Gcn,
    /// Σ x_u/√(d_v·d_u) over the messages as they are, 0 where a degree is 0: what `KProp` repeats.
    Symmetric,
    /// The mean, 0 without messages.
    Mean,
    /// The sum.
    Sum,
}

/// D₁ · A · D₂, where A is 0/1 (or counts repeated messages) and D₁, D₂ are diagonal.
///
/// All linear aggregations have this form, so no weight per message is stored or read. A node's degree is the number of messages that it
/// receives, in both factors, as PyG's `gcn_norm` has it for directed graphs.
#[derive(Debug)]
pub struct Propagation {
    messages: Arc<Messages>,
    /// D₂: applied to what is sent.
    before: Option<Vec<f32>>,
    /// D₁: applied to what was summed.
    after: Option<Vec<f32>>,
}

impl Propagation {
    /// Of these messages; `Gcn` expects that loops were added.
    pub(crate) fn new(aggregate: Aggregate, messages: Arc<Messages>) -> Propagation {
        let per_degree = |value: fn(f32) -> f32| -> Vec<f32> {
            let degrees = (0..messages.nodes()).map(|node| messages.received_by(node).len());
            degrees.map(|degree| if degree == 0 { 0.0 } else { value(degree as f32) }).collect()
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

    /// D₂, unless it is 1: what a row is scaled with when it is sent.
    pub(crate) fn before(&self) -> Option<&[f32]> {
        self.before.as_deref()
    }

    /// D₁, unless it is 1: what a sum is scaled with.
    pub(crate) fn after(&self) -> Option<&[f32]> {
        self.after.as_deref()
    }

    /// The messages that are summed.
    pub(crate) fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The number of messages.
    pub fn entries(&self) -> usize {
        self.messages.entries()
    }

    /// What every node has after `hops` steps.
    pub fn apply(&self, x: Tensor, hops: usize) -> Tensor {
        self.repeat(x, hops, false)
    }

    /// The gradient of what went in, given that of what came out of [`apply`](Propagation::apply).
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
        // Between two hops both scalings are one.
        let between: Option<Vec<f32>> = match (before, after) {
            (Some(before), Some(after)) => Some(before.iter().zip(after).map(|(a, b)| a * b).collect()),
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        };
        let mut y = Tensor::scratch(x.rows(), x.columns());
        for hop in 1..=hops {
            let scale = if hop == hops { after } else { &between };
            gather_sum(lists, x.values(), stride, scale.as_deref(), y.values_mut());
            std::mem::swap(&mut x, &mut y);
        }
        x
    }
}
