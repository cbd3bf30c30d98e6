//! Exact neighbours of dense rows: all pairs, a block of rows against a block of rows.

use rayon::prelude::*;
use veil_graph::NodeId;
use veil_nn::kernels::gemm::{Left, product};
use veil_nn::{Tensor, on_one_core};

use super::nearest::Nearest;

/// Rows that look for neighbours at the same time.
const SEEKERS: usize = 192;
/// Rows that they are compared with at the same time: a width of the kernels.
const BLOCK: usize = 256;

/// The nodes with the largest dot product of rows, which have length 1 or 0.
pub(super) fn nearest(rows: &Tensor) -> Vec<Nearest> {
    let nodes = rows.rows();
    let blocks: Vec<Vec<f32>> =
        (0..nodes).step_by(BLOCK).collect::<Vec<_>>().into_par_iter().map(|start| columns(rows, start)).collect();
    let of = |start: usize| {
        let seekers = SEEKERS.min(nodes - start);
        let values = &rows.values()[start * rows.stride()..(start + seekers) * rows.stride()];
        let left = Left { values, rows: seekers, columns: rows.columns(), stride: rows.stride() };
        let mut found = vec![Nearest::NONE; seekers];
        let mut products = vec![0.0; seekers * BLOCK];
        for (first, block) in (0..nodes).step_by(BLOCK).zip(&blocks) {
            on_one_core(|| product(left, block, BLOCK, &mut products));
            for ((me, nearest), products) in (start..).zip(&mut found).zip(products.chunks_exact(BLOCK)) {
                let mut least = nearest.least();
                for (other, &similarity) in (first..nodes).zip(products) {
                    if similarity >= least && other != me {
                        nearest.offer(similarity, other as NodeId);
                        least = nearest.least();
                    }
                }
            }
        }
        found
    };
    let starts: Vec<usize> = (0..nodes).step_by(SEEKERS).collect();
    starts.into_par_iter().flat_map_iter(of).collect()
}

/// Some rows as columns of a right factor; what is missing in the last block is 0.
fn columns(rows: &Tensor, start: usize) -> Vec<f32> {
    let mut block = vec![0.0; rows.columns() * BLOCK];
    for place in 0..BLOCK.min(rows.rows() - start) {
        for (column, &value) in rows.row(start + place).iter().enumerate() {
            block[column * BLOCK + place] = value;
        }
    }
    block
}
