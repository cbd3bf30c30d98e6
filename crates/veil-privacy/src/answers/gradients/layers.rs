//! A network of two linear maps without biases and a ReLU between them, and the gradient of one
//! example: all that [noisy gradients](super) know of learning.

use veil_graph::{Matrix, ShapeError};

use crate::coins::Inputs;
use crate::fault::{self, Fault};

/// The weights: public, or computed from noisy gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct Layers {
    /// A row for each feature, a column for each hidden unit.
    pub first: Matrix,
    /// A row for each hidden unit, a column for each class.
    pub second: Matrix,
}

/// One node's features that are not 0, and its class.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub entries: Vec<(usize, f32)>,
    pub class: usize,
}

/// The gradient of an example as two outer products.
struct Gradient {
    /// Hidden units.
    hidden: Vec<f64>,
    /// Derivatives by the inputs of the hidden units, and by the scores.
    of_hidden: Vec<f64>,
    of_scores: Vec<f64>,
    /// The L2 norm of all of it.
    norm: f64,
}

impl Layers {
    /// Two layers that fit each other.
    ///
    /// # Errors
    /// If they do not.
    pub fn new(first: Matrix, second: Matrix) -> Result<Layers, ShapeError> {
        if first.columns() != second.rows() {
            let (expected, found) = (first.columns(), second.rows());
            return Err(ShapeError { what: "rows of the second layer", expected, found });
        }
        Ok(Layers { first, second })
    }

    /// The number of weights.
    pub fn size(&self) -> usize {
        self.first.values().len() + self.second.values().len()
    }

    /// All weights, those of the first layer first, row after row.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        self.first.values_mut().iter_mut().chain(self.second.values_mut())
    }

    /// They decide the gradient that is asked for.
    pub(super) fn inputs(&self) -> Inputs {
        let bits = |layer: &Matrix| -> Vec<u32> { layer.values().iter().map(|it| it.to_bits()).collect() };
        let width = [self.first.columns() as u32];
        let of = Inputs::of().with_numbers("hidden", &width);
        of.with_numbers("first", &bits(&self.first)).with_numbers("second", &bits(&self.second)).digest()
    }

    /// Inputs of the hidden units, and the probabilities of the classes.
    fn forward(&self, entries: &[(usize, f32)]) -> (Vec<f64>, Vec<f64>) {
        let mut inputs = vec![0.0_f64; self.first.columns()];
        for &(column, value) in entries {
            let weights = self.first.row(column).iter();
            inputs.iter_mut().zip(weights).for_each(|(sum, &it)| *sum += f64::from(value) * f64::from(it));
        }
        let mut scores = vec![0.0_f64; self.second.columns()];
        for (unit, &input) in inputs.iter().enumerate().filter(|(_, input)| **input > 0.0) {
            let weights = self.second.row(unit).iter();
            scores.iter_mut().zip(weights).for_each(|(sum, &it)| *sum += input * f64::from(it));
        }
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raised: Vec<f64> = scores.iter().map(|it| libm::exp(it - most)).collect();
        let sum: f64 = raised.iter().sum();
        (inputs, raised.into_iter().map(|it| it / sum).collect())
    }

    /// The probabilities of the classes for features that are not 0.
    pub fn posterior(&self, entries: &[(usize, f32)]) -> Vec<f64> {
        self.forward(entries).1
    }

    /// The gradient of the cross-entropy of one example.
    fn gradient(&self, example: &Example) -> Gradient {
        let (inputs, mut of_scores) = self.forward(&example.entries);
        if let Some(score) = of_scores.get_mut(example.class) {
            *score -= 1.0;
        }
        let back = |(unit, &input): (usize, &f64)| {
            let weights = self.second.row(unit).iter().zip(&of_scores);
            if input > 0.0 { weights.map(|(&it, score)| f64::from(it) * score).sum() } else { 0.0 }
        };
        let of_hidden: Vec<f64> = inputs.iter().enumerate().map(back).collect();
        let hidden: Vec<f64> = inputs.into_iter().map(|it| it.max(0.0)).collect();
        let squares = |values: &[f64]| values.iter().map(|it| it * it).sum::<f64>();
        let features: f64 = example.entries.iter().map(|(_, it)| f64::from(*it).powi(2)).sum();
        let norm = (features * squares(&of_hidden) + squares(&hidden) * squares(&of_scores)).sqrt();
        Gradient { hidden, of_hidden, of_scores, norm }
    }

    /// The gradient of one example on the grid: clipped to the length `clip`, in steps of
    /// `clip`/`steps`, truncated towards 0. Pairs of a weight and a number that is not 0; the sum
    /// of their squares is at most `steps`², in whole numbers, whatever the example and the
    /// weights.
    pub(super) fn on_grid(&self, example: &Example, clip: f64, steps: u32) -> Vec<(usize, i64)> {
        let Gradient { hidden, of_hidden, of_scores, norm } = self.gradient(example);
        if !norm.is_finite() {
            return Vec::new();
        }
        let any = fault::is(Fault::GradientsKeepTheirLength);
        // What rounding of floating-point numbers adds is less.
        let mut scale = f64::from(steps) * (1.0 - 1e-9) / if any { clip } else { norm.max(clip) };
        let (width, start) = (self.first.columns(), self.first.values().len());
        let first = example.entries.iter().map(|&(row, it)| (row * width, f64::from(it), &of_hidden));
        let second = hidden.iter().enumerate().map(|(unit, &it)| (start + unit * of_scores.len(), it, &of_scores));
        let products: Vec<_> = first.chain(second).filter(|(_, factor, _)| *factor != 0.0).collect();
        loop {
            let (mut numbers, mut squares) = (Vec::with_capacity(products.len() * width), 0_u128);
            for &(start, factor, others) in &products {
                let factor = factor * scale;
                for (at, other) in others.iter().enumerate() {
                    // Casts truncate towards 0, and take what is not a number for 0.
                    let number = (factor * other) as i64;
                    if number != 0 {
                        squares = squares.saturating_add(u128::from(number.unsigned_abs()).pow(2));
                        numbers.push((start + at, number));
                    }
                }
            }
            if any || squares <= u128::from(steps).pow(2) {
                return numbers;
            }
            // Never reached by a finite norm.
            scale /= 2.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers() -> Layers {
        let first = Matrix::from_values(3, 2, vec![0.5, -0.25, 0.125, 0.75, -0.5, 0.3]).unwrap();
        let second = Matrix::from_values(2, 3, vec![0.25, -0.5, 0.1, 1.0, 0.2, -0.7]).unwrap();
        Layers::new(first, second).unwrap()
    }

    fn loss(layers: &Layers, example: &Example) -> f64 {
        -layers.posterior(&example.entries)[example.class].ln()
    }

    /// Every derivative, by finite differences.
    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let example = Example { entries: vec![(0, 1.5), (2, -0.5)], class: 1 };
        let layers = layers();
        let steps = 1 << 20;
        let clip = 4.0;
        let mut gradient = vec![0.0; layers.size()];
        for (at, number) in layers.on_grid(&example, clip, steps) {
            gradient[at] = number as f64 * clip / f64::from(steps);
        }
        for (at, &found) in gradient.iter().enumerate() {
            let moved = |by: f32| {
                let mut other = layers.clone();
                other.values_mut().nth(at).iter_mut().for_each(|it| **it += by);
                loss(&other, &example)
            };
            let wanted = (moved(1e-3) - moved(-1e-3)) / f64::from(2e-3_f32);
            assert!((found - wanted).abs() < 1e-4, "weight {at}: {found} and {wanted}");
        }
    }

    /// The length in whole numbers, for odd features, weights and classes; and it is nearly used up
    /// where a gradient is clipped.
    #[test]
    fn a_gradient_is_never_longer_than_the_grid_allows() {
        let odd = [0.0, 1.0, -1.0, 1e-30, 1e30, f32::MAX, f32::INFINITY, f32::NAN, 0.3];
        let (mut longest, mut checked) = (0.0_f64, 0);
        for steps in [1_u32, 2, 7, 1 << 16] {
            for a in odd {
                for b in odd {
                    for weight in odd {
                        let mut layers = layers();
                        layers.first.values_mut()[0] = weight;
                        layers.second.values_mut()[3] = b;
                        let example = Example { entries: vec![(0, a), (1, b)], class: 2 };
                        let numbers = layers.on_grid(&example, 0.01, steps);
                        let squares: u128 = numbers.iter().map(|(_, it)| u128::from(it.unsigned_abs()).pow(2)).sum();
                        assert!(squares <= u128::from(steps).pow(2), "{a} {b} {weight}: {squares}");
                        if steps == 1 << 16 {
                            longest = longest.max((squares as f64).sqrt() / f64::from(steps));
                        }
                        checked += 1;
                    }
                }
            }
        }
        assert!(longest > 0.999 && checked > 2000, "{longest} of {checked}");
    }
}
