//! Layers with their gradients, one file each.
//!
//! Every layer reads its input through products with its weights alone ([`Source::product`]), so the first layer works on features of
//! any form, behind any number of hops, and later ones on tensors. A layer runs in two parts: [`Layer::project`] computes
//! what depends on input and weights alone, [`Layer::combine`] the rest. What the first layer projects for validation is also what
//! the next training step needs, so it is kept.

mod batch_norm;
mod form;
mod gat;
mod gatv2;
mod gcn;
mod graph_conv;
mod heads;
mod linear;
mod rooted;
mod sage;
#[cfg(test)]
mod tests;
mod transformer;

pub use batch_norm::{BatchNorm, Normalised};
pub use form::Form;
pub(crate) use form::{Attention, Combination};
pub use gat::Gat;
pub use gatv2::GatV2;
pub use gcn::Gcn;
pub use graph_conv::GraphConv;
pub use heads::Heads;
pub(crate) use heads::Shape;
pub use linear::Linear;
pub use rooted::Rooted;
pub use sage::Sage;
pub use transformer::Transformer;

use crate::graph::{Aggregate, Topology};
use crate::input::{Input, dense_times, dense_transposed_times};
use crate::kernels::elementwise::{add, column_sums};
use crate::parameter::Parameter;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// What a layer reads: the features of an input, or what the layer before gave.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    input: &'a Input,
    hidden: Option<&'a Tensor>,
}

impl<'a> Source<'a> {
    /// The features of the input.
    pub fn features(input: &'a Input) -> Source<'a> {
        Source { input, hidden: None }
    }

    /// The rows that the layer before gave.
    pub fn hidden(input: &'a Input, rows: &'a Tensor) -> Source<'a> {
        Source { input, hidden: Some(rows) }
    }

    /// The graph.
    pub fn topology(&self) -> &'a Topology {
        self.input.topology()
    }

    /// Op·X·W.
    pub fn product(&self, aggregate: Aggregate, weight: &Parameter) -> Tensor {
        match self.hidden {
            None => self.input.linear(aggregate, &weight.value),
            Some(rows) => {
                let out = dense_times(rows, &weight.value);
                match self.topology().propagation(aggregate) {
                    Some(step) => step.apply(out, 1),
                    None => out,
                }
            }
        }
    }

    /// Given the gradient of Op·X·W: sets that of W, and returns that of X unless X are features.
    pub fn product_backward(
        &self,
        aggregate: Aggregate,
        weight: &mut Parameter,
        mut gradient: Tensor,
    ) -> Option<Tensor> {
        let Some(rows) = self.hidden else {
            weight.gradient = self.input.linear_backward(aggregate, gradient);
            return None;
        };
        if let Some(step) = self.topology().propagation(aggregate) {
            gradient = step.backward(gradient, 1);
        }
        weight.gradient = dense_transposed_times(rows, &gradient);
        Some(dense_times(&gradient, &weight.value.transposed()))
    }
}

/// A layer's run over one input: what its gradient needs.
#[derive(Debug, Default)]
pub struct Pass {
    /// What [`Layer::project`] gave.
    pub projected: Vec<Tensor>,
    /// The layer's output, where that is not the first of `projected`.
    pub combined: Option<Tensor>,
    /// Attention: one coefficient per message and head.
    pub(crate) attention: Storage,
}

impl Pass {
    /// What the layer gave.
    pub fn output(&self) -> &Tensor {
        self.combined.as_ref().unwrap_or(&self.projected[0])
    }
}

/// A layer that can be copied without knowing which one it is.
pub trait Copied {
    /// The same layer again.
    fn copied(&self) -> Box<dyn Layer>;
}

impl<T: Layer + Clone + 'static> Copied for T {
    fn copied(&self) -> Box<dyn Layer> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Layer> {
    fn clone(&self) -> Box<dyn Layer> {
        (**self).copied()
    }
}

/// A layer with its gradient.
pub trait Layer: Copied + Send + Sync + std::fmt::Debug {
    /// The products of the input with the weights, and all that follows from them without another look at the messages' weights.
    fn project(&self, source: Source) -> Vec<Tensor>;

    /// The layer's output from its projections. Layers that are linear are done already.
    fn combine(&self, projected: Vec<Tensor>, _topology: &Topology) -> Pass {
        Pass { projected, ..Pass::default() }
    }

    /// Sets the gradients of the parameters, given that of the output; returns that of the input unless it is features.
    fn backward(&mut self, source: Source, pass: &Pass, gradient: Tensor) -> Option<Tensor>;

    /// What is learned, by the names that PyG uses (`lin_l.weight`), always in the same order.
    fn parameters(&self) -> Vec<(&'static str, &Parameter)>;

    /// The same, to be changed, in the same order.
    fn parameters_mut(&mut self) -> Vec<&mut Parameter>;

    /// What it computes, as single rows are evaluated.
    fn form(&self) -> Form;

    /// Everything at once.
    fn forward(&self, source: Source) -> Pass {
        self.combine(self.project(source), source.topology())
    }
}

/// The gradient of a bias: the sum over all rows.
fn bias_backward(bias: &mut Parameter, gradient: &Tensor) {
    bias.gradient.values_mut().copy_from_slice(&column_sums(gradient.values(), gradient.stride()));
}

/// The sum of two gradients of one input.
fn both(one: Option<Tensor>, other: Option<Tensor>) -> Option<Tensor> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            add(other.values(), one.values_mut());
            Some(one)
        }
        (one, other) => one.or(other),
    }
}
