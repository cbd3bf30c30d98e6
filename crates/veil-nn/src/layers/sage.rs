//! Y_v = mean of X_u over what v receives, times W₁, + X_v·W₂ + b (GraphSAGE: Hamilton et al. 2017).

use veil_graph::random::Random;

use super::{Layer, Pass, Source, bias_backward, both};
use crate::graph::Aggregate;
use crate::kernels::elementwise::{add, add_row};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// Neighbours' mean and the node itself, as PyG's `SAGEConv`.
#[derive(Clone, Debug)]
pub struct Sage {
    /// W₁.
    pub neighbours: Parameter,
    /// b.
    pub bias: Parameter,
    /// W₂.
    pub root: Parameter,
}

impl Sage {
    /// Weights and bias uniform in ±1/√inputs.
    pub fn new(inputs: usize, outputs: usize, random: &mut Random) -> Sage {
        Sage {
            neighbours: Parameter::kaiming(inputs, outputs, inputs, random),
            bias: Parameter::kaiming(1, outputs, inputs, random),
            root: Parameter::kaiming(inputs, outputs, inputs, random),
        }
    }
}

impl Layer for Sage {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let mut out = source.product(Aggregate::Mean, &self.neighbours);
        add(source.product(Aggregate::Own, &self.root).values(), out.values_mut());
        add_row(self.bias.value.values(), out.values_mut());
        vec![out]
    }

    fn backward(&mut self, source: Source, _pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        bias_backward(&mut self.bias, &gradient);
        let root = source.product_backward(Aggregate::Own, &mut self.root, gradient.clone());
        both(source.product_backward(Aggregate::Mean, &mut self.neighbours, gradient), root)
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        vec![("lin_l.weight", &self.neighbours), ("lin_l.bias", &self.bias), ("lin_r.weight", &self.root)]
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        vec![&mut self.neighbours, &mut self.bias, &mut self.root]
    }
}
