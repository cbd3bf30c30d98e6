//! The directions in which public features differ, after two hops: the first eigenvectors of H'H
//! for H = PP(X − μ).
//!
//! H is never made: a block of vectors is multiplied by X, P and their transposes, made orthogonal,
//! and so on (subspace iteration), so what was sparse stays sparse. The start is fixed, the order
//! of sums is fixed, and signs are fixed: the same bits everywhere.

use veil_graph::random::Random;
use veil_graph::{Dataset, Features, Graph, Matrix, NodeId, ShapeError};
use veil_privacy::answers::Embedding;

use super::{smoothed, smoothed_back};
use crate::error::LearnError;
use crate::symmetric::Symmetric;

/// How often the block is multiplied: enough for all directions but the last few, between which
/// there is little to choose.
const ROUNDS: usize = 30;
/// Vectors beyond those that are wanted: the larger the block, the faster the wanted ones are
/// found.
const MORE: usize = 10;

/// The embedding into so many directions, each scaled to deviation 1 on the public nodes.
pub(in crate::method::student) fn embedding(public: &Dataset, dimensions: usize) -> Result<Embedding, LearnError> {
    let features = public.features().ok_or(LearnError::NoFeatures)?;
    let mean = features.moments(0..public.nodes() as NodeId).mean;
    let centred = Centred { features, mean: &mean, graph: public.graph() };
    let block = (dimensions + MORE).min(features.columns());
    let mut random = Random::new(0, "class sums: basis");
    let mut vectors: Vec<Vec<f64>> =
        (0..block).map(|_| (0..features.columns()).map(|_| random.unit() - 0.5).collect()).collect();
    orthonormalise(&mut vectors);
    for _ in 1..ROUNDS {
        vectors = centred.squared(&vectors)?;
        orthonormalise(&mut vectors);
    }
    // Rayleigh–Ritz: the eigenvectors within the block.
    let images = centred.squared(&vectors)?;
    let small =
        Symmetric::from_fn(block, |i, j| f64::midpoint(dot(&vectors[i], &images[j]), dot(&vectors[j], &images[i])));
    let eigen = small.eigen();
    let mut basis: Vec<Vec<f64>> = eigen
        .vectors
        .iter()
        .take(dimensions)
        .map(|weights| {
            let mut vector = vec![0.0; features.columns()];
            for (weight, one) in weights.iter().zip(&vectors) {
                add_scaled(&mut vector, *weight, one);
            }
            fix_sign(&mut vector);
            vector
        })
        .collect();
    let projected = centred.times(&basis)?;
    let nodes = projected.rows().max(1) as f64;
    for (column, vector) in basis.iter_mut().enumerate() {
        let squares = (0..projected.rows()).map(|row| f64::from(projected.row(row)[column]).powi(2));
        let deviation = (squares.sum::<f64>() / nodes).sqrt();
        // A direction in which public nodes do not differ is useless.
        let scale = if deviation > 1e-6 && deviation.is_finite() { 1.0 / deviation } else { 0.0 };
        vector.iter_mut().for_each(|it| *it *= scale);
    }
    Ok(Embedding::new(&mean, columns(&basis, features.columns()))?)
}

/// X − μ and the public graph.
struct Centred<'a> {
    features: &'a Features,
    mean: &'a [f32],
    graph: &'a Graph,
}

impl Centred<'_> {
    /// (X − μ)·V.
    fn times(&self, vectors: &[Vec<f64>]) -> Result<Matrix, ShapeError> {
        let mut product = self.features.times(&columns(vectors, self.features.columns()))?;
        let mean: Vec<f64> = self.mean.iter().map(|&it| f64::from(it)).collect();
        let centre: Vec<f32> = vectors.iter().map(|vector| dot(vector, &mean) as f32).collect();
        for row in 0..product.rows() {
            product.row_mut(row).iter_mut().zip(&centre).for_each(|(it, centre)| *it -= centre);
        }
        Ok(product)
    }

    /// H'H·V/n.
    fn squared(&self, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, ShapeError> {
        let there = smoothed(self.graph, &smoothed(self.graph, &self.times(vectors)?));
        let back = smoothed_back(self.graph, &smoothed_back(self.graph, &there));
        let product = self.features.transposed_times(&back)?;
        let sums: Vec<f64> = (0..vectors.len())
            .map(|column| (0..back.rows()).map(|row| f64::from(back.row(row)[column])).sum())
            .collect();
        let nodes = back.rows().max(1) as f64;
        let image = |(column, sum): (usize, &f64)| -> Vec<f64> {
            let entry =
                |(row, &mean): (usize, &f32)| (f64::from(product.row(row)[column]) - f64::from(mean) * sum) / nodes;
            self.mean.iter().enumerate().map(entry).collect()
        };
        Ok(sums.iter().enumerate().map(image).collect())
    }
}

/// Vectors as the columns of a matrix.
fn columns(vectors: &[Vec<f64>], rows: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rows, vectors.len());
    for row in 0..rows {
        matrix.row_mut(row).iter_mut().zip(vectors).for_each(|(it, vector)| *it = vector[row] as f32);
    }
    matrix
}

/// Gram–Schmidt, twice, so that rounding leaves nothing; a vector that others span becomes 0.
fn orthonormalise(vectors: &mut [Vec<f64>]) {
    for place in 0..vectors.len() {
        let (before, rest) = vectors.split_at_mut(place);
        let Some(vector) = rest.first_mut() else { return };
        let length = dot(vector, vector).sqrt();
        for _ in 0..2 {
            for other in &*before {
                let along = dot(vector, other);
                add_scaled(vector, -along, other);
            }
        }
        let left = dot(vector, vector).sqrt();
        let scale = if left > 1e-10 * length && left.is_finite() { 1.0 / left } else { 0.0 };
        vector.iter_mut().for_each(|it| *it *= scale);
    }
}

/// The first of the largest entries is positive.
fn fix_sign(vector: &mut [f64]) {
    let largest = vector.iter().fold(0.0_f64, |largest, &it| if it.abs() > largest.abs() { it } else { largest });
    if largest < 0.0 {
        vector.iter_mut().for_each(|it| *it = -*it);
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn add_scaled(to: &mut [f64], factor: f64, row: &[f64]) {
    to.iter_mut().zip(row).for_each(|(to, it)| *to += factor * it);
}
