//! Learning from local reports: a network on released lists of neighbours, or a stack of them on degree vectors.
//!
//! On lists (GraphPrivatizer, the thesis' protocols, the honest baselines) a network of any kind reads the released features
//! behind K_x hops along the released lists: node v hears whom it named. On degree vectors the server trains a stack of MLPs
//! as LPGNet does (CCS 2022, Algorithm 2): the first reads the vectors that were counted per released label; each later
//! one what its predecessors said and the vectors that were counted per predicted class. Where a node's label was
//! released, the prediction is weighed with it by Bayes' rule: on Cora that made the second round worth 4 to 7 points.

use std::ops::ControlFlow;

use veil_graph::{Features, Matrix, NodeId};
use veil_nn::training::EpochMetrics;
use veil_nn::{Activation, Description, Input, Kind, Messages, Model};
use veil_privacy::protocol::degree_vectors::Counts;
use veil_privacy::release::{Privatised, Rounds};

use crate::error::LearnError;
use crate::fit::{Fitted, Reported, Watch, fit};
use crate::parameters::{Edges, Parameters, UseFeatures};

/// What was learned from a release: one network, or several of which each reads what the ones before it said.
#[derive(Debug)]
pub struct Learned {
    /// The networks, in their order. The last one answers.
    pub stages: Vec<Fitted>,
}

/// Learns from a release. Further rounds of degree vectors are asked on the way, and added to it.
///
/// # Errors
/// If the release lacks what is needed, or a training fails.
pub fn learn(
    released: &mut Privatised,
    rounds: Option<&mut Rounds<'_>>,
    parameters: &Parameters,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Learned, LearnError> {
    let reported = Reported::of(released)?;
    if parameters.edges == Edges::DegreeVectors {
        return stack(released, rounds, &reported, parameters, seed, watch);
    }
    let input = network_input(released, parameters, parameters.kx)?;
    // Without edges there is nothing along which labels could travel.
    let hops = if released.data().edges_withheld() { 0 } else { parameters.ky };
    let fitted = fit(parameters.description(), &input, &reported, parameters, hops, seed, watch)?;
    Ok(Learned { stages: vec![fitted] })
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
    parameters: &Parameters,
    seed: u64,
) -> Result<(Fitted, Input), LearnError> {
    let reported = Reported::of(released)?;
    let nodes = released.data().nodes() as usize;
    let vectors = parameters.edges == Edges::DegreeVectors;
    let nothing = || Features::Dense(Matrix::zeros(nodes, 1));
    let input = Input::without_graph(twin_features(released, parameters).cloned().unwrap_or_else(nothing))?;
    let go_on = &mut |_: &EpochMetrics| ControlFlow::Continue(());
    let description = if vectors { stage_description(parameters) } else { parameters.description() };
    let fitted = fit(description, &input, &reported, parameters, 0, seed, go_on)?;
    Ok((fitted, input))
}

/// The released features, if the twin reads them: a stack on degree vectors may have been told not to.
pub(crate) fn twin_features<'a>(released: &'a Privatised, parameters: &Parameters) -> Option<&'a Features> {
    let vectors = parameters.edges == Edges::DegreeVectors;
    released.data().features().filter(|_| !vectors || parameters.features == UseFeatures::Released)
}

/// Released features behind `hops` hops along the released lists.
pub(crate) fn network_input(released: &Privatised, parameters: &Parameters, hops: usize) -> Result<Input, LearnError> {
    let data = released.data();
    let features = data.features().ok_or(LearnError::NoFeatures)?.clone();
    let edge_free = data.edges_withheld() || parameters.edges == Edges::Empty;
    if edge_free {
        return Ok(Input::without_graph(features)?);
    }
    Ok(Input::new(features, Messages::of(data.graph())?, hops)?)
}

fn stack(
    released: &mut Privatised,
    mut rounds: Option<&mut Rounds<'_>>,
    reported: &Reported,
    parameters: &Parameters,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Learned, LearnError> {
    let mut stages: Vec<Fitted> = Vec::new();
    let mut said: Vec<Matrix> = Vec::new();
    loop {
        let round = stages.len();
        let input = stage_input(released, parameters, round, &said)?;
        let fitted = fit(
            stage_description(parameters),
            &input,
            reported,
            parameters,
            0,
            seed.wrapping_add(round as u64),
            watch,
        )?;
        let scores = fitted.chosen.predict(&input)?.to_matrix();
        let posteriors = fitted.chosen.posteriors(&input)?.to_matrix();
        stages.push(fitted);
        if stages.len() == released.vectors().len() {
            match rounds.as_deref_mut().filter(|rounds| rounds.left() > 0) {
                Some(rounds) => {
                    let believed = reported.believed(posteriors, released.data().labels());
                    rounds.ask(released, &most_likely(&believed))?;
                }
                None => return Ok(Learned { stages }),
            }
        }
        said.push(scores);
    }
}

/// LPGNet's networks are MLPs with ReLU.
fn stage_description(parameters: &Parameters) -> Description {
    Description { kind: Kind::Mlp, heads: 1, activation: Activation::Relu, ..parameters.description() }
}

/// The scores of every stage but the last, and the input of the last: what predictions need.
pub(crate) fn last_stage_input(
    released: &Privatised,
    parameters: &Parameters,
    earlier: &[Model],
) -> Result<Input, LearnError> {
    let mut said = Vec::new();
    for (round, model) in earlier.iter().enumerate() {
        said.push(model.predict(&stage_input(released, parameters, round, &said)?)?.to_matrix());
    }
    stage_input(released, parameters, earlier.len(), &said)
}

/// What the network of a round reads: the vectors of all rounds until then, what earlier networks said, and in the first
/// round the released features, if they are to be used.
fn stage_input(
    released: &Privatised,
    parameters: &Parameters,
    round: usize,
    said: &[Matrix],
) -> Result<Input, LearnError> {
    let counts = released.vectors().get(..=round).ok_or(LearnError::NoVectors)?;
    let nodes = released.data().nodes() as usize;
    let mut blocks: Vec<Matrix> = counts.iter().map(readable).collect();
    blocks.extend(said.iter().cloned());
    if let Some(features) =
        released.data().features().filter(|_| round == 0 && parameters.features == UseFeatures::Released)
    {
        blocks.push(dense(features));
    }
    let features = Features::Dense(side_by_side(nodes, &blocks));
    Ok(Input::without_graph(features)?)
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

/// The most likely class of each row, the first among equals.
pub fn most_likely(scores: &Matrix) -> Vec<u32> {
    let best = |row: &[f32]| {
        let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
        best.map_or(0, |class| class as NodeId)
    };
    (0..scores.rows()).map(|row| best(scores.row(row))).collect()
}
