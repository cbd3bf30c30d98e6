//! A layer as a function of single rows.
//!
//! Every layer is an affine map of each node's row, P = X·W + b, followed by a combination of the
//! node's own row of P with those of its neighbours. The matrices of a layer are concatenated in W.

use super::heads::Shape;
use crate::graph::{Aggregate, Messages, Topology};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// The function that a layer computes, without its gradient.
#[derive(Clone, Debug)]
pub struct Form {
    /// W.
    pub(crate) weight: Tensor,
    /// b, 0 for matrices without bias.
    pub(crate) bias: Vec<f32>,
    /// The combination with neighbours.
    pub(crate) combination: Combination,
    /// A bias of the output.
    pub(crate) last_bias: Option<Vec<f32>>,
}

/// How a node's own row of P is combined with those of its neighbours.
#[derive(Clone, Debug)]
pub(crate) enum Combination {
    /// Neighbours are ignored.
    Own,
    /// A linear step over the first columns, plus the node's own remaining columns, if any.
    Linear(Aggregate),
    /// A weighted sum over neighbours.
    Attention(Attention, Shape),
}

/// The score of messages, and the meaning of the columns of P.
#[derive(Clone, Debug)]
pub(crate) enum Attention {
    /// GAT. Values, then the sender's term of the score for every head, then the receiver's.
    Additive,
    /// GATv2, with its a as one row of all heads. Senders (also the values), then receivers.
    Mixed(Vec<f32>),
    /// Transformer. Keys, queries, values, then the term added to the sum.
    DotProduct,
}

impl Form {
    /// From matrices with their biases.
    pub(super) fn new(parts: &[(&Parameter, Option<&Parameter>)], combination: Combination) -> Form {
        let width = parts.iter().map(|(weight, _)| weight.value.columns()).sum();
        let inputs = parts.first().map_or(0, |(weight, _)| weight.value.rows());
        let (mut all, mut biases) = (Tensor::zeros(inputs, width), vec![0.0; width]);
        let mut start = 0;
        for (weight, bias) in parts {
            let columns = start..start + weight.value.columns();
            for row in 0..inputs {
                all.row_mut(row)[columns.clone()].copy_from_slice(weight.value.row(row));
            }
            if let Some(bias) = bias {
                biases[columns.clone()].copy_from_slice(bias.value.row(0));
            }
            start = columns.end;
        }
        Form { weight: all, bias: biases, combination, last_bias: None }
    }

    /// Adds a bias of the output.
    pub(super) fn and_bias(self, bias: Option<&Parameter>) -> Form {
        Form { last_bias: bias.map(|bias| bias.value.row(0).to_vec()), ..self }
    }

    /// Columns of P.
    pub(crate) fn width(&self) -> usize {
        self.weight.columns()
    }

    /// The messages that the layer reads, if any.
    pub(crate) fn messages<'a>(&self, topology: &'a Topology) -> Option<&'a Messages> {
        match &self.combination {
            Combination::Own => None,
            Combination::Linear(aggregate) => topology.propagation(*aggregate).map(|step| &*step.messages),
            // PyG's transformer layer adds no self loops; the other two do.
            Combination::Attention(Attention::DotProduct, _) => Some(topology.messages()),
            Combination::Attention(..) => Some(topology.looped()),
        }
    }
}
