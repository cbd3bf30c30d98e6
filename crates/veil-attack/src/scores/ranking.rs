//! Pairs in order of their rating, and the figures that this order gives.

/// Pairs of equal rating.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tie {
    /// How many of them are edges.
    pub edges: usize,
    /// How many are not.
    pub others: usize,
}

/// Pairs from the highest rating to the lowest. Only the order of ratings matters, so they are forgotten. Ratings that
/// no edge lies between or shares count as equal: that changes no figure, and where edges are rare little is left.
///
/// There is at least one edge and one other pair: [`Pairs`](crate::pairs::Pairs) sees to that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    ties: Vec<Tie>,
    total: Tie,
}

impl Ranking {
    /// Sorts the pairs. The ratings are numbers: [`Scores`](super::Scores) has looked.
    pub fn new(ratings: &[f64], is_edge: &[bool]) -> Ranking {
        debug_assert_eq!(ratings.len(), is_edge.len());
        // Adding 0 makes a zero of either sign the same bits, so that the total order ties them.
        let mut order: Vec<(f64, bool)> =
            ratings.iter().map(|&rating| rating + 0.0).zip(is_edge.iter().copied()).collect();
        order.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
        let mut ties: Vec<Tie> = Vec::new();
        for tied in order.chunk_by(|left, right| left.0 == right.0) {
            let edges = tied.iter().filter(|&&(_, edge)| edge).count();
            let tie = Tie { edges, others: tied.len() - edges };
            match ties.last_mut() {
                Some(last) if last.edges == 0 && tie.edges == 0 => last.others += tie.others,
                _ => ties.push(tie),
            }
        }
        Ranking::of_ties(ties)
    }

    /// From the counts of each rating, highest first. A rating that nothing has changes no figure.
    pub fn of_ties(ties: Vec<Tie>) -> Ranking {
        let total = ties
            .iter()
            .fold(Tie::default(), |sum, tie| Tie { edges: sum.edges + tie.edges, others: sum.others + tie.others });
        Ranking { ties, total }
    }

    /// The counts of each rating, highest first.
    pub fn ties(&self) -> &[Tie] {
        &self.ties
    }

    /// How many pairs are edges.
    pub fn edges(&self) -> usize {
        self.total.edges
    }

    /// How many are not.
    pub fn others(&self) -> usize {
        self.total.others
    }

    /// The Mann–Whitney statistic U as a share of its maximum. U is counted in halves, so nothing is rounded before
    /// the division.
    pub fn auc(&self) -> f64 {
        let (mut halves, mut below) = (0u128, self.total.others);
        for tie in &self.ties {
            below -= tie.others;
            halves += tie.edges as u128 * (2 * below + tie.others) as u128;
        }
        halves as f64 / (2 * self.total.edges as u128 * self.total.others as u128) as f64
    }

    /// Σ (Rᵢ − Rᵢ₋₁) Pᵢ over the distinct ratings i, with recall R and precision P of accepting all rated at least i.
    pub fn average_precision(&self) -> f64 {
        let mut accepted = Tie::default();
        let mut sum = 0.0;
        for tie in &self.ties {
            accepted.edges += tie.edges;
            accepted.others += tie.others;
            if tie.edges > 0 {
                let precision = accepted.edges as f64 / (accepted.edges + accepted.others) as f64;
                sum += tie.edges as f64 * precision;
            }
        }
        sum / self.total.edges as f64
    }

    /// The largest share of the edges that a threshold accepts which also accepts at most one in `one_in` of the
    /// others. In whole numbers: a rate such as 0.01 is no binary fraction, and 29 of 2,900 must not be too many.
    pub fn tpr_at_one_in(&self, one_in: usize) -> f64 {
        let mut accepted = Tie::default();
        for tie in &self.ties {
            if (accepted.others + tie.others) * one_in > self.total.others {
                break;
            }
            accepted.edges += tie.edges;
            accepted.others += tie.others;
        }
        accepted.edges as f64 / self.total.edges as f64
    }

    /// How many of the `count` highest pairs are edges: the mean over all orders of equal ratings.
    pub fn edges_among_top(&self, count: usize) -> f64 {
        let mut left = count;
        let mut found = 0.0;
        for tie in &self.ties {
            let size = tie.edges + tie.others;
            if size >= left {
                // Also right for a rating that nothing has: then nothing is left to choose.
                return found + if left == 0 { 0.0 } else { left as f64 * tie.edges as f64 / size as f64 };
            }
            found += tie.edges as f64;
            left -= size;
        }
        found
    }
}
