//! Features, prepared for products from both sides.

use veil_graph::Features;

use crate::graph::Reverse;
use crate::kernels::bits::{Bits, bit_product};
use crate::kernels::elementwise::{add_row, column_sums};
use crate::kernels::gather::{Lists, weighted_sum};
use crate::kernels::gemm::{Left, product, transposed_product};
use crate::tensor::Tensor;

/// Rows of numbers in the form that is cheapest to multiply.
#[derive(Debug)]
pub enum Prepared {
    /// All values.
    Dense(Tensor),
    /// Few values, plus one constant shared by all of them.
    Sparse(SparseRows),
    /// Values 0 or 1, with many ones.
    Binary(BinaryRows),
}

/// Zeros and ones, by row and by column.
#[derive(Debug)]
pub struct BinaryRows {
    rows: Bits,
    columns: Bits,
}

/// offset + Σ entries, by row and by column.
#[derive(Debug)]
pub struct SparseRows {
    rows: Entries,
    columns: Entries,
    /// The value without an entry: the offset of an encoded report.
    offset: f32,
}

/// Lists of (index, value).
#[derive(Debug)]
struct Entries {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl Entries {
    fn lists(&self) -> Lists<'_> {
        Lists { offsets: &self.offsets, sources: &self.indices }
    }

    /// The product with a matrix, where every value is this offset plus its entries.
    fn times(&self, offset: f32, matrix: &Tensor) -> Tensor {
        let stride = matrix.stride();
        let mut out = Tensor::scratch(self.offsets.len() - 1, matrix.columns());
        weighted_sum(self.lists(), &self.values, matrix.values(), stride, out.values_mut());
        if offset != 0.0 {
            let mut constant = column_sums(matrix.values(), stride);
            constant.iter_mut().for_each(|sum| *sum *= offset);
            add_row(&constant, out.values_mut());
        }
        out
    }

    /// The transposed lists, over `count` columns.
    fn transposed(&self, count: usize) -> Entries {
        let reverse = Reverse::of(self.lists(), count);
        let Lists { offsets, sources } = reverse.lists();
        let values = reverse.entries().iter().map(|&entry| self.values[entry as usize]).collect();
        Entries { offsets: offsets.to_vec(), indices: sources.to_vec(), values }
    }
}

impl Prepared {
    /// Keeps the form of the features: sparse features stay sparse.
    pub fn new(features: &Features) -> Prepared {
        if let Features::Dense(matrix) = features {
            return Prepared::Dense(Tensor::from(matrix));
        }
        let mut rows = Entries { offsets: vec![0], indices: Vec::new(), values: Vec::new() };
        for row in 0..features.rows() {
            features.for_stored(row, &mut |column, value| {
                rows.indices.push(column as u32);
                rows.values.push(value);
            });
            rows.offsets.push(rows.indices.len());
        }
        let columns = rows.transposed(features.columns());
        Prepared::Sparse(SparseRows { rows, columns, offset: features.unstored() })
    }

    /// [Binary](is_binary) features, as bits.
    pub fn binary(features: &Features) -> Prepared {
        let (rows, columns) = (features.rows(), features.columns());
        let ones = || (0..rows).flat_map(|row| ones(features, row).map(move |column| (row, column)));
        let transposed = Bits::new(columns, rows, ones().map(|(row, column)| (column, row)));
        Prepared::Binary(BinaryRows { rows: Bits::new(rows, columns, ones()), columns: transposed })
    }

    /// X as a dense tensor.
    pub fn to_dense(features: &Features) -> Tensor {
        let mut tensor = Tensor::zeros(features.rows(), features.columns());
        for row in 0..features.rows() {
            features.write_row(row, tensor.row_mut(row));
        }
        tensor
    }

    /// X·W.
    pub fn times(&self, weight: &Tensor) -> Tensor {
        match self {
            Prepared::Dense(x) => dense_times(x, weight),
            Prepared::Sparse(x) => x.rows.times(x.offset, weight),
            Prepared::Binary(x) => bits_times(&x.rows, weight),
        }
    }

    /// Xᵀ·G.
    pub fn transposed_times(&self, gradient: &Tensor) -> Tensor {
        match self {
            Prepared::Dense(x) => dense_transposed_times(x, gradient),
            Prepared::Sparse(x) => x.columns.times(x.offset, gradient),
            Prepared::Binary(x) => bits_times(&x.columns, gradient),
        }
    }
}

/// Whether every value is 0 or 1.
pub fn is_binary(features: &Features) -> bool {
    match features {
        Features::Dense(matrix) => matrix.values().iter().all(|&value| value == 0.0 || value == 1.0),
        Features::Sparse(sparse) => sparse.values().iter().all(|&value| value == 1.0),
        Features::Encoded(_) => false,
    }
}

/// The columns in which a row of binary features is 1.
fn ones(features: &Features, row: usize) -> Box<dyn Iterator<Item = usize> + '_> {
    match features {
        Features::Dense(matrix) => {
            Box::new(matrix.row(row).iter().enumerate().filter(|&(_, &value)| value != 0.0).map(|(column, _)| column))
        }
        Features::Sparse(sparse) => Box::new(sparse.row(row).map(|(column, _)| column as usize)),
        Features::Encoded(_) => Box::new(std::iter::empty()),
    }
}

fn bits_times(bits: &Bits, matrix: &Tensor) -> Tensor {
    let mut out = Tensor::scratch(bits.rows(), matrix.columns());
    bit_product(bits, matrix.values(), matrix.stride(), out.values_mut());
    out
}

/// A·B of two tensors.
pub(crate) fn dense_times(a: &Tensor, b: &Tensor) -> Tensor {
    let mut out = Tensor::scratch(a.rows(), b.columns());
    product(left(a), b.values(), b.stride(), out.values_mut());
    out
}

/// Aᵀ·B of two tensors.
pub(crate) fn dense_transposed_times(a: &Tensor, b: &Tensor) -> Tensor {
    let mut out = Tensor::scratch(a.columns(), b.columns());
    transposed_product(left(a), b.values(), b.stride(), out.values_mut());
    out
}

fn left(a: &Tensor) -> Left<'_> {
    Left { values: a.values(), rows: a.rows(), columns: a.columns(), stride: a.stride() }
}
