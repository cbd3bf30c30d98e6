//! Work split over threads so that results do not depend on how many there are.
//!
//! Every part computes whole rows and nothing else, so a sum is never split between threads. Small work stays on the
//! thread that asks: a pool costs 10–60 % on graphs as small as Cora.

use std::ops::Range;

use rayon::prelude::*;

/// Below this many floats touched, splitting costs more than it gives.
const WORTH_SPLITTING: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Calls `work(first row, rows)` on parts of `out` that touch about as many rows of the other factor each.
pub fn over_rows(offsets: &[usize], stride: usize, out: &mut [f32], work: impl Fn(usize, &mut [f32]) + Sync) {
    let rows = offsets.len() - 1;
    let touched = (offsets[rows] - offsets[0] + rows) * stride;
    let parts = part_count(touched);
    if parts == 1 {
        return work(0, out);
    }
    let cost = |row: usize| offsets[row] - offsets[0] + row;
    let bounds = (0..=parts).map(|part| {
        let wanted = cost(rows) * part / parts;
        partition_point(rows, |row| cost(row) < wanted)
    });
    run_parts(bounds.collect(), stride, [out], |first, [out]| work(first, out));
}

/// Calls `work(first row, rows)` on equal parts of `out`, if `touched` floats make that worth while.
pub fn over_equal_rows(touched: usize, stride: usize, out: &mut [f32], work: impl Fn(usize, &mut [f32]) + Sync) {
    over_equal_rows_of(touched, stride, [out], |first, [out]| work(first, out));
}

/// The same with several matrices of as many rows, or of none, that are split alike.
pub fn over_equal_rows_of<const N: usize>(
    touched: usize,
    stride: usize,
    out: [&mut [f32]; N],
    work: impl Fn(usize, [&mut [f32]; N]) + Sync,
) {
    let rows = out.iter().map(|out| out.len() / stride).max().unwrap_or(0);
    let parts = part_count(touched).min(rows.max(1));
    if parts == 1 {
        return work(0, out);
    }
    // Whole groups of rows where there are many: kernels take several at once.
    let group = if rows >= parts * 48 { 24 } else { 1 };
    let bounds = (0..=parts)
        .map(|part| if part == parts { rows } else { (rows * part / parts).next_multiple_of(group).min(rows) });
    run_parts(bounds.collect(), stride, out, work);
}

fn part_count(touched: usize) -> usize {
    let threads = rayon::current_num_threads();
    if threads == 1 || touched < WORTH_SPLITTING { 1 } else { (threads * 8).min(touched / (WORTH_SPLITTING / 8)) }
}

fn run_parts<const N: usize>(
    bounds: Vec<usize>,
    stride: usize,
    mut out: [&mut [f32]; N],
    work: impl Fn(usize, [&mut [f32]; N]) + Sync,
) {
    let mut parts = Vec::with_capacity(bounds.len());
    for pair in bounds.windows(2) {
        let length = (pair[1] - pair[0]) * stride;
        let part = out.each_mut().map(|out| {
            let length = length.min(out.len());
            let (part, after) = std::mem::take(out).split_at_mut(length);
            *out = after;
            part
        });
        parts.push((pair[0], part));
    }
    parts.into_par_iter().for_each(|(first, part)| work(first, part));
}

/// The first number below `end` for which `before` is false.
fn partition_point(end: usize, before: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = 0..end;
    while start < end {
        let middle = start.midpoint(end);
        if before(middle) { start = middle + 1 } else { end = middle }
    }
    start
}
