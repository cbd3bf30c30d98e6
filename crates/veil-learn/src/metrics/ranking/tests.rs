use veil_graph::random::Random;

use super::*;

/// Ratings with many ties and both kinds.
fn cases() -> impl Iterator<Item = (Vec<f64>, Vec<bool>)> {
    let mut random = Random::new(1, "cases");
    (0..300).map(move |_| {
        let (length, levels) = (2 + random.below(9), 1 + random.below(6));
        let ratings = (0..length).map(|_| random.below(levels) as f64 - 2.0).collect();
        let mut is_positive: Vec<bool> = (0..length).map(|_| random.below(2) == 1).collect();
        (is_positive[0], is_positive[1]) = (true, false);
        (ratings, is_positive)
    })
}

fn split(ratings: &[f64], is_positive: &[bool]) -> (Vec<f64>, Vec<f64>) {
    let of = |kind| {
        ratings.iter().zip(is_positive).filter(|&(_, &positive)| positive == kind).map(|(&rating, _)| rating).collect()
    };
    (of(true), of(false))
}

/// The share of `all` that is at least `threshold`.
fn accepted(all: &[f64], threshold: f64) -> f64 {
    all.iter().filter(|&&rating| rating >= threshold).count() as f64 / all.len() as f64
}

#[test]
fn auc_counts_pairs() {
    for (ratings, is_positive) in cases() {
        let (positives, negatives) = split(&ratings, &is_positive);
        let mut wins = 0.0;
        for positive in &positives {
            for negative in &negatives {
                wins += if positive > negative {
                    1.0
                } else if positive == negative {
                    0.5
                } else {
                    0.0
                };
            }
        }
        assert_eq!(Ranking::new(&ratings, &is_positive).auc(), wins / (positives.len() * negatives.len()) as f64);
    }
}

#[test]
fn average_precision_averages_over_the_positives() {
    for (ratings, is_positive) in cases() {
        let (positives, _) = split(&ratings, &is_positive);
        let precision = |&threshold: &f64| {
            accepted(&positives, threshold) * positives.len() as f64
                / (accepted(&ratings, threshold) * ratings.len() as f64)
        };
        let expected = positives.iter().map(precision).sum::<f64>() / positives.len() as f64;
        let found = Ranking::new(&ratings, &is_positive).average_precision();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn tpr_is_the_best_of_all_thresholds() {
    for (ratings, is_positive) in cases() {
        let (positives, negatives) = split(&ratings, &is_positive);
        for one_in in [1, 2, 3, 4, 100] {
            let allowed = ratings.iter().filter(|&&t| accepted(&negatives, t) * one_in as f64 <= 1.0 + 1e-9);
            let expected = allowed.map(|&threshold| accepted(&positives, threshold)).fold(0.0, f64::max);
            assert_eq!(Ranking::new(&ratings, &is_positive).tpr_at_one_in(one_in), expected);
        }
    }
}

/// Every set of `count` such that nothing outside is rated higher than one inside is an equally
/// likely top.
#[test]
fn positives_among_the_top_are_a_mean_over_all_tops() {
    for (ratings, is_positive) in cases() {
        for count in 0..=ratings.len() {
            let (mut tops, mut positives) = (0, 0);
            for set in 0u32..1 << ratings.len() {
                let inside = |place: usize| set >> place & 1 == 1;
                let rated =
                    |kind| (0..ratings.len()).filter(move |&place| inside(place) == kind).map(|place| ratings[place]);
                let lowest = rated(true).fold(f64::INFINITY, f64::min);
                if set.count_ones() as usize == count && rated(false).all(|rating| rating <= lowest) {
                    tops += 1;
                    positives += (0..ratings.len()).filter(|&place| inside(place) && is_positive[place]).count();
                }
            }
            let expected = positives as f64 / f64::from(tops);
            let found = Ranking::new(&ratings, &is_positive).positives_among_top(count);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}

/// Ratings 5 4 4 3 2 1, positives + + − − + −.
#[test]
fn figures_by_hand() {
    let ranking = Ranking::new(&[4.0, 1.0, 5.0, 3.0, 2.0, 4.0], &[false, false, true, false, true, true]);
    // Positive 5 beats 3, positive 4 beats 2 and ties 1, positive 2 beats 1.
    assert_eq!(ranking.auc(), 6.5 / 9.0);
    // Precisions 1, 2/3 and 3/5.
    assert!((ranking.average_precision() - (1.0 + 2.0 / 3.0 + 0.6) / 3.0).abs() < 1e-15);
    assert_eq!(ranking.tpr_at_one_in(100), 1.0 / 3.0);
    assert_eq!(ranking.tpr_at_one_in(3), 2.0 / 3.0);
    assert_eq!((ranking.positives_among_top(2), ranking.positives_among_top(3)), (1.5, 2.0));
}

/// The area under its corners is the AUC: ties are straight lines.
#[test]
fn the_roc_curve_has_the_area() {
    for (ratings, is_positive) in cases() {
        let ranking = Ranking::new(&ratings, &is_positive);
        let roc: Vec<[f64; 2]> =
            ranking.roc().iter().map(|it| [it.false_positive_rate, it.true_positive_rate]).collect();
        assert_eq!((roc[0], roc[roc.len() - 1]), ([0.0; 2], [1.0; 2]));
        assert!(roc.windows(2).all(|ends| ends[0][0] <= ends[1][0] && ends[0][1] <= ends[1][1]));
        let area: f64 = roc.windows(2).map(|it| (it[1][0] - it[0][0]) * (it[0][1] + it[1][1]) / 2.0).sum();
        assert!((area - ranking.auc()).abs() < 1e-12, "{area} {}", ranking.auc());
    }
}

#[test]
fn zeros_of_either_sign_tie_and_infinities_are_ratings() {
    let ranking = Ranking::new(&[0.0, -0.0, f64::NEG_INFINITY, f64::INFINITY], &[true, false, false, true]);
    assert_eq!(ranking.auc(), 3.5 / 4.0);
}

#[test]
fn one_percent_of_2900_is_29() {
    let is_positive: Vec<bool> = (0..2901).map(|place| place == 29).collect();
    let ratings: Vec<f64> = (0..2901).map(|place| f64::from(-place)).collect();
    assert_eq!(Ranking::new(&ratings, &is_positive).tpr_at_one_in(100), 1.0);
    assert_eq!(Ranking::new(&ratings, &is_positive).tpr_at_one_in(101), 0.0);
}
