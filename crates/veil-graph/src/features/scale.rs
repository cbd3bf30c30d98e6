//! Scaling of features.

use super::{Features, Sparse};
use crate::matrix::Matrix;

impl Features {
    /// Each column scaled to [0, 1]; constant columns are dropped.
    ///
    /// This reads the features of all nodes: if they are private, its use must be declared. Encoded
    /// reports are unchanged.
    ///
    /// ```
    /// use veil_graph::{Features, Matrix};
    /// let features = Features::Dense(Matrix::from_values(2, 3, vec![1.0, 7.0, -2.0, 3.0, 7.0, 2.0])?);
    /// let scaled = Features::Dense(Matrix::from_values(2, 2, vec![0.0, 0.0, 1.0, 1.0])?);
    /// assert_eq!(features.min_max_scaled(), scaled);
    /// # Ok::<(), veil_graph::ShapeError>(())
    /// ```
    pub fn min_max_scaled(&self) -> Features {
        if matches!(self, Features::Encoded(_)) {
            return self.clone();
        }
        let ranges = ranges(self);
        let kept: Vec<usize> = (0..ranges.len()).filter(|&column| ranges[column].0 < ranges[column].1).collect();
        let scaled = |value: f32, (low, high): (f32, f32)| {
            // In double precision, so that the bounds become exactly 0 and 1 and nothing overflows.
            ((f64::from(value) - f64::from(low)) / (f64::from(high) - f64::from(low))) as f32
        };
        match self {
            // If 0 is mapped to 0, sparse features stay sparse.
            Features::Sparse(sparse) if kept.iter().all(|&column| ranges[column].0 == 0.0) => {
                let mut new_column = vec![None; ranges.len()];
                kept.iter().enumerate().for_each(|(new, &old)| new_column[old] = Some(new as u32));
                let rows = (0..sparse.rows()).map(|row| {
                    let entries = sparse.row(row).filter_map(|(column, value)| {
                        Some((new_column[column as usize]?, scaled(value, ranges[column as usize])))
                    });
                    entries.collect::<Vec<_>>()
                });
                Features::Sparse(Sparse::from_sorted_rows(rows, kept.len()))
            }
            _ => {
                let mut matrix = Matrix::zeros(self.rows(), kept.len());
                for row in 0..self.rows() {
                    for (out, &column) in matrix.row_mut(row).iter_mut().zip(&kept) {
                        *out = scaled(self.value(row, column as u32), ranges[column]);
                    }
                }
                Features::Dense(matrix)
            }
        }
    }

    /// Each row divided by the sum of its absolute values; a row of zeros stays. A node can do this
    /// on its own data. Encoded reports are unchanged.
    pub fn row_scaled(&self) -> Features {
        let factor = |values: &mut dyn Iterator<Item = f32>| {
            let sum: f64 = values.map(|value| f64::from(value.abs())).sum();
            if sum > 0.0 { 1.0 / sum } else { 0.0 }
        };
        match self {
            Features::Dense(matrix) => {
                let mut scaled = matrix.clone();
                for row in 0..scaled.rows() {
                    let row = scaled.row_mut(row);
                    let factor = factor(&mut row.iter().copied());
                    row.iter_mut().for_each(|value| *value = (f64::from(*value) * factor) as f32);
                }
                Features::Dense(scaled)
            }
            Features::Sparse(sparse) => {
                let rows = (0..sparse.rows()).map(|row| {
                    let factor = factor(&mut sparse.row(row).map(|(_, value)| value));
                    sparse.row(row).map(|(column, value)| (column, (f64::from(value) * factor) as f32)).collect()
                });
                Features::Sparse(Sparse::from_sorted_rows(rows, sparse.columns()))
            }
            Features::Encoded(_) => self.clone(),
        }
    }
}

/// The smallest and the largest value of each column.
fn ranges(features: &Features) -> Vec<(f32, f32)> {
    let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); features.columns()];
    let mut stored = vec![0usize; features.columns()];
    for row in 0..features.rows() {
        features.for_stored(row, &mut |column, value| {
            ranges[column] = (ranges[column].0.min(value), ranges[column].1.max(value));
            stored[column] += 1;
        });
    }
    for (range, _) in ranges.iter_mut().zip(stored).filter(|&(_, stored)| stored < features.rows()) {
        *range = (range.0.min(0.0), range.1.max(0.0));
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> [Features; 2] {
        let values = vec![0.0, 5.0, 0.0, -1.0, 2.0, 5.0, 0.0, 1.0, 4.0, 5.0, 0.0, 0.0];
        let triples: Vec<(u32, u32, f32)> =
            values.iter().enumerate().map(|(place, &value)| ((place / 4) as u32, (place % 4) as u32, value)).collect();
        let dense = Matrix::from_values(3, 4, values).unwrap();
        [Features::Dense(dense), Features::Sparse(Sparse::from_triples(3, 4, &triples).unwrap())]
    }

    #[test]
    fn columns_fill_the_unit_interval_and_constant_ones_are_dropped() {
        for features in example() {
            let scaled = features.min_max_scaled();
            let rows: Vec<Vec<f32>> = (0..3)
                .map(|row| (0..scaled.columns() as u32).map(|column| scaled.value(row, column)).collect())
                .collect();
            assert_eq!(rows, [[0.0, 0.0], [0.5, 1.0], [1.0, 0.5]]);
        }
    }

    #[test]
    fn sparse_features_stay_sparse_if_zero_stays_zero() {
        let sparse = Sparse::from_triples(3, 3, &[(0, 0, 4.0), (1, 0, 2.0), (2, 2, 7.0)]).unwrap();
        let scaled = Features::Sparse(sparse).min_max_scaled();
        assert_eq!((scaled.form(), scaled.columns()), ("sparse", 2));
        assert_eq!([scaled.value(0, 0), scaled.value(1, 0), scaled.value(2, 1)], [1.0, 0.5, 1.0]);
    }

    #[test]
    fn rows_sum_to_one_in_magnitude() {
        for features in example() {
            let scaled = features.row_scaled();
            assert_eq!([scaled.value(0, 1), scaled.value(0, 3)], [5.0 / 6.0, -1.0 / 6.0]);
            assert_eq!(scaled.form(), features.form());
        }
        let empty = Features::Dense(Matrix::zeros(1, 2)).row_scaled();
        assert_eq!(empty.value(0, 0), 0.0);
    }
}
