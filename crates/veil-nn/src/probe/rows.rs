//! The evaluation of a network row by row, generic over the number type.

use veil_graph::NodeId;

use super::number::{Number, softmax};
use super::reach::Reach;
use crate::graph::{Aggregate, Topology};
use crate::kernels::activation::{ALPHA, Activation, SCALE};
use crate::kernels::attention::NEGATIVE_SLOPE;
use crate::layers::{Attention, BatchNorm, Combination, Form, Shape};

/// A layer and the normalisation that follows it.
#[derive(Debug)]
pub(super) struct Stage {
    pub form: Form,
    pub norm: Option<Norm>,
}

/// (x − mean)·scale + bias, by column.
#[derive(Debug)]
pub(super) struct Norm {
    mean: Vec<f32>,
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    /// From the running statistics.
    pub fn of(norm: &BatchNorm) -> Norm {
        let (mean, bias) = (norm.running_mean.row(0).to_vec(), norm.bias.value.row(0).to_vec());
        Norm { mean, scale: norm.learned_scale(), bias }
    }

    fn apply<N: Number>(&self, row: &mut [N]) {
        let columns = self.mean.iter().zip(&self.scale).zip(&self.bias);
        for (value, ((&mean, &scale), &bias)) in row.iter_mut().zip(columns) {
            *value = (*value - N::constant(mean)).scaled(scale) + N::constant(bias);
        }
    }
}

/// Rows of numbers, one after the other.
struct Rows<N> {
    width: usize,
    values: Vec<N>,
}

impl<N: Number> Rows<N> {
    fn zeros(rows: usize, width: usize) -> Rows<N> {
        Rows { width, values: vec![N::ZERO; rows * width] }
    }

    fn row(&self, row: usize) -> &[N] {
        &self.values[row * self.width..][..self.width]
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [N]> {
        self.values.chunks_exact_mut(self.width)
    }
}

/// The posteriors of the nodes of a reach, in its order, one row of classes per node.
///
/// `first` sets a node's row of X·W in the first layer.
pub(super) fn posteriors<N: Number>(
    stages: &[Stage],
    activation: Activation,
    topology: &Topology,
    reach: &Reach,
    mut first: impl FnMut(NodeId, &mut [N]),
) -> Vec<N> {
    let mut rows = Rows::zeros(0, 1);
    for (index, stage) in stages.iter().enumerate() {
        let nodes = reach.rows(index);
        let mut projected = Rows::zeros(nodes.len(), stage.form.width());
        for (place, (out, &node)) in projected.rows_mut().zip(nodes).enumerate() {
            if index == 0 {
                first(node, out);
            } else {
                multiply(rows.row(place), &stage.form, out);
            }
            add_bias(&stage.form.bias, out);
        }
        rows = combined(&stage.form, topology, reach, reach.rows(index + 1), projected);
        if index + 1 < stages.len() {
            for row in rows.rows_mut() {
                if let Some(norm) = &stage.norm {
                    norm.apply(row);
                }
                row.iter_mut().for_each(|value| *value = activated(activation, *value));
            }
        }
    }
    rows.rows_mut().for_each(softmax);
    rows.values
}

/// out = x·W, where out is zero.
fn multiply<N: Number>(x: &[N], form: &Form, out: &mut [N]) {
    for (row, &x) in x.iter().enumerate() {
        for (out, &weight) in out.iter_mut().zip(form.weight.row(row)) {
            *out = *out + x.scaled(weight);
        }
    }
}

fn add_bias<N: Number>(bias: &[f32], out: &mut [N]) {
    for (out, &bias) in out.iter_mut().zip(bias) {
        *out = *out + N::constant(bias);
    }
}

fn activated<N: Number>(activation: Activation, x: N) -> N {
    match activation {
        Activation::None => x,
        Activation::Relu if x.real() <= 0.0 => N::ZERO,
        Activation::Relu => x,
        Activation::Selu if x.real() > 0.0 => x.scaled(SCALE),
        Activation::Selu => x.exp_minus_one().scaled(SCALE * ALPHA),
    }
}

fn leaky<N: Number>(x: N) -> N {
    if x.real() > 0.0 { x } else { x.scaled(NEGATIVE_SLOPE) }
}

/// Combines the projected rows of these nodes, with which the reach begins, with those of their
/// neighbours.
fn combined<N: Number>(
    form: &Form,
    topology: &Topology,
    reach: &Reach,
    nodes: &[NodeId],
    projected: Rows<N>,
) -> Rows<N> {
    let mut out = match &form.combination {
        Combination::Own => projected,
        Combination::Linear(aggregate) => linear(*aggregate, topology, reach, nodes, &projected),
        Combination::Attention(attention, shape) => {
            let senders_of =
                |node: NodeId| form.messages(topology).map_or(&[][..], |from| from.received_by(node as usize));
            attend(attention, *shape, reach, nodes, senders_of, &projected)
        }
    };
    if let Some(bias) = &form.last_bias {
        out.rows_mut().for_each(|out| add_bias(bias, out));
    }
    out
}

fn linear<N: Number>(
    aggregate: Aggregate,
    topology: &Topology,
    reach: &Reach,
    nodes: &[NodeId],
    projected: &Rows<N>,
) -> Rows<N> {
    // The node's own columns follow those that are summed.
    let rooted = matches!(aggregate, Aggregate::Mean | Aggregate::Sum);
    let width = if rooted { projected.width / 2 } else { projected.width };
    let mut rows = Rows::<N>::zeros(nodes.len(), width);
    for (place, (out, &node)) in rows.rows_mut().zip(nodes).enumerate() {
        if let Some(step) = topology.propagation(aggregate) {
            let weights = step.messages.weights_of(node as usize);
            for (place, &sender) in step.messages.received_by(node as usize).iter().enumerate() {
                let factor = step.before.as_ref().map_or(1.0, |before| before[sender as usize]);
                let factor = weights.map_or(factor, |weights| factor * weights[place]);
                for (out, x) in out.iter_mut().zip(projected.row(reach.place(sender))) {
                    *out = *out + x.scaled(factor);
                }
            }
            if let Some(after) = &step.after {
                out.iter_mut().for_each(|out| *out = out.scaled(after[node as usize]));
            }
        }
        if rooted {
            for (out, &own) in out.iter_mut().zip(&projected.row(place)[width..]) {
                *out = *out + own;
            }
        }
    }
    rows
}

fn attend<'a, N: Number>(
    attention: &Attention,
    shape: Shape,
    reach: &Reach,
    nodes: &[NodeId],
    senders_of: impl Fn(NodeId) -> &'a [NodeId],
    projected: &Rows<N>,
) -> Rows<N> {
    let Shape { heads, channels } = shape;
    let width = shape.width();
    let values = if matches!(attention, Attention::DotProduct) { 2 * width } else { 0 };
    let mut rows = Rows::zeros(nodes.len(), width);
    let mut weights = Vec::new();
    for (place, (out, &node)) in rows.rows_mut().zip(nodes).enumerate() {
        let (own, senders) = (projected.row(place), senders_of(node));
        for head in 0..heads {
            weights.clear();
            let senders = || senders.iter().map(|&sender| projected.row(reach.place(sender)));
            weights.extend(senders().map(|sender| score(attention, shape, head, own, sender)));
            softmax(&mut weights);
            let columns = head * channels..(head + 1) * channels;
            for (&weight, sender) in weights.iter().zip(senders()) {
                for (out, &sent) in out[columns.clone()].iter_mut().zip(&sender[values..][columns.clone()]) {
                    *out = *out + weight * sent;
                }
            }
        }
        if matches!(attention, Attention::DotProduct) {
            for (out, &skip) in out.iter_mut().zip(&own[3 * width..]) {
                *out = *out + skip;
            }
        }
    }
    rows
}

/// The score of a message before the softmax.
fn score<N: Number>(attention: &Attention, shape: Shape, head: usize, own: &[N], sender: &[N]) -> N {
    let (width, columns) = (shape.width(), head * shape.channels..(head + 1) * shape.channels);
    match attention {
        Attention::Additive => leaky(sender[width + head] + own[width + shape.heads + head]),
        Attention::Mixed(factors) => {
            let own = &own[width..];
            columns.fold(N::ZERO, |sum, at| sum + leaky(sender[at] + own[at]).scaled(factors[at]))
        }
        Attention::DotProduct => {
            let query = &own[width..];
            let sum = columns.fold(N::ZERO, |sum, at| sum + query[at] * sender[at]);
            sum.scaled(1.0 / (shape.channels as f32).sqrt())
        }
    }
}
