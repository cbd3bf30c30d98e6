//! How far an area under the curve may be from the truth.

/// The 97.5 % quantile of the normal distribution.
const DEVIATIONS: f64 = 1.959_963_984_540_054;

/// The 95 % interval of an area under the ROC curve that was found with so many positives and
/// negatives.
///
/// Method 5 of Newcombe, Statistics in Medicine 25 (2006), pp. 559–573: all areas θ that the found
/// one is at most 1.96 deviations from, where the deviation is the one at θ (as in Wilson's
/// interval of a share). Its square is that of Hanley and McNeil, Radiology 143 (1982), pp. 29–36,
/// with the two group sizes averaged. At θ = 1/2 this is the variance of the Mann–Whitney test: so
/// 1/2 lies outside just when that test, without its correction for ties, rejects at 5 %.
///
/// Unlike DeLong's it has a width when the area is 0 or 1, or when there is one positive alone, and
/// it never leaves \[0, 1\]. Near 1/2, ties make it too wide rather than too narrow. It takes nodes
/// as independent, and speaks of other nodes from the same graph and the same model, not of other
/// graphs or other trainings.
pub(super) fn auc_interval(auc: f64, positives: usize, negatives: usize) -> [f64; 2] {
    let (positives, negatives) = (positives as f64, negatives as f64);
    let rest = (positives + negatives) / 2.0 - 1.0;
    let outside = |area: f64| {
        let spread = 1.0 + rest * ((1.0 - area) / (2.0 - area) + area / (1.0 + area));
        let variance = area * (1.0 - area) * spread / (positives * negatives);
        (auc - area) * (auc - area) > DEVIATIONS * DEVIATIONS * variance
    };
    // The difference of the two sides is convex in the area, so each side of the found one has a
    // single end.
    [end(auc, 0.0, outside), end(auc, 1.0, outside)]
}

/// Halves the way between what is inside and the limit until no number lies between: fewer than
/// 1,100 times.
fn end(inside: f64, limit: f64, outside: impl Fn(f64) -> bool) -> f64 {
    let (mut inside, mut beyond) = (inside, limit);
    loop {
        let middle = (inside + beyond) / 2.0;
        if middle == inside || middle == beyond {
            return beyond;
        }
        if outside(middle) {
            beyond = middle;
        } else {
            inside = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::random::Random;

    use super::*;
    use crate::metrics::Ranking;

    /// The null variance of U/(mn) is (m+n+1)/(12mn).
    #[test]
    fn a_half_is_outside_just_when_mann_and_whitney_reject() {
        for (positives, negatives) in [(1usize, 1usize), (1, 50), (7, 9), (400, 30)] {
            let (m, n) = (positives as f64, negatives as f64);
            let reach = DEVIATIONS * ((m + n + 1.0) / (12.0 * m * n)).sqrt();
            for (share, outside) in [(0.999_999, false), (1.000_001, true)] {
                if 0.5 + share * reach < 1.0 {
                    assert_eq!(auc_interval(0.5 + share * reach, positives, negatives)[0] > 0.5, outside);
                    assert_eq!(auc_interval(0.5 - share * reach, positives, negatives)[1] < 0.5, outside);
                }
            }
        }
    }

    /// At θ = 1 with one positive and one negative, (1 − θ)² = z²θ(1 − θ), so the lower end is 1/(1
    /// + z²).
    #[test]
    fn ends_by_hand() {
        let [low, high] = auc_interval(1.0, 1, 1);
        assert!((low - 1.0 / (1.0 + DEVIATIONS * DEVIATIONS)).abs() < 1e-15, "{low}");
        assert_eq!(high, 1.0);
        let [low, high] = auc_interval(0.0, 1, 1);
        assert!((high - 1.0 / (1.0 + 1.0 / (DEVIATIONS * DEVIATIONS))).abs() < 1e-15, "{high}");
        assert_eq!(low, 0.0);
        let wide = auc_interval(0.7, 20, 20);
        let narrow = auc_interval(0.7, 80, 80);
        assert!(0.0 < wide[0] && wide[0] < narrow[0] && narrow[0] < 0.7, "{wide:?} {narrow:?}");
        assert!(0.7 < narrow[1] && narrow[1] < wide[1] && wide[1] < 1.0, "{wide:?} {narrow:?}");
    }

    /// Positives are uniform on [s, 1 + s], negatives on [0, 1]: the area is 1 − (1 − s)²/2.
    #[test]
    fn the_interval_holds_the_true_area_as_often_as_it_says() {
        let mut random = Random::new(1, "auc coverage");
        for (shift, positives, negatives) in [(0.0, 30, 70), (0.2, 20, 80), (0.4, 50, 50)] {
            let truth = 1.0 - (1.0 - shift) * (1.0 - shift) / 2.0;
            let is_positive: Vec<bool> = (0..positives + negatives).map(|place| place < positives).collect();
            let held = (0..4000).filter(|_| {
                let rate = |&positive: &bool| random.unit() + if positive { shift } else { 0.0 };
                let ratings: Vec<f64> = is_positive.iter().map(rate).collect();
                let auc = Ranking::new(&ratings, &is_positive).auc();
                let [low, high] = auc_interval(auc, positives, negatives);
                low <= truth && truth <= high
            });
            let share = held.count() as f64 / 4000.0;
            // Binomial(4000, 0.95), deviation 0.0034: five of them (5.7e-7), and two points for the
            // approximation.
            assert!((share - 0.95).abs() < 0.037, "shift {shift}: {share}");
        }
    }
}
