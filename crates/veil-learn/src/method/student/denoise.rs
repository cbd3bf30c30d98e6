//! Noisy labels of a few public nodes, denoised before a student learns from them.
//!
//! A network with thousands of weights learns noise by heart, and learns nothing from labels that
//! are mostly wrong. A linear model in the few directions in which public features differ has too
//! few weights for that, and knows the transition matrix of the randomised labels. Its predictions
//! for all public nodes, averaged over neighbours, are the labels of the student. It reads released
//! labels and public data alone, so it costs nothing.

use std::ops::ControlFlow;

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Features, Labels, Matrix, Part, Split};
use veil_nn::training::EpochMetrics;
use veil_nn::{Activation, Description, Input, Kind};

use super::class_sums::{embedding, smoothed};
use crate::error::LearnError;
use crate::fit::{ReportedLabels, fit_without_edges};
use crate::method::most_likely;
use crate::parameters::{Select, Training};

/// Directions for each class: as many as [class sums](super::class_sums) take where noise is small.
const DIRECTIONS_PER_CLASS: usize = 3;

/// Labels for every node that is not for testing, from those that were released of some.
pub(crate) fn denoised(data: &Dataset, reported: &ReportedLabels, seed: u64) -> Result<ReportedLabels, LearnError> {
    let features = data.features().ok_or(LearnError::NoFeatures)?;
    let classes = reported.classes();
    let dimensions = (DIRECTIONS_PER_CLASS * classes).min(features.columns()).min(features.rows());
    let points = embedding(data, dimensions)?.points(features)?;
    let mut rows = Matrix::zeros(points.len(), dimensions);
    for (row, point) in points.iter().enumerate() {
        // Points lie on the unit sphere; like this each direction has a size of about 1.
        let scaled = point.iter().map(|it| (it * (dimensions as f64).sqrt()) as f32);
        rows.row_mut(row).iter_mut().zip(scaled).for_each(|(to, it)| *to = it);
    }
    let averaged = Features::Dense(smoothed(data.graph(), &rows));
    let linear = Description {
        kind: Kind::Mlp,
        layers: 1,
        hidden: 1,
        heads: 1,
        activation: Activation::None,
        dropout: 0.0,
        batch_norm: false,
        bias: true,
    };
    // Enough steps to get to the bottom of a convex loss; the decay stands for a prior of deviation
    // 4 on a thousand labels.
    let how = Training { epochs: 200, lr: 0.05, weight_decay: 6e-3, select: Some(Select::Last), ..Training::default() };
    let unwatched = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let fitted = fit_without_edges(linear, &averaged, reported, &how, seed, unwatched)?;
    let posteriors = fitted.chosen.posteriors(&Input::without_graph(averaged)?)?.to_matrix();
    let likely = most_likely(&smoothed(data.graph(), &posteriors));
    let tested = |node: u32| data.split().is_some_and(|split| split.part(node) == Part::Test);
    let nodes = 0..data.nodes();
    let parts = nodes.clone().map(|node| if tested(node) { Part::Test } else { Part::Train }).collect();
    let labels = nodes.zip(likely).map(|(node, class)| (!tested(node)).then_some(class));
    let labels = Labels::new(classes as u32, labels).map_err(Misfit::from)?;
    ReportedLabels::of(&data.clone().with_labels(labels)?.with_split(Split::new(parts))?, None)
}
