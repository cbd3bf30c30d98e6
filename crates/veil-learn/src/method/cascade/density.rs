//! The density of a noisy row's number: Poisson(a) − Poisson(b) + Laplace noise.
//!
//! Its characteristic function is known in closed form, so the density on a grid of points is one
//! Fourier transform for each pair of means. Means are on a geometric ladder; between its steps the
//! logarithm of the density is interpolated.

use rayon::prelude::*;

/// Means of the ladder, besides one that is nearly 0.
const LADDER: usize = 22;
/// Nearly no neighbour.
pub(super) const NONE: f64 = 0.003;
/// The smallest width of noise: what is sharper is smoothed, because messages are not whole
/// numbers.
const SMALLEST_NOISE: f64 = 0.3;

/// ln of the density, for every point of a grid and every pair of means of the ladder.
pub(super) struct Density {
    step: f64,
    first: f64,
    points: usize,
    logs: Vec<f64>,
    /// Means for which there is a second one: all of them with pairs, else one.
    seconds: usize,
    /// Point by point, first mean by first mean.
    table: Vec<f32>,
}

/// A mean, as a place on the ladder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung {
    at: usize,
    beyond: f32,
}

impl Density {
    /// For Laplace noise of this scale, means up to the largest, with or without pairs.
    pub fn new(scale: f64, largest: f64, paired: bool) -> Density {
        let scale = scale.max(SMALLEST_NOISE);
        let largest = largest.max(2.0);
        let mut means = vec![NONE];
        let ratio = libm::log(largest / 0.02) / (LADDER - 1) as f64;
        means.extend((0..LADDER).map(|place| 0.02 * libm::exp(ratio * place as f64)));
        let span = largest + 6.0 * libm::sqrt(largest) + 14.0 * scale + 6.0;
        // Where noise is wide, so are the steps: a table has no more than some thousand points.
        let step = (scale / 3.0).clamp(0.12, (scale / 8.0).max(0.5));
        let points = ((2.0 * span / step).ceil() as usize).next_power_of_two();
        let seconds = if paired { means.len() } else { 1 };
        let waves = Waves::new(points, step, scale, &means);
        let size = means.len() * seconds;
        let columns: Vec<Vec<f32>> = (0..size)
            .into_par_iter()
            .map(|pair| waves.log_density(pair / seconds, (paired).then_some(pair % seconds)))
            .collect();
        let mut table = vec![0.0; points * size];
        table.par_chunks_exact_mut(size).enumerate().for_each(|(point, out)| {
            out.iter_mut().zip(&columns).for_each(|(out, column)| *out = column[point]);
        });
        let first = -(points as f64) / 2.0 * step;
        Density { step, first, points, logs: means.iter().map(|&it| libm::log(it)).collect(), seconds, table }
    }

    /// The place of a mean.
    pub fn rung(&self, mean: f64) -> Rung {
        let log = libm::log(mean);
        let above = self.logs.partition_point(|&it| it <= log).clamp(1, self.logs.len() - 1);
        let (low, high) = (self.logs[above - 1], self.logs[above]);
        Rung { at: above - 1, beyond: ((log - low) / (high - low)).clamp(0.0, 1.0) as f32 }
    }

    /// The densities at a value.
    pub fn at(&self, value: f64) -> At<'_> {
        let point = ((value - self.first) / self.step).clamp(0.0, (self.points - 1) as f64).round() as usize;
        let size = self.logs.len() * self.seconds;
        At { seconds: self.seconds, logs: &self.table[point * size..(point + 1) * size] }
    }
}

/// ln of the density at one value, for all pairs of means.
pub(super) struct At<'a> {
    seconds: usize,
    logs: &'a [f32],
}

impl At<'_> {
    /// For one mean.
    pub fn one(&self, mean: Rung) -> f32 {
        let log = |at: usize| self.logs[at * self.seconds];
        mix(mean.beyond, log(mean.at), log(mean.at + 1))
    }

    /// For a mean that adds and one that subtracts.
    pub fn two(&self, plus: Rung, minus: Rung) -> f32 {
        let log = |plus: usize, minus: usize| self.logs[plus * self.seconds + minus];
        let row = |at: usize| mix(minus.beyond, log(at, minus.at), log(at, minus.at + 1));
        mix(plus.beyond, row(plus.at), row(plus.at + 1))
    }
}

fn mix(beyond: f32, low: f32, high: f32) -> f32 {
    (1.0 - beyond) * low + beyond * high
}

/// Characteristic functions on the frequencies of the grid.
struct Waves {
    points: usize,
    step: f64,
    /// Of the noise.
    noise: Vec<f64>,
    /// Of each mean: e^(a(cos t − 1)), and cos and sin of a·sin t.
    means: Vec<Vec<(f64, f64, f64)>>,
}

impl Waves {
    fn new(points: usize, step: f64, scale: f64, means: &[f64]) -> Waves {
        let frequency = |place: usize| {
            let signed = if place < points / 2 { place as f64 } else { place as f64 - points as f64 };
            2.0 * std::f64::consts::PI * signed / (points as f64 * step)
        };
        let noise = (0..points).map(|place| 1.0 / (1.0 + (scale * frequency(place)).powi(2))).collect();
        let of_mean = |&mean: &f64| {
            let wave = |place: usize| {
                let t = frequency(place);
                let angle = mean * libm::sin(t);
                (libm::exp(mean * (libm::cos(t) - 1.0)), libm::cos(angle), libm::sin(angle))
            };
            (0..points).map(wave).collect()
        };
        Waves { points, step, noise, means: means.par_iter().map(of_mean).collect() }
    }

    /// ln of the density of Poisson(plus) − Poisson(minus) + noise, on the grid.
    fn log_density(&self, plus: usize, minus: Option<usize>) -> Vec<f32> {
        let wave = |place: usize| {
            let (size, cosine, sine) = self.means[plus][place];
            // e^(−ia·sin t) for what adds, e^(+ib·sin t) for what subtracts.
            let (mut size, mut real, mut imaginary) = (size * self.noise[place], cosine, -sine);
            if let Some(minus) = minus {
                let (other, cosine, sine) = self.means[minus][place];
                size *= other;
                (real, imaginary) = (real * cosine - imaginary * sine, real * sine + imaginary * cosine);
            }
            (size * real, size * imaginary)
        };
        let mut values: Vec<(f64, f64)> = (0..self.points).map(wave).collect();
        inverse_transform(&mut values);
        let scale = 1.0 / (self.points as f64 * self.step);
        let half = self.points / 2;
        let log = |place: usize| libm::log((values[(place + half) % self.points].0 * scale).max(1e-12)) as f32;
        (0..self.points).map(log).collect()
    }
}

/// Σ_k v_k·e^(2πijk/n) for every j, in place; n is a power of 2 (Cooley and Tukey 1965).
fn inverse_transform(values: &mut [(f64, f64)]) {
    let count = values.len();
    let bits = count.trailing_zeros();
    for place in 0..count {
        let other = place.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1);
        if place < other {
            values.swap(place, other);
        }
    }
    let mut width = 2;
    while width <= count {
        let angle = 2.0 * std::f64::consts::PI / width as f64;
        let factors: Vec<(f64, f64)> =
            (0..width / 2).map(|it| (libm::cos(angle * it as f64), libm::sin(angle * it as f64))).collect();
        for block in values.chunks_exact_mut(width) {
            let (low, high) = block.split_at_mut(width / 2);
            for ((a, b), &(cosine, sine)) in low.iter_mut().zip(high).zip(&factors) {
                let turned = (b.0 * cosine - b.1 * sine, b.0 * sine + b.1 * cosine);
                *b = (a.0 - turned.0, a.1 - turned.1);
                *a = (a.0 + turned.0, a.1 + turned.1);
            }
        }
        width *= 2;
    }
}
