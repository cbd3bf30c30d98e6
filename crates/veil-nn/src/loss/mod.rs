//! Losses on nodes with known labels, and their gradients.
//!
//! [`Targets`] are nodes with their labels; a [`Transition`] is the randomisation of labels before
//! their release. A [`Loss`] combines both, is checked once on construction, and gives its value
//! and gradient for any logits, which are the output of a network.
//!
//! Gradients use only arithmetic and this crate's own exponential, so training does not depend on
//! the system's library. The value uses the system's logarithm in double precision: it is printed,
//! and compared to select an epoch, but does not enter weights.

mod drop;
mod softmax;
mod targets;
mod transition;

#[cfg(test)]
mod tests;

pub use targets::{Targets, TargetsError};
pub use transition::{Transition, TransitionError};

use crate::graph::Topology;
use crate::tensor::Tensor;
use drop::Propagated;

/// LPGNN adds this to a probability before taking its logarithm.
const FLOOR: f64 = 1e-20;

/// The mean of a loss over nodes with labels.
///
/// ```
/// use veil_nn::Tensor;
/// use veil_nn::loss::{Loss, Targets};
/// let loss = Loss::cross_entropy(Targets::new(vec![(1, 0)], 2, 2)?);
/// let (value, gradient) = loss.value_and_gradient(&Tensor::from_rows(&[[9.0, 0.0], [0.0, 0.0]]));
/// assert!((value - 2f64.ln()).abs() < 1e-6);
/// assert_eq!((gradient.row(0), gradient.row(1)), (&[0.0, 0.0][..], &[-0.5, 0.5][..]));
/// # Ok::<(), veil_nn::loss::TargetsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Loss<'graph> {
    /// Labels as given.
    reported: Targets,
    /// Labels that the loss compares with.
    targets: Targets,
    kind: Kind<'graph>,
}

#[derive(Clone, Debug)]
enum Kind<'graph> {
    CrossEntropy,
    /// −ln(q + floor) with q = p·T.
    Corrected {
        transition: Transition,
        floor: f64,
    },
    Propagated(Propagated<'graph>),
    /// −Σ w_y·ln p_y, with a row of weights for each target.
    Soft {
        wanted: Vec<f32>,
        transition: Transition,
    },
}

/// Why parts of a loss do not fit together.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LossError {
    #[error("a transition between {transition} labels does not fit {classes} classes")]
    Classes { transition: usize, classes: usize },
    #[error("targets in a graph of {targets} nodes do not fit {found} nodes")]
    Nodes { targets: usize, found: usize },
    #[error("node {node} reports label {class}, which the transition never yields")]
    Impossible { node: u32, class: u32 },
    #[error("{found} weights do not fit {targets} targets of {classes} classes")]
    Weights { targets: usize, classes: usize, found: usize },
    #[error("node {node} is a target twice: with a label and with weights")]
    LabelledTwice { node: u32 },
}

impl<'graph> Loss<'graph> {
    /// Cross entropy: the mean of −ln softmax(logits)\[label\].
    pub fn cross_entropy(targets: Targets) -> Loss<'graph> {
        Loss { reported: targets.clone(), targets, kind: Kind::CrossEntropy }
    }

    /// Forward correction (Patrini et al. 2017): with p = softmax(logits) and q = p·T, the mean of
    /// −ln q\[reported label\].
    ///
    /// # Errors
    /// If the transition has another number of labels, or never yields a reported label.
    pub fn forward_correction(targets: Targets, transition: Transition) -> Result<Loss<'graph>, LossError> {
        fits(&targets, &transition)?;
        if let Some((node, class)) = targets.iter().find(|&(_, class)| transition.never_gives(class as usize)) {
            return Err(LossError::Impossible { node, class });
        }
        Ok(Loss { reported: targets.clone(), targets, kind: Kind::Corrected { transition, floor: 0.0 } })
    }

    /// Drop (LPGNN, Sajadmanesh and Gatica-Perez 2021, §3.3): label distributions are propagated
    /// like the reported labels.
    ///
    /// With q = p·T as in forward correction, s is the softmax of q after `hops` steps along the
    /// messages ([`Symmetric`](crate::graph::Aggregate::Symmetric)). The target of a node is the
    /// most frequent label after the same number of steps from the reported labels of `targets` and
    /// `others` (one-hot; zero for all other nodes). Ties go to the smallest class, so a node that
    /// no label reaches has class 0. The loss is the mean over `targets` of −ln(s\[target\] +
    /// 10⁻²⁰); without hops it is −ln(q\[reported label\] + 10⁻²⁰). Targets are computed once,
    /// here.
    ///
    /// In the published experiments `others` are the validation nodes.
    ///
    /// # Errors
    /// If the transition, the other labels or the graph do not fit the targets, or a node is in
    /// `targets` and `others`.
    pub fn drop(
        targets: Targets,
        others: Option<&Targets>,
        transition: Transition,
        topology: &'graph Topology,
        hops: usize,
    ) -> Result<Loss<'graph>, LossError> {
        fits(&targets, &transition)?;
        for found in others.map(Targets::nodes).into_iter().chain([topology.nodes()]) {
            if found != targets.nodes() {
                return Err(LossError::Nodes { targets: targets.nodes(), found });
            }
        }
        if let Some(others) = others {
            if others.classes() != targets.classes() {
                return Err(LossError::Classes { transition: transition.classes(), classes: others.classes() });
            }
            if let Some((node, _)) = others.iter().find(|&(node, _)| targets.contains(node)) {
                return Err(LossError::LabelledTwice { node });
            }
        }
        Ok(match Propagated::new(&targets, others, &transition, topology, hops) {
            None => Loss { reported: targets.clone(), targets, kind: Kind::Corrected { transition, floor: FLOOR } },
            Some((wanted, propagated)) => {
                Loss { reported: targets, targets: wanted, kind: Kind::Propagated(propagated) }
            }
        })
    }

    /// Cross entropy with beliefs instead of labels: the mean of −Σ w_y·ln softmax(logits)\[y\],
    /// with a row of weights `wanted` for each target, in the order of the targets. Their labels
    /// count for accuracy alone. The transition is that of reported labels in
    /// [`validation`](Loss::validation).
    ///
    /// # Errors
    /// If there is not one weight per target and class, or the transition has other classes.
    pub fn soft(targets: Targets, wanted: Vec<f32>, transition: Transition) -> Result<Loss<'graph>, LossError> {
        fits(&targets, &transition)?;
        let (found, classes) = (wanted.len(), targets.classes());
        if found != targets.len() * classes {
            return Err(LossError::Weights { targets: targets.len(), classes, found });
        }
        Ok(Loss { reported: targets.clone(), targets, kind: Kind::Soft { wanted, transition } })
    }

    /// The loss for validating the same training on other nodes: never propagated. For
    /// [`drop`](Loss::drop) it is −ln(q + 10⁻²⁰) of the reported labels, as in the published code.
    ///
    /// # Errors
    /// If the numbers of nodes or classes differ, or a label can never have been reported.
    pub fn validation(&self, targets: Targets) -> Result<Loss<'static>, LossError> {
        if targets.nodes() != self.targets.nodes() {
            return Err(LossError::Nodes { targets: self.targets.nodes(), found: targets.nodes() });
        }
        let (transition, floor) = match &self.kind {
            Kind::CrossEntropy if targets.classes() == self.targets.classes() => {
                return Ok(Loss::cross_entropy(targets));
            }
            Kind::CrossEntropy => {
                return Err(LossError::Classes { transition: self.targets.classes(), classes: targets.classes() });
            }
            Kind::Corrected { transition, floor: 0.0 } => return Loss::forward_correction(targets, transition.clone()),
            Kind::Corrected { transition, floor } => (transition, *floor),
            Kind::Propagated(propagated) => (propagated.transition(), FLOOR),
            Kind::Soft { transition, .. } => (transition, FLOOR),
        };
        fits(&targets, transition)?;
        Ok(Loss { reported: targets.clone(), targets, kind: Kind::Corrected { transition: transition.clone(), floor } })
    }

    /// The target nodes with their labels as given, against which accuracy is measured.
    pub fn reported(&self) -> &Targets {
        &self.reported
    }

    /// The target nodes with the labels that the loss compares with (for [`drop`](Loss::drop), the
    /// propagated ones).
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    /// The loss of these logits. Finite for finite logits; NaN only if a logit of a target is.
    ///
    /// # Panics
    /// If there is not one row per node and one column per class.
    pub fn value(&self, logits: &Tensor) -> f64 {
        self.evaluate(logits, None)
    }

    /// The loss, with its gradient for every logit. Rows of nodes that do not enter the loss are
    /// zero; with hops, neighbours do.
    ///
    /// # Panics
    /// If there is not one row per node and one column per class.
    pub fn value_and_gradient(&self, logits: &Tensor) -> (f64, Tensor) {
        let mut gradient = Tensor::zeros(logits.rows(), logits.columns());
        let value = self.evaluate(logits, Some(&mut gradient));
        (value, gradient)
    }

    fn evaluate(&self, logits: &Tensor, mut gradient: Option<&mut Tensor>) -> f64 {
        self.targets.assert_shape(logits);
        let (transition, floor) = match &self.kind {
            Kind::Propagated(propagated) => return propagated.evaluate(&self.targets, logits, gradient),
            Kind::Soft { wanted, .. } => return self.evaluate_soft(wanted, logits, gradient),
            Kind::CrossEntropy => (None, 0.0),
            Kind::Corrected { transition, floor } => (Some(transition), *floor),
        };
        let share = 1.0 / self.targets.len() as f64;
        // In node order, in double precision.
        let mut sum = 0.0;
        softmax::for_each(logits, &self.targets, |node, class, row| {
            let out = gradient.as_mut().map(|gradient| gradient.row_mut(node));
            sum += match transition {
                None => row.cross_entropy(class, share, out),
                Some(transition) if floor == 0.0 => row.corrected(transition.given(class), share, out),
                Some(transition) => row.corrected_above(floor, transition.given(class), share, out),
            };
        });
        sum * share
    }

    fn evaluate_soft(&self, wanted: &[f32], logits: &Tensor, mut gradient: Option<&mut Tensor>) -> f64 {
        let share = 1.0 / self.targets.len() as f64;
        let mut rows = wanted.chunks_exact(self.targets.classes());
        let mut sum = 0.0;
        softmax::for_each(logits, &self.targets, |node, _, row| {
            let out = gradient.as_mut().map(|gradient| gradient.row_mut(node));
            sum += rows.next().map_or(0.0, |wanted| row.soft(wanted, share, out));
        });
        sum * share
    }
}

fn fits(targets: &Targets, transition: &Transition) -> Result<(), LossError> {
    let (transition, classes) = (transition.classes(), targets.classes());
    if transition == classes { Ok(()) } else { Err(LossError::Classes { transition, classes }) }
}
