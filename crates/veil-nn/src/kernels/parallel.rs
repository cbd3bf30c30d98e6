//! Splits work over threads without changing its result.
//!
//! Every part computes whole rows, so a sum is never split between threads. Small work stays on the
//! calling thread: a pool costs 10–60 % on graphs as small as Cora. So does everything inside
//! [`on_one_core`].

use std::cell::Cell;
use std::ops::Range;

use rayon::prelude::*;

/// With fewer floats to process, splitting costs more than it gains.
const WORTH_SPLITTING: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

thread_local! {
    /// Whether this thread is inside [`on_one_core`].
    static ON_ONE_CORE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` without splitting any kernel over threads: for many small trainings in parallel, one
/// per core.
///
/// A pool thread that waits for the parts of a kernel steals other work, possibly another whole
/// training, inside which it waits again: memory and stack grow with the number of trainings.
/// Inside `on_one_core` no kernel uses the pool, so no thread waits. The setting applies to the
/// current thread only: threads started by `work` do not inherit it, and a [`Probe`](crate::Probe)
/// still uses all of them. Results have the same bits inside and outside.
///
/// ```
/// use rayon::prelude::*;
/// use veil_graph::{Features, Matrix};
/// use veil_nn::{Description, Input, Kind, Model, on_one_core};
/// let features = Features::Dense(Matrix::from_values(2, 2, vec![1.0, 0.0, 0.0, 1.0])?);
/// let input = Input::without_graph(features)?;
/// let description = Description { kind: Kind::Mlp, ..Description::default() }.check(2, 3)?;
/// let answer = |seed| on_one_core(|| Model::new(description, seed).posteriors(&input));
/// let answers: Vec<_> = (0..4).into_par_iter().map(answer).collect::<Result<_, _>>()?;
/// assert_eq!(answers.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn on_one_core<T>(work: impl FnOnce() -> T) -> T {
    /// Restores the setting, also on panic.
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            ON_ONE_CORE.set(self.0);
        }
    }
    let _before = Before(ON_ONE_CORE.replace(true));
    work()
}

/// Whether this thread is inside [`on_one_core`].
pub fn is_on_one_core() -> bool {
    ON_ONE_CORE.get()
}

/// An output that is written row by row, each row by one thread.
#[derive(Debug)]
pub struct Output<'a> {
    values: &'a mut [f32],
    share: Share<'a>,
}

/// The part of an output that belongs to a row.
#[derive(Clone, Copy, Debug)]
enum Share<'a> {
    /// This number of floats.
    Row(usize),
    /// This number of floats for every entry of the row's list.
    Entries(&'a [usize], usize),
}

impl<'a> Output<'a> {
    /// Rows of `floats` floats.
    pub fn per_row(values: &'a mut [f32], floats: usize) -> Output<'a> {
        Output { values, share: Share::Row(floats) }
    }

    /// `floats` floats for every entry of the lists with these offsets.
    pub fn per_entry(values: &'a mut [f32], offsets: &'a [usize], floats: usize) -> Output<'a> {
        Output { values, share: Share::Entries(offsets, floats) }
    }

    /// The part of these rows, which follow the rows taken before.
    fn take(&mut self, rows: &Range<usize>) -> &'a mut [f32] {
        let length = match self.share {
            Share::Row(floats) => rows.len() * floats,
            Share::Entries(offsets, floats) => (offsets[rows.end] - offsets[rows.start]) * floats,
        };
        let (share, rest) = std::mem::take(&mut self.values).split_at_mut(length);
        self.values = rest;
        share
    }
}

/// Calls `work(rows, their part of the outputs)` on parts whose lists contain about the same number
/// of rows of `stride` floats.
///
/// # Panics
/// If an output is too short.
pub fn over_lists<const N: usize>(
    offsets: &[usize],
    stride: usize,
    out: [Output; N],
    work: impl Fn(Range<usize>, [&mut [f32]; N]) + Sync,
) {
    let rows = offsets.len() - 1;
    let cost = |row: usize| offsets[row] - offsets[0] + row;
    let parts = part_count(cost(rows) * stride);
    split(parts, |part| partition_point(rows, |row| cost(row) < cost(rows) * part / parts), out, work);
}

/// Calls `work(first row, rows)` on equal parts of matrices with the same number of rows, or with
/// none. They are split only if `touched` floats make it worthwhile.
pub fn over_equal_rows<const N: usize>(
    touched: usize,
    stride: usize,
    out: [&mut [f32]; N],
    work: impl Fn(usize, [&mut [f32]; N]) + Sync,
) {
    let rows = out.iter().map(|out| out.len() / stride).max().unwrap_or(0);
    let parts = part_count(touched).min(rows.max(1));
    // Whole groups of rows if there are many: kernels process several at once.
    let group = if rows >= parts * 48 { 24 } else { 1 };
    let out = out.map(|out| {
        let floats = if out.is_empty() { 0 } else { stride };
        Output::per_row(out, floats)
    });
    let end = |part: usize| if part == parts { rows } else { (rows * part / parts).next_multiple_of(group).min(rows) };
    split(parts, end, out, |rows, out| work(rows.start, out));
}

fn part_count(touched: usize) -> usize {
    if touched < WORTH_SPLITTING || ON_ONE_CORE.get() {
        return 1;
    }
    let threads = rayon::current_num_threads();
    if threads == 1 { 1 } else { (threads * 8).min(touched / (WORTH_SPLITTING / 8)) }
}

/// Runs parts 1, 2, …, where each ends at the row `end(part)`.
fn split<const N: usize>(
    parts: usize,
    end: impl Fn(usize) -> usize,
    mut out: [Output; N],
    work: impl Fn(Range<usize>, [&mut [f32]; N]) + Sync,
) {
    let mut start = 0;
    let mut take = |part| {
        let rows = start..end(part);
        start = rows.end;
        (rows.clone(), out.each_mut().map(|out| out.take(&rows)))
    };
    if parts == 1 {
        let (rows, out) = take(1);
        return work(rows, out);
    }
    let shares: Vec<_> = (1..=parts).map(take).collect();
    shares.into_par_iter().for_each(|(rows, out)| work(rows, out));
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// Adds 1 + the row's index to everything that belongs to a row. Returns the parts in order.
    fn mark(offsets: &[usize], per_row: &mut [f32], per_entry: &mut [f32]) -> Vec<Range<usize>> {
        let parts = Mutex::new(Vec::new());
        let out = [Output::per_row(per_row, 3), Output::per_entry(per_entry, offsets, 2)];
        over_lists(offsets, 4, out, |rows, [per_row, per_entry]| {
            let first = offsets[rows.start];
            for row in rows.clone() {
                per_row[(row - rows.start) * 3..][..3].iter_mut().for_each(|value| *value += 1.0 + row as f32);
                let entries = (offsets[row] - first) * 2..(offsets[row + 1] - first) * 2;
                per_entry[entries].iter_mut().for_each(|value| *value += 1.0 + row as f32);
            }
            assert_eq!(per_row.len(), rows.len() * 3);
            assert_eq!(per_entry.len(), (offsets[rows.end] - first) * 2);
            parts.lock().unwrap().push(rows);
        });
        let mut parts = parts.into_inner().unwrap();
        parts.sort_by_key(|rows| (rows.start, rows.end));
        parts
    }

    #[test]
    fn every_row_gets_its_own_share_once_and_parts_are_as_heavy() {
        // Leading, trailing and very long lists.
        let lengths = (0..400).map(|row| if row % 399 == 0 { 0 } else { row % 7 + if row == 90 { 300 } else { 0 } });
        let offsets: Vec<usize> = std::iter::once(5)
            .chain(lengths.scan(5, |end, length| {
                *end += length;
                Some(*end)
            }))
            .collect();
        let entries = offsets[400] - 5;
        for threads in [1, 2, 3] {
            let (mut per_row, mut per_entry) = (vec![0.0; 400 * 3], vec![0.0; entries * 2]);
            let parts = on_threads(threads, || mark(&offsets, &mut per_row, &mut per_entry));
            assert!(per_row.iter().enumerate().all(|(at, &value)| value == 1.0 + (at / 3) as f32));
            for row in 0..400 {
                let share = &per_entry[(offsets[row] - 5) * 2..(offsets[row + 1] - 5) * 2];
                assert!(share.iter().all(|&value| value == 1.0 + row as f32));
            }
            assert_eq!(parts.len(), if threads == 1 { 1 } else { threads * 8 });
            let heaviest = parts.iter().map(|rows| offsets[rows.end] - offsets[rows.start] + rows.len()).max();
            // No part exceeds its fair share by more than one list.
            assert!(heaviest.unwrap() <= (entries + 400).div_ceil(parts.len()) + 307, "{heaviest:?}");
        }
    }

    #[test]
    fn small_work_stays_on_the_calling_thread() {
        let parts = |rows: usize| {
            let offsets: Vec<usize> = (0..=rows).collect();
            on_threads(2, || mark(&offsets, &mut vec![0.0; rows * 3], &mut vec![0.0; rows * 2])).len()
        };
        // Rows and as many entries, of four floats each.
        assert_eq!((parts(0), parts(WORTH_SPLITTING / 8 - 1), parts(WORTH_SPLITTING / 8)), (1, 1, 8));
    }

    #[test]
    fn equal_parts_are_whole_groups_and_what_is_empty_stays_so() {
        let parts = Mutex::new(Vec::new());
        let mut values = vec![0.0; 1000 * 2];
        on_threads(2, || {
            over_equal_rows(1 << 20, 2, [&mut values, &mut []], |first, [values, nothing]| {
                assert!(nothing.is_empty());
                values.iter_mut().for_each(|value| *value += 1.0);
                parts.lock().unwrap().push((first, values.len() / 2));
            });
        });
        assert!(values.iter().all(|&value| value == 1.0));
        let mut parts = parts.into_inner().unwrap();
        parts.sort_unstable();
        assert_eq!(parts.len(), 16);
        assert!(parts.iter().all(|&(first, rows)| first % 24 == 0 && (rows > 0)), "{parts:?}");
        assert_eq!(parts.iter().map(|part| part.1).sum::<usize>(), 1000);
    }

    #[test]
    fn on_one_core_nothing_is_split_and_no_work_is_stolen() {
        thread_local! {
            static DEPTH: Cell<usize> = const { Cell::new(0) };
        }
        let job = |_| {
            let parts = Mutex::new(0);
            DEPTH.set(DEPTH.get() + 1);
            for _ in 0..20 {
                over_equal_rows(1 << 20, 2, [&mut [0.0; 2000]], |_, _| *parts.lock().unwrap() += 1);
            }
            let depth = DEPTH.get();
            DEPTH.set(depth - 1);
            (depth, parts.into_inner().unwrap())
        };
        let results = on_threads(2, || (0..64).into_par_iter().map(|at| on_one_core(|| job(at))).collect::<Vec<_>>());
        assert!(results.iter().all(|&found| found == (1, 20)));
        let split = on_threads(2, || (0..64).into_par_iter().map(job).collect::<Vec<_>>());
        assert!(split.iter().all(|&(_, parts)| parts == 20 * 16));
    }

    #[test]
    fn the_setting_is_restored_also_on_panic() {
        on_one_core(|| {
            on_one_core(|| ());
            assert!(ON_ONE_CORE.get());
            // The setting belongs to its thread.
            assert!(!std::thread::spawn(|| ON_ONE_CORE.get()).join().unwrap());
        });
        assert!(!ON_ONE_CORE.get());
        assert!(std::panic::catch_unwind(|| on_one_core(|| std::panic::resume_unwind(Box::new(())))).is_err());
        assert!(!ON_ONE_CORE.get());
    }

    #[test]
    #[should_panic(expected = "mid")]
    fn an_output_that_is_too_short_is_refused() {
        mark(&[0, 1, 2], &mut [0.0; 5], &mut [0.0; 4]);
    }
}
