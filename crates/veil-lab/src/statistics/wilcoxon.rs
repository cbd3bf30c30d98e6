//! Wilcoxon's signed-rank test (1945) of paired figures, two-sided.
//!
//! Differences are ranked by size. Under the null hypothesis, differences symmetric around zero,
//! every rank is positive or negative with probability one half, so the sum of positive ranks has a
//! known distribution.
//!
//! **Zeros** are dropped before ranking, as in Wilcoxon's paper. **Ties** share the mean of their
//! ranks. Differences are tied, or zero, up to rounding: 0.8 − 0.7 and 0.9 − 0.8 are a tenth each,
//! though their last bits differ.
//!
//! **Exact**, also with ties: all 2ⁿ patterns of signs are counted. (With ties or zeros
//! `scipy.stats.wilcoxon` approximates from 14 pairs on, and always from 51.)

use serde::{Deserialize, Serialize};

use super::{StatisticsError, finite};

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignedRank {
    /// The smaller of the sums of positive and of negative ranks.
    pub statistic: f64,
    /// The probability of a statistic as extreme under the null hypothesis.
    pub p_value: f64,
    /// The number of differences that are not zero.
    pub differences: usize,
}

/// Tests whether paired figures differ. Pairs that are all equal have a p-value of 1.
///
/// ```
/// let pairs = [[0.75, 0.71], [0.76, 0.73], [0.74, 0.72], [0.77, 0.70], [0.78, 0.73]];
/// let test = veil_lab::statistics::wilcoxon(&pairs)?;
/// // All five are greater: 2 of 2⁵ patterns are as extreme.
/// assert_eq!((test.statistic, test.p_value), (0.0, 0.0625));
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn wilcoxon(pairs: &[[f64; 2]]) -> Result<SignedRank, StatisticsError> {
    if pairs.is_empty() {
        return Err(StatisticsError::Empty);
    }
    finite(pairs.as_flattened())?;
    let Ranks { doubled, plus } = Ranks::of(pairs);
    // The distribution is symmetric, so the smaller sum gives both tails.
    let count = doubled.len() as u64;
    let least = plus.min(count * (count + 1) - plus);
    let (statistic, p_value) = (least as f64 / 2.0, (2.0 * tail(&doubled, least as usize)).min(1.0));
    Ok(SignedRank { statistic, p_value, differences: doubled.len() })
}

/// The ranks of the differences that are not zero, doubled so that mid-ranks are whole.
struct Ranks {
    doubled: Vec<u64>,
    /// The sum of the doubled ranks of positive differences.
    plus: u64,
}

impl Ranks {
    fn of(pairs: &[[f64; 2]]) -> Ranks {
        let largest = pairs.as_flattened().iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        // A decimal figure is off by half a bit of its last place, and so is a difference. Two
        // equal differences are then apart by less than 4 such units; 8 leave room for a
        // percentage.
        let rounding = 8.0 * f64::EPSILON * largest;
        let differences = pairs.iter().map(|[first, second]| first - second);
        let mut differences: Vec<f64> = differences.filter(|difference| difference.abs() > rounding).collect();
        differences.sort_by(|left, right| left.abs().total_cmp(&right.abs()));
        let mut ranks = Ranks { doubled: Vec::new(), plus: 0 };
        let mut start = 0;
        while start < differences.len() {
            let smallest = differences[start].abs();
            let tied = differences[start..].iter().take_while(|other| other.abs() - smallest <= rounding).count();
            let end = start + tied;
            // Ranks start + 1 to end: twice their mean.
            let doubled = (start + 1 + end) as u64;
            let positive = differences[start..end].iter().filter(|difference| **difference > 0.0).count();
            ranks.plus += doubled * positive as u64;
            ranks.doubled.extend(std::iter::repeat_n(doubled, tied));
            start = end;
        }
        ranks
    }
}

/// The probability that the doubled ranks with a positive sign sum up to `most` or less.
///
/// Rank by rank, a sum is reached with it or without it, with half the probability each. Every
/// probability is a multiple of 2⁻ⁿ and at most 1: exact in a double up to 53 ranks.
fn tail(doubled: &[u64], most: usize) -> f64 {
    let mut chances = vec![0.0_f64; most + 1];
    chances[0] = 1.0;
    for &rank in doubled {
        let rank = rank as usize;
        // Downwards, so that what is read does not include this rank yet.
        for sum in (0..=most).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = 0.5 * (chances[sum] + with);
        }
    }
    chances.iter().sum()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use veil_graph::random::Random;

    use super::*;

    fn test(first: &[f64], second: &[f64]) -> SignedRank {
        let pairs: Vec<[f64; 2]> = first.iter().zip(second).map(|(&first, &second)| [first, second]).collect();
        wilcoxon(&pairs).unwrap()
    }

    /// The samples and SciPy's results: `scripts/fixtures/wilcoxon.py` makes them.
    #[test]
    fn a_hundred_samples_as_scipy_has_them() {
        let fixture: Value = serde_json::from_str(include_str!("../../tests/fixtures/wilcoxon.json")).unwrap();
        let samples = fixture["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 100);
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
        };
        let mut compared = 0;
        for (number, sample) in samples.iter().enumerate() {
            let found = test(&numbers(&sample["first"]), &numbers(&sample["second"]));
            let expected = &sample["two-sided"];
            let what = format!("sample {number}: {found:?}");
            assert_eq!(Some(found.statistic), expected["statistic"].as_f64(), "{what}");
            // Where SciPy has no exact value (ties among more than 13 pairs) the fixture has none.
            let Some(p_value) = expected["exact"].as_f64() else { continue };
            let apart = (found.p_value - p_value).abs();
            assert!(apart < 1e-9 && apart < 1e-6 * p_value, "{what}, not {p_value}");
            compared += 1;
        }
        // Those without ties, or with few enough differences for SciPy to permute.
        assert_eq!(compared, 58);
    }

    /// Of 60 differences of one sign; and of −1, 2, …, 60: only the pattern without any has a
    /// smaller sum than 1.
    #[test]
    fn many_differences_are_counted_too() {
        let first: Vec<f64> = (1..=60).map(f64::from).collect();
        let mut second = vec![0.0; 60];
        assert_eq!(test(&first, &second).p_value, 2.0 * 0.5_f64.powi(60));
        second[0] = 2.0;
        assert_eq!(test(&first, &second).p_value, 4.0 * 0.5_f64.powi(60));
    }

    /// Hollander and Wolfe (1973), p. 29: the example of R's `wilcox.test`, scores in thousandths.
    #[test]
    fn depression_scores_of_nine_patients() {
        let before = [1830.0, 500.0, 1620.0, 2480.0, 1680.0, 1880.0, 1550.0, 3060.0, 1300.0];
        let after = [878.0, 647.0, 598.0, 2050.0, 1060.0, 1290.0, 1060.0, 3140.0, 1290.0];
        let found = test(&before, &after);
        assert_eq!((found.statistic, found.p_value), (5.0, 20.0 / 512.0));
    }

    #[test]
    fn ties_share_their_ranks_and_zeros_are_dropped() {
        // Differences 1, 1, −1, 2: ranks 2, 2, 2, 4. Sums up to 2: none, or one of three twos: 4 of
        // 16 patterns.
        let found = test(&[1.0, 1.0, 0.0, 2.0], &[0.0, 0.0, 1.0, 0.0]);
        assert_eq!((found.statistic, found.p_value), (2.0, 8.0 / 16.0));
        let found = test(&[5.0, 1.0, 2.0, 7.0, 3.0], &[5.0, 0.0, 0.0, 7.0, 0.0]);
        assert_eq!((found.differences, found.p_value), (3, 0.25));
    }

    #[test]
    fn equal_up_to_rounding_is_equal() {
        // A tenth each: 0.8 − 0.7 and 0.9 − 0.8 differ in their last bits.
        let (first, second) = ([0.8, 0.8, 0.3, 0.1 + 0.2], [0.7, 0.9, 0.1, 0.3]);
        assert_ne!(first[0] - second[0], second[1] - first[1]);
        let found = test(&first, &second);
        // Ranks 1.5, −1.5, 3, and a zero. Sums up to 1.5: 0 once, 1.5 twice.
        assert_eq!((found.statistic, found.differences, found.p_value), (1.5, 3, 6.0 / 8.0));
    }

    #[test]
    fn equal_pairs_have_a_p_value_of_one() {
        let found = test(&[1.0, 2.0], &[1.0, 2.0]);
        assert_eq!(found, SignedRank { statistic: 0.0, p_value: 1.0, differences: 0 });
    }

    /// Every pattern of signs is listed and its sum of mid-ranks compared.
    #[test]
    fn exact_with_ties_is_what_listing_all_patterns_gives() {
        let mut random = Random::new(1, "wilcoxon/listing");
        for number in 0..60 {
            let count = 1 + number % 12;
            let differences: Vec<f64> = (0..count).map(|_| random.below(9) as f64 - 4.0).collect();
            let sizes: Vec<f64> = differences.iter().filter(|&&one| one != 0.0).map(|one| one.abs()).collect();
            let mid_rank = |size: f64| {
                let less = sizes.iter().filter(|&&other| other < size).count() as f64;
                let same = sizes.iter().filter(|&&other| other == size).count() as f64;
                less + (same + 1.0) / 2.0
            };
            let ranks: Vec<f64> = sizes.iter().map(|&size| mid_rank(size)).collect();
            let sum = |positive: &dyn Fn(usize) -> bool| -> f64 {
                ranks.iter().enumerate().filter(|&(place, _)| positive(place)).map(|(_, rank)| rank).sum()
            };
            let signs: Vec<bool> = differences.iter().filter(|&&one| one != 0.0).map(|&one| one > 0.0).collect();
            let observed = sum(&|place| signs[place]);
            let sums: Vec<f64> =
                (0..1u32 << ranks.len()).map(|pattern| sum(&|place| pattern >> place & 1 == 1)).collect();
            let share = |counted: &dyn Fn(f64) -> bool| {
                sums.iter().filter(|&&sum| counted(sum)).count() as f64 / sums.len() as f64
            };
            let (less, greater) = (share(&|sum| sum <= observed), share(&|sum| sum >= observed));
            let found = test(&differences, &vec![0.0; count]);
            assert_eq!(found.p_value, (2.0 * less.min(greater)).min(1.0), "{differences:?}");
        }
    }

    #[test]
    fn other_numbers_are_refused() {
        assert_eq!(wilcoxon(&[]), Err(StatisticsError::Empty));
        assert!(matches!(wilcoxon(&[[1.0, 1.0], [2.0, f64::NAN]]), Err(StatisticsError::OutOfRange { .. })));
    }
}
