//! Y = Op·X·W₁ + X·W₂ + b: neighbours, and the node itself.
//!
//! [`Sage`](super::Sage) takes the mean of neighbours, [`GraphConv`](super::GraphConv) their sum.

use veil_graph::random::Random;

use super::form::{Combination, Form};
use super::{Layer, Pass, Source, bias_backward, both};
use crate::graph::Aggregate;
use crate::kernels::elementwise::{add, add_row};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// The mean or sum of neighbours, and the node itself.
#[derive(Clone, Debug)]
pub struct Rooted<const MEAN: bool> {
    /// W₁.
    pub neighbours: Parameter,
    /// b.
    pub bias: Parameter,
    /// W₂.
    pub root: Parameter,
}

impl<const MEAN: bool> Rooted<MEAN> {
    const AGGREGATE: Aggregate = if MEAN { Aggregate::Mean } else { Aggregate::Sum };

    /// Weights and bias uniform in ±1/√inputs.
    pub fn new(inputs: usize, outputs: usize, random: &mut Random) -> Rooted<MEAN> {
        Rooted {
            neighbours: Parameter::kaiming(inputs, outputs, inputs, random),
            bias: Parameter::kaiming(1, outputs, inputs, random),
            root: Parameter::kaiming(inputs, outputs, inputs, random),
        }
    }
}

impl<const MEAN: bool> Layer for Rooted<MEAN> {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let mut out = source.product(Self::AGGREGATE, &self.neighbours);
        add(source.product(Aggregate::Own, &self.root).values(), out.values_mut());
        add_row(self.bias.value.values(), out.values_mut());
        vec![out]
    }

    fn backward(&mut self, source: Source, _pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        bias_backward(&mut self.bias, &gradient);
        let root = source.product_backward(Aggregate::Own, &mut self.root, gradient.clone());
        both(source.product_backward(Self::AGGREGATE, &mut self.neighbours, gradient), root)
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        let [neighbours, bias, root] = if MEAN {
            ["lin_l.weight", "lin_l.bias", "lin_r.weight"]
        } else {
            ["lin_rel.weight", "lin_rel.bias", "lin_root.weight"]
        };
        vec![(neighbours, &self.neighbours), (bias, &self.bias), (root, &self.root)]
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        vec![&mut self.neighbours, &mut self.bias, &mut self.root]
    }

    fn form(&self) -> Form {
        let parts = [(&self.neighbours, None), (&self.root, Some(&self.bias))];
        Form::new(&parts, Combination::Linear(Self::AGGREGATE))
    }
}
