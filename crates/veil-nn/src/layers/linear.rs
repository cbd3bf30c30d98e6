//! Y = X·W + b.

use veil_graph::random::Random;

use super::form::{Combination, Form};
use super::{Layer, Pass, Source, bias_backward};
use crate::graph::Aggregate;
use crate::kernels::elementwise::add_row;
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// A linear layer, as `torch.nn.Linear`.
#[derive(Clone, Debug)]
pub struct Linear {
    /// W.
    pub weight: Parameter,
    /// b.
    pub bias: Option<Parameter>,
}

impl Linear {
    /// Weights and bias uniform in ±1/√inputs.
    pub fn new(inputs: usize, outputs: usize, bias: bool, random: &mut Random) -> Linear {
        let weight = Parameter::kaiming(inputs, outputs, inputs, random);
        Linear { weight, bias: bias.then(|| Parameter::kaiming(1, outputs, inputs, random)) }
    }
}

impl Layer for Linear {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let mut out = source.product(Aggregate::Own, &self.weight);
        if let Some(bias) = &self.bias {
            add_row(bias.value.values(), out.values_mut());
        }
        vec![out]
    }

    fn backward(&mut self, source: Source, _pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        if let Some(bias) = &mut self.bias {
            bias_backward(bias, &gradient);
        }
        source.product_backward(Aggregate::Own, &mut self.weight, gradient)
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        let bias = self.bias.as_ref().map(|bias| ("bias", bias));
        std::iter::once(("weight", &self.weight)).chain(bias).collect()
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        std::iter::once(&mut self.weight).chain(&mut self.bias).collect()
    }

    fn form(&self) -> Form {
        Form::new(&[(&self.weight, self.bias.as_ref())], Combination::Own)
    }
}
