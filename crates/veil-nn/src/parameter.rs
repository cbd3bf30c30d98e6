//! Learned matrices.

use veil_graph::random::Random;

use crate::tensor::Tensor;

/// A learned matrix, with the gradient of the last step. Rows are inputs, columns outputs (the
/// transpose of PyG's).
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The values.
    pub value: Tensor,
    /// The gradient of the loss.
    pub gradient: Tensor,
}

impl Parameter {
    /// These values with a zero gradient.
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

    /// Uniform in ±1/√inputs, the initialisation of torch's linear layers (Kaiming with a = √5),
    /// for weights and biases.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest of many uniform numbers in ±bound is just below it; their mean square is
    /// bound²/3.
    fn is_uniform(parameter: &Parameter, bound: f64) {
        let (rows, columns) = (parameter.value.rows(), parameter.value.columns());
        let all: Vec<f64> = (0..rows).flat_map(|row| parameter.value.row(row)).map(|&value| f64::from(value)).collect();
        let largest = all.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
        assert!(largest <= bound * 1.000_001 && largest > 0.99 * bound, "{largest} {bound}");
        let square = all.iter().map(|value| value * value).sum::<f64>() / (rows * columns) as f64;
        assert!((square * 3.0 / (bound * bound) - 1.0).abs() < 0.05, "{square} {bound}");
    }

    #[test]
    fn weights_start_in_the_bounds_of_pyg() {
        let random = &mut Random::new(1, "weights");
        is_uniform(&Parameter::glorot(200, 100, random), (6.0f64 / 300.0).sqrt());
        is_uniform(&Parameter::kaiming(200, 100, 200, random), (1.0f64 / 200.0).sqrt());
        is_uniform(&Parameter::kaiming(1, 20_000, 50, random), (1.0f64 / 50.0).sqrt());
    }
}
