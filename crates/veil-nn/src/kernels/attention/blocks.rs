//! What the three kernels do with one head of one row.

use std::ops::Range;

use crate::kernels::exp::exp;
use crate::kernels::level::{multiply_add, prefetch};

/// Numbers per message are processed in blocks of this size.
pub(super) const LANES: usize = 16;

/// How many messages ahead rows are prefetched. Heads are read one after the other, each from its
/// own cache lines, so without prefetching every head waits for memory.
const AHEAD: usize = 32;

/// The messages to prefetch while those of `range` are processed.
#[inline(always)]
pub(super) fn ahead<'a>(ids: &'a [u32], range: &Range<usize>) -> &'a [u32] {
    &ids[(range.start + AHEAD).min(ids.len())..(range.end + AHEAD).min(ids.len())]
}

/// Prefetches whole rows of `stride` floats.
#[inline(always)]
pub(super) fn fetch(rows: &[u32], x: &[f32], stride: usize) {
    for &row in rows {
        let mut at = 0;
        while at < stride {
            prefetch::<16>(x, row as usize * stride + at);
            at += 16;
        }
    }
}

/// The sum of a block, by halves, in the same order at every level.
#[inline(always)]
pub(super) fn total<const WIDTH: usize>(mut sums: [f32; WIDTH]) -> f32 {
    let mut half = WIDTH / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

/// a·b.
#[inline(always)]
pub(super) fn dot<const BLOCK: usize, const FMA: bool>(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; BLOCK];
    for (a, b) in a.as_chunks::<BLOCK>().0.iter().zip(b.as_chunks::<BLOCK>().0) {
        for lane in 0..BLOCK {
            sums[lane] = multiply_add::<FMA>(a[lane], b[lane], sums[lane]);
        }
    }
    total(sums)
}

/// y = Σ w_i · x_i over rows of `stride` floats, from column `start` on.
#[inline(always)]
pub(super) fn weighted<const BLOCK: usize, const FMA: bool>(
    rows: &[u32],
    weights: &[f32],
    x: &[f32],
    stride: usize,
    start: usize,
    y: &mut [f32],
) {
    for (block, y) in y.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        let column = start + block * BLOCK;
        let mut sum = [0.0; BLOCK];
        for (&row, &weight) in rows.iter().zip(weights) {
            let x = &x[row as usize * stride + column..][..BLOCK];
            for lane in 0..BLOCK {
                sum[lane] = multiply_add::<FMA>(weight, x[lane], sum[lane]);
            }
        }
        *y = sum;
    }
}

/// Replaces scores by their softmax. They fill whole vectors; the last is padded with −∞, which
/// becomes 0.
#[inline(always)]
pub(super) fn softmax(scores: &mut [f32]) {
    let (scores, _) = scores.as_chunks_mut::<LANES>();
    let mut largest = [f32::NEG_INFINITY; LANES];
    for scores in &*scores {
        for lane in 0..LANES {
            largest[lane] = if scores[lane] > largest[lane] { scores[lane] } else { largest[lane] };
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            largest[lane] = if largest[lane + half] > largest[lane] { largest[lane + half] } else { largest[lane] };
        }
        half /= 2;
    }
    let largest = largest[0];
    let mut sums = [0.0; LANES];
    for scores in &mut *scores {
        for lane in 0..LANES {
            scores[lane] = exp(scores[lane] - largest);
            sums[lane] += scores[lane];
        }
    }
    // The largest score contributes 1, so the sum is never zero.
    let scale = 1.0 / total(sums);
    for score in scores.as_flattened_mut() {
        *score *= scale;
    }
}
