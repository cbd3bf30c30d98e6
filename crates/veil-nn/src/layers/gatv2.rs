//! Y_v = Σ α_vu·L_u + b, α the softmax over u of a·LeakyReLU(L_u + R_v), L = X·W₁ + b₁, R = X·W₂ +
//! b₂ (Brody et al. 2022).
//!
//! Every node has one self loop.

use veil_graph::random::Random;

use super::form::{Attention, Combination, Form};
use super::heads::{Gradients, Shape};
use super::{Layer, Linear, Pass, Source, bias_backward, both};
use crate::graph::Topology;
use crate::kernels::attention::Mixed;
use crate::kernels::elementwise::{add, add_row, column_sums, multiply};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// Attention with a ranking of neighbours that depends on the receiver, as PyG's `GATv2Conv`.
#[derive(Clone, Debug)]
pub struct GatV2 {
    /// L.
    pub sender: Linear,
    /// R.
    pub receiver: Linear,
    /// a, one row per head.
    pub attention: Parameter,
    /// b.
    pub bias: Parameter,
    shape: Shape,
}

impl GatV2 {
    /// Glorot weights, their biases uniform in ±1/√inputs, the output bias zero.
    pub fn new(inputs: usize, channels: usize, heads: usize, random: &mut Random) -> GatV2 {
        let shape = Shape { heads, channels };
        GatV2 {
            sender: Linear::glorot(inputs, shape.width(), random).named(["lin_l.weight", "lin_l.bias"]),
            receiver: Linear::glorot(inputs, shape.width(), random).named(["lin_r.weight", "lin_r.bias"]),
            attention: Parameter::glorot(heads, channels, random),
            bias: Parameter::zeros(1, shape.width()),
            shape,
        }
    }
}

impl Layer for GatV2 {
    fn project(&self, source: Source) -> Vec<Tensor> {
        [&self.sender, &self.receiver].into_iter().flat_map(|part| part.project(source)).collect()
    }

    fn combine(&self, projected: Vec<Tensor>, topology: &Topology) -> Pass {
        let row = self.shape.row_of(&self.attention);
        let (senders, receivers) = (projected[0].values(), projected[1].values());
        let score = Mixed { senders, receivers, attention: row.values() };
        let (mut out, attention) = self.shape.attend(topology.looped(), score, &projected[0]);
        add_row(self.bias.value.values(), out.values_mut());
        Pass { projected, combined: Some(out), attention }
    }

    fn backward(&mut self, source: Source, pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        bias_backward(&mut self.bias, &gradient);
        let (senders, receivers) = (&pass.projected[0], &pass.projected[1]);
        let row = self.shape.row_of(&self.attention);
        let score = Mixed { senders: senders.values(), receivers: receivers.values(), attention: row.values() };
        let looped = source.topology().looped();
        let Gradients { values: mut of_senders, receivers: mut of_receivers, senders: mut scored } =
            self.shape.backward(looped, (score, senders.columns()), senders, &pass.attention, &gradient);

        let mut of_attention = scale_slopes(row.values(), receivers, &mut of_receivers);
        add(&scale_slopes(row.values(), senders, &mut scored), &mut of_attention);
        add(scored.values(), of_senders.values_mut());
        self.shape.set_gradient(&mut self.attention, &of_attention);

        both(self.sender.backward(source, pass, of_senders), self.receiver.backward(source, pass, of_receivers))
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        let own = [("att", &self.attention), ("bias", &self.bias)];
        [self.sender.parameters(), self.receiver.parameters(), own.to_vec()].concat()
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        let parts = [&mut self.sender, &mut self.receiver].into_iter().flat_map(|part| part.parameters_mut());
        parts.chain([&mut self.attention, &mut self.bias]).collect()
    }

    fn form(&self) -> Form {
        let attention = Attention::Mixed(self.shape.row_of(&self.attention).row(0).to_vec());
        Form::new(&[self.sender.part(), self.receiver.part()], Combination::Attention(attention, self.shape))
            .and_bias(Some(&self.bias))
    }
}

/// Multiplies Σ ∂s·LeakyReLU′ by a, which gives the gradient of x. Returns x∘Σ, the terms of the
/// gradient of a (see [`Mixed`]).
fn scale_slopes(attention: &[f32], x: &Tensor, slopes: &mut Tensor) -> Vec<f32> {
    let mut products = slopes.clone();
    multiply(x.values(), products.values_mut());
    for slopes in slopes.values_mut().chunks_exact_mut(attention.len()) {
        multiply(attention, slopes);
    }
    column_sums(products.values(), x.stride())
}
