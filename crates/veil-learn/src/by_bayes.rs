//! One network and Bayes' rule on degree vectors: asks the rounds that [`bayes`](crate::bayes) reads.

use veil_graph::{Matrix, Part};
use veil_nn::Model;
use veil_privacy::release::Privatised;

use crate::bayes::{Bayes, Evidence, Scores};
use crate::error::LearnError;
use crate::fit::Reported;
use crate::learn::{Seen, most_likely};
use crate::network::network_input;
use crate::parameters::Parameters;
use crate::scaled::Scaled;

/// Asks every graph all rounds, and learns to read them; validation labels are those of the last graph.
pub(crate) fn learn(
    graphs: &mut [Seen<'_, '_>],
    scaled: &Scaled,
    reported: &Reported,
    parameters: &Parameters,
    network: &Model,
) -> Result<Bayes, LearnError> {
    let noise = parameters.noise();
    let mut said = Vec::new();
    for graph in graphs.iter() {
        said.push(said_by(network, graph.released, scaled, parameters)?);
    }
    let (Some(first), Some(last)) = (graphs.first(), graphs.last()) else { return Err(LearnError::NoVectors) };
    let training: Vec<Evidence> = reported.evidence(first.released.data(), Part::Train);
    let validation: Vec<Evidence> = reported.evidence(last.released.data(), Part::Val);
    if validation.is_empty() {
        return Err(LearnError::NobodyValidates);
    }
    let mut bayes = Bayes::calibrated(&said[said.len() - 1], &validation);
    for round in 0..parameters.rounds() as usize {
        let mut scores = Vec::new();
        for (graph, said) in graphs.iter_mut().zip(&said) {
            let before = bayes.scores(said, graph.released.vectors(), noise);
            ask(graph, round, &before)?;
            scores.push(before);
        }
        let of = |place: usize| (&scores[place], &graphs[place].released.vectors()[round]);
        let ((scores, counts), (others, their_counts)) = (of(0), of(graphs.len() - 1));
        bayes.learn(noise, (scores, counts, &training), (others, their_counts, &validation));
    }
    Ok(bayes)
}

/// Asks a new graph all rounds (Algorithm 3 of LPGNet).
pub(crate) fn infer(
    graph: &mut Seen<'_, '_>,
    scaled: &Scaled,
    parameters: &Parameters,
    network: &Model,
    bayes: &Bayes,
) -> Result<(), LearnError> {
    let said = said_by(network, graph.released, scaled, parameters)?;
    for round in 0..parameters.rounds() as usize {
        let before = bayes.scores(&said, &graph.released.vectors()[..round], parameters.noise());
        ask(graph, round, &before)?;
    }
    Ok(())
}

/// What is answered about every node of a graph whose rounds were all asked.
pub(crate) fn posteriors(
    released: &Privatised,
    scaled: &Scaled,
    parameters: &Parameters,
    network: &Model,
    bayes: &Bayes,
) -> Result<Matrix, LearnError> {
    let said = said_by(network, released, scaled, parameters)?;
    Ok(bayes.scores(&said, released.vectors(), parameters.noise()).posteriors())
}

fn ask(graph: &mut Seen<'_, '_>, round: usize, scores: &Scores) -> Result<(), LearnError> {
    let there = graph.released.vectors().len() > round;
    if there || graph.ask(&most_likely(&scores.posteriors()))? { Ok(()) } else { Err(LearnError::NoVectors) }
}

fn said_by(
    network: &Model,
    released: &Privatised,
    scaled: &Scaled,
    parameters: &Parameters,
) -> Result<Scores, LearnError> {
    let input = network_input(released.data(), scaled, parameters, 0)?;
    Ok(Scores::of(&network.predict(&input)?.to_matrix()))
}
