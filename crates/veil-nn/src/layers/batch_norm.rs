//! y = γ·(x − μ)/√(σ² + ε) + β, by column (Ioffe and Szegedy 2015), as torch's `BatchNorm1d`.
//!
//! In training, μ and σ² are those of all rows (σ² biased); running means of both (σ² unbiased,
//! momentum 0.1) are kept for evaluation. Sums are in f64, because 32-bit sums over a million rows
//! are inaccurate.

use crate::parameter::Parameter;
use crate::tensor::Tensor;

const EPSILON: f64 = 1e-5;
const MOMENTUM: f64 = 0.1;

/// Batch normalisation of columns.
#[derive(Clone, Debug)]
pub struct BatchNorm {
    /// γ.
    pub weight: Parameter,
    /// β.
    pub bias: Parameter,
    /// Mean of each column, over training steps.
    pub running_mean: Tensor,
    /// Variance of each column, over training steps.
    pub running_variance: Tensor,
}

/// The part of a training step that the backward pass needs.
#[derive(Debug)]
pub struct Normalised {
    /// (x − μ)/√(σ² + ε).
    rows: Tensor,
    /// 1/√(σ² + ε) by column.
    scale: Vec<f32>,
}

impl BatchNorm {
    /// The identity.
    pub fn new(columns: usize) -> BatchNorm {
        let ones = || {
            let mut ones = Tensor::zeros(1, columns);
            ones.row_mut(0).fill(1.0);
            ones
        };
        BatchNorm {
            weight: Parameter::new(ones()),
            bias: Parameter::zeros(1, columns),
            running_mean: Tensor::zeros(1, columns),
            running_variance: ones(),
        }
    }

    /// γ/√(σ² + ε) by column, from the running variance.
    pub(crate) fn learned_scale(&self) -> Vec<f32> {
        let learned = self.weight.value.row(0).iter().zip(self.running_variance.row(0));
        learned
            .map(|(&weight, &variance)| (f64::from(weight) / (f64::from(variance) + EPSILON).sqrt()) as f32)
            .collect()
    }

    /// Normalises by the running statistics.
    pub fn evaluate(&self, x: &Tensor) -> Tensor {
        let scale = self.learned_scale();
        let (mean, bias) = (self.running_mean.row(0), self.bias.value.row(0));
        let mut out = Tensor::zeros(x.rows(), x.columns());
        for row in 0..x.rows() {
            let x = x.row(row);
            for (column, out) in out.row_mut(row).iter_mut().enumerate() {
                *out = (x[column] - mean[column]) * scale[column] + bias[column];
            }
        }
        out
    }

    /// Normalises by the statistics of these rows, and updates the running ones.
    pub fn train(&mut self, x: &Tensor) -> (Tensor, Normalised) {
        let (rows, columns) = (x.rows(), x.columns());
        let count = rows.max(1) as f64;
        let mut mean = vec![0.0f64; columns];
        for row in 0..rows {
            for (sum, &value) in mean.iter_mut().zip(x.row(row)) {
                *sum += f64::from(value);
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= count);
        let mut variance = vec![0.0f64; columns];
        for row in 0..rows {
            for ((sum, &value), mean) in variance.iter_mut().zip(x.row(row)).zip(&mean) {
                let distance = f64::from(value) - mean;
                *sum += distance * distance;
            }
        }
        variance.iter_mut().for_each(|sum| *sum /= count);

        for column in 0..columns {
            let learn = |running: &mut f32, seen: f64| {
                *running = ((1.0 - MOMENTUM) * f64::from(*running) + MOMENTUM * seen) as f32;
            };
            learn(&mut self.running_mean.row_mut(0)[column], mean[column]);
            let unbiased = variance[column] * count / (count - 1.0).max(1.0);
            learn(&mut self.running_variance.row_mut(0)[column], unbiased);
        }

        let scale: Vec<f32> = variance.iter().map(|variance| (variance + EPSILON).sqrt().recip() as f32).collect();
        let mean: Vec<f32> = mean.iter().map(|&mean| mean as f32).collect();
        let (weight, bias) = (self.weight.value.row(0), self.bias.value.row(0));
        let mut normalised = Tensor::zeros(rows, columns);
        let mut out = Tensor::zeros(rows, columns);
        for row in 0..rows {
            let (x, normalised, out) = (x.row(row), normalised.row_mut(row), out.row_mut(row));
            for column in 0..columns {
                normalised[column] = (x[column] - mean[column]) * scale[column];
                out[column] = weight[column] * normalised[column] + bias[column];
            }
        }
        (out, Normalised { rows: normalised, scale })
    }

    /// Given the gradient of the output of [`train`](BatchNorm::train), sets those of γ and β and
    /// returns that of x.
    pub fn backward(&mut self, normalised: &Normalised, mut gradient: Tensor) -> Tensor {
        let (rows, columns) = (gradient.rows(), gradient.columns());
        let (mut sum, mut product) = (vec![0.0f64; columns], vec![0.0f64; columns]);
        for row in 0..rows {
            let (gradient, x) = (gradient.row(row), normalised.rows.row(row));
            for column in 0..columns {
                sum[column] += f64::from(gradient[column]);
                product[column] += f64::from(gradient[column] * x[column]);
            }
        }
        for column in 0..columns {
            self.bias.gradient.row_mut(0)[column] = sum[column] as f32;
            self.weight.gradient.row_mut(0)[column] = product[column] as f32;
        }
        // dx = γ/√(σ²+ε) · (dy − mean(dy) − x̂·mean(dy·x̂)).
        let count = rows.max(1) as f64;
        let mean: Vec<f32> = sum.iter().map(|sum| (sum / count) as f32).collect();
        let slope: Vec<f32> = product.iter().map(|product| (product / count) as f32).collect();
        let weight = self.weight.value.row(0);
        let factor: Vec<f32> = weight.iter().zip(&normalised.scale).map(|(weight, scale)| weight * scale).collect();
        for row in 0..rows {
            let (gradient, x) = (gradient.row_mut(row), normalised.rows.row(row));
            for column in 0..columns {
                gradient[column] = factor[column] * (gradient[column] - mean[column] - x[column] * slope[column]);
            }
        }
        gradient
    }
}
