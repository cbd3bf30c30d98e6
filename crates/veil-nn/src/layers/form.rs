//! A layer as single rows are evaluated.
//!
//! Every layer is an affine map of each node's row, P = X·W + b, and then something that a node makes of its own P and of
//! those of the nodes that it hears. Matrices of a layer stand side by side in W.

use super::heads::Shape;
use crate::graph::{Aggregate, Messages, Topology};
use crate::parameter::Parameter;
use crate::tensor::Tensor;

/// What a layer computes, without its gradient.
#[derive(Clone, Debug)]
pub struct Form {
    /// W.
    pub(crate) weight: Tensor,
    /// b, 0 where a matrix has none.
    pub(crate) bias: Vec<f32>,
    /// What a node makes of what it hears.
    pub(crate) combination: Combination,
    /// Added to the output, if anything is.
    pub(crate) last_bias: Option<Vec<f32>>,
}

/// What a node makes of its own P and of those that it hears.
#[derive(Clone, Debug)]
pub(crate) enum Combination {
    /// Its own, as it is.
    Own,
    /// A linear step over the first columns; if there are as many again, those of the node itself are added.
    Linear(Aggregate),
    /// A weighted sum.
    Attention(Attention, Shape),
}

/// Which scores weigh the messages, and what the columns of P are.
#[derive(Clone, Debug)]
pub(crate) enum Attention {
    /// GAT. Values, then what every head's sender adds to a score, then what its receiver adds.
    Additive,
    /// GATv2, with its a as one row of all heads. Senders (which are also the values), then receivers.
    Mixed(Vec<f32>),
    /// Transformer. Keys, queries, values, then what is added at the end.
    DotProduct,
}

impl Form {
    /// Of these matrices and their biases.
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

    /// The same, with a bias at the end.
    pub(super) fn and_bias(self, bias: &Parameter) -> Form {
        Form { last_bias: Some(bias.value.row(0).to_vec()), ..self }
    }

    /// Columns of P.
    pub(crate) fn width(&self) -> usize {
        self.weight.columns()
    }

    /// Whom a node hears, if it listens at all.
    pub(crate) fn messages<'a>(&self, topology: &'a Topology) -> Option<&'a Messages> {
        match &self.combination {
            Combination::Own => None,
            Combination::Linear(aggregate) => topology.propagation(*aggregate).map(|step| step.messages()),
            // PyG's transformer layer adds no loops; its other two do.
            Combination::Attention(Attention::DotProduct, _) => Some(topology.messages()),
            Combination::Attention(..) => Some(topology.looped()),
        }
    }
}
