//! Y_v = Σ α_vu·V_u + S_v, α the softmax over u of Q_v·K_u/√channels; Q, K, V and S are linear in X
//! (Shi et al. 2021).
//!
//! For a node without messages, Y_v = S_v.

use veil_graph::random::Random;

use super::form::{Attention, Combination, Form};
use super::heads::{Gradients, Shape};
use super::{Layer, Linear, Pass, Source, both};
use crate::graph::Topology;
use crate::kernels::attention::DotProduct;
use crate::kernels::elementwise::add;
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// Dot-product attention over neighbours, as PyG's `TransformerConv`.
#[derive(Clone, Debug)]
pub struct Transformer {
    /// K.
    pub key: Linear,
    /// Q.
    pub query: Linear,
    /// V.
    pub value: Linear,
    /// S.
    pub skip: Linear,
    shape: Shape,
}

impl Transformer {
    /// Weights and biases uniform in ±1/√inputs.
    pub fn new(inputs: usize, channels: usize, heads: usize, random: &mut Random) -> Transformer {
        let shape = Shape { heads, channels };
        let mut part = |names| Linear::new(inputs, shape.width(), true, random).named(names);
        Transformer {
            key: part(["lin_key.weight", "lin_key.bias"]),
            query: part(["lin_query.weight", "lin_query.bias"]),
            value: part(["lin_value.weight", "lin_value.bias"]),
            skip: part(["lin_skip.weight", "lin_skip.bias"]),
            shape,
        }
    }

    fn score<'a>(&self, projected: &'a [Tensor]) -> DotProduct<'a> {
        let scale = 1.0 / (self.shape.channels as f32).sqrt();
        DotProduct { keys: projected[0].values(), queries: projected[1].values(), scale }
    }
}

impl Layer for Transformer {
    fn project(&self, source: Source) -> Vec<Tensor> {
        [&self.key, &self.query, &self.value, &self.skip].into_iter().flat_map(|part| part.project(source)).collect()
    }

    fn combine(&self, projected: Vec<Tensor>, topology: &Topology) -> Pass {
        let (mut out, attention) = self.shape.attend(topology.messages(), self.score(&projected), &projected[2]);
        add(projected[3].values(), out.values_mut());
        Pass { projected, combined: Some(out), attention }
    }

    fn backward(&mut self, source: Source, pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        let messages = source.topology().messages();
        let skip = self.skip.backward(source, pass, gradient.clone());
        let (score, values) = (self.score(&pass.projected), &pass.projected[2]);
        let Gradients { values, receivers, senders } =
            self.shape.backward(messages, (score, values.columns()), values, &pass.attention, &gradient);
        let key = self.key.backward(source, pass, senders);
        let query = self.query.backward(source, pass, receivers);
        let value = self.value.backward(source, pass, values);
        both(both(key, query), both(value, skip))
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        [&self.key, &self.query, &self.value, &self.skip].into_iter().flat_map(|part| part.parameters()).collect()
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        let parts = [&mut self.key, &mut self.query, &mut self.value, &mut self.skip];
        parts.into_iter().flat_map(|part| part.parameters_mut()).collect()
    }

    fn form(&self) -> Form {
        let parts = [&self.key, &self.query, &self.value, &self.skip].map(Linear::part);
        Form::new(&parts, Combination::Attention(Attention::DotProduct, self.shape))
    }
}
