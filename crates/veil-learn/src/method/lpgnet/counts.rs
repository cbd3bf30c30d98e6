//! What the network of a stage reads.

use veil_graph::{Features, Matrix};
use veil_privacy::protocol::degree_vectors::Counts;
use veil_privacy::release::Privatised;

use super::{Stack, labels};
use crate::error::LearnError;
use crate::scaled::Scaled;

/// The counts of all rounds so far, the scores of earlier networks, and in the first stage the
/// features, if they are used.
pub(super) fn stage_features(
    stack: &Stack<'_>,
    released: &Privatised,
    scaled: &Scaled,
    stage: usize,
    scores: &[Matrix],
) -> Result<Features, LearnError> {
    let counts = released.vectors().get(..stack.rounds_before(stage)).ok_or(LearnError::NoVectors)?;
    let features = if stage == 0 && stack.reads_features { scaled.features(released.data())? } else { None };
    if stack.central && stage == 0 {
        return Ok(features.unwrap_or_else(|| labels::nothing(released.data().nodes())));
    }
    let mut blocks: Vec<Matrix> = counts.iter().map(non_negative).collect();
    blocks.extend(scores.iter().cloned());
    blocks.extend(features.as_ref().map(dense));
    Ok(Features::Dense(side_by_side(released.data().nodes() as usize, &blocks)))
}

/// Noisy counts as a network reads them: a negative one was noise (LPGNet's code does the same).
fn non_negative(counts: &Counts) -> Matrix {
    let mut matrix = Matrix::zeros(counts.nodes(), counts.clusters());
    for (out, &count) in matrix.values_mut().iter_mut().zip(counts.values()) {
        *out = count.max(0) as f32;
    }
    matrix
}

/// Features as a network reads them beside counts. Of reports these are the signs: the factor of
/// rectified ones (about 791 on Cora) would drown everything else.
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
