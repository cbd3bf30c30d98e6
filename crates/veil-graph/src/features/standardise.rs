//! Standardisation of columns to mean 0 and standard deviation 1, measured on some rows: those of
//! the training graph.
//!
//! Means disclose information about rows, so this is for released or public features.

use super::Features;
use crate::graph::NodeId;
use crate::matrix::{Matrix, ShapeError};

/// The mean and the standard deviation of each column, to be kept with a model.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Moments {
    /// The mean of each column.
    pub mean: Vec<f32>,
    /// The population standard deviation of each column (divided by n): exactly 0 for a constant
    /// column.
    pub deviation: Vec<f32>,
}

impl Features {
    /// The moments of the columns over some rows; all zero without rows.
    ///
    /// ```
    /// use veil_graph::{Features, Matrix};
    /// let features = Features::Dense(Matrix::from_values(3, 2, vec![1.0, 7.0, 3.0, 7.0, 9.0, 9.0])?);
    /// let moments = features.moments(0..2);
    /// assert_eq!((&moments.mean[..], &moments.deviation[..]), (&[2.0, 7.0][..], &[1.0, 0.0][..]));
    /// let standard = Matrix::from_values(3, 2, vec![-1.0, 0.0, 1.0, 0.0, 7.0, 0.0])?;
    /// assert_eq!(features.standardised(&moments)?, Features::Dense(standard));
    /// # Ok::<(), veil_graph::ShapeError>(())
    /// ```
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn moments(&self, rows: impl IntoIterator<Item = NodeId>) -> Moments {
        let rows: Vec<usize> = rows.into_iter().map(|row| row as usize).collect();
        let columns = self.columns();
        let Some(&first) = rows.first() else {
            return Moments { mean: vec![0.0; columns], deviation: vec![0.0; columns] };
        };
        // Differences from one of the values, so that a constant column has a deviation of exactly
        // 0 despite rounding.
        let origin: Vec<f64> = (0..columns as u32).map(|column| f64::from(self.value(first, column))).collect();
        let mean = self.column_means(&rows, |column, value| value - origin[column]);
        let variance = self.column_means(&rows, |column, value| (value - origin[column] - mean[column]).powi(2));
        Moments {
            mean: origin.iter().zip(&mean).map(|(origin, mean)| (origin + mean) as f32).collect(),
            deviation: variance.iter().map(|variance| variance.sqrt() as f32).collect(),
        }
    }

    /// The mean over rows of a function of column and value. Values that are not stored are equal,
    /// and are added at once.
    fn column_means(&self, rows: &[usize], of: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let mut sums = vec![(0.0f64, 0usize); self.columns()];
        let mut add = |column: usize, value: f32| {
            sums[column].0 += of(column, f64::from(self.unstored() + value));
            sums[column].1 += 1;
        };
        for &row in rows {
            self.for_stored(row, &mut add);
        }
        let elsewhere = f64::from(self.unstored());
        let total = |(column, (sum, stored)): (usize, (f64, usize))| match rows.len() - stored {
            0 => sum,
            unstored => sum + unstored as f64 * of(column, elsewhere),
        };
        sums.into_iter().enumerate().map(|sum| total(sum) / rows.len() as f64).collect()
    }

    /// Subtracts the mean and divides by the deviation; columns with deviation 0 become 0. The
    /// result is dense, because zeros do not stay zero.
    ///
    /// # Errors
    /// If there is not one mean and one deviation per column.
    pub fn standardised(&self, moments: &Moments) -> Result<Features, ShapeError> {
        ShapeError::check("means of the columns", self.columns(), moments.mean.len())?;
        ShapeError::check("deviations of the columns", self.columns(), moments.deviation.len())?;
        let standard = |column: usize, value: f32| {
            let (mean, deviation) = (f64::from(moments.mean[column]), f64::from(moments.deviation[column]));
            if deviation <= 0.0 {
                return 0.0;
            }
            // Other rows may lie far outside the measured ones: features stay finite.
            ((f64::from(value) - mean) / deviation).clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
        };
        let elsewhere: Vec<f32> = (0..self.columns()).map(|column| standard(column, self.unstored())).collect();
        let mut matrix = Matrix::zeros(self.rows(), self.columns());
        for row in 0..self.rows() {
            let out = matrix.row_mut(row);
            out.copy_from_slice(&elsewhere);
            self.for_stored(row, &mut |column, value| out[column] = standard(column, self.unstored() + value));
        }
        Ok(Features::Dense(matrix))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Encoded, Sparse};
    use super::*;

    /// The same values in both forms that can hold them; the last column is 0.1 everywhere.
    fn both_forms() -> [Features; 2] {
        let values = vec![0.0, -3.0, 0.1, 2.0, 0.0, 0.1, 0.0, 6.0, 0.1, 5.0, 1.0, 0.1];
        let triples: Vec<(u32, u32, f32)> =
            values.iter().zip(0..).map(|(&value, place)| (place / 3, place % 3, value)).collect();
        let dense = Matrix::from_values(4, 3, values).unwrap();
        [Features::Dense(dense), Features::Sparse(Sparse::from_triples(4, 3, &triples).unwrap())]
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        for features in both_forms() {
            let moments = features.moments(0..4);
            assert_eq!(moments.mean, [1.75, 1.0, 0.1]);
            // Column 0: deviations −1.75, 0.25, −1.75, 3.25; column 1: −4, −1, 5, 0.
            let wanted = [(16.75f64 / 4.0).sqrt() as f32, (42.0f64 / 4.0).sqrt() as f32, 0.0];
            assert_eq!(moments.deviation, wanted);
            let of_two = features.moments([3, 1]);
            assert_eq!((of_two.mean, of_two.deviation), (vec![3.5, 0.5, 0.1], vec![1.5, 0.5, 0.0]));
            assert_eq!(features.moments([]).deviation, [0.0; 3]);
        }
    }

    #[test]
    fn standardised_columns_have_mean_0_and_deviation_1() {
        let encoded = Encoded::from_reports((3, 3, 1), (0.5, 2.0), vec![0, 0, 1], vec![true, false, true]).unwrap();
        for features in both_forms().into_iter().chain([Features::Encoded(encoded)]) {
            let rows = features.rows() as u32;
            let standard = features.standardised(&features.moments(0..rows)).unwrap();
            let again = standard.moments(0..rows);
            assert_eq!(standard.form(), "dense");
            for (column, wanted) in [1.0, 1.0, 0.0].into_iter().enumerate() {
                assert!(again.mean[column].abs() < 1e-6, "{again:?}");
                assert!((again.deviation[column] - wanted).abs() < 1e-6, "{again:?}");
            }
            assert!((0..features.rows()).all(|row| standard.value(row, 2) == 0.0), "a constant column says nothing");
        }
    }

    #[test]
    fn moments_are_kept_and_applied_to_other_rows() {
        let [dense, sparse] = both_forms();
        let moments = dense.moments(0..2);
        let kept: Moments = serde_json::from_str(&serde_json::to_string(&moments).unwrap()).unwrap();
        assert_eq!(kept, moments);
        let standard = sparse.standardised(&kept).unwrap();
        assert_eq!(standard, dense.standardised(&moments).unwrap());
        // Measured on 0 and 2: mean 1, deviation 1.
        assert_eq!([standard.value(1, 0), standard.value(3, 0)], [1.0, 4.0]);
        assert!(Features::Dense(Matrix::zeros(2, 2)).standardised(&moments).is_err());
        let tiny = Moments { mean: vec![0.0; 3], deviation: vec![1e-40; 3] };
        assert_eq!(dense.standardised(&tiny).unwrap().value(0, 1), f32::MIN);
    }
}
