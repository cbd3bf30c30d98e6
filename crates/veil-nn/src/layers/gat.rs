//! Y_v = Σ α_vu·X_u·W + b, α the softmax over u of LeakyReLU(a·X_u·W + a′·X_v·W) (Veličković et al.
//! 2018).
//!
//! Every node has one self loop. Both terms of a score are linear in X·W. So they, and their
//! gradients, are products with a matrix that holds a and a′ of each head in the rows of that head.

use veil_graph::random::Random;

use super::form::{Attention, Combination, Form};
use super::heads::{Gradients, Shape};
use super::{Layer, Pass, Source, bias_backward};
use crate::graph::{Aggregate, Topology};
use crate::input::{dense_times, dense_transposed_times};
use crate::kernels::attention::Additive;
use crate::kernels::elementwise::{add, add_row};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// Attention, as PyG's `GATConv`.
#[derive(Clone, Debug)]
pub struct Gat {
    /// W.
    pub weight: Parameter,
    /// a, one row per head: the sender's term of a score.
    pub sender: Parameter,
    /// a′, one row per head: the receiver's term.
    pub receiver: Parameter,
    /// b.
    pub bias: Parameter,
    shape: Shape,
}

impl Gat {
    /// Glorot weights, zero bias.
    pub fn new(inputs: usize, channels: usize, heads: usize, random: &mut Random) -> Gat {
        let shape = Shape { heads, channels };
        Gat {
            weight: Parameter::glorot(inputs, shape.width(), random),
            sender: Parameter::glorot(heads, channels, random),
            receiver: Parameter::glorot(heads, channels, random),
            bias: Parameter::zeros(1, shape.width()),
            shape,
        }
    }

    /// The matrix that maps X·W to the senders' terms of all heads, then the receivers'.
    fn scoring(&self) -> Tensor {
        let Shape { heads, channels } = self.shape;
        let mut matrix = Tensor::zeros(self.shape.width(), 2 * heads);
        for head in 0..heads {
            for channel in 0..channels {
                let row = matrix.row_mut(head * channels + channel);
                row[head] = self.sender.value.row(head)[channel];
                row[heads + head] = self.receiver.value.row(head)[channel];
            }
        }
        matrix
    }
}

impl Layer for Gat {
    fn project(&self, source: Source) -> Vec<Tensor> {
        let values = source.product(Aggregate::Own, &self.weight);
        let scores = dense_times(&values, &self.scoring());
        vec![values, scores]
    }

    fn combine(&self, projected: Vec<Tensor>, topology: &Topology) -> Pass {
        let score = Additive { values: projected[1].values(), stride: projected[1].stride() };
        let (mut out, attention) = self.shape.attend(topology.looped(), score, &projected[0]);
        add_row(self.bias.value.values(), out.values_mut());
        Pass { projected, combined: Some(out), attention }
    }

    fn backward(&mut self, source: Source, pass: &Pass, gradient: Tensor) -> Option<Tensor> {
        bias_backward(&mut self.bias, &gradient);
        let (values, scores) = (&pass.projected[0], &pass.projected[1]);
        let score = Additive { values: scores.values(), stride: scores.stride() };
        let looped = source.topology().looped();
        let Gradients { values: mut of_values, receivers: mut of_scores, senders } =
            self.shape.backward(looped, (score, scores.columns()), values, &pass.attention, &gradient);
        // Senders' scores are in the first columns, receivers' in the last.
        add(senders.values(), of_scores.values_mut());
        add(dense_times(&of_scores, &self.scoring().transposed()).values(), of_values.values_mut());
        let of_scoring = dense_transposed_times(values, &of_scores);
        let Shape { heads, channels } = self.shape;
        for head in 0..heads {
            for channel in 0..channels {
                let row = of_scoring.row(head * channels + channel);
                self.sender.gradient.row_mut(head)[channel] = row[head];
                self.receiver.gradient.row_mut(head)[channel] = row[heads + head];
            }
        }
        source.product_backward(Aggregate::Own, &mut self.weight, of_values)
    }

    fn parameters(&self) -> Vec<(&'static str, &Parameter)> {
        let Gat { weight, sender, receiver, bias, .. } = self;
        vec![("lin.weight", weight), ("att_src", sender), ("att_dst", receiver), ("bias", bias)]
    }

    fn parameters_mut(&mut self) -> Vec<&mut Parameter> {
        vec![&mut self.weight, &mut self.sender, &mut self.receiver, &mut self.bias]
    }

    fn form(&self) -> Form {
        // Scores are linear in X too: X·W·(a, a′).
        let scores = Parameter::new(dense_times(&self.weight.value, &self.scoring()));
        let parts = [(&self.weight, None), (&scores, None)];
        Form::new(&parts, Combination::Attention(Attention::Additive, self.shape)).and_bias(Some(&self.bias))
    }
}
