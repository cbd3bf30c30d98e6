//! Exact neighbours of sparse rows, through lists of the rows of each column.

use rayon::prelude::*;
use veil_graph::{Features, NodeId, Sparse};

use super::nearest::Nearest;
use crate::error::LearnError;

/// How many pairs of entries in one column there are.
pub(super) fn pairs(sparse: &Sparse) -> f64 {
    filled(sparse).into_iter().map(|rows| (rows as f64).powi(2)).sum()
}

/// How many rows each column is in.
fn filled(sparse: &Sparse) -> Vec<usize> {
    let mut filled = vec![0; sparse.columns()];
    (0..sparse.rows()).for_each(|row| sparse.row(row).for_each(|(column, _)| filled[column as usize] += 1));
    filled
}

/// How rare each column is: ln((1 + rows)/(1 + rows with it)).
pub(crate) fn rarity(sparse: &Sparse) -> Vec<f32> {
    let rows = sparse.rows() as f64;
    filled(sparse).into_iter().map(|it| libm::log((1.0 + rows) / (1.0 + it as f64)) as f32).collect()
}

/// The nodes with the largest cosine of rows whose columns are weighed by rarity (TF-IDF). Only
/// pairs with a column in common are compared.
pub(super) fn nearest(sparse: &Sparse) -> Result<Vec<Nearest>, LearnError> {
    let weighed = Features::Sparse(sparse.clone()).with_rows_of_length(1.0, Some(&rarity(sparse)))?;
    let Features::Sparse(rows) = weighed else { return Ok(Vec::new()) };
    let nodes = rows.rows();
    let mut lists: Vec<Vec<(NodeId, f32)>> = vec![Vec::new(); rows.columns()];
    for row in 0..nodes {
        rows.row(row).for_each(|(column, value)| lists[column as usize].push((row as NodeId, value)));
    }
    let of = |(similarity, touched): &mut (Vec<f32>, Vec<NodeId>), me: usize| {
        for (column, own) in rows.row(me) {
            for &(other, value) in &lists[column as usize] {
                let sum = &mut similarity[other as usize];
                if *sum == 0.0 {
                    touched.push(other);
                }
                *sum += own * value;
            }
        }
        let mut nearest = Nearest::NONE;
        for other in touched.drain(..) {
            // An entry that is listed twice, because its sum was 0 in between, was taken already.
            let it = std::mem::take(&mut similarity[other as usize]);
            if other as usize != me && it > 0.0 {
                nearest.offer(it, other);
            }
        }
        nearest
    };
    let scratch = || (vec![0.0_f32; nodes], Vec::new());
    Ok((0..nodes).into_par_iter().with_min_len(32).map_init(scratch, of).collect())
}
