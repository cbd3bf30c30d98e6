//! A dense matrix, row by row.

/// A dense matrix of 32-bit floats, row by row.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

/// A size that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: expected {expected}, found {found}")]
pub struct ShapeError {
    /// The operation and the size.
    pub what: &'static str,
    /// The expected size.
    pub expected: usize,
    /// The actual size.
    pub found: usize,
}

impl ShapeError {
    /// `Ok` if the sizes are equal.
    pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), ShapeError> {
        if expected == found { Ok(()) } else { Err(ShapeError { what, expected, found }) }
    }
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// A matrix from its values, row by row.
    ///
    /// # Errors
    /// If there are not `rows × columns` values.
    pub fn from_values(rows: usize, columns: usize, values: Vec<f32>) -> Result<Matrix, ShapeError> {
        ShapeError::check("values of a matrix", rows.saturating_mul(columns), values.len())?;
        Ok(Matrix { rows, columns, values })
    }

    /// The rows of `self`, then those of `other`, with as many columns.
    pub(crate) fn stacked(&self, other: &Matrix) -> Matrix {
        debug_assert_eq!(self.columns, other.columns);
        let values = [self.values.as_slice(), &other.values].concat();
        Matrix { rows: self.rows + other.rows, columns: self.columns, values }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// One row, mutable.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values, row by row, mutable.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The sum of each column.
    pub fn column_sums(&self) -> Vec<f32> {
        let mut sums = vec![0.0f64; self.columns];
        for row in 0..self.rows {
            for (sum, &value) in sums.iter_mut().zip(self.row(row)) {
                *sum += f64::from(value);
            }
        }
        sums.into_iter().map(|sum| sum as f32).collect()
    }
}
