//! The loss on propagated label distributions: LPGNN's Drop with at least one hop.

use super::targets::argmax;
use super::{FLOOR, Targets, Transition, softmax};
use crate::graph::{Aggregate, Propagation, Topology};
use crate::input::dense_times;
use crate::kernels::elementwise::multiply;
use crate::tensor::Tensor;

/// −ln(s + 10⁻²⁰) with s = softmax(Â^hops·p·T).
#[derive(Clone, Debug)]
pub struct Propagated<'graph> {
    transition: Transition,
    /// T and its transpose, as tensors.
    forward: Tensor,
    backward: Tensor,
    step: &'graph Propagation,
    hops: usize,
}

impl<'graph> Propagated<'graph> {
    /// The loss with the propagated targets; `None` without hops.
    pub fn new(
        targets: &Targets,
        others: Option<&Targets>,
        transition: &Transition,
        topology: &'graph Topology,
        hops: usize,
    ) -> Option<(Targets, Propagated<'graph>)> {
        let step = topology.propagation(Aggregate::Symmetric).filter(|_| hops > 0)?;
        let mut labels = Tensor::zeros(targets.nodes(), targets.classes());
        for (node, class) in targets.iter().chain(others.into_iter().flat_map(Targets::iter)) {
            labels.row_mut(node as usize)[class as usize] = 1.0;
        }
        let labels = step.apply(labels, hops);
        let targets = targets.relabelled(|node| argmax(labels.row(node as usize)));

        let classes = transition.classes();
        let mut backward = Tensor::zeros(classes, classes);
        for reported in 0..classes {
            let given = transition.given(reported);
            for (out, &chance) in backward.row_mut(reported).iter_mut().zip(given) {
                *out = chance as f32;
            }
        }
        let forward = backward.transposed();
        Some((targets, Propagated { transition: transition.clone(), forward, backward, step, hops }))
    }

    pub fn transition(&self) -> &Transition {
        &self.transition
    }

    /// The value, and the gradient into a zero tensor if there is one.
    pub fn evaluate(&self, targets: &Targets, logits: &Tensor, mut gradient: Option<&mut Tensor>) -> f64 {
        // All nodes, because distributions of neighbours matter too.
        let own = softmax::of_all(logits);
        let propagated = self.step.apply(dense_times(&own, &self.forward), self.hops);

        let share = 1.0 / targets.len() as f64;
        let mut sum = 0.0;
        softmax::for_each(&propagated, targets, |node, class, row| {
            let out = gradient.as_mut().map(|gradient| gradient.row_mut(node));
            sum += row.cross_entropy_above(FLOOR, class, share, out);
        });
        if let Some(gradient) = gradient {
            // Backward through the hops and T, then through the softmax: p·(g − Σ p·g).
            let of_reported = self.step.backward(std::mem::take(gradient), self.hops);
            *gradient = dense_times(&of_reported, &self.backward);
            for node in 0..logits.rows() {
                let own = own.row(node);
                let row = gradient.row_mut(node);
                let mean: f32 = row.iter().zip(own).map(|(gradient, own)| gradient * own).sum();
                row.iter_mut().for_each(|gradient| *gradient -= mean);
                multiply(own, row);
            }
        }
        sum * share
    }
}
