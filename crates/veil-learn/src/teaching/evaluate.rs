//! Scoring several releases with teachers that were trained once. What teachers say is raw private data: nothing here is a release.

use std::ops::ControlFlow;

use veil_graph::{Dataset, Labels, NodeId, Part, Split};
use veil_nn::optimiser::Adam;
use veil_privacy::answers::LabelRelease;
use veil_privacy::mechanism::RandomisedResponse;
use veil_privacy::{Coins, Truth};

use super::denoise::denoised;
use crate::error::LearnError;
use crate::fit::{Reported, Start, fit};
use crate::metrics::{Classification, classification};
use crate::network::network_input;
use crate::parameters::Parameters;
use crate::scaled::Scaled;

/// Labels that a release would let out of these posteriors.
pub fn labels(release: &LabelRelease, posteriors: &[Vec<f32>], coins: &Coins) -> Vec<u32> {
    let stream = coins.for_scoring(&format!("{};{}", release.name(), release.parameters()));
    (0..).zip(posteriors).map(|(question, posterior)| release.release(posterior, &mut stream.node(question))).collect()
}

/// The share of labels that are true, where the truth is known.
pub fn label_accuracy(public: &Dataset, queries: &[NodeId], labels: &[u32], _truth: &Truth) -> Option<f64> {
    let truth = public.labels()?;
    let known = queries.iter().zip(labels).filter_map(|(&node, &label)| Some(truth.get(node)? == label));
    let (right, all) = known.fold((0, 0), |(right, all), it| (right + usize::from(it), all + 1));
    (all > 0).then(|| right as f64 / all as f64)
}

/// What a student begins with.
#[derive(Clone, Copy, Debug)]
pub struct How<'a> {
    /// Its network and training.
    pub parameters: &'a Parameters,
    /// How many classes labels may have: some may have no public node.
    pub classes: u32,
    /// What is drawn.
    pub seed: u64,
    /// An optimiser that goes on from what teachers left, as in the published code of PrivGNN.
    pub adam: Option<&'a Adam>,
}

/// How good a student of such labels is on the public test nodes.
///
/// # Errors
/// If nothing can be learned.
pub fn student(
    public: &Dataset,
    queries: &[NodeId],
    labels: &[u32],
    mechanism: Option<RandomisedResponse>,
    How { parameters, classes, seed, adam }: How<'_>,
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
    let said = Labels::new(classes.max(truth.classes()), values).map_err(veil_graph::read::Misfit::from)?;
    let data = public.clone().with_labels(said)?.with_split(Split::new(parts))?;
    let input = network_input(&data, &Scaled::of(&data, parameters), parameters, parameters.kx)?;
    let reported = Reported::of(&data, mechanism)?;
    let reported = if parameters.denoise { denoised(&data, &reported, seed)? } else { reported };
    let go_on = &mut |_: &veil_nn::training::EpochMetrics| ControlFlow::Continue(());
    let start = Start { seed, adam };
    let fitted = fit(parameters.description(), &input, &reported, parameters, parameters.ky, start, go_on)?;
    let posteriors = fitted.chosen.posteriors(&input)?.to_matrix();
    Ok(classification(&posteriors, split.nodes(Part::Test).filter_map(|node| Some((node, truth.get(node)?)))))
}
