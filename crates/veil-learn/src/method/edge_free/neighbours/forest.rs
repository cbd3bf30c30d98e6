//! Approximate neighbours of many dense rows: random-projection trees and neighbours of neighbours.
//!
//! A tree halves the rows again and again, at the median of their projections on the difference of
//! two of them (Dasgupta and Freund 2008), until a part has few rows; all pairs of a part are
//! compared. Neighbours are the nearest of several trees. Then every row is compared with the
//! neighbours of its neighbours, in both directions, because neighbours are often neighbours of
//! each other (Dong, Charikar and Li 2011).
//!
//! Coins depend on the tree and on the place in it alone, and every node chooses among the same
//! candidates on any number of threads.

use rayon::prelude::*;
use veil_graph::NodeId;
use veil_graph::random::Random;
use veil_nn::kernels::gemm::{Left, product};
use veil_nn::{Tensor, on_one_core, padded};

use super::nearest::{NEIGHBOURS, Nearest};

const TREES: u64 = 6;
/// The most rows of a part whose pairs are compared.
const LEAF: usize = 160;
/// Rounds of neighbours of neighbours.
const ROUNDS: usize = 1;
/// With fewer rows, both halves are made on one thread.
const WORTH_SPLITTING: usize = 4096;
/// A node hears of no more nodes whose neighbour it is.
const MOST_REVERSE: usize = NEIGHBOURS;

/// Nodes with large dot products of rows, which have length 1 or 0.
pub(super) fn nearest(rows: &Tensor) -> Vec<Nearest> {
    let mut found = vec![Nearest::NONE; rows.rows()];
    let mut order: Vec<NodeId> = (0..rows.rows() as NodeId).collect();
    for tree in 0..TREES {
        order.sort_unstable();
        let mut parts: Vec<&mut [NodeId]> = Vec::new();
        divide(rows, &mut order, (tree, 1), &mut parts);
        let of_part = |part: &&mut [NodeId]| on_one_core(|| within(rows, part));
        let of_parts: Vec<Vec<Nearest>> = parts.par_iter().map(of_part).collect();
        let mut of_node = vec![Nearest::NONE; rows.rows()];
        for (part, nearest) in parts.iter().zip(of_parts) {
            part.iter().zip(nearest).for_each(|(&node, nearest)| of_node[node as usize] = nearest);
        }
        found.par_iter_mut().zip(of_node).with_min_len(1024).for_each(|(found, more)| {
            more.iter().for_each(|(similarity, node)| found.offer_again(similarity, node));
        });
    }
    (0..ROUNDS).for_each(|_| found = refined(rows, &found));
    found
}

/// Halves some nodes until each part is small; a place in the tree is a number, with its children
/// at twice that and one more.
fn divide<'a>(rows: &Tensor, nodes: &'a mut [NodeId], (tree, place): (u64, u64), parts: &mut Vec<&'a mut [NodeId]>) {
    if nodes.len() <= LEAF {
        parts.push(nodes);
        return;
    }
    let mut random = Random::new(tree, &format!("part {place} of neighbours"));
    let [a, b] = [random.below(nodes.len()), random.below(nodes.len())].map(|it| rows.row(nodes[it] as usize));
    let direction: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let project = |&node: &NodeId| (dot(rows.row(node as usize), &direction), node);
    let mut projected: Vec<(f32, NodeId)> = nodes.par_iter().with_min_len(WORTH_SPLITTING).map(project).collect();
    let middle = nodes.len() / 2;
    projected.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    nodes.iter_mut().zip(&projected).for_each(|(out, &(_, node))| *out = node);
    let (low, high) = nodes.split_at_mut(middle);
    // Which nodes are in a half is known; in which order depends on the selection alone.
    low.sort_unstable();
    high.sort_unstable();
    if low.len() < WORTH_SPLITTING {
        divide(rows, low, (tree, 2 * place), parts);
        divide(rows, high, (tree, 2 * place + 1), parts);
        return;
    }
    let mut others = Vec::new();
    rayon::join(
        || divide(rows, low, (tree, 2 * place), parts),
        || divide(rows, high, (tree, 2 * place + 1), &mut others),
    );
    parts.append(&mut others);
}

/// The nearest of each node of a part, in the part.
fn within(rows: &Tensor, part: &[NodeId]) -> Vec<Nearest> {
    let (count, columns) = (part.len(), rows.columns());
    let stride = padded(count);
    let mut left = Tensor::zeros(count, columns);
    let mut right = vec![0.0; columns * stride];
    for (place, &node) in part.iter().enumerate() {
        let row = rows.row(node as usize);
        left.row_mut(place).copy_from_slice(row);
        row.iter().enumerate().for_each(|(column, &value)| right[column * stride + place] = value);
    }
    let mut products = vec![0.0; count * stride];
    let values = Left { values: left.values(), rows: count, columns, stride: left.stride() };
    product(values, &right, stride, &mut products);
    let of = |(me, products): (usize, &[f32])| {
        let mut nearest = Nearest::NONE;
        for (other, (&similarity, &node)) in products.iter().zip(part).enumerate() {
            if similarity >= nearest.least() && other != me {
                nearest.offer(similarity, node);
            }
        }
        nearest
    };
    products.chunks_exact(stride).enumerate().map(of).collect()
}

/// One round of neighbours of neighbours.
fn refined(rows: &Tensor, found: &[Nearest]) -> Vec<Nearest> {
    let mut reverse: Vec<Nearest> = vec![Nearest::NONE; found.len()];
    const { assert!(MOST_REVERSE <= NEIGHBOURS) };
    for (me, nearest) in (0..).zip(found) {
        nearest.iter().for_each(|(similarity, other)| reverse[other as usize].offer(similarity, me));
    }
    let of = |candidates: &mut Vec<NodeId>, me: usize| {
        candidates.clear();
        let around = found[me].iter().chain(reverse[me].iter());
        for (_, other) in around {
            candidates.push(other);
            candidates.extend(found[other as usize].iter().map(|(_, it)| it));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut nearest = found[me];
        let known: Vec<NodeId> = nearest.iter().map(|(_, it)| it).collect();
        for &other in candidates.iter().filter(|&&it| it as usize != me && !known.contains(&it)) {
            let similarity = dot(rows.row(me), rows.row(other as usize));
            if similarity >= nearest.least() {
                nearest.offer(similarity, other);
            }
        }
        nearest
    };
    (0..found.len()).into_par_iter().with_min_len(256).map_init(Vec::new, of).collect()
}

/// Several sums side by side, which is fast and always in the same order.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}
