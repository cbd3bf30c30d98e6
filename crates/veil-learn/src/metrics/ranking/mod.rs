//! Things in order of their rating, and the figures that this order gives.
//!
//! Positives are what is searched for: an edge among pairs, a class among nodes.

#[cfg(test)]
mod tests;

/// Counts of one rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tie {
    /// Number of positives.
    pub positives: usize,
    /// Number of negatives.
    pub negatives: usize,
}

/// What a threshold accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RocPoint {
    /// Share of the negatives.
    pub false_positive_rate: f64,
    /// Share of the positives.
    pub true_positive_rate: f64,
}

/// From the highest rating to the lowest. Only the order of ratings matters, so they are forgotten.
/// Ratings that no positive lies between or shares count as equal: that changes no figure, and
/// where positives are rare little is left.
///
/// The figures are numbers if there is at least one positive and one negative, which the caller
/// ensures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    ties: Vec<Tie>,
    total: Tie,
}

impl Ranking {
    /// Sorts by rating, in the total order of IEEE 754: what is not a number still has a place.
    pub fn new(ratings: &[f64], is_positive: &[bool]) -> Ranking {
        debug_assert_eq!(ratings.len(), is_positive.len());
        // Adding 0 makes a zero of either sign the same bits, so that the total order ties them.
        let mut order: Vec<(f64, bool)> =
            ratings.iter().map(|&rating| rating + 0.0).zip(is_positive.iter().copied()).collect();
        order.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        let mut ties: Vec<Tie> = Vec::new();
        for tied in order.chunk_by(|left, right| left.0.total_cmp(&right.0).is_eq()) {
            let positives = tied.iter().filter(|&&(_, positive)| positive).count();
            let tie = Tie { positives, negatives: tied.len() - positives };
            match ties.last_mut() {
                Some(last) if last.positives == 0 && tie.positives == 0 => last.negatives += tie.negatives,
                _ => ties.push(tie),
            }
        }
        Ranking::of_ties(ties)
    }

    /// From the counts of each rating, highest first. A rating that nothing has changes no figure.
    pub fn of_ties(ties: Vec<Tie>) -> Ranking {
        let total = ties.iter().fold(Tie::default(), |sum, tie| Tie {
            positives: sum.positives + tie.positives,
            negatives: sum.negatives + tie.negatives,
        });
        Ranking { ties, total }
    }

    /// The counts of each rating, highest first.
    pub fn ties(&self) -> &[Tie] {
        &self.ties
    }

    /// Number of positives.
    pub fn positives(&self) -> usize {
        self.total.positives
    }

    /// Number of negatives.
    pub fn negatives(&self) -> usize {
        self.total.negatives
    }

    /// The Mann–Whitney statistic U as a share of its maximum. U is counted in halves, so nothing
    /// is rounded before the division.
    pub fn auc(&self) -> f64 {
        let (mut halves, mut below) = (0u128, self.total.negatives);
        for tie in &self.ties {
            below -= tie.negatives;
            halves += tie.positives as u128 * (2 * below + tie.negatives) as u128;
        }
        halves as f64 / (2 * self.total.positives as u128 * self.total.negatives as u128) as f64
    }

    /// Σ (Rᵢ − Rᵢ₋₁) Pᵢ over the distinct ratings i, with recall R and precision P of accepting all
    /// rated at least i.
    pub fn average_precision(&self) -> f64 {
        let mut accepted = Tie::default();
        let mut sum = 0.0;
        for tie in &self.ties {
            accepted.positives += tie.positives;
            accepted.negatives += tie.negatives;
            if tie.positives > 0 {
                let precision = accepted.positives as f64 / (accepted.positives + accepted.negatives) as f64;
                sum += tie.positives as f64 * precision;
            }
        }
        sum / self.total.positives as f64
    }

    /// The ROC curve: its corners, from the threshold that accepts nothing to the one that accepts
    /// all.
    pub fn roc(&self) -> Vec<RocPoint> {
        let share = |count: usize, of: usize| count as f64 / of as f64;
        let mut accepted = Tie::default();
        let corner = |tie: &Tie| {
            accepted.positives += tie.positives;
            accepted.negatives += tie.negatives;
            RocPoint {
                false_positive_rate: share(accepted.negatives, self.total.negatives),
                true_positive_rate: share(accepted.positives, self.total.positives),
            }
        };
        std::iter::once(&Tie::default()).chain(&self.ties).map(corner).collect()
    }

    /// The largest share of the positives that a threshold accepts which also accepts at most one
    /// in `one_in` of the negatives. In whole numbers: a rate such as 0.01 is no binary fraction,
    /// and 29 of 2,900 must not be too many.
    pub fn tpr_at_one_in(&self, one_in: usize) -> f64 {
        let mut accepted = Tie::default();
        for tie in &self.ties {
            if (accepted.negatives + tie.negatives) * one_in > self.total.negatives {
                break;
            }
            accepted.positives += tie.positives;
            accepted.negatives += tie.negatives;
        }
        accepted.positives as f64 / self.total.positives as f64
    }

    /// How many of the `count` highest are positive: the mean over all orders of equal ratings.
    pub fn positives_among_top(&self, count: usize) -> f64 {
        let mut left = count;
        let mut found = 0.0;
        for tie in &self.ties {
            let size = tie.positives + tie.negatives;
            if size >= left {
                // Also right for a rating that nothing has: then nothing is left to choose.
                return found + if left == 0 { 0.0 } else { left as f64 * tie.positives as f64 / size as f64 };
            }
            found += tie.positives as f64;
            left -= size;
        }
        found
    }
}
