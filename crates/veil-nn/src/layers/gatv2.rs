//! Y_v = Σ α_vu·L_u + b, α the softmax over u of a·LeakyReLU(L_u + R_v), L = X·W₁ + b₁, R = X·W₂ +
//! b₂ (Brody et al. 2022).
//!
//! Every node has one self loop.

use veil_graph::random::Random;

use super::form::{Attention, Combination, Form};
use super::heads::{Gradients, Shape};
use super::{Heads, Layer, Pass, Source, bias_backward, both, parameters};
use crate::graph::{Aggregate, Topology};
use crate::kernels::attention::Mixed;
use crate::kernels::elementwise::{add, add_row, column_sums, multiply};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// Attention with a ranking of neighbours that depends on the receiver, as PyG's `GATv2Conv`.
#[derive(Clone, Debug)]
pub struct GatV2 {
    /// W₁.
    pub sender: Parameter,
    /// b₁.
    pub sender_bias: Parameter,
    /// W₂.
    pub receiver: Parameter,
    /// b₂.
    pub receiver_bias: Parameter,
    /// a, one row per head.
    pub attention: Parameter,
    /// b.
    pub bias: Parameter,
    shape: Shape,
}

impl GatV2 {
    /// Glorot weights, their biases uniform in ±1/√inputs, the output bias zero.
    pub fn new(inputs: usize, channels: usize, heads: usize, join: Heads, random: &mut Random) -> GatV2 {
        let shape = Shape { heads, channels, join };
        GatV2 {
            sender: Parameter::glorot(inputs, shape.width(), random),
            sender_bias: Parameter::kaiming(1, shape.width(), inputs, random),
            receiver: Parameter::glorot(inputs, shape.width(), random),
            receiver_bias: Parameter::kaiming(1, shape.width(), inputs, random),
            attention: Parameter::glorot(heads, channels, random),
            bias: Parameter::zeros(1, shape.outputs()),
            shape,
        }
    }
}

impl Layer for GatV2 {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let mut senders = source.product(Aggregate::Own, &self.sender);
        add_row(self.sender_bias.value.values(), senders.values_mut());
        let mut receivers = source.product(Aggregate::Own, &self.receiver);
        add_row(self.receiver_bias.value.values(), receivers.values_mut());
        vec![senders, receivers]
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
            self.shape.backward(looped, (score, senders.columns()), senders, &pass.attention, gradient);

        let mut of_attention = scale_slopes(row.values(), receivers, &mut of_receivers);
        add(&scale_slopes(row.values(), senders, &mut scored), &mut of_attention);
        add(scored.values(), of_senders.values_mut());
        self.shape.set_gradient(&mut self.attention, &of_attention);

        bias_backward(&mut self.sender_bias, &of_senders);
        bias_backward(&mut self.receiver_bias, &of_receivers);
        let sender = source.product_backward(Aggregate::Own, &mut self.sender, of_senders);
        both(sender, source.product_backward(Aggregate::Own, &mut self.receiver, of_receivers))
    }

    parameters! {
        "lin_l.weight": sender, "lin_l.bias": sender_bias, "lin_r.weight": receiver, "lin_r.bias": receiver_bias,
        "att": attention, "bias": bias
    }

    fn form(&self) -> Form {
        let parts = [(&self.sender, Some(&self.sender_bias)), (&self.receiver, Some(&self.receiver_bias))];
        let attention = Attention::Mixed(self.shape.row_of(&self.attention).row(0).to_vec());
        Form::new(&parts, Combination::Attention(attention, self.shape)).and_bias(&self.bias)
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
