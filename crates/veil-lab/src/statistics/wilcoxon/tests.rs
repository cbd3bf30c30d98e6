use serde_json::Value;
use veil_graph::random::Random;

use super::*;

const NORMAL: Method = Method::Normal { continuity: false };
const CORRECTED: Method = Method::Normal { continuity: true };
const ALTERNATIVES: [(Alternative, &str); 3] =
    [(Alternative::TwoSided, "two-sided"), (Alternative::Less, "less"), (Alternative::Greater, "greater")];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

/// The samples and what SciPy says of them: `scripts/fixtures/wilcoxon.py` makes them.
#[test]
fn a_hundred_samples_as_scipy_has_them() {
    let fixture: Value = serde_json::from_str(include_str!("../../../tests/fixtures/wilcoxon.json")).unwrap();
    let samples = fixture["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 100);
    let (mut exact, mut normal) = (0, 0);
    for (number, sample) in samples.iter().enumerate() {
        let (first, second) = (numbers(&sample["first"]), numbers(&sample["second"]));
        for (alternative, name) in ALTERNATIVES {
            let expected = &sample[name];
            for (method, key) in [(Method::Exact, "exact"), (NORMAL, "normal"), (CORRECTED, "corrected")] {
                let found = wilcoxon_by(&first, &second, alternative, method).unwrap();
                let what = format!("sample {number}, {name}, {key}: {found:?}");
                assert_eq!(Some(found.statistic), expected["statistic"].as_f64(), "{what}");
                assert_eq!((found.method, found.differences + found.zeros), (method, first.len()), "{what}");
                // Where SciPy has no exact value (ties among more than 13 pairs) the fixture has none.
                let Some(p_value) = expected[key].as_f64() else {
                    assert_eq!(key, "exact", "{what}");
                    continue;
                };
                // SciPy takes upper tails as 1 minus a lower one, so a small one has few digits.
                let apart = (found.p_value - p_value).abs();
                assert!(apart < 1e-9 && apart < 1e-6 * p_value, "{what}, not {p_value}");
                *(if method == Method::Exact { &mut exact } else { &mut normal }) += 1;
            }
        }
    }
    assert_eq!(normal, 600);
    // 58 samples: without ties, or with few enough differences for SciPy to permute.
    assert_eq!(exact, 174);
}

/// What `wilcoxon` chooses by itself is SciPy's default where that is exact or has more than 50 differences.
#[test]
fn the_method_follows_the_number_of_differences() {
    let choose = |count: usize, zeros: usize| {
        let first: Vec<f64> = (1..=count).map(|place| place as f64).chain(vec![0.0; zeros]).collect();
        let found = wilcoxon(&first, &vec![0.0; count + zeros], Alternative::TwoSided).unwrap();
        (found.method, found.differences, found.zeros)
    };
    assert_eq!(choose(50, 9), (Method::Exact, 50, 9));
    assert_eq!(choose(51, 0), (NORMAL, 51, 0));
}

/// Hollander and Wolfe (1973), p. 29: the example of R's `wilcox.test`, V = 40 and p = 0.01953. Scores in thousandths.
#[test]
fn depression_scores_of_nine_patients() {
    let before = [1830.0, 500.0, 1620.0, 2480.0, 1680.0, 1880.0, 1550.0, 3060.0, 1300.0];
    let after = [878.0, 647.0, 598.0, 2050.0, 1060.0, 1290.0, 1060.0, 3140.0, 1290.0];
    let greater = wilcoxon(&before, &after, Alternative::Greater).unwrap();
    assert_eq!((greater.statistic, greater.p_value), (40.0, 10.0 / 512.0));
    let both = wilcoxon(&before, &after, Alternative::TwoSided).unwrap();
    assert_eq!((both.statistic, both.p_value), (5.0, 20.0 / 512.0));
}

#[test]
fn ties_share_their_ranks() {
    // Differences 1, 1, −1, 2: ranks 2, 2, 2, 4. Sums up to 2: none, or one of three twos: 4 of 16 patterns.
    let found = wilcoxon(&[1.0, 1.0, 0.0, 2.0], &[0.0, 0.0, 1.0, 0.0], Alternative::Greater).unwrap();
    assert_eq!((found.statistic, found.p_value), (8.0, 4.0 / 16.0));
}

#[test]
fn zeros_are_dropped() {
    let found = wilcoxon(&[5.0, 1.0, 2.0, 7.0, 3.0], &[5.0, 0.0, 0.0, 7.0, 0.0], Alternative::TwoSided).unwrap();
    assert_eq!((found.differences, found.zeros, found.p_value), (3, 2, 0.25));
}

#[test]
fn equal_up_to_rounding_is_equal() {
    // A tenth each: 0.8 − 0.7 and 0.9 − 0.8 differ in their last bits.
    let (first, second) = ([0.8, 0.8, 0.3, 0.1 + 0.2], [0.7, 0.9, 0.1, 0.3]);
    assert_ne!(first[0] - second[0], second[1] - first[1]);
    let found = wilcoxon(&first, &second, Alternative::Greater).unwrap();
    // Ranks 1.5, −1.5, 3, and a zero. As much or more: 4.5 twice, 6 once.
    assert_eq!((found.statistic, found.zeros, found.p_value), (4.5, 1, 3.0 / 8.0));
}

#[test]
fn pairs_that_are_all_equal_say_nothing() {
    for method in [Method::Exact, NORMAL, CORRECTED] {
        for (alternative, _) in ALTERNATIVES {
            let found = wilcoxon_by(&[1.0, 2.0], &[1.0, 2.0], alternative, method).unwrap();
            assert_eq!((found.statistic, found.p_value, found.zeros), (0.0, 1.0, 2));
        }
    }
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
        let sums: Vec<f64> = (0..1u32 << ranks.len()).map(|pattern| sum(&|place| pattern >> place & 1 == 1)).collect();
        let share =
            |counted: &dyn Fn(f64) -> bool| sums.iter().filter(|&&sum| counted(sum)).count() as f64 / sums.len() as f64;
        let (less, greater) = (share(&|sum| sum <= observed), share(&|sum| sum >= observed));
        for (alternative, expected) in [
            (Alternative::Less, less),
            (Alternative::Greater, greater),
            (Alternative::TwoSided, (2.0 * less.min(greater)).min(1.0)),
        ] {
            let found = wilcoxon(&differences, &vec![0.0; count], alternative).unwrap();
            assert_eq!(found.p_value, expected, "{alternative:?} {differences:?}");
        }
    }
}

#[test]
fn what_cannot_be_paired_is_refused() {
    let refused = |first: &[f64], second: &[f64]| wilcoxon(first, second, Alternative::TwoSided).unwrap_err();
    assert_eq!(refused(&[1.0, 2.0], &[1.0]), StatisticsError::Lengths { left: 2, right: 1 });
    assert_eq!(refused(&[], &[]), StatisticsError::Empty);
    assert!(matches!(refused(&[1.0, 2.0], &[1.0, f64::NAN]), StatisticsError::NotFinite { place: 1, .. }));
}
