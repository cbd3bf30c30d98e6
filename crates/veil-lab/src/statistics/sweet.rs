//! Sweet spots: cases that are worth it.
//!
//! A private graph network should be more accurate than a network without edges, or why use the graph; and its edges
//! should be harder to find than those of the non-private network, or why add noise. Both are asked of the whole 95 %
//! interval if there is one: the lower end of the accuracy above the floor, the upper end of the AUC below the
//! non-private. A case with an interval that touches either line is no sweet spot, nor is one that lies on it. Where
//! there is no interval (a single run) the figure itself is asked.
//!
//! Floor and non-private AUC are taken as fixed lines, as a plot shows them: their own intervals do not count. An AUC
//! below one half counts as hard to attack, though an attacker who knew to turn the ranking round would gain from it.

use serde::{Deserialize, Serialize};

use super::error::{StatisticsError, finite};
use super::summary::Summary;

/// A figure, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Its interval, if several runs gave one.
    pub interval: Option<[f64; 2]>,
}

impl From<Summary> for Estimate {
    fn from(summary: Summary) -> Estimate {
        Estimate { value: summary.mean, interval: summary.interval }
    }
}

impl Estimate {
    /// What it is at least and at most.
    fn ends(&self, place: usize) -> Result<[f64; 2], StatisticsError> {
        if !self.value.is_finite() {
            return Err(StatisticsError::NotFinite { place, value: self.value });
        }
        let [low, high] = self.interval.unwrap_or([self.value; 2]);
        if low.is_finite() && high.is_finite() && low <= high {
            Ok([low, high])
        } else {
            Err(StatisticsError::NotAnInterval { place, low, high })
        }
    }
}

/// How accurate a case is, and how well it was attacked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Its accuracy.
    pub accuracy: Estimate,
    /// The area under the attack's curve.
    pub auc: Estimate,
}

/// What a sweet spot is better than.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The accuracy of a network without edges.
    pub edge_free_accuracy: f64,
    /// The AUC of the same attack on the non-private network.
    pub non_private_auc: f64,
}

/// The places of the sweet spots, in the order given.
///
/// ```
/// use veil_lab::statistics::{Estimate, Measured, Region, sweet_spots};
/// let region = Region { edge_free_accuracy: 0.6, non_private_auc: 0.9 };
/// let case = |accuracy, interval| Measured {
///     accuracy: Estimate { value: accuracy, interval },
///     auc: Estimate { value: 0.7, interval: None },
/// };
/// assert_eq!(sweet_spots(&[case(0.65, Some([0.59, 0.71])), case(0.65, Some([0.63, 0.67]))], region)?, [1]);
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn sweet_spots(cases: &[Measured], region: Region) -> Result<Vec<usize>, StatisticsError> {
    finite(&[region.edge_free_accuracy, region.non_private_auc])?;
    let mut sweet = Vec::new();
    for (place, case) in cases.iter().enumerate() {
        let [accuracy, _] = case.accuracy.ends(place)?;
        let [_, auc] = case.auc.ends(place)?;
        if accuracy > region.edge_free_accuracy && auc < region.non_private_auc {
            sweet.push(place);
        }
    }
    Ok(sweet)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: Region = Region { edge_free_accuracy: 60.0, non_private_auc: 95.0 };

    fn case(accuracy: f64, auc: f64) -> Measured {
        let sure = |value| Estimate { value, interval: None };
        Measured { accuracy: sure(accuracy), auc: sure(auc) }
    }

    fn with_intervals(accuracy: [f64; 2], auc: [f64; 2]) -> Measured {
        let between = |[low, high]: [f64; 2]| Estimate { value: (low + high) / 2.0, interval: Some([low, high]) };
        Measured { accuracy: between(accuracy), auc: between(auc) }
    }

    #[test]
    fn both_lines_must_be_passed() {
        let cases = [case(61.0, 94.0), case(59.0, 50.0), case(80.0, 96.0), case(60.0, 80.0), case(70.0, 95.0)];
        assert_eq!(sweet_spots(&cases, REGION), Ok(vec![0]));
    }

    #[test]
    fn the_ends_that_matter_are_the_low_accuracy_and_the_high_auc() {
        let cases = [
            with_intervals([59.0, 71.0], [80.0, 90.0]),
            with_intervals([61.0, 71.0], [80.0, 96.0]),
            with_intervals([61.0, 71.0], [80.0, 94.0]),
            with_intervals([60.0, 71.0], [80.0, 94.0]),
        ];
        assert_eq!(sweet_spots(&cases, REGION), Ok(vec![2]));
    }

    #[test]
    fn intervals_and_figures_that_are_none_are_refused() {
        let swapped = [case(61.0, 94.0), with_intervals([61.0, 71.0], [94.0, 80.0])];
        let error = StatisticsError::NotAnInterval { place: 1, low: 94.0, high: 80.0 };
        assert_eq!(sweet_spots(&swapped, REGION), Err(error));
        assert!(matches!(
            sweet_spots(&[case(f64::NAN, 1.0)], REGION),
            Err(StatisticsError::NotFinite { place: 0, .. })
        ));
        assert!(sweet_spots(&[], Region { non_private_auc: f64::NAN, ..REGION }).is_err());
    }
}
