//! Y = Â·X·W + b with Â_vu = 1/√(d_v·d_u) (Kipf and Welling 2017).
//!
//! Every node has one self loop; d_v is the number of messages that v receives, its own included.

use veil_graph::random::Random;

use super::form::{Combination, Form};
use super::{Layer, Pass, Source, bias_backward, parameters};
use crate::graph::Aggregate;
use crate::kernels::elementwise::add_row;
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// A graph convolution, as PyG's `GCNConv`.
#[derive(Clone, Debug)]
pub struct Gcn {
    /// W.
    pub weight: Parameter,
    /// b.
    pub bias: Parameter,
}

impl Gcn {
    /// Glorot weights, zero bias.
    pub fn new(inputs: usize, outputs: usize, random: &mut Random) -> Gcn {
        Gcn { weight: Parameter::glorot(inputs, outputs, random), bias: Parameter::zeros(1, outputs) }
    }
}

impl Layer for Gcn {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let mut out = source.product(Aggregate::Gcn, &self.weight);
        add_row(self.bias.value.values(), out.values_mut());
        vec![out]
    }

    fn backward(&mut self, source: Source, _pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        bias_backward(&mut self.bias, &gradient);
        source.product_backward(Aggregate::Gcn, &mut self.weight, gradient)
    }

    parameters! { "lin.weight": weight, "bias": bias }

    fn form(&self) -> Form {
        Form::new(&[(&self.weight, None)], Combination::Linear(Aggregate::Gcn)).and_bias(&self.bias)
    }
}
