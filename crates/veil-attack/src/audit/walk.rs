//! A canary's log-likelihood ratio that is a sum of equal parts, and where to guess by it.
//!
//! A discrete Laplace count whose true value is c or c + 1 says "more" or "not more": e^s to 1 for
//! or against, and how much more or less says nothing further (for k > c, P(k | c+1)/P(k | c) is
//! e^s, for k ≤ c it is e^−s). A bit of the multi-bit encoder is the same, and randomised response
//! over several values can also name a third value, which says nothing. So over all counts, bits
//! and rounds the logarithm of the likelihood ratio is s times a walk of independent steps up, down
//! or on the spot, and its distribution is a small convolution.

use super::TOLERANCE;
use super::guesses::Rule;

/// One minus the confidence for which the rule is chosen: that of the first bound printed.
const BETA: f64 = 0.05;

/// The walk of a canary whose coin fell on `true`; the other is its mirror image.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Walk {
    size: f64,
    /// How likely each sum of steps is, from −steps to steps.
    ends: Vec<f64>,
}

impl Walk {
    /// So many steps, each of which says `size` for the truth with probability `up` and against it
    /// with probability `down`.
    pub(super) fn new(steps: usize, size: f64, up: f64, down: f64) -> Walk {
        let mut ends = vec![0.0; 2 * steps + 1];
        ends[steps] = 1.0;
        let stay = (1.0 - up - down).max(0.0);
        for taken in 0..steps {
            // Nothing is further out than the steps taken.
            let (first, last) = (steps - taken, steps + taken);
            let before = ends[first..=last].to_vec();
            ends[first - 1..=last + 1].fill(0.0);
            for (place, mass) in (first..).zip(before) {
                ends[place - 1] += mass * down;
                ends[place] += mass * stay;
                ends[place + 1] += mass * up;
            }
        }
        Walk { size, ends }
    }

    /// Steps of discrete Laplace noise whose logarithm falls by `size` per unit, for counts that
    /// differ by one.
    pub(super) fn of_counts(steps: usize, size: f64) -> Walk {
        let down = 1.0 / (1.0 + size.exp());
        Walk::new(steps, size, 1.0 - down, down)
    }

    /// Σ max(0, P − e^ε·Q) for the two coins: the δ that the canary's two inputs need at this ε.
    /// Both directions are the same.
    pub(super) fn delta(&self, epsilon: f64) -> f64 {
        let losses = self.sums().map(|(sum, mass)| (self.size * sum as f64 - epsilon, mass));
        losses.filter(|(above, _)| *above > TOLERANCE).map(|(above, mass)| mass * -(-above).exp_m1()).sum()
    }

    /// Guess from so many units of the sum on: the number that proves most if everything comes out
    /// as expected. Fewer guesses are better ones; what the trade is worth is read off Chernoff's
    /// bound. From the mechanism's parameters alone, so it is fixed before the run.
    pub(super) fn rule(&self, canaries: usize) -> Rule {
        let steps = self.ends.len() / 2;
        let (mut best, mut least) = (0.5, 1);
        let (mut right, mut wrong) = (0.0, 0.0);
        for sum in (1..=steps).rev() {
            right += self.ends[steps + sum];
            wrong += self.ends[steps - sum];
            let guesses = canaries as f64 * (right + wrong);
            let proven = if guesses > 0.0 { lowest(right / (right + wrong), guesses) } else { 0.5 };
            if proven >= best {
                (best, least) = (proven, sum);
            }
        }
        // Half a step below, so that rounding decides nothing.
        Rule::AtLeast((least as f64 - 0.5) * self.size)
    }

    fn sums(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        let steps = (self.ends.len() / 2) as i64;
        (-steps..).zip(self.ends.iter().copied())
    }
}

/// The lowest probability, from ½ on, that a share of right guesses leaves open: n·KL(share ‖ p) ≤
/// ln(1/β).
fn lowest(share: f64, guesses: f64) -> f64 {
    let part = |q: f64, p: f64| if q == 0.0 { 0.0 } else { q * (q / p).ln() };
    let open = |p: f64| guesses * (part(share, p) + part(1.0 - share, 1.0 - p)) <= -BETA.ln();
    let (mut low, mut high) = (0.5, share.max(0.5));
    if open(low) {
        return low;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if open(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_by_hand() {
        // Two steps up with ½, down with ¼.
        let walk = Walk::new(2, 2_f64.ln(), 0.5, 0.25);
        assert_eq!(walk.ends, [1.0 / 16.0, 2.0 / 16.0, 5.0 / 16.0, 4.0 / 16.0, 4.0 / 16.0]);
        // At ε = ln 2 only the sum of 2 is above: 4/16 − 2·1/16.
        assert!((walk.delta(2_f64.ln()) - 2.0 / 16.0).abs() < 1e-15);
        assert_eq!(walk.delta(4_f64.ln()), 0.0);
        // Total variation: (4/16 − 2/16) + (4/16 − 1/16).
        assert!((walk.delta(0.0) - 5.0 / 16.0).abs() < 1e-15);
    }

    #[test]
    fn counts_are_randomised_response() {
        let walk = Walk::of_counts(1, 1.0);
        let keep = 1_f64.exp() / (1.0 + 1_f64.exp());
        assert!((walk.ends[2] - keep).abs() < 1e-15 && (walk.ends[0] - (1.0 - keep)).abs() < 1e-15);
        assert_eq!(walk.ends[1], 0.0);
    }

    #[test]
    fn few_canaries_are_all_guessed_and_of_many_the_best() {
        let rule = |canaries| Walk::of_counts(20, 0.1).rule(canaries);
        let Rule::AtLeast(few) = rule(100) else { panic!("a threshold") };
        let Rule::AtLeast(many) = rule(100_000_000) else { panic!("a threshold") };
        assert!(few < many && few > 0.0 && many < 2.0, "{few}, {many}");
        // With one step there is nothing to choose.
        assert_eq!(Walk::of_counts(1, 0.5).rule(10), Rule::AtLeast(0.25));
        assert_eq!(Walk::of_counts(1, 0.5).rule(0), Rule::AtLeast(0.25));
    }

    #[test]
    fn the_lowest_share_is_chernoffs() {
        // All of 100 right: p^100 = 0.05.
        assert!((lowest(1.0, 100.0) - 0.05_f64.powf(0.01)).abs() < 1e-12);
        assert_eq!(lowest(0.5, 1000.0), 0.5);
        assert_eq!(lowest(0.4, 1000.0), 0.5);
    }
}
