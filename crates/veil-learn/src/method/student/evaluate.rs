//! Several mechanisms scored with teachers that are trained once. Posteriors of teachers are raw
//! private data: nothing here is a release.

use std::ops::ControlFlow;

use veil_graph::{Dataset, Labels, NodeId, Part, Split};
use veil_nn::optimiser::Adam;
use veil_privacy::answers::LabelRelease;
use veil_privacy::mechanism::RandomisedResponse;
use veil_privacy::{Coins, Truth};

use super::Learner;
use super::denoise::denoised;
use crate::error::LearnError;
use crate::fit::{ReportedLabels, Start, fit};
use crate::method::on_graph::network_input;
use crate::metrics::{Classification, classification};
use crate::scaled::Scaled;

/// The labels that a mechanism would release of these posteriors.
pub fn labels(release: &LabelRelease, posteriors: &[Vec<f32>], coins: &Coins) -> Vec<u32> {
    let stream = coins.for_scoring(&format!("{};{}", release.name(), release.parameters()));
    (0..).zip(posteriors).map(|(query, posterior)| release.release(posterior, &mut stream.node(query))).collect()
}

/// The share of labels that are true, where the truth is known.
pub fn label_accuracy(public: &Dataset, queries: &[NodeId], labels: &[u32], _truth: &Truth) -> Option<f64> {
    let truth = public.labels()?;
    let known = queries.iter().zip(labels).filter_map(|(&node, &label)| Some(truth.get(node)? == label));
    let (right, all) = known.fold((0, 0), |(right, all), it| (right + usize::from(it), all + 1));
    (all > 0).then(|| right as f64 / all as f64)
}

/// How a student learns.
#[derive(Clone, Copy, Debug)]
pub struct StudentOptions<'a> {
    /// Its network and training.
    pub learner: &'a Learner,
    /// Whether labels are denoised first.
    pub denoise: bool,
    /// Number of classes: some may have no public node.
    pub classes: u32,
    /// The seed.
    pub seed: u64,
    /// An optimiser with the state of the teachers, as in the published code of PrivGNN.
    pub adam: Option<&'a Adam>,
}

/// The accuracy of a student of such labels on the public test nodes.
///
/// # Errors
/// If nothing can be learned.
pub fn student(
    public: &Dataset,
    queries: &[NodeId],
    labels: &[u32],
    mechanism: Option<RandomisedResponse>,
    StudentOptions { learner, denoise, classes, seed, adam }: StudentOptions<'_>,
    _truth: &Truth,
) -> Result<Option<Classification>, LearnError> {
    let truth = public.labels().ok_or(LearnError::NoLabels)?;
    let mut values = vec![None; public.nodes() as usize];
    let split = public.split().ok_or(LearnError::NoSplit)?;
    let tested = |node| if split.part(node) == Part::Test { Part::Test } else { Part::None };
    let mut parts: Vec<Part> = (0..public.nodes()).map(tested).collect();
    for (&node, &label) in queries.iter().zip(labels) {
        (values[node as usize], parts[node as usize]) = (Some(label), Part::Train);
    }
    let released = Labels::new(classes.max(truth.classes()), values).map_err(veil_graph::read::Misfit::from)?;
    let data = public.clone().with_labels(released)?.with_split(Split::new(parts))?;
    let Learner { network, propagation, training } = learner;
    let input = network_input(&data, &Scaled::default(), true, propagation.kx)?;
    let reported = ReportedLabels::of(&data, mechanism)?;
    let reported = if denoise { denoised(&data, &reported, seed)? } else { reported };
    let unwatched = &mut |_: &veil_nn::training::EpochMetrics| ControlFlow::Continue(());
    let start = Start { seed, adam };
    let fitted = fit(network.description(), &input, &reported, training, propagation.ky, start, unwatched)?;
    let posteriors = fitted.chosen.posteriors(&input)?.to_matrix();
    Ok(classification(&posteriors, split.nodes(Part::Test).filter_map(|node| Some((node, truth.get(node)?)))))
}
