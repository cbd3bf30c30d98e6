//! Rows of numbers, padded to the widths of the kernels.

use veil_graph::{Matrix, ShapeError};

use crate::storage::Storage;

/// The width at which a row of `columns` numbers is stored: 4, 8, or a multiple of 16.
///
/// A product of width 7 takes several times as long as one of width 8.
pub const fn padded(columns: usize) -> usize {
    match columns {
        0..=4 => 4,
        5..=8 => 8,
        _ => columns.next_multiple_of(16),
    }
}

/// A dense matrix of 32-bit floats whose rows are [padded] with zeros.
///
/// The padding is always zero, so sums, products and updates may process whole rows.
///
/// ```
/// use veil_nn::Tensor;
/// let tensor = Tensor::from_rows(&[[1.0, 2.0, 3.0, 4.0, 5.0]]);
/// assert_eq!((tensor.columns(), tensor.stride()), (5, 8));
/// assert_eq!(tensor.row(0), [1.0, 2.0, 3.0, 4.0, 5.0]);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tensor {
    rows: usize,
    columns: usize,
    values: Storage,
}

impl Tensor {
    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Tensor {
        Tensor { rows, columns, values: Storage::zeros(rows * padded(columns)) }
    }

    /// Unspecified numbers, padding included: the caller overwrites every row with its padding.
    pub(crate) fn scratch(rows: usize, columns: usize) -> Tensor {
        Tensor { rows, columns, values: Storage::scratch(rows * padded(columns)) }
    }

    /// One row per array.
    pub fn from_rows<const N: usize>(rows: &[[f32; N]]) -> Tensor {
        let mut tensor = Tensor::zeros(rows.len(), N);
        for (index, row) in rows.iter().enumerate() {
            tensor.row_mut(index).copy_from_slice(row);
        }
        tensor
    }

    /// From values without padding, row by row.
    ///
    /// # Errors
    /// If there are not `rows × columns` values.
    pub fn from_values(rows: usize, columns: usize, values: Vec<f32>) -> Result<Tensor, ShapeError> {
        Ok(Tensor::from(&Matrix::from_values(rows, columns, values)?))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns without padding.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The distance between the starts of two rows in [`values`](Tensor::values).
    pub fn stride(&self) -> usize {
        padded(self.columns)
    }

    /// The number of values without padding.
    pub fn size(&self) -> u64 {
        self.rows as u64 * self.columns as u64
    }

    /// One row, without its padding.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.stride()..][..self.columns]
    }

    /// One row, mutable, without its padding.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        let start = row * self.stride();
        &mut self.values[start..][..self.columns]
    }

    /// All values with their padding, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// All values with their padding, mutable. The caller keeps the padding zero.
    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The transpose.
    pub fn transposed(&self) -> Tensor {
        let mut out = Tensor::zeros(self.columns, self.rows);
        let stride = out.stride();
        for row in 0..self.rows {
            for (column, &value) in self.row(row).iter().enumerate() {
                out.values[column * stride + row] = value;
            }
        }
        out
    }

    /// A matrix without padding.
    pub fn to_matrix(&self) -> Matrix {
        let mut matrix = Matrix::zeros(self.rows, self.columns);
        for row in 0..self.rows {
            matrix.row_mut(row).copy_from_slice(self.row(row));
        }
        matrix
    }
}

impl From<&Matrix> for Tensor {
    fn from(matrix: &Matrix) -> Tensor {
        let mut tensor = Tensor::zeros(matrix.rows(), matrix.columns());
        for row in 0..matrix.rows() {
            tensor.row_mut(row).copy_from_slice(matrix.row(row));
        }
        tensor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_kernels() {
        let widths: Vec<usize> = [1, 4, 5, 8, 9, 16, 17, 33, 64, 65].into_iter().map(padded).collect();
        assert_eq!(widths, [4, 4, 8, 8, 16, 16, 32, 48, 64, 80]);
    }

    #[test]
    fn transposing_twice_changes_nothing() {
        let tensor = Tensor::from_rows(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(tensor.transposed().row(2), [3.0, 6.0]);
        assert_eq!(tensor.transposed().transposed(), tensor);
    }
}
