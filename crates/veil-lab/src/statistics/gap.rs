//! What privacy costs: the utility gap to ε = ∞.
//!
//! Runs with the same seed share what it decides, the split above all. So the gap is taken seed by seed, and the
//! interval is that of the mean of these differences: what both runs owe to a lucky split cancels.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::StatisticsError;
use super::summary::{Summary, summary};

/// How much less a private case reaches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// ε = ∞ minus private, over the common seeds: positive is what privacy costs.
    pub difference: Summary,
    /// The seeds that only one of the two has, in order: failed runs, say. They are not counted, so the two means that
    /// the gap is the difference of are those over the common seeds.
    pub left_out: Vec<u64>,
}

/// The gap between a private case and the same at ε = ∞, each as figure by seed. `bootstrap_seed` is the interval's.
///
/// ```
/// use std::collections::BTreeMap;
/// let private = BTreeMap::from([(1, 70.0), (2, 75.0)]);
/// let infinite = BTreeMap::from([(1, 80.0), (2, 81.0), (3, 79.0)]);
/// let gap = veil_lab::statistics::gap(&private, &infinite, 1)?;
/// assert_eq!((gap.difference.mean, gap.difference.interval), (8.0, Some([6.0, 10.0])));
/// assert_eq!(gap.left_out, [3]);
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn gap(
    private: &BTreeMap<u64, f64>,
    infinite: &BTreeMap<u64, f64>,
    bootstrap_seed: u64,
) -> Result<Gap, StatisticsError> {
    let differences: Vec<f64> =
        infinite.iter().filter_map(|(seed, without)| Some(without - private.get(seed)?)).collect();
    if differences.is_empty() {
        return Err(StatisticsError::NoCommonSeed { left: private.len(), right: infinite.len() });
    }
    let mut left_out: Vec<u64> = private.keys().filter(|seed| !infinite.contains_key(seed)).copied().collect();
    left_out.extend(infinite.keys().filter(|seed| !private.contains_key(seed)));
    left_out.sort_unstable();
    Ok(Gap { difference: summary(&differences, bootstrap_seed)?, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_owe_to_the_seed_cancels() {
        // The seeds differ by 10 and more, the two cases by 1 or 2.
        let infinite = BTreeMap::from([(3, 50.0), (4, 60.0), (5, 70.0), (6, 90.0)]);
        let private = BTreeMap::from([(3, 49.0), (4, 58.0), (5, 69.0), (6, 88.0)]);
        let found = gap(&private, &infinite, 1).unwrap();
        assert_eq!((found.difference.count, found.difference.mean), (4, 1.5));
        // Differences 1, 2, 1, 2: a mean is all ones (or all twos) with chance 1/16.
        assert_eq!(found.difference.interval, Some([1.0, 2.0]));
        assert!(found.left_out.is_empty());
        let swapped = gap(&infinite, &private, 1).unwrap();
        assert_eq!(swapped.difference.mean, -1.5);
    }

    #[test]
    fn only_common_seeds_are_paired() {
        let infinite = BTreeMap::from([(1, 8.0), (2, 100.0), (9, 4.0)]);
        let private = BTreeMap::from([(1, 6.0), (5, 0.0), (9, 1.0)]);
        let found = gap(&private, &infinite, 1).unwrap();
        assert_eq!((found.difference.count, found.difference.mean), (2, 2.5));
        assert_eq!(found.left_out, [2, 5]);
        let other = BTreeMap::from([(7, 1.0)]);
        assert_eq!(gap(&other, &infinite, 1), Err(StatisticsError::NoCommonSeed { left: 1, right: 3 }));
    }

    #[test]
    fn figures_that_are_no_numbers_are_refused() {
        let infinite = BTreeMap::from([(1, 8.0), (2, f64::NAN)]);
        let private = BTreeMap::from([(1, 6.0), (2, 1.0)]);
        assert!(matches!(gap(&private, &infinite, 1), Err(StatisticsError::NotFinite { place: 1, .. })));
    }
}
