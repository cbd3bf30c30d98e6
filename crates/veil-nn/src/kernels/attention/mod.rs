//! Attention: y_v = Σ α_vu · x_u, where α is the softmax, per head, of the scores of the messages
//! that v receives.
//!
//! [`attend`] computes scores, softmax and sum of one row while its messages are in the cache, and
//! keeps α. The backward pass takes two passes: [`receive`] iterates over receivers and computes
//! the gradient of every score and of the receiver's part of it; [`send`] iterates over senders,
//! along the reversed lists. So every row has one writer and a fixed order of additions, without
//! atomics.
//!
//! Layers differ only in their [`Score`]. A row holds its heads side by side. A head is read in
//! blocks of 16, 8, 4 or 1 floats, whichever divides its channels, so any number of channels works
//! and the usual ones stay in registers.

mod blocks;
mod score;
#[cfg(test)]
mod tests;

pub(crate) use score::NEGATIVE_SLOPE;
pub use score::{Additive, DotProduct, Mixed, Place, Score};

use std::ops::Range;

use self::blocks::{LANES, ahead, dot, fetch, softmax, total, weighted};
use super::gather::Lists;
use super::level::{Kernel, Level, multiply_add};
use super::parallel::{Output, over_lists};
use crate::tensor::padded;

/// The position of heads in a row.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    level: Level,
    heads: usize,
    channels: usize,
    stride: usize,
}

impl Layout {
    /// Rows with this number of heads and of channels per head.
    pub fn new(heads: usize, channels: usize) -> Layout {
        let stride = padded(heads * channels);
        // Padding is zero, so a single head may include it.
        let channels = if heads == 1 { stride } else { channels };
        Layout { level: Level::detect(), heads, channels, stride }
    }

    /// The columns of a head.
    #[inline(always)]
    fn columns(&self, head: usize) -> Range<usize> {
        head * self.channels..(head + 1) * self.channels
    }

    /// One head of one row.
    #[inline(always)]
    fn head<'a>(&self, values: &'a [f32], row: usize, head: usize) -> &'a [f32] {
        &values[row * self.stride + head * self.channels..][..self.channels]
    }
}

/// Picks the widest block that divides a head.
macro_rules! by_block {
    ($layout:expr, $kernel:ident { $($field:tt)* }) => {
        match $layout.channels {
            channels if channels % 16 == 0 => $layout.level.run($kernel::<_, 16> { $($field)* }),
            channels if channels % 8 == 0 => $layout.level.run($kernel::<_, 8> { $($field)* }),
            channels if channels % 4 == 0 => $layout.level.run($kernel::<_, 4> { $($field)* }),
            _ => $layout.level.run($kernel::<_, 1> { $($field)* }),
        }
    };
}

/// Attention over `x`: sets the rows of `y`, and α for every message and head.
pub fn attend<S: Score>(lists: Lists, layout: Layout, score: S, x: &[f32], y: &mut [f32], coefficients: &mut [f32]) {
    let outputs = [Output::per_row(y, layout.stride), Output::per_entry(coefficients, lists.offsets, layout.heads)];
    over_lists(lists.offsets, layout.stride, outputs, |rows, [y, coefficients]| {
        by_block!(layout, AttendRows { lists, layout, score, x, rows, y, coefficients });
    });
}

/// The arguments and results of [`attend`] that its backward pass needs.
#[derive(Clone, Copy, Debug)]
pub struct Backward<'a, S> {
    /// The position of heads in a row.
    pub layout: Layout,
    /// The score.
    pub score: S,
    /// The rows that [`attend`] summed.
    pub x: &'a [f32],
    /// α for every message and head.
    pub coefficients: &'a [f32],
    /// The gradient of y.
    pub gradient: &'a [f32],
}

/// Sets the gradient of every score, and [`Score::receive`] in rows of `stride`.
pub fn receive<S: Score>(lists: Lists, of: Backward<S>, scores: &mut [f32], stride: usize, receivers: &mut [f32]) {
    let outputs = [Output::per_entry(scores, lists.offsets, of.layout.heads), Output::per_row(receivers, stride)];
    over_lists(lists.offsets, of.layout.stride, outputs, |rows, [scores, receivers]| {
        by_block!(of.layout, ReceiveRows { lists, of, rows, scores, stride, receivers });
    });
}

/// Sets the part of the gradient of x that comes from the sums, and [`Score::send`] in rows of
/// `stride`.
///
/// `lists` are by sender; `entries` give the index of each message in the lists of [`receive`].
pub fn send<S: Score>(
    (lists, entries): (Lists, &[u32]),
    of: Backward<S>,
    scores: &[f32],
    x: &mut [f32],
    stride: usize,
    senders: &mut [f32],
) {
    let outputs = [Output::per_row(x, of.layout.stride), Output::per_row(senders, stride)];
    over_lists(lists.offsets, of.layout.stride, outputs, |rows, [x, senders]| {
        by_block!(of.layout, SendRows { lists, entries, of, scores, rows, x, stride, senders });
    });
}

/// Space for one number per message of the longest list, in whole vectors.
#[inline(always)]
fn scratch(offsets: &[usize], rows: &Range<usize>) -> Vec<f32> {
    let longest = rows.clone().map(|row| offsets[row + 1] - offsets[row]).max().unwrap_or(0);
    vec![0.0; longest.next_multiple_of(LANES)]
}

struct AttendRows<'a, S, const BLOCK: usize> {
    lists: Lists<'a>,
    layout: Layout,
    score: S,
    x: &'a [f32],
    rows: Range<usize>,
    y: &'a mut [f32],
    coefficients: &'a mut [f32],
}

impl<S: Score, const BLOCK: usize> Kernel for AttendRows<'_, S, BLOCK> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let AttendRows { lists, layout, score, x, rows, y, coefficients } = self;
        let mut scratch = scratch(lists.offsets, &rows);
        let start = lists.offsets[rows.start];
        for (row, y) in rows.zip(y.chunks_exact_mut(layout.stride)) {
            let (from, to) = (lists.offsets[row], lists.offsets[row + 1]);
            let senders = &lists.sources[from..to];
            fetch(ahead(lists.sources, &(from..to)), x, layout.stride);
            let kept = &mut coefficients[(from - start) * layout.heads..(to - start) * layout.heads];
            let weights = &mut scratch[..senders.len().next_multiple_of(LANES)];
            for head in 0..layout.heads {
                weights[senders.len()..].fill(f32::NEG_INFINITY);
                let at = Place { layout, head, node: row, others: senders };
                score.scores::<BLOCK, FMA>(at, &mut weights[..senders.len()]);
                softmax(weights);
                for (kept, &weight) in kept.chunks_exact_mut(layout.heads).zip(&*weights) {
                    kept[head] = weight;
                }
                let columns = layout.columns(head);
                weighted::<BLOCK, FMA>(senders, weights, x, layout.stride, columns.start, &mut y[columns]);
            }
        }
    }
}

struct ReceiveRows<'a, S, const BLOCK: usize> {
    lists: Lists<'a>,
    of: Backward<'a, S>,
    rows: Range<usize>,
    scores: &'a mut [f32],
    stride: usize,
    receivers: &'a mut [f32],
}

impl<S: Score, const BLOCK: usize> Kernel for ReceiveRows<'_, S, BLOCK> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let ReceiveRows { lists, of, rows, scores, stride, receivers } = self;
        let Backward { layout, score, x, coefficients, gradient } = of;
        let heads = layout.heads;
        let mut weights = scratch(lists.offsets, &rows);
        let mut slopes = weights.clone();
        let start = lists.offsets[rows.start];
        for (row, receiver) in rows.zip(receivers.chunks_exact_mut(stride)) {
            let (from, to) = (lists.offsets[row], lists.offsets[row + 1]);
            let senders = &lists.sources[from..to];
            fetch(ahead(lists.sources, &(from..to)), x, layout.stride);
            let coefficients = &coefficients[from * heads..to * heads];
            let scores = &mut scores[(from - start) * heads..(to - start) * heads];
            let length = senders.len().next_multiple_of(LANES);
            let (weights, slopes) = (&mut weights[..length], &mut slopes[..length]);
            weights[senders.len()..].fill(0.0);
            slopes[senders.len()..].fill(0.0);
            for head in 0..heads {
                let upstream = layout.head(gradient, row, head);
                for (at, &sender) in senders.iter().enumerate() {
                    weights[at] = coefficients[at * heads + head];
                    slopes[at] = dot::<BLOCK, FMA>(upstream, layout.head(x, sender as usize, head));
                }
                // The softmax's derivative: ∂s_i = α_i·(∂α_i − Σ α_j·∂α_j).
                let mut mean = [0.0; LANES];
                for (weights, slopes) in weights.as_chunks::<LANES>().0.iter().zip(slopes.as_chunks::<LANES>().0) {
                    for lane in 0..LANES {
                        mean[lane] = multiply_add::<FMA>(weights[lane], slopes[lane], mean[lane]);
                    }
                }
                let mean = total(mean);
                for (slope, &weight) in slopes.iter_mut().zip(&*weights) {
                    *slope = weight * (*slope - mean);
                }
                let slopes = &mut slopes[..senders.len()];
                score.receive::<BLOCK, FMA>(Place { layout, head, node: row, others: senders }, slopes, receiver);
                for (out, &slope) in scores.chunks_exact_mut(heads).zip(&*slopes) {
                    out[head] = slope;
                }
            }
        }
    }
}

struct SendRows<'a, S, const BLOCK: usize> {
    lists: Lists<'a>,
    entries: &'a [u32],
    of: Backward<'a, S>,
    scores: &'a [f32],
    rows: Range<usize>,
    x: &'a mut [f32],
    stride: usize,
    senders: &'a mut [f32],
}

impl<S: Score, const BLOCK: usize> Kernel for SendRows<'_, S, BLOCK> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let SendRows { lists, entries: all_entries, of, scores, rows, x, stride, senders } = self;
        let Backward { layout, score, coefficients, gradient, .. } = of;
        let heads = layout.heads;
        let mut weights = scratch(lists.offsets, &rows);
        let mut slopes = weights.clone();
        let outputs = x.chunks_exact_mut(layout.stride).zip(senders.chunks_exact_mut(stride));
        for (row, (x, sender)) in rows.zip(outputs) {
            let (from, to) = (lists.offsets[row], lists.offsets[row + 1]);
            let (receivers, entries) = (&lists.sources[from..to], &all_entries[from..to]);
            let (weights, slopes) = (&mut weights[..receivers.len()], &mut slopes[..receivers.len()]);
            fetch(ahead(lists.sources, &(from..to)), gradient, layout.stride);
            let next = ahead(all_entries, &(from..to));
            fetch(next, coefficients, heads);
            fetch(next, scores, heads);
            for head in 0..heads {
                for (at, &entry) in entries.iter().enumerate() {
                    weights[at] = coefficients[entry as usize * heads + head];
                    slopes[at] = scores[entry as usize * heads + head];
                }
                let columns = layout.columns(head);
                weighted::<BLOCK, FMA>(receivers, weights, gradient, layout.stride, columns.start, &mut x[columns]);
                score.send::<BLOCK, FMA>(Place { layout, head, node: row, others: receivers }, slopes, sender);
            }
        }
    }
}
