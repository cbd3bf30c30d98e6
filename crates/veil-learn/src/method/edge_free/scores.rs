//! A number for each node and class.

use std::ops::Range;

use rayon::prelude::*;
use veil_graph::Matrix;

/// Added to a probability before its logarithm is taken, so that no belief is certain.
const FLOOR: f64 = 1e-6;

/// Scores of all nodes: a row for each node, a column for each class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scores {
    classes: usize,
    values: Vec<f64>,
}

impl Scores {
    pub fn zeros(nodes: usize, classes: usize) -> Scores {
        Scores { classes, values: vec![0.0; nodes * classes] }
    }

    /// Every node has these probabilities.
    pub fn alike(nodes: usize, probabilities: &[f64]) -> Scores {
        let row: Vec<f64> = probabilities.iter().map(|it| libm::log(it + FLOOR)).collect();
        Scores { classes: row.len(), values: row.repeat(nodes) }
    }

    /// The scores of a network.
    pub fn of(logits: &Matrix) -> Scores {
        Scores { classes: logits.columns(), values: logits.values().iter().map(|&it| f64::from(it)).collect() }
    }

    pub fn classes(&self) -> usize {
        self.classes
    }

    pub fn nodes(&self) -> usize {
        self.values.len() / self.classes.max(1)
    }

    pub fn row(&self, node: usize) -> &[f64] {
        &self.values[node * self.classes..(node + 1) * self.classes]
    }

    pub fn row_mut(&mut self, node: usize) -> &mut [f64] {
        &mut self.values[node * self.classes..(node + 1) * self.classes]
    }

    /// The same scores, where every row is replaced.
    pub fn mapped(mut self, each: impl Fn(usize, &mut [f64]) + Sync) -> Scores {
        let rows = self.values.par_chunks_mut(self.classes.max(1)).enumerate();
        rows.with_min_len(256).for_each(|(node, row)| each(node, row));
        self
    }

    /// ln(softmax + 10⁻⁶) of every row, with mean 0: scores of different models become comparable.
    pub fn logarithms(&self) -> Scores {
        self.clone().mapped(|_, row| {
            softmax(row);
            row.iter_mut().for_each(|it| *it = libm::log(*it + FLOOR));
            centre(row);
        })
    }

    /// softmax of every row.
    pub fn posteriors(&self) -> Scores {
        self.clone().mapped(|_, row| softmax(row))
    }

    /// The scores of some nodes.
    pub fn slice(&self, nodes: Range<usize>) -> Scores {
        let values = self.values[nodes.start * self.classes..nodes.end * self.classes].to_vec();
        Scores { classes: self.classes, values }
    }

    /// As single-precision numbers.
    pub fn to_matrix(&self) -> Matrix {
        let mut matrix = Matrix::zeros(self.nodes(), self.classes);
        matrix.values_mut().iter_mut().zip(&self.values).for_each(|(out, &it)| *out = it as f32);
        matrix
    }
}

/// Subtracts the mean.
pub(crate) fn centre(row: &mut [f64]) {
    let mean = row.iter().sum::<f64>() / row.len().max(1) as f64;
    row.iter_mut().for_each(|it| *it -= mean);
}

pub(crate) fn softmax(row: &mut [f64]) {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|it| *it = libm::exp(*it - largest));
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|it| *it /= sum);
}
