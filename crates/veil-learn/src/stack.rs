//! A stack of MLPs on degree vectors: LPGNet's (CCS 2022), and the same on what users report.
//!
//! In the central model ([`lpgnet`](crate::method::lpgnet)) the first network reads features; each later one what its predecessors said
//! and the vectors that were counted per predicted class. In the local model there need be no features: the first network
//! reads the vectors that were counted per released label (and features, if they are to be used), later ones as above. There,
//! where a node's label was released, the prediction is weighed with it by Bayes' rule: on Cora that made the second round worth 4
//! to 7 points.

use veil_graph::{Features, Matrix};
use veil_nn::{Activation, Description, Input, Kind, Model};
use veil_privacy::protocol::degree_vectors::Counts;
use veil_privacy::release::Privatised;

use crate::error::LearnError;
use crate::fit::{Fitted, Reported, Watch, fit_alone};
use crate::learn::{Seen, most_likely};
use crate::parameters::{Parameters, UseFeatures};
use crate::scaled::Scaled;

/// Trains a stack on one or several graphs (the second for validation); `reported` are the labels of all of them in their order.
pub(crate) fn train(
    graphs: &mut [Seen<'_, '_>],
    scaled: &Scaled,
    reported: &Reported,
    parameters: &Parameters,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Vec<Fitted>, LearnError> {
    let mut stages: Vec<Fitted> = Vec::new();
    let mut said: Vec<Vec<Matrix>> = vec![Vec::new(); graphs.len()];
    loop {
        let stage = stages.len();
        let read = |(graph, said): (&Seen<'_, '_>, &Vec<Matrix>)| {
            stage_features(graph.released, scaled, parameters, stage, said)
        };
        let features = graphs.iter().zip(&said).map(read).collect::<Result<Vec<Features>, LearnError>>()?;
        let (first, others) = features.split_first().ok_or(LearnError::NoVectors)?;
        let joined = others.iter().try_fold(first.clone(), |joined, other| joined.stacked(other))?;
        let seed = seed.wrapping_add(stage as u64);
        let fitted = fit_alone(description(parameters), &joined, reported, parameters, seed, watch)?;
        let mut complete = false;
        for ((graph, said), features) in graphs.iter_mut().zip(&mut said).zip(features) {
            let input = Input::without_graph(features)?;
            complete |= !go_on(graph, parameters, reported, &fitted.chosen, &input, said)?;
        }
        stages.push(fitted);
        if complete {
            return Ok(stages);
        }
    }
}

/// What a trained stage says about a graph, and the round of counts that the next one needs; whether there is a next one.
fn go_on(
    graph: &mut Seen<'_, '_>,
    parameters: &Parameters,
    reported: &Reported,
    model: &Model,
    input: &Input,
    said: &mut Vec<Matrix>,
) -> Result<bool, LearnError> {
    said.push(model.predict(input)?.to_matrix());
    if graph.released.vectors().len() >= vectors_of(parameters, said.len()) {
        return Ok(true);
    }
    let mut believed = model.posteriors(input)?.to_matrix();
    if !parameters.is_central() {
        believed = reported.believed(believed, graph.released.data().labels());
    }
    graph.ask(&most_likely(&believed))
}

/// Runs trained stages on a new graph, and asks the rounds that they need (Algorithm 3).
pub(crate) fn infer(
    graph: &mut Seen<'_, '_>,
    scaled: &Scaled,
    parameters: &Parameters,
    stages: &[Model],
) -> Result<(), LearnError> {
    let mut said = Vec::new();
    for (stage, model) in stages.iter().enumerate().take(stages.len().saturating_sub(1)) {
        let input = Input::without_graph(stage_features(graph.released, scaled, parameters, stage, &said)?)?;
        said.push(model.predict(&input)?.to_matrix());
        let clusters = most_likely(&model.posteriors(&input)?.to_matrix());
        if graph.released.vectors().len() < vectors_of(parameters, stage + 1) && !graph.ask(&clusters)? {
            return Err(LearnError::NoVectors);
        }
    }
    Ok(())
}

/// LPGNet's networks are MLPs with ReLU.
pub(crate) fn description(parameters: &Parameters) -> Description {
    let bias = parameters.bias;
    Description { kind: Kind::Mlp, heads: 1, activation: Activation::Relu, bias, ..parameters.description() }
}

/// The input of the last stage: what predictions need.
pub(crate) fn last_input(
    released: &Privatised,
    scaled: &Scaled,
    parameters: &Parameters,
    earlier: &[Model],
) -> Result<Input, LearnError> {
    let mut said = Vec::new();
    for (stage, model) in earlier.iter().enumerate() {
        let input = Input::without_graph(stage_features(released, scaled, parameters, stage, &said)?)?;
        said.push(model.predict(&input)?.to_matrix());
    }
    Ok(Input::without_graph(stage_features(released, scaled, parameters, earlier.len(), &said)?)?)
}

/// How many rounds of counts a stage reads: in the central model the first one reads none.
fn vectors_of(parameters: &Parameters, stage: usize) -> usize {
    if parameters.is_central() { stage } else { stage + 1 }
}

/// What the network of a stage reads: the vectors of all rounds until then, what earlier networks said, and in the first
/// stage the features, if they are to be used.
fn stage_features(
    released: &Privatised,
    scaled: &Scaled,
    parameters: &Parameters,
    stage: usize,
    said: &[Matrix],
) -> Result<Features, LearnError> {
    let counts = released.vectors().get(..vectors_of(parameters, stage)).ok_or(LearnError::NoVectors)?;
    let used = stage == 0 && (parameters.is_central() || parameters.features == UseFeatures::Released);
    let features = if used { scaled.features(released.data())? } else { None };
    if parameters.is_central() && stage == 0 {
        return features.ok_or(LearnError::NoFeatures);
    }
    let mut blocks: Vec<Matrix> = counts.iter().map(readable).collect();
    blocks.extend(said.iter().cloned());
    blocks.extend(features.as_ref().map(dense));
    Ok(Features::Dense(side_by_side(released.data().nodes() as usize, &blocks)))
}

/// Noisy counts as a network reads them. No count is below 0, so what is was noise (LPGNet's code does the same).
fn readable(counts: &Counts) -> Matrix {
    let mut matrix = Matrix::zeros(counts.nodes(), counts.clusters());
    for (out, &count) in matrix.values_mut().iter_mut().zip(counts.values()) {
        *out = count.max(0) as f32;
    }
    matrix
}

/// Features as a network reads them beside counts: of reports the signs, because what a rectified one is multiplied by (about
/// 791 on Cora) would drown everything else.
fn dense(features: &Features) -> Matrix {
    let (offset, scale) = match features {
        Features::Encoded(encoded) => (encoded.offset(), encoded.scale()),
        Features::Dense(_) | Features::Sparse(_) => (0.0, 1.0),
    };
    let mut matrix = Matrix::zeros(features.rows(), features.columns());
    for row in 0..features.rows() {
        for (column, out) in matrix.row_mut(row).iter_mut().enumerate() {
            *out = (features.value(row, column as u32) - offset) / scale;
        }
    }
    matrix
}

fn side_by_side(rows: usize, blocks: &[Matrix]) -> Matrix {
    let mut joined = Matrix::zeros(rows, blocks.iter().map(Matrix::columns).sum());
    for row in 0..rows {
        let mut out = joined.row_mut(row);
        for block in blocks {
            let (here, rest) = out.split_at_mut(block.columns());
            here.copy_from_slice(block.row(row));
            out = rest;
        }
    }
    joined
}
