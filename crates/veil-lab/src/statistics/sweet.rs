//! Sweet spots: cases that are worth it.
//!
//! A private graph network should be more accurate than a network without edges, or why use the graph; and its edges
//! should be harder to find than those of the non-private network, or why add noise. Both are asked seed by seed, as a
//! [`gap`](super::gap()) is: of accuracy − floor, and of non-private AUC − AUC, the whole 95 % interval must lie above 0.
//! So what a lucky split gives to both cancels, and what the floor and the non-private network are uncertain by counts.
//!
//! Fewer than three seeds in common say nothing: of one there is no interval, and of two differences both are above 0 by
//! chance once in 4 times. An AUC below one half counts as hard to attack, though an attacker who knew to turn the ranking
//! round would gain from it.

use serde::{Deserialize, Serialize};

use super::gap::Gap;

/// The fewest seeds in common that say something.
pub const LEAST_SEEDS: usize = 3;

/// What a sweet spot is better than, as the lines of a picture: means, whose own intervals it does not show.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The accuracy of a network without edges.
    pub edge_free_accuracy: f64,
    /// The AUC of the same attack on the non-private network.
    pub non_private_auc: f64,
}

/// Whether a case is a sweet spot: `gained` is its accuracy − floor, `spared` the non-private AUC − its own. None if there are
/// too few seeds in common.
///
/// ```
/// use std::collections::BTreeMap;
/// use veil_lab::statistics::{gap, is_sweet};
/// let by_seed = |figures: [f64; 3]| BTreeMap::from([1, 2, 3].map(|seed| (seed, figures[seed as usize - 1])));
/// let gained = gap(&by_seed([0.58, 0.61, 0.60]), &by_seed([0.59, 0.70, 0.66]), 1)?;
/// let spared = gap(&by_seed([0.6, 0.6, 0.7]), &by_seed([0.9, 0.8, 0.9]), 1)?;
/// assert_eq!(is_sweet(&gained, &spared), Some(true));
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn is_sweet(gained: &Gap, spared: &Gap) -> Option<bool> {
    let low = |gap: &Gap| gap.difference.interval.filter(|_| gap.difference.count >= LEAST_SEEDS).map(|[low, _]| low);
    Some(low(gained)? > 0.0 && low(spared)? > 0.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::gap;
    use super::*;

    /// Own figures minus those of the reference.
    fn more(own: &[f64], reference: &[f64]) -> Gap {
        let by_seed = |figures: &[f64]| -> BTreeMap<u64, f64> { (1..).zip(figures.iter().copied()).collect() };
        gap(&by_seed(reference), &by_seed(own), 1).unwrap()
    }

    #[test]
    fn both_lines_must_be_passed_with_whole_intervals() {
        let floor = [0.5, 0.6, 0.7];
        let spared = more(&[0.9; 3], &[0.6; 3]);
        let found = |accuracy: [f64; 3]| is_sweet(&more(&accuracy, &floor), &spared);
        // The seeds differ by more than the two cases do: seed by seed it is above the floor nevertheless.
        assert_eq!(found([0.51, 0.62, 0.71]), Some(true));
        // More accurate on average, and not surely.
        assert_eq!(found([0.9, 0.9, 0.69]), Some(false));
        assert_eq!(found([0.5, 0.9, 0.9]), Some(false), "one seed lies on the line");
        let gained = more(&[0.8; 3], &floor);
        assert_eq!(is_sweet(&gained, &more(&[0.9; 3], &[0.8, 0.8, 0.91])), Some(false));
    }

    #[test]
    fn fewer_than_three_seeds_say_nothing() {
        let [one, two, three] = [1, 2, 3].map(|seeds| more(&vec![0.9; seeds], &vec![0.5; seeds]));
        assert_eq!(is_sweet(&three, &three), Some(true));
        for few in [one, two] {
            assert_eq!([is_sweet(&few, &three), is_sweet(&three, &few)], [None, None]);
        }
    }
}
