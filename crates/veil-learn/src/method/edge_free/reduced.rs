//! Wide features in a few directions: a truncated singular value decomposition, without the values.
//!
//! A few random directions are pulled towards those in which rows are long by multiplying with XᵀX
//! a few times (subspace iteration: Halko, Martinsson and Tropp 2011, Algorithm 4.4). Their number
//! is fixed, and so are the coins. X stays sparse.

use veil_graph::random::Random;
use veil_graph::{Features, Matrix, NodeId};

use super::neighbours::rarity;
use crate::error::LearnError;
use crate::symmetric::Symmetric;

/// The directions that are kept.
pub(super) const DIRECTIONS: usize = 128;
/// Multiplications with XᵀX.
const STEPS: usize = 3;
/// Rows that decide second moments: more say nothing new.
const MOST_ROWS: usize = 8192;

/// Orthonormal directions of weighted columns in which rows are longest.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// The weight of each column: how rare it is, in sparse features.
    weights: Option<Vec<f32>>,
    /// A row for each column of the features.
    directions: Matrix,
}

impl Basis {
    /// The directions of these features.
    pub fn of(features: &Features) -> Result<Basis, LearnError> {
        let weights = match features {
            Features::Sparse(rows) => Some(rarity(rows)),
            _ => None,
        };
        let rows = features.with_rows_of_length(1.0, weights.as_deref())?;
        let columns = rows.columns();
        let count = DIRECTIONS.min(columns);
        let mut random = Random::new(0, "directions of features");
        // Uniform numbers are as good as normal ones: only their span counts.
        let values = (0..columns * count).map(|_| random.unit() as f32 - 0.5).collect();
        let mut directions = orthonormal(&Matrix::from_values(columns, count, values)?);
        for _ in 0..STEPS {
            directions = orthonormal(&rows.transposed_times(&rows.times(&directions)?)?);
        }
        Ok(Basis { weights, directions })
    }

    /// Weighted rows of length 1 along the directions: their products are about those of the rows.
    pub fn along(&self, features: &Features) -> Result<Matrix, LearnError> {
        let rows = features.with_rows_of_length(1.0, self.weights.as_deref())?;
        Ok(rows.times(&self.directions)?)
    }

    /// A matrix M with a column for each direction: X·M are the rows along the directions. With
    /// `white` the directions are turned and scaled, so that the columns of X·M have mean square 1
    /// and products 0 over the rows of X.
    pub fn map(&self, features: &Features, white: bool) -> Result<Matrix, LearnError> {
        let mut map = self.directions.clone();
        for (row, &weight) in self.weights.iter().flatten().enumerate() {
            map.row_mut(row).iter_mut().for_each(|it| *it *= weight);
        }
        if !white {
            return Ok(map);
        }
        let every = features.rows().div_ceil(MOST_ROWS).max(1);
        let some: Vec<NodeId> = (0..features.rows() as NodeId).step_by(every).collect();
        let moments = second_moments(&features.selected(&some).times(&map)?);
        let count = map.columns();
        // A direction in which there is next to nothing is not blown up.
        let ridge = 1e-6 * moments.trace() / count.max(1) as f64;
        let entry = |i: usize, j: usize| moments.get(i, j) + if i == j { ridge } else { 0.0 };
        let Some(factor) = Symmetric::from_fn(count, entry).factored() else { return Ok(map) };
        let inverse = factor.inverse();
        for row in 0..map.rows() {
            let from: Vec<f64> = map.row(row).iter().map(|&it| f64::from(it)).collect();
            for (out, weights) in map.row_mut(row).iter_mut().zip(inverse.chunks_exact(count)) {
                *out = dot(&from, weights) as f32;
            }
        }
        Ok(map)
    }
}

/// XᵀX/rows.
fn second_moments(rows: &Matrix) -> Symmetric {
    let count = rows.columns();
    let mut sums = vec![0.0; count * count];
    for row in rows.values().chunks_exact(count.max(1)) {
        for (i, &it) in row.iter().enumerate() {
            let out = &mut sums[i * count..i * count + i + 1];
            out.iter_mut().zip(row).for_each(|(out, other)| *out += f64::from(it * other));
        }
    }
    Symmetric::from_fn(count, |i, j| sums[i * count + j] / rows.rows().max(1) as f64)
}

/// An orthonormal basis of the columns (Gram and Schmidt, twice); a column that depends on earlier
/// ones becomes 0.
fn orthonormal(matrix: &Matrix) -> Matrix {
    let (rows, count) = (matrix.rows(), matrix.columns());
    let mut done: Vec<Vec<f64>> = Vec::with_capacity(count);
    for column in 0..count {
        let mut vector: Vec<f64> = (0..rows).map(|row| f64::from(matrix.row(row)[column])).collect();
        let before = length(&vector);
        for _ in 0..2 {
            for other in &done {
                let along = dot(&vector, other);
                vector.iter_mut().zip(other).for_each(|(it, other)| *it -= along * other);
            }
        }
        let after = length(&vector);
        let scale = if after > 1e-10 * before && before > 0.0 { 1.0 / after } else { 0.0 };
        vector.iter_mut().for_each(|it| *it *= scale);
        done.push(vector);
    }
    let mut out = Matrix::zeros(rows, count);
    for row in 0..rows {
        out.row_mut(row).iter_mut().zip(&done).for_each(|(out, vector)| *out = vector[row] as f32);
    }
    out
}

fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Several sums side by side, which is fast and always in the same order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}
