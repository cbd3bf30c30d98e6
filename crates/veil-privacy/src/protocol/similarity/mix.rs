//! A node's own released features, mixed with the mean of its neighbours' (Eq. 3).

use veil_graph::{Features, NodeId};

use super::vector::{Entries, Vector, stored_whole};

/// own·x + mean·(mean of the neighbours' x).
///
/// A node without neighbours has no mean: that part is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// The weight of a node's own features.
    pub own: f64,
    /// The weight of the mean over its neighbours.
    pub mean: f64,
}

/// Sums by column, all zero between two uses.
pub(super) struct Sums {
    sums: Vec<f64>,
    seen: Vec<bool>,
    touched: Vec<u32>,
}

impl Sums {
    pub(super) fn new(width: usize) -> Sums {
        Sums { sums: vec![0.0; width], seen: vec![false; width], touched: Vec::new() }
    }

    fn add(&mut self, column: u32, value: f64) {
        let at = column as usize;
        if !self.seen[at] {
            self.seen[at] = true;
            self.touched.push(column);
        }
        self.sums[at] += value;
    }

    /// Adds `factor` times a row, less its offset.
    fn add_row(&mut self, features: &Features, row: usize, factor: f64) {
        match features {
            Features::Dense(matrix) => {
                for (column, &value) in (0..).zip(matrix.row(row)) {
                    self.add(column, factor * f64::from(value));
                }
            }
            Features::Sparse(sparse) => {
                for (column, value) in sparse.row(row) {
                    self.add(column, factor * f64::from(value));
                }
            }
            Features::Encoded(encoded) => {
                // Multiples of one f32 by small whole numbers are exact in f64: the order of
                // neighbours does not matter.
                let scale = factor * f64::from(encoded.scale());
                for (column, sign) in encoded.row(row) {
                    self.add(column, scale * f64::from(sign));
                }
            }
        }
    }

    fn scale(&mut self, factor: f64) {
        for &column in &self.touched {
            self.sums[column as usize] *= factor;
        }
    }

    /// Returns the sums and resets them.
    fn take(&mut self, base: f32, whole: bool, columns: &mut Vec<u32>, values: &mut Vec<f32>) {
        if whole {
            values.extend(self.sums.iter().map(|&sum| (sum + f64::from(base)) as f32));
        } else {
            self.touched.sort_unstable();
            for &column in &self.touched {
                let value = self.sums[column as usize] as f32;
                if value != 0.0 {
                    columns.push(column);
                    values.push(value);
                }
            }
        }
        for column in self.touched.drain(..) {
            self.sums[column as usize] = 0.0;
            self.seen[column as usize] = false;
        }
    }
}

/// What every column of a row has.
fn offset(features: &Features) -> f64 {
    match features {
        Features::Encoded(encoded) => f64::from(encoded.offset()),
        Features::Dense(_) | Features::Sparse(_) => 0.0,
    }
}

impl Mix {
    /// Whether it depends on the features of neighbours.
    pub fn aggregates(&self) -> bool {
        self.mean != 0.0
    }

    pub(super) fn stored_whole(features: &Features) -> bool {
        stored_whole(features.columns(), matches!(features, Features::Dense(_)))
    }

    /// One node's vector. `features` are those that the node has: row `me` is its own, rows
    /// `neighbours` are its neighbours', ascending by id.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn vector(&self, features: &Features, me: usize, neighbours: &[NodeId]) -> Vector {
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        let mut sums = Sums::new(features.columns());
        let base = self.append(features, me, neighbours, &mut sums, &mut columns, &mut values);
        let whole = Mix::stored_whole(features);
        let entries = if whole { Entries::Whole(values) } else { Entries::Listed(columns, values) };
        Vector { width: features.columns(), base, entries }
    }

    /// Appends the vector and returns its base.
    pub(super) fn append(
        &self,
        features: &Features,
        me: usize,
        neighbours: &[NodeId],
        sums: &mut Sums,
        columns: &mut Vec<u32>,
        values: &mut Vec<f32>,
    ) -> f32 {
        let mut weight = self.own;
        if self.aggregates() && !neighbours.is_empty() {
            for &neighbour in neighbours {
                sums.add_row(features, neighbour as usize, 1.0);
            }
            sums.scale(self.mean / neighbours.len() as f64);
            weight += self.mean;
        }
        if self.own != 0.0 {
            sums.add_row(features, me, self.own);
        }
        let (base, whole) = ((weight * offset(features)) as f32, Mix::stored_whole(features));
        sums.take(base, whole, columns, values);
        if whole { 0.0 } else { base }
    }
}
