//! What attention layers share: heads side by side in a row.

use crate::graph::Messages;
use crate::kernels::attention::{Backward, Layout, Score, attend, receive, send};
use crate::parameter::Parameter;
use crate::storage::Storage;
use crate::tensor::Tensor;

/// The number of heads and their width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub heads: usize,
    pub channels: usize,
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

    fn layout(self) -> Layout {
        Layout::new(self.heads, self.channels)
    }

    /// The weighted sums of `values`, and the coefficients.
    pub fn attend(self, messages: &Messages, score: impl Score, values: &Tensor) -> (Tensor, Storage) {
        let mut sums = Tensor::zeros(messages.nodes(), self.width());
        let mut coefficients = Storage::scratch(messages.entries() * self.heads);
        attend(messages.lists(), self.layout(), score, values.values(), sums.values_mut(), &mut coefficients);
        (sums, coefficients)
    }

    /// The gradients, given that of the output of [`attend`](Shape::attend); those of the score
    /// have `columns` columns.
    pub fn backward(
        self,
        messages: &Messages,
        (score, columns): (impl Score, usize),
        values: &Tensor,
        coefficients: &[f32],
        gradient: &Tensor,
    ) -> Gradients {
        let nodes = messages.nodes();
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
