//! From a release to networks, whatever was released.

use std::ops::ControlFlow;

use veil_graph::{Dataset, Features, Matrix, NodeId, Part, Split};
use veil_nn::training::EpochMetrics;
use veil_nn::{Input, Model};
use veil_privacy::release::{Privatised, Rounds};

use crate::bayes::Bayes;
use crate::by_bayes;
use crate::error::LearnError;
use crate::fit::{Fitted, Reported, Watch, fit, fit_alone};
use crate::network::network_input;
use crate::parameters::{Edges, Parameters, UseFeatures};
use crate::scaled::Scaled;
use crate::stack;
use crate::teaching::denoise::denoised;

/// A graph as a learner sees it: what was released of it, and the rounds of degree vectors that may still be asked.
#[derive(Debug)]
pub struct Seen<'a, 'd> {
    /// What was released; rounds that are asked are added to it.
    pub released: &'a mut Privatised,
    /// The rounds that are paid for.
    pub rounds: Option<&'a mut Rounds<'d>>,
}

impl Seen<'_, '_> {
    /// Asks one more round with these clusters, if there is one. Whether it was there.
    pub(crate) fn ask(&mut self, clusters: &[u32]) -> Result<bool, LearnError> {
        match self.rounds.as_deref_mut().filter(|rounds| rounds.left() > 0) {
            Some(rounds) => rounds.ask(self.released, clusters).map(|()| true).map_err(LearnError::from),
            None => Ok(false),
        }
    }
}

/// What was learned from a release: one network, or several of which each reads what the ones before it said.
#[derive(Debug)]
pub struct Learned {
    /// The networks, in their order. The last one answers.
    pub stages: Vec<Fitted>,
    /// How features are scaled for them.
    pub(crate) scaled: Scaled,
    /// How counts are read, where that is not for a network.
    pub(crate) bayes: Option<Bayes>,
}

/// Learns from a release. Further rounds of degree vectors are asked on the way, and added to it. With a second graph,
/// validation nodes are those of that one (Algorithm 2 of LPGNet, lines 15–24), and every round is asked of both.
///
/// # Errors
/// If a release lacks what is needed, the two do not fit together, or a training fails.
pub fn learn<'a, 'd>(
    train: Seen<'a, 'd>,
    validation: Option<Seen<'a, 'd>>,
    parameters: &Parameters,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Learned, LearnError> {
    let scaled = Scaled::of(train.released.data(), parameters);
    let joined = match &validation {
        None => train.released.data().clone(),
        Some(validation) => joined(train.released.data(), validation.released.data())?,
    };
    let reported = Reported::of(&joined, train.released.label_mechanism()?)?;
    let reported = if parameters.denoise { denoised(&joined, &reported, seed)? } else { reported };
    let mut bayes = None;
    let stages = if parameters.edges == Edges::DegreeVectors {
        let mut graphs: Vec<Seen<'_, '_>> = std::iter::once(train).chain(validation).collect();
        if parameters.reads_by_bayes() {
            let features = scaled.features(&joined)?.ok_or(LearnError::NoFeatures)?;
            let first = fit_alone(stack::description(parameters), &features, &reported, parameters, seed, watch)?;
            bayes = Some(by_bayes::learn(&mut graphs, &scaled, &reported, parameters, &first.chosen)?);
            vec![first]
        } else {
            stack::train(&mut graphs, &scaled, &reported, parameters, seed, watch)?
        }
    } else if joined.edges_withheld() || parameters.edges == Edges::Empty {
        let features = scaled.features(&joined)?.ok_or(LearnError::NoFeatures)?;
        vec![fit_alone(parameters.description(), &features, &reported, parameters, seed, watch)?]
    } else {
        let input = network_input(&joined, &scaled, parameters, parameters.kx)?;
        vec![fit(parameters.description(), &input, &reported, parameters, parameters.ky, seed.into(), watch)?]
    };
    Ok(Learned { stages, scaled, bayes })
}

/// Asks a new graph the rounds that networks need which were trained on another (Algorithm 3 of LPGNet). Networks on lists need
/// nothing more than the release.
///
/// # Errors
/// If networks and release do not fit together, or there are not enough rounds.
pub(crate) fn infer(
    graph: &mut Seen<'_, '_>,
    scaled: &Scaled,
    parameters: &Parameters,
    stages: &[Model],
    bayes: Option<&Bayes>,
) -> Result<(), LearnError> {
    if let (Some(bayes), Some(first)) = (bayes, stages.first()) {
        return by_bayes::infer(graph, scaled, parameters, first, bayes);
    }
    if parameters.edges == Edges::DegreeVectors {
        stack::infer(graph, scaled, parameters, stages)?;
    }
    Ok(())
}

/// Two graphs beside each other, where those for training are in the first and those for validation in the second.
fn joined(train: &Dataset, validation: &Dataset) -> Result<Dataset, LearnError> {
    let only = |data: &Dataset, part: Part| -> Result<Dataset, LearnError> {
        let split = data.split().ok_or(LearnError::NoSplit)?;
        let kept = (0..data.nodes()).map(|node| if split.part(node) == part { part } else { Part::None });
        Ok(data.clone().with_split(Split::new(kept.collect()))?)
    };
    Ok(only(train, Part::Train)?.stacked(&only(validation, Part::Val)?)?)
}

/// The edge-free twin: the same kind of network on the same released features and labels, without the released edges.
/// Without features it sees nothing of a node, and learns how frequent each class is.
///
/// What an attack finds in it, it did not find in the edges.
///
/// # Errors
/// If there are no labels, or training fails.
pub fn edge_free_twin(
    released: &Privatised,
    scaled: &Scaled,
    parameters: &Parameters,
    seed: u64,
) -> Result<(Fitted, Input), LearnError> {
    let reported = Reported::of(released.data(), released.label_mechanism()?)?;
    let nodes = released.data().nodes() as usize;
    let nothing = || Features::Dense(Matrix::zeros(nodes, 1));
    let features = if twin_reads_features(released, parameters) { scaled.features(released.data())? } else { None };
    let features = features.unwrap_or_else(nothing);
    let go_on = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let vectors = parameters.edges == Edges::DegreeVectors;
    let description = if vectors { stack::description(parameters) } else { parameters.description() };
    let fitted = fit_alone(description, &features, &reported, parameters, seed, go_on)?;
    Ok((fitted, Input::without_graph(features)?))
}

/// Whether the twin reads released features: a stack on degree vectors may have been told not to.
pub(crate) fn twin_reads_features(released: &Privatised, parameters: &Parameters) -> bool {
    let vectors = parameters.edges == Edges::DegreeVectors;
    released.data().features().is_some() && (!vectors || parameters.features == UseFeatures::Released)
}

/// The most likely class of each row, the first among equals.
pub fn most_likely(scores: &Matrix) -> Vec<u32> {
    let best = |row: &[f32]| {
        let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
        best.map_or(0, |class| class as NodeId)
    };
    (0..scores.rows()).map(|row| best(scores.row(row))).collect()
}
