//! Sums of rows: y_v = s_v · Σ x_u over the sources u of v, and y_v = Σ w_e · x_u with a weight per
//! entry.
//!
//! The first, after a scaling, is every linear propagation along messages without weights, so none
//! are read. The second multiplies sparse features by a weight matrix, aggregates with attention,
//! and propagates along messages with weights.

use super::level::{Kernel, Level, multiply_add, prefetch};
use super::parallel::{Output, over_lists};

/// A matrix of more bytes than this does not stay in the cache, so its rows are prefetched.
const PREFETCH_FROM: usize = if cfg!(test) { 1 << 12 } else { 24 << 20 };
/// How many edges ahead rows are prefetched.
const AHEAD: usize = 16;

/// The rows to sum for each row of the result: row v is `sources[offsets[v]..offsets[v + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    pub offsets: &'a [usize],
    pub sources: &'a [u32],
}

/// y_v = scale_v · Σ x_u. Both matrices have rows of `stride` floats, a width from
/// [`padded`](crate::tensor::padded).
pub fn gather_sum(lists: Lists, x: &[f32], stride: usize, scale: Option<&[f32]>, y: &mut [f32]) {
    gather(lists, None, x, stride, scale, y);
}

/// y_v = scale_v · Σ w_e · x_u, with one weight per entry of the lists.
pub fn weighted_gather(lists: Lists, weights: &[f32], x: &[f32], stride: usize, scale: Option<&[f32]>, y: &mut [f32]) {
    assert_eq!(weights.len(), lists.sources.len(), "one weight per entry");
    gather(lists, Some(weights), x, stride, scale, y);
}

/// y_v = Σ w_e · x_u, with one weight per entry of the lists.
pub fn weighted_sum(lists: Lists, weights: &[f32], x: &[f32], stride: usize, y: &mut [f32]) {
    weighted_gather(lists, weights, x, stride, None, y);
}

fn gather(lists: Lists, weights: Option<&[f32]>, x: &[f32], stride: usize, scale: Option<&[f32]>, y: &mut [f32]) {
    assert_eq!(y.len(), (lists.offsets.len() - 1) * stride, "rows of a sum");
    let level = Level::detect();
    over_lists(lists.offsets, stride, [Output::per_row(y, stride)], |rows, [y]| {
        let offsets = &lists.offsets[rows.start..];
        let scale = scale.map(|scale| &scale[rows.start..]);
        let part = Chunk { offsets, sources: lists.sources, weights, x, stride, scale, y };
        match stride {
            4 => part.run::<4>(level),
            8 => part.run::<8>(level),
            16 => part.run::<16>(level),
            32 => part.run::<32>(level),
            48 => part.run::<48>(level),
            64 => part.run::<64>(level),
            _ => level.run(Wide(part)),
        }
    });
}

struct Chunk<'a> {
    offsets: &'a [usize],
    sources: &'a [u32],
    weights: Option<&'a [f32]>,
    x: &'a [f32],
    stride: usize,
    scale: Option<&'a [f32]>,
    y: &'a mut [f32],
}

impl Chunk<'_> {
    fn run<const WIDTH: usize>(self, level: Level) {
        match (self.weights, size_of_val(self.x) >= PREFETCH_FROM) {
            (None, false) => level.run(Gather::<WIDTH, false, false> { part: self, weights: &[] }),
            (None, true) => level.run(Gather::<WIDTH, false, true> { part: self, weights: &[] }),
            (Some(weights), false) => level.run(Gather::<WIDTH, true, false> { part: self, weights }),
            (Some(weights), true) => level.run(Gather::<WIDTH, true, true> { part: self, weights }),
        }
    }
}

/// Whole rows of a constant width, so that the sum stays in registers.
struct Gather<'a, const WIDTH: usize, const WEIGHTED: bool, const PREFETCH: bool> {
    part: Chunk<'a>,
    weights: &'a [f32],
}

impl<const WIDTH: usize, const WEIGHTED: bool, const PREFETCH: bool> Kernel for Gather<'_, WIDTH, WEIGHTED, PREFETCH> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Gather { part: Chunk { offsets, sources, x, scale, y, .. }, weights } = self;
        let (rows, _) = x.as_chunks::<WIDTH>();
        let (out, _) = y.as_chunks_mut::<WIDTH>();
        for (row, out) in out.iter_mut().enumerate() {
            let (from, to) = (offsets[row], offsets[row + 1]);
            let mut sum = [0.0; WIDTH];
            for at in from..to {
                if PREFETCH && let Some(&next) = sources.get(at + AHEAD) {
                    prefetch::<WIDTH>(x, next as usize * WIDTH);
                }
                let source = &rows[sources[at] as usize];
                if WEIGHTED {
                    let weight = weights[at];
                    for lane in 0..WIDTH {
                        sum[lane] = multiply_add::<FMA>(weight, source[lane], sum[lane]);
                    }
                } else {
                    for lane in 0..WIDTH {
                        sum[lane] += source[lane];
                    }
                }
            }
            if let Some(scale) = scale {
                for lane in &mut sum {
                    *lane *= scale[row];
                }
            }
            *out = sum;
        }
    }
}

/// Rows of any multiple of 16, in blocks of 16 columns.
struct Wide<'a>(Chunk<'a>);

impl Kernel for Wide<'_> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Chunk { offsets, sources, weights, x, stride, scale, y } = self.0;
        for (row, out) in y.chunks_exact_mut(stride).enumerate() {
            let (blocks, _) = out.as_chunks_mut::<16>();
            for (block, out) in blocks.iter_mut().enumerate() {
                let mut sum = [0.0; 16];
                for at in offsets[row]..offsets[row + 1] {
                    let source = &x[sources[at] as usize * stride + block * 16..][..16];
                    let weight = weights.map_or(1.0, |weights| weights[at]);
                    for lane in 0..16 {
                        sum[lane] = multiply_add::<FMA>(weight, source[lane], sum[lane]);
                    }
                }
                let scale = scale.map_or(1.0, |scale| scale[row]);
                for lane in 0..16 {
                    out[lane] = sum[lane] * scale;
                }
            }
        }
    }
}

/// A plain implementation for the tests.
#[cfg(test)]
pub(super) fn naive(
    lists: Lists,
    weights: Option<&[f32]>,
    x: &[f32],
    stride: usize,
    scale: Option<&[f32]>,
) -> Vec<f32> {
    let rows = lists.offsets.len() - 1;
    let mut y = Vec::with_capacity(rows * stride);
    for row in 0..rows {
        for column in 0..stride {
            let mut sum = 0.0;
            for at in lists.offsets[row]..lists.offsets[row + 1] {
                let value = f64::from(x[lists.sources[at] as usize * stride + column]);
                sum += value * weights.map_or(1.0, |weights| f64::from(weights[at]));
            }
            y.push((sum * scale.map_or(1.0, |scale| f64::from(scale[row]))) as f32);
        }
    }
    y
}
