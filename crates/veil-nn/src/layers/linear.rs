//! Layers that are linear in X: Y = Op·X·W + X·W₂ + b.
//!
//! - Linear: X·W + b.
//! - GCN (Kipf and Welling 2017): Â·X·W + b with Â_vu = 1/√(d_v·d_u). Every node has one self loop;
//!   d_v is the number of messages that v receives, its own included.
//! - GraphSAGE (Hamilton et al. 2017): the mean of neighbours, 0 without messages, and the node
//!   itself.
//! - GraphConv (Morris et al. 2019): the sum of neighbours, and the node itself.

use veil_graph::random::Random;

use super::form::{Combination, Form};
use super::{Layer, Pass, Source, bias_backward, both};
use crate::graph::Aggregate;
use crate::kernels::elementwise::{add, add_row};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// A linear layer.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Op.
    aggregate: Aggregate,
    weight: Parameter,
    bias: Option<Parameter>,
    /// W₂.
    root: Option<Parameter>,
    /// Of the three parameters.
    names: [&'static str; 3],
}

impl Linear {
    /// As `torch.nn.Linear`: weights and bias uniform in ±1/√inputs.
    pub fn new(inputs: usize, outputs: usize, bias: bool, random: &mut Random) -> Linear {
        let weight = Parameter::kaiming(inputs, outputs, inputs, random);
        Linear::of(weight, bias.then(|| Parameter::kaiming(1, outputs, inputs, random)))
    }

    /// Glorot weights, bias uniform in ±1/√inputs.
    pub(super) fn glorot(inputs: usize, outputs: usize, random: &mut Random) -> Linear {
        let weight = Parameter::glorot(inputs, outputs, random);
        Linear::of(weight, Some(Parameter::kaiming(1, outputs, inputs, random)))
    }

    fn of(weight: Parameter, bias: Option<Parameter>) -> Linear {
        Linear { aggregate: Aggregate::Own, weight, bias, root: None, names: ["weight", "bias", ""] }
    }

    /// As PyG's `GCNConv`: Glorot weights, zero bias.
    pub fn gcn(inputs: usize, outputs: usize, random: &mut Random) -> Linear {
        let own = Linear::of(Parameter::glorot(inputs, outputs, random), Some(Parameter::zeros(1, outputs)));
        Linear { aggregate: Aggregate::Gcn, ..own.named(["lin.weight", "bias"]) }
    }

    /// As PyG's `SAGEConv`: weights and bias uniform in ±1/√inputs.
    pub fn sage(inputs: usize, outputs: usize, random: &mut Random) -> Linear {
        Linear::rooted(Aggregate::Mean, ["lin_l.weight", "lin_l.bias", "lin_r.weight"], inputs, outputs, random)
    }

    /// As PyG's `GraphConv`: weights and bias uniform in ±1/√inputs.
    pub fn graph_conv(inputs: usize, outputs: usize, random: &mut Random) -> Linear {
        Linear::rooted(Aggregate::Sum, ["lin_rel.weight", "lin_rel.bias", "lin_root.weight"], inputs, outputs, random)
    }

    fn rooted(
        aggregate: Aggregate,
        names: [&'static str; 3],
        inputs: usize,
        outputs: usize,
        random: &mut Random,
    ) -> Linear {
        let own = Linear::new(inputs, outputs, true, random);
        Linear { aggregate, root: Some(Parameter::kaiming(inputs, outputs, inputs, random)), names, ..own }
    }

    /// The same as part of another layer, which calls its weight and bias so.
    pub(super) fn named(self, [weight, bias]: [&'static str; 2]) -> Linear {
        Linear { names: [weight, bias, ""], ..self }
    }

    /// W and b.
    pub(super) fn part(&self) -> (&Parameter, Option<&Parameter>) {
        (&self.weight, self.bias.as_ref())
    }
}

impl Layer for Linear {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let mut out = source.product(self.aggregate, &self.weight);
        if let Some(root) = &self.root {
            add(source.product(Aggregate::Own, root).values(), out.values_mut());
        }
        if let Some(bias) = &self.bias {
            add_row(bias.value.values(), out.values_mut());
        }
        vec![out]
    }

    fn backward(&mut self, source: Source, _pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        if let Some(bias) = &mut self.bias {
            bias_backward(bias, &gradient);
        }
        let root = self.root.as_mut().and_then(|root| source.product_backward(Aggregate::Own, root, gradient.clone()));
        both(source.product_backward(self.aggregate, &mut self.weight, gradient), root)
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        let parameters = std::iter::once(&self.weight).chain(&self.bias).chain(&self.root);
        self.names.into_iter().zip(parameters).collect()
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        std::iter::once(&mut self.weight).chain(&mut self.bias).chain(&mut self.root).collect()
    }

    fn form(&self) -> Form {
        let (weight, bias) = self.part();
        match (self.aggregate, &self.root) {
            (Aggregate::Own, _) => Form::new(&[(weight, bias)], Combination::Own),
            (aggregate, Some(root)) => Form::new(&[(weight, None), (root, bias)], Combination::Linear(aggregate)),
            (aggregate, None) => Form::new(&[(weight, None)], Combination::Linear(aggregate)).and_bias(bias),
        }
    }
}
