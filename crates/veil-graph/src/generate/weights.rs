//! Draws items with probability proportional to their weight, among all items or in a range.

use std::ops::Range;

use crate::random::Random;

/// Prefix sums of weights, with a guide table (Chen and Asau 1974): a draw takes constant expected
/// time.
pub(super) struct Weights {
    /// `sums[i]` is the weight of the items before i.
    sums: Vec<f64>,
    /// `guide[b]` is the first item whose prefix sum reaches the b-th of equally wide buckets.
    guide: Vec<u32>,
    buckets_per_weight: f64,
}

impl Weights {
    /// Weights of the items 0, 1, …: nonnegative, not all zero.
    pub(super) fn new(weights: &[f64]) -> Weights {
        let mut sums = Vec::with_capacity(weights.len() + 1);
        let mut sum = 0.0;
        sums.push(sum);
        for &weight in weights {
            sum += weight;
            sums.push(sum);
        }
        let buckets = weights.len().max(1);
        let buckets_per_weight = buckets as f64 / sum;
        let mut guide = Vec::with_capacity(buckets);
        let mut item = 0;
        for bucket in 0..buckets {
            let start = bucket as f64 / buckets_per_weight;
            while item + 1 < weights.len() && sums[item + 1] <= start {
                item += 1;
            }
            guide.push(item as u32);
        }
        Weights { sums, guide, buckets_per_weight }
    }

    /// The weight of a range of items.
    pub(super) fn of(&self, items: Range<usize>) -> f64 {
        self.sums[items.end] - self.sums[items.start]
    }

    /// The item at a place in [0, 1) of the whole weight.
    pub(super) fn at(&self, place: f64) -> usize {
        self.find(place * self.of(0..self.sums.len() - 1))
    }

    /// A random item.
    pub(super) fn draw(&self, random: &mut Random) -> usize {
        self.draw_in(0..self.sums.len() - 1, random)
    }

    /// A random item of a nonempty range.
    pub(super) fn draw_in(&self, items: Range<usize>, random: &mut Random) -> usize {
        let at = self.sums[items.start] + random.unit() * self.of(items.clone());
        self.find(at).clamp(items.start, items.end - 1)
    }

    /// A random item outside a range that is not everything.
    pub(super) fn draw_outside(&self, items: Range<usize>, random: &mut Random) -> usize {
        let all = self.sums.len() - 1;
        let at = random.unit() * (self.of(0..all) - self.of(items.clone()));
        if at < self.sums[items.start] || items.end == all {
            self.find(at).min(items.start.saturating_sub(1))
        } else {
            self.find(at + self.of(items.clone())).max(items.end)
        }
    }

    fn find(&self, at: f64) -> usize {
        let bucket = ((at * self.buckets_per_weight) as usize).min(self.guide.len() - 1);
        // Rounding may put a sum one bucket too far, so step back first.
        let mut item = self.guide[bucket] as usize;
        while item > 0 && self.sums[item] > at {
            item -= 1;
        }
        while item + 2 < self.sums.len() && self.sums[item + 1] <= at {
            item += 1;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of 40,000 draws against their expectation: six standard deviations are exceeded once
    /// in 10⁸.
    fn assert_proportional(draw: impl Fn(&Weights, &mut Random) -> usize, expected: [f64; 5]) {
        let weights = Weights::new(&[1.0, 0.0, 7.0, 0.5, 1.5]);
        let mut random = Random::new(1, "weights");
        let mut counts = [0.0; 5];
        (0..40_000).for_each(|_| counts[draw(&weights, &mut random)] += 1.0);
        let total: f64 = expected.iter().sum();
        for (count, weight) in counts.into_iter().zip(expected) {
            let share = weight / total;
            let deviation = (40_000.0 * share * (1.0 - share)).sqrt();
            assert!((count - 40_000.0 * share).abs() <= 6.0 * deviation, "{counts:?} for {expected:?}");
        }
    }

    #[test]
    fn draws_are_in_proportion_to_the_weights() {
        assert_proportional(|weights, random| weights.draw(random), [1.0, 0.0, 7.0, 0.5, 1.5]);
        assert_proportional(|weights, random| weights.at(random.unit()), [1.0, 0.0, 7.0, 0.5, 1.5]);
        assert_proportional(|weights, random| weights.draw_in(2..4, random), [0.0, 0.0, 7.0, 0.5, 0.0]);
        assert_proportional(|weights, random| weights.draw_outside(2..4, random), [1.0, 0.0, 0.0, 0.0, 1.5]);
        assert_proportional(|weights, random| weights.draw_outside(0..3, random), [0.0, 0.0, 0.0, 0.5, 1.5]);
        assert_proportional(|weights, random| weights.draw_outside(3..5, random), [1.0, 0.0, 7.0, 0.0, 0.0]);
    }
}
