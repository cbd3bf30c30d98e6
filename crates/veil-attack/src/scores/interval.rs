//! Confidence intervals by the bootstrap (Efron 1979), percentile method.
//!
//! Edges and other pairs are resampled separately, with replacement, so that no resample lacks
//! either. A drawn pair only adds one to the count of its rating, so a resample needs no sorting.
//! Each resample has its own stream of randomness and is the same on any thread.
//!
//! The intervals are about other pairs from the same graph and the same model, not about other
//! graphs or trainings. They treat pairs as independent. The pairs of a node sample share nodes, so
//! their intervals are too narrow.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_learn::metrics::{Ranking, Tie};

/// Number of resamples for so many pairs: 1,000, or as many as 2·10⁸ draws allow, but at least 200.
pub fn resamples(pairs: usize) -> usize {
    (200_000_000 / pairs.max(1)).clamp(200, 1000)
}

/// 95 % intervals of the area under the curve and of the average precision.
pub fn intervals(ranking: &Ranking, seed: u64) -> [[f64; 2]; 2] {
    let resampler = Resampler::new(ranking);
    let figures: Vec<[f64; 2]> = (0..resamples(ranking.positives() + ranking.negatives()))
        .into_par_iter()
        .map(|number| {
            let resample = resampler.draw(&mut Random::new(seed, &format!("attack/bootstrap/{number}")));
            [resample.auc(), resample.average_precision()]
        })
        .collect();
    [0, 1].map(|at| percentiles(figures.iter().map(|figure| figure[at]).collect()))
}

/// The rating of each pair, by number: what a draw looks up.
pub struct Resampler {
    edges: Vec<u32>,
    others: Vec<u32>,
    ties: usize,
}

impl Resampler {
    /// The pairs of a ranking.
    pub fn new(ranking: &Ranking) -> Resampler {
        let mut resampler = Resampler {
            edges: Vec::with_capacity(ranking.positives()),
            others: Vec::with_capacity(ranking.negatives()),
            ties: ranking.ties().len(),
        };
        for (number, tie) in ranking.ties().iter().enumerate() {
            resampler.edges.extend(std::iter::repeat_n(number as u32, tie.positives));
            resampler.others.extend(std::iter::repeat_n(number as u32, tie.negatives));
        }
        resampler
    }

    /// One resample.
    pub fn draw(&self, random: &mut Random) -> Ranking {
        let mut ties = vec![Tie::default(); self.ties];
        for _ in 0..self.edges.len() {
            ties[self.edges[random.below(self.edges.len())] as usize].positives += 1;
        }
        for _ in 0..self.others.len() {
            ties[self.others[random.below(self.others.len())] as usize].negatives += 1;
        }
        Ranking::of_ties(ties)
    }
}

/// The 2.5 % and the 97.5 % quantile, interpolated between the two nearest values.
pub fn percentiles(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_unstable_by(f64::total_cmp);
    [0.025, 0.975].map(|share| {
        let place = share * (values.len() - 1) as f64;
        let (low, part) = (place as usize, place.fract());
        let high = (low + 1).min(values.len() - 1);
        values[low] + part * (values[high] - values[low])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_ladder_are_known() {
        let [low, high] = percentiles((0..=1000).rev().map(f64::from).collect());
        assert_eq!((low, high), (25.0, 975.0));
        let [low, high] = percentiles(vec![4.0, 0.0, 2.0]);
        assert!((low - 0.1).abs() < 1e-12 && (high - 3.9).abs() < 1e-12, "{low} {high}");
    }

    #[test]
    fn large_samples_are_drawn_less_often() {
        assert_eq!([2, 200_000, 400_000, 2_000_000].map(resamples), [1000, 1000, 500, 200]);
    }

    /// Two edges rated 3 and 1, two others rated 2 and 0. Both edges drawn as 3 (chance 1/4): the
    /// AUC is 1. One each (1/2), or both as 1 (1/4): it is 1 if both others are drawn as 0 (1/4).
    /// In all 7/16.
    #[test]
    fn small_resamples_are_as_frequent_as_they_should_be() {
        let resampler = Resampler::new(&Ranking::new(&[3.0, 1.0, 2.0, 0.0], &[true, true, false, false]));
        let perfect =
            (0..10_000).filter(|number| resampler.draw(&mut Random::new(1, &format!("small/{number}"))).auc() == 1.0);
        // Binomial(10,000, 7/16), deviation 49.6: five deviations are missed once in 10⁶ (two-sided
        // 5.7e-7).
        let count = perfect.count() as f64;
        assert!((count - 4375.0).abs() < 5.0 * 49.6, "{count}");
    }

    /// DeLong et al. 1988: the variance of an AUC from the placements of each edge and of each
    /// other pair.
    #[test]
    fn the_interval_is_as_wide_as_delong_says() {
        let mut random = Random::new(1, "delong");
        let is_edge: Vec<bool> = (0..1000).map(|pair| pair < 400).collect();
        let ratings: Vec<f64> = is_edge.iter().map(|&edge| random.unit() + if edge { 0.3 } else { 0.0 }).collect();
        let (edges, others) = ratings.split_at(400);
        let placement = |one: &[f64], all: &[f64]| -> Vec<f64> {
            one.iter().map(|x| all.iter().filter(|y| x > y).count() as f64 / all.len() as f64).collect()
        };
        let variance = |values: &[f64]| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
        };
        let deviation =
            (variance(&placement(edges, others)) / 400.0 + variance(&placement(others, edges)) / 600.0).sqrt();
        let ranking = Ranking::new(&ratings, &is_edge);
        let [[low, high], _] = intervals(&ranking, 1);
        // Each end of a percentile interval of 1,000 resamples has itself a deviation of 0.085
        // deviations of the AUC.
        let width = (high - low) / (2.0 * 1.96 * deviation);
        assert!((width - 1.0).abs() < 0.15, "{width}");
        let middle = (low + high) / 2.0;
        assert!((middle - ranking.auc()).abs() < 0.5 * deviation, "{middle} {}", ranking.auc());
    }
}
