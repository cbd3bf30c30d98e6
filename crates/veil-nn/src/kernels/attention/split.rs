//! As [`parallel`](crate::kernels::parallel), for work that writes two things at once: rows, and numbers per message.

use std::ops::Range;

use rayon::prelude::*;

/// Below this many floats touched, splitting costs more than it gives.
const WORTH_SPLITTING: usize = 1 << 20;

/// Where the share of a row lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Places {
    /// So many floats per row.
    Rows(usize),
    /// So many floats per message that the row receives.
    Messages(usize),
}

/// Something that is written row by row.
#[derive(Debug)]
pub(super) struct Output<'a> {
    values: &'a mut [f32],
    places: Places,
}

impl<'a> Output<'a> {
    pub fn new(values: &'a mut [f32], places: Places) -> Output<'a> {
        Output { values, places }
    }

    /// The share of these rows, which are the first that were not taken yet.
    fn take(&mut self, offsets: &[usize], rows: &Range<usize>) -> &'a mut [f32] {
        let length = match self.places {
            Places::Rows(stride) => rows.len() * stride,
            Places::Messages(heads) => (offsets[rows.end] - offsets[rows.start]) * heads,
        };
        let (share, rest) = std::mem::take(&mut self.values).split_at_mut(length);
        self.values = rest;
        share
    }
}

/// Calls `work(rows, their share of the outputs)` on parts that touch about as many rows of `stride` floats each.
///
/// # Panics
/// If an output is shorter than its rows need.
pub(super) fn over_rows(
    offsets: &[usize],
    stride: usize,
    mut outputs: [Output; 2],
    work: impl Fn(Range<usize>, [&mut [f32]; 2]) + Sync,
) {
    let rows = offsets.len() - 1;
    let cost = |row: usize| offsets[row] + row;
    let touched = cost(rows) * stride;
    let threads = rayon::current_num_threads();
    let parts = if threads == 1 || touched < WORTH_SPLITTING { 1 } else { threads * 8 };
    let mut shares = Vec::with_capacity(parts);
    let mut start = 0;
    for part in 1..=parts {
        let wanted = cost(rows) * part / parts;
        let end = first(start..rows, |row| cost(row) < wanted);
        let range = start..end;
        start = end;
        shares.push((range.clone(), outputs.each_mut().map(|output| output.take(offsets, &range))));
    }
    if parts == 1 {
        shares.into_iter().for_each(|(rows, outputs)| work(rows, outputs));
    } else {
        shares.into_par_iter().for_each(|(rows, outputs)| work(rows, outputs));
    }
}

/// The first number of the range for which `before` is false.
fn first(Range { mut start, mut end }: Range<usize>, before: impl Fn(usize) -> bool) -> usize {
    while start < end {
        let middle = start.midpoint(end);
        if before(middle) { start = middle + 1 } else { end = middle }
    }
    start
}
