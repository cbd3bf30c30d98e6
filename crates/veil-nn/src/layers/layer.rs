//! The interface of a layer: what it reads, its forward and backward pass, its parameters.
//!
//! A layer reads its input only through products with its weights ([`Source::product`]). So the
//! first layer accepts features of any form behind any number of hops, and later layers accept
//! tensors. The forward pass has two parts: [`Layer::project`] depends on input and weights only,
//! [`Layer::combine`] computes the rest. Training reuses the first layer's projection of
//! validation.

use super::form::Form;
use crate::graph::{Aggregate, Topology};
use crate::input::{Input, dense_times, dense_transposed_times};
use crate::kernels::elementwise::{add, column_sums};
use crate::parameter::Parameter;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// What a layer reads: the features of an input, or the output of the previous layer.
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

    /// The output of the previous layer.
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
            Some(rows) => self.topology().apply(aggregate, dense_times(rows, &weight.value), 1),
        }
    }

    /// Given the gradient of Op·X·W, sets the gradient of W and returns that of X, unless X are
    /// features.
    pub fn product_backward(&self, aggregate: Aggregate, weight: &mut Parameter, gradient: Tensor) -> Option<Tensor> {
        let Some(rows) = self.hidden else {
            weight.gradient = self.input.linear_backward(aggregate, gradient);
            return None;
        };
        let gradient = self.topology().backward(aggregate, gradient, 1);
        weight.gradient = dense_transposed_times(rows, &gradient);
        Some(dense_times(&gradient, &weight.value.transposed()))
    }
}

/// The forward pass of a layer, kept for its backward pass.
#[derive(Debug, Default)]
pub struct Pass {
    /// The result of [`Layer::project`].
    pub projected: Vec<Tensor>,
    /// The layer's output, unless it is the first tensor of `projected`.
    pub combined: Option<Tensor>,
    /// Attention coefficients, one per message and head.
    pub(crate) attention: Storage,
}

impl Pass {
    /// The layer's output.
    pub fn output(&self) -> &Tensor {
        self.combined.as_ref().unwrap_or(&self.projected[0])
    }
}

/// Clones a boxed [`Layer`].
pub trait Copied {
    /// A clone of this layer.
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
    /// Computes what depends on the input and the weights only.
    fn project(&self, source: Source) -> Vec<Tensor>;

    /// Computes the output from the projections. Linear layers have nothing left to do.
    fn combine(&self, projected: Vec<Tensor>, _topology: &Topology) -> Pass {
        Pass { projected, ..Pass::default() }
    }

    /// Given the gradient of the output, sets those of the parameters and returns that of the
    /// input, unless the input is features.
    fn backward(&mut self, source: Source, pass: &Pass, gradient: Tensor) -> Option<Tensor>;

    /// The parameters in a fixed order, under the names that PyG gives them (`lin_l.weight`).
    fn parameters(&self) -> Vec<(&'static str, &Parameter)>;

    /// The parameters, mutable, in the order of [`parameters`](Layer::parameters).
    fn parameters_mut(&mut self) -> Vec<&mut Parameter>;

    /// The layer as a function of single rows, for [`probe`](crate::probe).
    fn form(&self) -> Form;

    /// [`project`](Layer::project), then [`combine`](Layer::combine).
    fn forward(&self, source: Source) -> Pass {
        self.combine(self.project(source), source.topology())
    }
}

/// Sets the gradient of a bias: the sum over all rows.
pub(super) fn bias_backward(bias: &mut Parameter, gradient: &Tensor) {
    bias.gradient.values_mut().copy_from_slice(&column_sums(gradient.values(), gradient.stride()));
}

/// The sum of two gradients of the same input.
pub(super) fn both(one: Option<Tensor>, other: Option<Tensor>) -> Option<Tensor> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            add(other.values(), one.values_mut());
            Some(one)
        }
        (one, other) => one.or(other),
    }
}
