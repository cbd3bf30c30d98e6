//! Scaling of features.

use super::{Features, Sparse};
use crate::matrix::{Matrix, ShapeError};

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
        self.with_rows_scaled(|row| {
            let sum: f64 = row.iter().map(|&(_, value)| f64::from(value.abs())).sum();
            row.iter_mut().for_each(|(_, value)| *value = scaled(*value, 1.0, sum));
        })
    }

    /// Each row scaled to this Euclidean length, after each column was multiplied by its weight; a
    /// row of zeros stays. Encoded reports are unchanged.
    ///
    /// # Errors
    /// If there is not one weight per column.
    pub fn with_rows_of_length(&self, length: f32, weights: Option<&[f32]>) -> Result<Features, ShapeError> {
        if let Some(weights) = weights {
            ShapeError::check("weights of the columns", self.columns(), weights.len())?;
        }
        Ok(self.with_rows_scaled(|row| {
            for (column, value) in row.iter_mut() {
                *value *= weights.map_or(1.0, |weights| weights[*column as usize]);
            }
            let squares: f64 = row.iter().map(|&(_, value)| f64::from(value).powi(2)).sum();
            row.iter_mut().for_each(|(_, value)| *value = scaled(*value, f64::from(length), squares.sqrt()));
        }))
    }

    fn with_rows_scaled(&self, scale: impl Fn(&mut [(u32, f32)])) -> Features {
        match self {
            Features::Dense(matrix) => {
                let mut all = matrix.clone();
                for row in 0..all.rows() {
                    let row = all.row_mut(row);
                    let mut entries: Vec<(u32, f32)> = (0..).zip(row.iter().copied()).collect();
                    scale(&mut entries);
                    row.iter_mut().zip(entries).for_each(|(out, (_, value))| *out = value);
                }
                Features::Dense(all)
            }
            Features::Sparse(sparse) => {
                let rows = (0..sparse.rows()).map(|row| {
                    let mut entries: Vec<(u32, f32)> = sparse.row(row).collect();
                    scale(&mut entries);
                    entries
                });
                Features::Sparse(Sparse::from_sorted_rows(rows, sparse.columns()))
            }
            Features::Encoded(_) => self.clone(),
        }
    }
}

/// A value times a length over a norm, which may be 0.
fn scaled(value: f32, length: f64, norm: f64) -> f32 {
    if norm > 0.0 { (f64::from(value) * (length / norm)) as f32 } else { 0.0 }
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

    #[test]
    fn rows_get_a_length_after_their_columns_are_weighted() {
        let dense = Features::Dense(Matrix::from_values(2, 2, vec![3.0, 4.0, 0.0, 0.0]).unwrap());
        let sparse = Features::Sparse(Sparse::from_triples(2, 2, &[(0, 0, 3.0), (0, 1, 4.0)]).unwrap());
        for features in [dense, sparse] {
            let long = features.with_rows_of_length(10.0, None).unwrap();
            assert_eq!([0, 1].map(|column| long.value(0, column)), [6.0, 8.0]);
            assert_eq!([0, 1].map(|column| long.value(1, column)), [0.0, 0.0], "zeros stay");
            let weighted = features.with_rows_of_length(1.0, Some(&[0.0, 0.5])).unwrap();
            assert_eq!([0, 1].map(|column| weighted.value(0, column)), [0.0, 1.0]);
            assert!(features.with_rows_of_length(1.0, Some(&[1.0])).is_err());
        }
    }
}
