//! The nearest neighbours of every node by its features alone.
//!
//! Similarity is the cosine of rows. Sparse rows are compared with columns weighed by how rare they
//! are (TF-IDF), through lists of the rows of each column (`sparse`): exact. Where columns are too
//! full for that, and for dense rows, rows are made short first (`reduced`, or standardised
//! columns) and compared all with all, a block at a time (`exact`), or, where there are too many,
//! through a `forest` of projection trees, which is approximate. Nothing is of size nodes × nodes.

mod exact;
mod forest;
mod nearest;
mod sparse;
#[cfg(test)]
mod tests;

use rayon::prelude::*;
use veil_graph::{Features, NodeId};
use veil_nn::Tensor;

use self::nearest::Nearest;
pub(crate) use self::sparse::rarity;
use super::reduced::Basis;
use crate::error::LearnError;

/// The most pairs of entries in one column that are compared: some seconds.
const MOST_PAIRS: f64 = 4e9;
/// The most multiply-adds of comparing all rows with all: some seconds.
const MOST_EXACT: f64 = 1.5e11;
/// Rows with more columns than this are made shorter.
pub(crate) const NARROW: usize = 256;

/// Neighbours with their similarities, for every node.
pub(super) type Lists = Vec<Vec<(NodeId, f32)>>;

/// For every node its nearest neighbours and the nodes among whose nearest neighbours it is,
/// ascending, with their similarities. Encoded reports have none.
pub(super) fn lists(
    features: &Features,
    basis: &dyn Fn() -> Result<Basis, LearnError>,
) -> Result<Option<Lists>, LearnError> {
    let nearest = match features {
        Features::Encoded(_) => return Ok(None),
        Features::Sparse(rows) if sparse::pairs(rows) <= MOST_PAIRS => sparse::nearest(rows)?,
        _ => nearest_dense(&short(features, basis)?),
    };
    Ok(Some(mutual(&nearest)))
}

fn nearest_dense(rows: &Tensor) -> Vec<Nearest> {
    let all = (rows.rows() as f64).powi(2) * rows.columns() as f64;
    if all <= MOST_EXACT { exact::nearest(rows) } else { forest::nearest(rows) }
}

/// Rows of length 1 with few columns, whose products are about the cosines of the rows of these
/// features: those of a few directions, if there are many columns, else of standardised columns.
fn short(features: &Features, basis: &dyn Fn() -> Result<Basis, LearnError>) -> Result<Tensor, LearnError> {
    let short = if features.columns() > NARROW {
        Features::Dense(basis()?.along(features)?)
    } else {
        features.standardised(&features.moments(0..features.rows() as NodeId))?
    };
    match short.with_rows_of_length(1.0, None)? {
        Features::Dense(rows) => Ok(Tensor::from(&rows)),
        _ => Err(LearnError::NoFeatures),
    }
}

fn mutual(nearest: &[Nearest]) -> Lists {
    let mut lists: Lists = vec![Vec::new(); nearest.len()];
    for (me, nearest) in (0..).zip(nearest) {
        for (similarity, other) in nearest.iter() {
            lists[me as usize].push((other, similarity));
            lists[other as usize].push((me, similarity));
        }
    }
    // Computed in two ways, the two directions may differ in the last bit: the larger one counts.
    lists.par_iter_mut().for_each(|list| {
        list.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        list.dedup_by_key(|&mut (other, _)| other);
    });
    lists
}
