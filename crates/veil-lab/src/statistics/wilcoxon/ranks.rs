//! Differences, ranked by size.

/// The ranks of the differences that are not zero, doubled: the mid-rank of a tie may be half a rank.
pub struct Ranks {
    doubled: Vec<u64>,
    plus: u64,
    ties: Vec<u64>,
    zeros: usize,
}

impl Ranks {
    /// Ranks the differences first − second.
    pub fn new(first: &[f64], second: &[f64]) -> Ranks {
        let largest = first.iter().chain(second).fold(0.0_f64, |largest, value| largest.max(value.abs()));
        // A decimal figure or a share of a count is off by half a bit of its last place, and so is a difference. Two
        // differences that are the same in truth are then apart by less than 4 such units; 8 leave room for a
        // percentage.
        let rounding = 8.0 * f64::EPSILON * largest;
        let mut differences: Vec<f64> = first
            .iter()
            .zip(second)
            .map(|(first, second)| first - second)
            .filter(|difference| difference.abs() > rounding)
            .collect();
        differences.sort_by(|left, right| left.abs().total_cmp(&right.abs()));

        let mut ranks =
            Ranks { doubled: Vec::new(), plus: 0, ties: Vec::new(), zeros: first.len() - differences.len() };
        let mut start = 0;
        while start < differences.len() {
            let smallest = differences[start].abs();
            let tied = differences[start..].iter().take_while(|other| other.abs() - smallest <= rounding).count();
            let end = start + tied;
            // Ranks start + 1 to end: twice their mean.
            let doubled = (start + 1 + end) as u64;
            ranks.plus +=
                doubled * differences[start..end].iter().filter(|&&difference| difference > 0.0).count() as u64;
            ranks.doubled.extend(std::iter::repeat_n(doubled, tied));
            ranks.ties.push(tied as u64);
            start = end;
        }
        ranks
    }

    /// How many differences are not zero.
    pub fn count(&self) -> usize {
        self.doubled.len()
    }

    /// How many were zero.
    pub fn zeros(&self) -> usize {
        self.zeros
    }

    /// The doubled ranks.
    pub fn doubled(&self) -> &[u64] {
        &self.doubled
    }

    /// The sum of the doubled ranks of positive differences.
    pub fn plus(&self) -> u64 {
        self.plus
    }

    /// The sum of all doubled ranks: n(n + 1), with and without ties.
    pub fn total(&self) -> u64 {
        (self.doubled.len() * (self.doubled.len() + 1)) as u64
    }

    /// The variance of the sum of positive ranks: (n(n+1)(2n+1) − Σ(t³ − t)/2)/24 with ties of t differences.
    pub fn variance(&self) -> f64 {
        let count = self.doubled.len() as f64;
        let ties: f64 = self.ties.iter().map(|&tied| tied as f64).map(|tied| tied * tied * tied - tied).sum();
        (count * (count + 1.0) * (2.0 * count + 1.0) - ties / 2.0) / 24.0
    }
}
