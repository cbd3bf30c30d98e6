//! The nearest neighbours of every node by its features alone.
//!
//! Similarity is the cosine of rows. Sparse rows are compared with columns weighed by how rare they
//! are (TF-IDF), through lists of the rows of each column (`sparse`): exact. Where columns are too
//! full for that, and for dense rows, rows are made short first (`reduced`, or standardised columns)
//! and compared all with all, a block at a time (`exact`), or, where there are too many, through a
//! `forest` of projection trees, which is approximate. Nothing is of size nodes × nodes.

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

/// For every node the nodes among whose nearest neighbours it is, its own nearest neighbours, and
/// itself: ascending, and symmetric. A node is its own neighbour as often as others would have to be
/// to weigh as much as their mean similarity to it: 1/mean times. Encoded reports have none.
pub(super) fn lists(
    features: &Features,
    basis: &dyn Fn() -> Result<Basis, LearnError>,
) -> Result<Option<Vec<Vec<NodeId>>>, LearnError> {
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

fn mutual(nearest: &[Nearest]) -> Vec<Vec<NodeId>> {
    let mut lists: Vec<Vec<NodeId>> = vec![Vec::new(); nearest.len()];
    for (me, nearest) in (0..).zip(nearest) {
        for (_, other) in nearest.iter() {
            lists[me as usize].push(other);
            lists[other as usize].push(me);
        }
    }
    let itself = own_weight(nearest);
    lists.par_iter_mut().zip(0..nearest.len() as NodeId).for_each(|(list, me)| {
        list.sort_unstable();
        list.dedup();
        let place = list.partition_point(|&other| other < me);
        list.splice(place..place, std::iter::repeat_n(me, itself));
    });
    lists
}

/// 1/mean similarity of neighbours, as a whole number.
fn own_weight(nearest: &[Nearest]) -> usize {
    const MOST: f64 = 10.0;
    let count = nearest.iter().map(|it| it.iter().count()).sum::<usize>().max(1) as f64;
    let sum: f64 = nearest.iter().flat_map(Nearest::iter).map(|(similarity, _)| f64::from(similarity)).sum();
    (count / sum.max(f64::MIN_POSITIVE)).round().clamp(1.0, MOST) as usize
}
