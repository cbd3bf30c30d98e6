//! From noisy moments to a linear model: ridge regression whose ridge is the size of the noise.
//!
//! With exact moments G = Σ z·zᵀ and class sums C, W = (G + λ·I)⁻¹·C is the ridge regression of the
//! classes on the rows. G is released with symmetric Gaussian noise of deviation σ on the diagonal
//! and σ/√2 above, whose eigenvalues fill [−σ·√(2d), σ·√(2d)] (Wigner's semicircle). A λ of at
//! least this size keeps G + λ·I positive definite and directions that are noise small.

use veil_privacy::central::moments::{Moments, NoisyMoments};

use crate::symmetric::Symmetric;

/// λ, as a multiple of the spectral norm of the noise.
const RIDGE: f64 = 3.5;

/// The least λ: one half of a row.
const LEAST: f64 = 0.5;

/// Scores are divided by the frequency of their class to this power.
const FREQUENCY: f64 = 0.25;

/// The root of the mean square of the scores of training nodes, over all classes.
const SPREAD: f64 = 2.0;

/// Scores that are linear in the row: weights for each dimension and class.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    /// A row for each dimension.
    pub weights: Vec<Vec<f64>>,
    /// For each class: minus the score of the centre.
    pub bias: Vec<f64>,
}

/// The model that follows from released moments. Everything here is post-processing.
pub(super) fn solve(mechanism: &Moments, found: &NoisyMoments) -> Linear {
    weighed(mechanism, found, RIDGE, FREQUENCY)
}

/// The same with these constants.
pub(super) fn weighed(mechanism: &Moments, found: &NoisyMoments, of_noise: f64, of_frequency: f64) -> Linear {
    let width = found.width();
    let one = f64::from(mechanism.params().steps);
    let deviation = mechanism.noise().map_or(0.0, |noise| (noise.diagonal.variance() as f64).sqrt() / one / one);
    let mut ridge = (of_noise * deviation * (2.0 * width as f64).sqrt()).max(LEAST);
    let rows: Vec<&[i64]> = found.second().collect();
    let factor = loop {
        let entry = |row: usize, column: usize| {
            let moment = rows[column][row - column] as f64 / one / one;
            if row == column { moment + ridge } else { moment }
        };
        match Symmetric::from_fn(width, entry).factored() {
            Some(factor) => break factor,
            // Rarely, the noise is larger than its norm.
            None => ridge *= 1.25,
        }
    };
    let sums = |class: &Vec<i64>| -> Vec<f64> { class[..width].iter().map(|&it| it as f64 / one).collect() };
    let counts: Vec<f64> = found.classes().iter().map(|class| (2.0 * class[width] as f64 / one).max(1.0)).collect();
    let nodes: f64 = counts.iter().sum();
    let (mut columns, mut squared) = (Vec::new(), 0.0);
    for (class, &count) in found.classes().iter().zip(&counts) {
        let (sums, weight) = (sums(class), (nodes / count).powf(of_frequency));
        let solved = factor.solve(&sums);
        // Wᵀ·G·W, with C for G·W.
        squared += weight * weight * sums.iter().zip(&solved).map(|(a, b)| a * b).sum::<f64>() / nodes;
        columns.push(solved.into_iter().map(|it| weight * it).collect::<Vec<f64>>());
    }
    let mean = squared / counts.len().max(1) as f64;
    let scale = if mean > 0.0 && mean.is_finite() { SPREAD / mean.sqrt() } else { 1.0 };
    let centre = mechanism.centre(found.sum());
    let weights = (0..width).map(|place| columns.iter().map(|column| scale * column[place]).collect()).collect();
    let of_centre = |column: &Vec<f64>| -scale * column.iter().zip(&centre).map(|(a, b)| a * b).sum::<f64>();
    Linear { weights, bias: columns.iter().map(of_centre).collect() }
}
