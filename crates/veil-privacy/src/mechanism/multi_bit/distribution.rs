//! The exact distribution of a multi-bit report.

use num_bigint::BigUint;
use num_traits::One;

use crate::exact::Fraction;

/// One user's report: (dimension, whether the sign is +), sorted by dimension.
pub type Report = Vec<(u32, bool)>;

/// A set of dimensions, uniform among all of size m, and an independent sign for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    positive: Vec<Fraction>,
    samples: u32,
}

impl Distribution {
    pub(super) fn new(positive: Vec<Fraction>, samples: u32) -> Distribution {
        Distribution { positive, samples }
    }

    /// C(d, m), the number of sets of dimensions, which are equally likely.
    pub fn subsets(&self) -> BigUint {
        let d = self.positive.len() as u64;
        // After step i it is C(d, i): the division is always exact.
        (1..=u64::from(self.samples)).fold(BigUint::one(), |count, i| count * (d + 1 - i) / i)
    }

    /// P[+ | `dimension` is sampled]; `None` beyond the last dimension.
    pub fn positive(&self, dimension: u32) -> Option<&Fraction> {
        self.positive.get(dimension as usize)
    }

    /// The probability of one report; 0 if it is malformed (wrong length, unsorted, unknown
    /// dimension).
    pub fn probability(&self, report: &[(u32, bool)]) -> Fraction {
        let sorted = report.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if report.len() != self.samples as usize || !sorted {
            return Fraction::zero();
        }
        let set = Fraction::reduced(BigUint::one(), self.subsets());
        report.iter().fold(set, |product, &(dimension, sign)| &product * &self.sign(dimension, sign))
    }

    fn sign(&self, dimension: u32, positive: bool) -> Fraction {
        match self.positive(dimension) {
            None => Fraction::zero(),
            Some(p) if positive => p.clone(),
            Some(p) => Fraction::reduced(p.denominator() - p.numerator(), p.denominator().clone()),
        }
    }

    /// Every report with its probability, in lexicographic order; `None` if there are more than a
    /// million.
    pub fn enumerate(&self) -> Option<Vec<(Report, Fraction)>> {
        if self.samples > 20 || self.subsets() << self.samples > BigUint::from(1_000_000_u32) {
            return None;
        }
        let mut reports = vec![Vec::new()];
        for left in (0..self.samples).rev() {
            // The next dimension leaves room for those still to come.
            let end = self.positive.len() as u32 - left;
            reports = reports
                .into_iter()
                .flat_map(|report: Report| {
                    let first = report.last().map_or(0, |&(dimension, _)| dimension + 1);
                    (first..end).flat_map(move |dimension| {
                        let report = report.clone();
                        [false, true].map(move |sign| {
                            let mut longer = report.clone();
                            longer.push((dimension, sign));
                            longer
                        })
                    })
                })
                .collect();
        }
        let with_mass = |report: Report| {
            let mass = self.probability(&report);
            (report, mass)
        };
        Some(reports.into_iter().map(with_mass).collect())
    }
}
