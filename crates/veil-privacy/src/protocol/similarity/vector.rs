//! One vector, and the vectors of all nodes, stored for fast products.
//!
//! Few columns: every value is stored, and a product is a loop over both. Many columns: base·1 + a
//! few entries, as the reports of the multi-bit encoder are, and (a·1 + x)·(b·1 + y) = abD + a·Σy +
//! b·Σx + x·y, where x·y needs only the entries that both have. Values are stored as f32,
//! multiplied and added as f64 (so each product is exact) in an order that depends on the columns
//! alone: a·b = b·a exactly, on every node.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The largest width at which every value is stored.
const FEW_COLUMNS: usize = 256;

/// Whether vectors of this width are stored whole; `dense` says that the features themselves are.
pub(super) fn stored_whole(width: usize, dense: bool) -> bool {
    width > 0 && (dense || width <= FEW_COLUMNS)
}

/// A vector as it is sent to a neighbour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    pub(super) width: usize,
    pub(super) base: f32,
    pub(super) entries: Entries<Vec<u32>, Vec<f32>>,
}

/// Every value (and no base), or those that differ from the base, columns ascending.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Entries<C, V> {
    Whole(V),
    Listed(C, V),
}

impl Vector {
    /// The size in bytes: 4 for each value, and for a list 4 for each column and 4 for the base.
    pub fn bytes(&self) -> u64 {
        self.view().bytes()
    }

    /// Whether it can be compared with `other`: both are finite, of the same width and form. A
    /// received vector may be malformed.
    pub fn fits(&self, other: &Vector) -> bool {
        let finite = |values: &[f32]| self.base.is_finite() && values.iter().all(|value| value.is_finite());
        let whole = match (&self.entries, &other.entries) {
            (Entries::Whole(values), Entries::Whole(_)) => {
                values.len() == self.width && self.base == 0.0 && finite(values)
            }
            (Entries::Listed(columns, values), Entries::Listed(..)) => {
                let ascending = columns.windows(2).all(|pair| pair[0] < pair[1]);
                let inside = columns.last().is_none_or(|&last| (last as usize) < self.width);
                columns.len() == values.len() && ascending && inside && finite(values)
            }
            _ => false,
        };
        whole && self.width == other.width
    }

    pub(super) fn view(&self) -> View<'_> {
        let entries = match &self.entries {
            Entries::Whole(values) => Entries::Whole(&values[..]),
            Entries::Listed(columns, values) => Entries::Listed(&columns[..], &values[..]),
        };
        View::new(self.width, self.base, entries)
    }
}

/// A reference to a stored vector, with its sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    width: usize,
    base: f32,
    entries: Entries<&'a [u32], &'a [f32]>,
    /// Σ of the entries, the base not counted.
    sum: f64,
    /// The product with itself.
    square: f64,
}

impl<'a> View<'a> {
    fn new(width: usize, base: f32, entries: Entries<&'a [u32], &'a [f32]>) -> View<'a> {
        let (sum, own) = match entries {
            // A whole vector has no base, so its sum is not asked for.
            Entries::Whole(values) => (0.0, whole_product(values, values)),
            Entries::Listed(_, values) => (
                values.iter().copied().map(f64::from).sum(),
                values.iter().map(|&value| f64::from(value) * f64::from(value)).sum(),
            ),
        };
        let view = View { width, base, entries, sum, square: 0.0 };
        View { square: view.with_bases(&view, own), ..view }
    }

    pub(super) fn square(&self) -> f64 {
        self.square
    }

    fn bytes(&self) -> u64 {
        match self.entries {
            Entries::Whole(values) => 4 * values.len() as u64,
            Entries::Listed(columns, _) => 8 * columns.len() as u64 + 4,
        }
    }

    /// The product of two vectors of which only the entries have been multiplied.
    fn with_bases(&self, other: &View<'_>, entries: f64) -> f64 {
        let (a, b) = (f64::from(self.base), f64::from(other.base));
        a * b * self.width as f64 + (a * other.sum + b * self.sum) + entries
    }

    /// The product with another vector of the same width and form.
    pub(super) fn product(&self, other: &View<'_>) -> f64 {
        match (self.entries, other.entries) {
            (Entries::Whole(a), Entries::Whole(b)) => whole_product(a, b),
            (Entries::Listed(mine, _), Entries::Listed(theirs, _)) => {
                let (few, many) = if mine.len() <= theirs.len() { (self, other) } else { (other, self) };
                self.with_bases(other, searched_product(few.listed(), many.listed()))
            }
            // Vectors of one comparison have one form.
            _ => 0.0,
        }
    }

    /// The same product when `spread` holds this vector's entries.
    pub(super) fn product_spread(&self, spread: &[f32], other: &View<'_>) -> f64 {
        let (columns, values) = other.listed();
        let mine = self.listed().0.len();
        // Looking up a few entries in a long list is faster than walking the list.
        if mine * (usize::BITS - columns.len().leading_zeros()) as usize >= columns.len() {
            let products = columns.iter().zip(values);
            let sum = products.map(|(&column, &value)| f64::from(spread[column as usize]) * f64::from(value)).sum();
            return self.with_bases(other, sum);
        }
        self.product(other)
    }

    /// Columns and values of a list; nothing for a whole vector.
    pub(super) fn listed(&self) -> (&'a [u32], &'a [f32]) {
        match self.entries {
            Entries::Whole(_) => (&[], &[]),
            Entries::Listed(columns, values) => (columns, values),
        }
    }

    pub(super) fn is_listed(&self) -> bool {
        matches!(self.entries, Entries::Listed(..))
    }
}

/// Eight sums side by side, so that the loop fits vector registers, added up in a fixed order.
fn whole_product(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    for (a, b) in left.zip(right) {
        for (lane, (&a, &b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += f64::from(a) * f64::from(b);
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    (((a + e) + (c + g)) + ((b + f) + (d + h))) + rest
}

/// Σ over common columns, ascending: each of the few is looked up among those of the many not yet
/// passed.
fn searched_product((few, x): (&[u32], &[f32]), (mut many, mut y): (&[u32], &[f32])) -> f64 {
    let mut sum = 0.0;
    for (column, &value) in few.iter().zip(x) {
        match many.binary_search(column) {
            Ok(place) => {
                sum += f64::from(value) * f64::from(y[place]);
                (many, y) = (&many[place + 1..], &y[place + 1..]);
            }
            Err(place) => (many, y) = (&many[place..], &y[place..]),
        }
    }
    sum
}

/// The vectors of all nodes, all of one form.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    width: usize,
    whole: bool,
    /// Where a list starts, and at the end the number of entries; empty for whole vectors.
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    /// Base, sum and square of each.
    figures: Vec<(f32, f64, f64)>,
}

/// The number of vectors per task.
const BATCH: usize = 512;

impl Vectors {
    /// Makes the vector of every row below `rows`. `make` gives base, columns and values of one
    /// (whole: no columns).
    pub(super) fn build<S>(
        (rows, width, whole): (usize, usize, bool),
        begin: impl Fn() -> S + Sync,
        make: impl Fn(usize, &mut S, &mut Vec<u32>, &mut Vec<f32>) -> f32 + Sync,
    ) -> Vectors {
        if whole {
            let mut values = vec![0.0; rows * width];
            let mut figures = vec![(0.0, 0.0, 0.0); rows];
            let tasks = values.par_chunks_mut(BATCH * width).zip(figures.par_chunks_mut(BATCH)).enumerate();
            tasks.for_each(|(task, (values, figures))| {
                let (mut scratch, mut columns, mut row) = (begin(), Vec::new(), Vec::with_capacity(width));
                for (at, (out, figures)) in values.chunks_exact_mut(width).zip(figures).enumerate() {
                    row.clear();
                    let base = make(task * BATCH + at, &mut scratch, &mut columns, &mut row);
                    out.copy_from_slice(&row);
                    let view = View::new(width, base, Entries::Whole(&*out));
                    *figures = (base, view.sum, view.square);
                }
            });
            return Vectors { width, whole, offsets: Vec::new(), columns: Vec::new(), values, figures };
        }
        let batches: Vec<_> = (0..rows.div_ceil(BATCH))
            .into_par_iter()
            .map(|task| {
                let (mut scratch, mut columns, mut values) = (begin(), Vec::new(), Vec::new());
                let mut figures = Vec::with_capacity(BATCH);
                for row in task * BATCH..rows.min((task + 1) * BATCH) {
                    let start = columns.len();
                    let base = make(row, &mut scratch, &mut columns, &mut values);
                    let view = View::new(width, base, Entries::Listed(&columns[start..], &values[start..]));
                    figures.push((columns.len(), (base, view.sum, view.square)));
                }
                (columns, values, figures)
            })
            .collect();
        let entries = batches.iter().map(|(columns, ..)| columns.len()).sum();
        let mut all = Vectors {
            width,
            whole,
            offsets: Vec::with_capacity(rows + 1),
            columns: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
            figures: Vec::with_capacity(rows),
        };
        all.offsets.push(0);
        for (columns, values, figures) in batches {
            let before = all.columns.len();
            all.columns.extend_from_slice(&columns);
            all.values.extend_from_slice(&values);
            for (end, figures) in figures {
                all.offsets.push(before + end);
                all.figures.push(figures);
            }
        }
        all
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn view(&self, row: usize) -> View<'_> {
        let (base, sum, square) = self.figures[row];
        let entries = if self.whole {
            Entries::Whole(&self.values[row * self.width..(row + 1) * self.width])
        } else {
            let range = self.offsets[row]..self.offsets[row + 1];
            Entries::Listed(&self.columns[range.clone()], &self.values[range])
        };
        View { width: self.width, base, entries, sum, square }
    }

    pub(super) fn bytes(&self, row: usize) -> u64 {
        self.view(row).bytes()
    }
}
