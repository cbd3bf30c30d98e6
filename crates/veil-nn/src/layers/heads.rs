//! What attention layers share: heads side by side in a row, and their combination.

use crate::graph::Messages;
use crate::kernels::attention::{Backward, Layout, Score, attend, receive, send};
use crate::parameter::Parameter;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// How the heads of an attention layer are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heads {
    /// Concatenated: the output has heads × channels columns.
    Concat,
    /// Averaged: the output has as many columns as a head has channels.
    Mean,
}

/// The number of heads, their width and their combination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub heads: usize,
    pub channels: usize,
    pub join: Heads,
}

/// The gradients of one attention.
pub(crate) struct Gradients {
    /// Of the rows that were summed.
    pub values: Tensor,
    /// The result of [`Score::receive`].
    pub receivers: Tensor,
    /// The result of [`Score::send`].
    pub senders: Tensor,
}

impl Shape {
    /// Columns of all heads together.
    pub fn width(self) -> usize {
        self.heads * self.channels
    }

    /// Columns of the output.
    pub fn outputs(self) -> usize {
        match self.join {
            Heads::Concat => self.width(),
            Heads::Mean => self.channels,
        }
    }

    fn layout(self) -> Layout {
        Layout::new(self.heads, self.channels)
    }

    /// The weighted sums of `values` with heads combined, and the coefficients.
    pub fn attend(self, messages: &Messages, score: impl Score, values: &Tensor) -> (Tensor, Storage) {
        let mut sums = Tensor::zeros(messages.nodes(), self.width());
        let mut coefficients = Storage::scratch(messages.entries() * self.heads);
        attend(messages.lists(), self.layout(), score, values.values(), sums.values_mut(), &mut coefficients);
        (self.joined(sums), coefficients)
    }

    /// The gradients, given that of the output of [`attend`](Shape::attend); those of the score
    /// have `columns` columns.
    pub fn backward(
        self,
        messages: &Messages,
        (score, columns): (impl Score, usize),
        values: &Tensor,
        coefficients: &[f32],
        gradient: Tensor,
    ) -> Gradients {
        let nodes = messages.nodes();
        let gradient = self.spread(gradient);
        let of =
            Backward { layout: self.layout(), score, x: values.values(), coefficients, gradient: gradient.values() };
        let mut scores = Storage::scratch(messages.entries() * self.heads);
        let mut receivers = Tensor::zeros(nodes, columns);
        let mut senders = Tensor::zeros(nodes, columns);
        let stride = receivers.stride();
        receive(messages.lists(), of, &mut scores, stride, receivers.values_mut());
        let mut values = Tensor::zeros(nodes, self.width());
        let reverse = messages.reverse();
        let lists = (reverse.lists(), reverse.entries());
        send(lists, of, &scores, values.values_mut(), stride, senders.values_mut());
        Gradients { values, receivers, senders }
    }

    /// Combines heads into the output.
    fn joined(self, sums: Tensor) -> Tensor {
        if self.heads == 1 || self.join == Heads::Concat {
            return sums;
        }
        let scale = 1.0 / self.heads as f32;
        let mut out = Tensor::zeros(sums.rows(), self.channels);
        for row in 0..sums.rows() {
            let out = out.row_mut(row);
            for head in sums.row(row).chunks_exact(self.channels) {
                for (out, &value) in out.iter_mut().zip(head) {
                    *out += value * scale;
                }
            }
        }
        out
    }

    /// The gradient of the heads, given that of the output.
    fn spread(self, gradient: Tensor) -> Tensor {
        if self.heads == 1 || self.join == Heads::Concat {
            return gradient;
        }
        let scale = 1.0 / self.heads as f32;
        let mut out = Tensor::zeros(gradient.rows(), self.width());
        for row in 0..gradient.rows() {
            for head in out.row_mut(row).chunks_exact_mut(self.channels) {
                for (out, &value) in head.iter_mut().zip(gradient.row(row)) {
                    *out = value * scale;
                }
            }
        }
        out
    }

    /// A parameter with one row per head, as a single row.
    pub fn row_of(self, parameter: &Parameter) -> Tensor {
        let mut row = Tensor::zeros(1, self.width());
        for (head, out) in row.row_mut(0).chunks_exact_mut(self.channels).enumerate() {
            out.copy_from_slice(parameter.value.row(head));
        }
        row
    }

    /// Sets the gradient of a parameter with one row per head from a single row.
    pub fn set_gradient(self, parameter: &mut Parameter, row: &[f32]) {
        for (head, values) in row.chunks_exact(self.channels).take(self.heads).enumerate() {
            parameter.gradient.row_mut(head).copy_from_slice(values);
        }
    }
}
