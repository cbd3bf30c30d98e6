//! Features: one row of numbers per node, in the smallest form.
//!
//! [`Matrix`] rows are dense; [`Sparse`] rows list their nonzeros; [`Encoded`] rows are the reports
//! of the multi-bit encoder: a few signs each, with a common offset and scale. Every form supports
//! products from both sides and the comparison of two rows without becoming dense, because
//! propagation is linear and Âᴷ(XW) never needs X.

mod encoded;
mod rows;
mod scale;
mod sparse;
mod standardise;

#[cfg(test)]
mod tests;

pub use encoded::Encoded;
pub use rows::StackError;
pub use sparse::{Sparse, SparseError};
pub use standardise::Moments;

use rayon::prelude::*;

use crate::matrix::{Matrix, ShapeError};

/// The features of all nodes, one row each.
#[derive(Clone, Debug, PartialEq)]
pub enum Features {
    /// All values.
    Dense(Matrix),
    /// Only the nonzeros.
    Sparse(Sparse),
    /// Only the reported signs.
    Encoded(Encoded),
}

impl Features {
    /// The number of rows: one per node.
    pub fn rows(&self) -> usize {
        match self {
            Features::Dense(matrix) => matrix.rows(),
            Features::Sparse(sparse) => sparse.rows(),
            Features::Encoded(encoded) => encoded.rows(),
        }
    }

    /// The number of columns: the dimensions of a feature vector.
    pub fn columns(&self) -> usize {
        match self {
            Features::Dense(matrix) => matrix.columns(),
            Features::Sparse(sparse) => sparse.columns(),
            Features::Encoded(encoded) => encoded.columns(),
        }
    }

    /// The name of the form.
    pub fn form(&self) -> &'static str {
        match self {
            Features::Dense(_) => "dense",
            Features::Sparse(_) => "sparse",
            Features::Encoded(_) => "encoded",
        }
    }

    /// The number of nonzeros (for encoded reports, of signs).
    pub fn nonzeros(&self) -> usize {
        match self {
            Features::Dense(matrix) => matrix.values().iter().filter(|&&value| value != 0.0).count(),
            Features::Sparse(sparse) => sparse.nonzeros(),
            Features::Encoded(encoded) => encoded.signs(),
        }
    }

    /// One value.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn value(&self, row: usize, column: u32) -> f32 {
        match self {
            Features::Dense(matrix) => matrix.row(row)[column as usize],
            Features::Sparse(sparse) => sparse.value(row, column),
            Features::Encoded(encoded) => encoded.value(row, column),
        }
    }

    /// The value of places that are not stored: 0, or the offset of encoded reports.
    pub fn unstored(&self) -> f32 {
        match self {
            Features::Dense(_) | Features::Sparse(_) => 0.0,
            Features::Encoded(encoded) => encoded.offset(),
        }
    }

    /// Calls `each(column, by how much the value exceeds [`unstored`](Features::unstored))` for the
    /// stored places of a row.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn for_stored(&self, row: usize, each: &mut impl FnMut(usize, f32)) {
        match self {
            Features::Dense(matrix) => {
                matrix.row(row).iter().enumerate().for_each(|(column, &value)| each(column, value));
            }
            Features::Sparse(sparse) => sparse.row(row).for_each(|(column, value)| each(column as usize, value)),
            Features::Encoded(encoded) => {
                encoded.row(row).for_each(|(column, sign)| each(column as usize, sign * encoded.scale()));
            }
        }
    }

    /// Sets all values of a row.
    ///
    /// # Panics
    /// If the row does not exist, or `out` has another number of columns.
    pub fn write_row(&self, row: usize, out: &mut [f32]) {
        out.fill(self.unstored());
        self.for_stored(row, &mut |column, value| out[column] += value);
    }

    /// The part of a product that all rows share: that of the values that are not stored.
    fn constant_part(&self, factor: &Matrix) -> Vec<f32> {
        match self.unstored() {
            0.0 => vec![0.0; factor.columns()],
            unstored => factor.column_sums().iter().map(|sum| sum * unstored).collect(),
        }
    }

    /// The smallest and the largest value, including zeros; `None` without values.
    pub fn range(&self) -> Option<(f32, f32)> {
        if self.rows() == 0 || self.columns() == 0 {
            return None;
        }
        let over = |values: &mut dyn Iterator<Item = f32>| {
            values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
        };
        Some(match self {
            Features::Dense(matrix) => over(&mut matrix.values().iter().copied()),
            Features::Sparse(sparse) => {
                let (low, high) = over(&mut sparse.values().iter().copied());
                if sparse.nonzeros() < sparse.rows() * sparse.columns() {
                    (low.min(0.0), high.max(0.0))
                } else {
                    (low, high)
                }
            }
            Features::Encoded(encoded) => {
                let (offset, scale) = (encoded.offset(), encoded.scale().abs());
                (offset - scale, offset + scale)
            }
        })
    }

    /// X·W. Rows are independent, so the result does not depend on threads.
    ///
    /// # Errors
    /// If W does not have one row per column of X.
    pub fn times(&self, weights: &Matrix) -> Result<Matrix, ShapeError> {
        ShapeError::check("rows of the right factor", self.columns(), weights.rows())?;
        let width = weights.columns();
        let mut product = Matrix::zeros(self.rows(), width);
        if width == 0 {
            return Ok(product);
        }
        let constant = self.constant_part(weights);
        product.values_mut().par_chunks_mut(width).enumerate().for_each(|(row, out)| {
            out.copy_from_slice(&constant);
            self.for_stored(row, &mut |column, value| add_scaled(out, value, weights.row(column)));
        });
        Ok(product)
    }

    /// Xᵀ·G: the gradient of a weight matrix, given a gradient with one row per node.
    ///
    /// One thread, rows in order: the fixed order of additions gives the same result everywhere.
    ///
    /// # Errors
    /// If G does not have one row per row of X.
    pub fn transposed_times(&self, gradient: &Matrix) -> Result<Matrix, ShapeError> {
        ShapeError::check("rows of the right factor", self.rows(), gradient.rows())?;
        let mut product = Matrix::zeros(self.columns(), gradient.columns());
        for row in 0..self.rows() {
            let gradient = gradient.row(row);
            self.for_stored(row, &mut |column, value| add_scaled(product.row_mut(column), value, gradient));
        }
        let constant = self.constant_part(gradient);
        for column in (0..self.columns()).filter(|_| self.unstored() != 0.0) {
            add_scaled(product.row_mut(column), 1.0, &constant);
        }
        Ok(product)
    }

    /// The dot product of two rows.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn dot(&self, left: usize, right: usize) -> f64 {
        match self {
            Features::Dense(matrix) => {
                let pairs = matrix.row(left).iter().zip(matrix.row(right));
                pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
            }
            Features::Sparse(sparse) => sparse.dot(left, right),
            Features::Encoded(encoded) => encoded.dot(left, right),
        }
    }

    /// The Euclidean norm of a row.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn norm(&self, row: usize) -> f64 {
        self.dot(row, row).sqrt()
    }
}

fn add_scaled(out: &mut [f32], factor: f32, row: &[f32]) {
    for (out, &value) in out.iter_mut().zip(row) {
        *out += factor * value;
    }
}
