//! What is learned.

use veil_graph::random::Random;

use crate::tensor::Tensor;

/// A matrix that is learned, with the gradient of the last step. Its rows are inputs, its columns outputs (PyG's transposed).
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The numbers.
    pub value: Tensor,
    /// What the loss says about them.
    pub gradient: Tensor,
}

impl Parameter {
    /// These numbers, and no gradient yet.
    pub fn new(value: Tensor) -> Parameter {
        let gradient = Tensor::zeros(value.rows(), value.columns());
        Parameter { value, gradient }
    }

    /// Zeros.
    pub fn zeros(rows: usize, columns: usize) -> Parameter {
        Parameter::new(Tensor::zeros(rows, columns))
    }

    /// Uniform in ±√(6/(rows + columns)) (Glorot and Bengio 2010).
    pub fn glorot(rows: usize, columns: usize, random: &mut Random) -> Parameter {
        Parameter::uniform(rows, columns, (6.0 / (rows + columns) as f64).sqrt(), random)
    }

    /// Uniform in ±1/√inputs: what torch's linear layers start from (Kaiming with a = √5), weights and biases alike.
    pub fn kaiming(rows: usize, columns: usize, inputs: usize, random: &mut Random) -> Parameter {
        Parameter::uniform(rows, columns, (inputs.max(1) as f64).sqrt().recip(), random)
    }

    fn uniform(rows: usize, columns: usize, bound: f64, random: &mut Random) -> Parameter {
        let mut value = Tensor::zeros(rows, columns);
        for row in 0..rows {
            for value in value.row_mut(row) {
                *value = ((2.0 * random.unit() - 1.0) * bound) as f32;
            }
        }
        Parameter::new(value)
    }
}
