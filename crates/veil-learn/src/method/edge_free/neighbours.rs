//! The nearest neighbours of every node by its features alone.
//!
//! Similarity is the cosine of rows whose columns are weighted by how rare they are (TF-IDF). Only
//! pairs with a column in common are compared, through lists of the rows of each column; where
//! columns are so full that this would take long, there are no neighbours.

use rayon::prelude::*;
use veil_graph::{Features, NodeId};

use crate::error::LearnError;

/// Neighbours of each node.
const NEIGHBOURS: usize = 15;
/// The most pairs of entries in one column that are compared: some seconds.
const MOST_PAIRS: f64 = 4e9;

/// For every node the nodes among whose nearest neighbours it is, its own nearest neighbours, and
/// itself: ascending, and symmetric. `None` if features have no such lists, or they are too long.
pub(super) fn lists(features: &Features) -> Result<Option<Vec<Vec<NodeId>>>, LearnError> {
    let Features::Sparse(sparse) = features else { return Ok(None) };
    let mut postings: Vec<Vec<(NodeId, f32)>> = vec![Vec::new(); sparse.columns()];
    for row in 0..sparse.rows() {
        sparse.row(row).for_each(|(column, value)| postings[column as usize].push((row as NodeId, value)));
    }
    let pairs: f64 = postings.iter().map(|list| (list.len() as f64).powi(2)).sum();
    if pairs > MOST_PAIRS {
        return Ok(None);
    }
    let nodes = sparse.rows();
    let rarity = |list: &Vec<(NodeId, f32)>| libm::log((1.0 + nodes as f64) / (1.0 + list.len() as f64)) as f32;
    let weights: Vec<f32> = postings.iter().map(rarity).collect();
    let Features::Sparse(rows) = features.with_rows_of_length(1.0, Some(&weights))? else { return Ok(None) };
    postings.iter_mut().for_each(Vec::clear);
    for row in 0..nodes {
        rows.row(row).for_each(|(column, value)| postings[column as usize].push((row as NodeId, value)));
    }
    let nearest: Vec<Vec<NodeId>> = (0..nodes)
        .into_par_iter()
        .with_min_len(32)
        .map_init(
            || vec![0.0_f32; nodes],
            |similarity, me| {
                let mut touched: Vec<NodeId> = Vec::new();
                for (column, own) in rows.row(me) {
                    for &(other, value) in &postings[column as usize] {
                        let sum = &mut similarity[other as usize];
                        if *sum == 0.0 {
                            touched.push(other);
                        }
                        *sum += own * value;
                    }
                }
                let mut others: Vec<(f32, NodeId)> = Vec::with_capacity(touched.len());
                for &other in &touched {
                    let it = std::mem::take(&mut similarity[other as usize]);
                    // An entry that is listed twice was taken already.
                    if other as usize != me && it > 0.0 {
                        others.push((it, other));
                    }
                }
                let nearer = |a: &(f32, NodeId), b: &(f32, NodeId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
                if others.len() > NEIGHBOURS {
                    others.select_nth_unstable_by(NEIGHBOURS - 1, nearer);
                    others.truncate(NEIGHBOURS);
                }
                others.into_iter().map(|(_, other)| other).collect()
            },
        )
        .collect();
    let mut lists: Vec<Vec<NodeId>> = (0..nodes as NodeId).map(|me| vec![me]).collect();
    for (me, nearest) in (0..).zip(&nearest) {
        for &other in nearest {
            lists[me as usize].push(other);
            lists[other as usize].push(me);
        }
    }
    lists.par_iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    Ok(Some(lists))
}
