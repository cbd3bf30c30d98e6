//! Requests the rounds of counts that [`bayes`](super::bayes) reads.

use veil_graph::{Matrix, Part};
use veil_nn::Model;
use veil_privacy::release::{Privatised, Question};

use super::bayes::{Bayes, Evidence, Noise, Scores};
use crate::error::LearnError;
use crate::learn::{TrainingData, TrainingView};
use crate::method::most_likely;
use crate::method::on_graph::network_input;
use crate::scaled::Scaled;

/// Requests all rounds of every graph, and learns to read them; validation labels are those of the
/// last graph.
pub(super) fn learn(
    data: &mut TrainingData<'_, '_>,
    rounds: u32,
    noise: Noise,
    network: &Model,
) -> Result<Bayes, LearnError> {
    let TrainingData { graphs, labels, scaled, .. } = data;
    let logits =
        graphs.iter().map(|graph| logits(network, graph.released, scaled)).collect::<Result<Vec<_>, LearnError>>()?;
    let (Some(first), Some(last)) = (graphs.first(), graphs.last()) else { return Err(LearnError::NoVectors) };
    let training: Vec<Evidence> = labels.evidence(first.released.data(), Part::Train);
    let validation: Vec<Evidence> = labels.evidence(last.released.data(), Part::Val);
    if validation.is_empty() {
        return Err(LearnError::NoValidationLabels);
    }
    let mut bayes = Bayes::calibrated(&logits[logits.len() - 1], &validation);
    for round in 0..rounds as usize {
        let mut scores = Vec::new();
        for (graph, logits) in graphs.iter_mut().zip(&logits) {
            let before = bayes.scores(logits, graph.released.vectors(), noise);
            request(graph, round, &before)?;
            scores.push(before);
        }
        let of = |place: usize| (&scores[place], &graphs[place].released.vectors()[round]);
        let ((scores, counts), (others, their_counts)) = (of(0), of(graphs.len() - 1));
        bayes.learn(noise, (scores, counts, &training), (others, their_counts, &validation));
    }
    let (without, released) = (&logits[logits.len() - 1], graphs.last().map(|graph| graph.released.vectors()));
    let with = bayes.scores(without, released.unwrap_or_default(), noise);
    if with.wrong(&validation) > without.wrong(&validation) {
        bayes.fall_back();
    }
    Ok(bayes)
}

/// Requests all rounds of a new graph (LPGNet, Algorithm 3).
pub(super) fn infer(
    graph: &mut TrainingView<'_, '_>,
    scaled: &Scaled,
    (rounds, noise): (u32, Noise),
    network: &Model,
    bayes: &Bayes,
) -> Result<(), LearnError> {
    let logits = logits(network, graph.released, scaled)?;
    for round in 0..rounds as usize {
        let before = bayes.scores(&logits, &graph.released.vectors()[..round], noise);
        request(graph, round, &before)?;
    }
    Ok(())
}

/// Posteriors of every node of a graph whose rounds are complete.
pub(super) fn posteriors(
    released: &Privatised,
    scaled: &Scaled,
    noise: Noise,
    network: &Model,
    bayes: &Bayes,
) -> Result<Matrix, LearnError> {
    let logits = logits(network, released, scaled)?;
    Ok(bayes.scores(&logits, released.vectors(), noise).posteriors())
}

fn request(graph: &mut TrainingView<'_, '_>, round: usize, scores: &Scores) -> Result<(), LearnError> {
    let present = graph.released.vectors().len() > round;
    if present || graph.request(Question::Clusters(&most_likely(&scores.posteriors())))? {
        Ok(())
    } else {
        Err(LearnError::NoVectors)
    }
}

fn logits(network: &Model, released: &Privatised, scaled: &Scaled) -> Result<Scores, LearnError> {
    let input = network_input(released.data(), scaled, false, 0)?;
    Ok(Scores::of(&network.predict(&input)?.to_matrix()))
}
