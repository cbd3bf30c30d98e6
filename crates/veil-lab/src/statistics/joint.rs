//! Whether our mean and a published one agree within their joint uncertainty.
//!
//! They do if |difference| ≤ 1.96·√(s₁²/n₁ + s₂²/n₂), with deviations s over n runs each.
//!
//! Without the published deviation, or without its number of runs, the published mean counts as
//! exact up to its rounding, half a unit of its last digit: |difference| ≤ 1.96·s₁/√n₁ + half a
//! unit. The rounding is a bound and not a deviation, so it is added and not squared. This is the
//! strict choice: what is not known never makes two figures agree. Likewise one run of ours has no
//! deviation and adds nothing. A published deviation over settings (GraphPrivatizer, Tables 8–12)
//! is no uncertainty of the mean: leave it out.
//!
//! **Weak for few runs.** 1.96 is the quantile for a known deviation. With three runs each, equal
//! truths are called different about once in 8 times instead of once in 20; if only our three runs
//! count, once in 5 or more often.

use serde::{Deserialize, Serialize};

use super::{StatisticsError, Summary, check, finite};

/// A figure as a paper prints it, in our unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// The mean.
    pub mean: f64,
    /// Its printed digits after the point.
    pub decimals: u32,
    /// The deviation over runs, if published.
    pub deviation: Option<f64>,
    /// The number of runs, if published.
    pub runs: Option<usize>,
}

/// What the uncertainty consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Our deviation and the published one.
    Both,
    /// Our deviation and the rounding of the published figure.
    Ours,
    /// The published deviation: ours is one run.
    Theirs,
    /// Nothing but the rounding of the published figure.
    Rounding,
}

/// The comparison of two figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Ours minus theirs.
    pub difference: f64,
    /// The largest difference that chance and rounding explain.
    pub uncertainty: f64,
    /// Whether the difference is at most that.
    pub agrees: bool,
    /// What the uncertainty consists of.
    pub basis: Basis,
}

/// Whether our figure and a published one agree within their joint uncertainty.
///
/// ```
/// use veil_lab::statistics::{Published, Summary, joint};
/// let ours = Summary { count: 10, mean: 75.1, deviation: Some(1.0), interval: None };
/// let theirs = Published { mean: 75.7, decimals: 1, deviation: Some(1.0), runs: Some(10) };
/// // 1.96·√(1/10 + 1/10) = 0.877
/// assert!(joint(&ours, &theirs)?.agrees);
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn joint(ours: &Summary, published: &Published) -> Result<Agreement, StatisticsError> {
    finite(&[ours.mean, published.mean])?;
    if ours.count == 0 || published.runs == Some(0) {
        return Err(StatisticsError::Empty);
    }
    for value in [ours.deviation, published.deviation].into_iter().flatten() {
        check(&[value], "standard deviation", |value| value.is_finite() && value >= 0.0)?;
    }
    let our_variance = ours.deviation.map(|deviation| deviation * deviation / ours.count as f64);
    let their_variance =
        published.deviation.zip(published.runs).map(|(deviation, runs)| deviation * deviation / runs as f64);
    let chance = 1.96 * (our_variance.unwrap_or(0.0) + their_variance.unwrap_or(0.0)).sqrt();
    let rounding = if their_variance.is_some() { 0.0 } else { half_a_unit(published.decimals) };
    let basis = match (our_variance, their_variance) {
        (Some(_), Some(_)) => Basis::Both,
        (Some(_), None) => Basis::Ours,
        (None, Some(_)) => Basis::Theirs,
        (None, None) => Basis::Rounding,
    };
    let (difference, uncertainty) = (ours.mean - published.mean, chance + rounding);
    // Binary fractions of decimal figures are off in the last bits: 71.65 − 71.6 is more than 0.05.
    let slack = 1e-12 * ours.mean.abs().max(published.mean.abs());
    Ok(Agreement { difference, uncertainty, agrees: difference.abs() <= uncertainty + slack, basis })
}

/// Half a unit of the last of so many decimals.
fn half_a_unit(decimals: u32) -> f64 {
    // A product of tens is exact up to 10²²; `powi` promises no bits.
    0.5 / (0..decimals).map(|_| 10.0).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(mean: f64, deviation: f64, count: usize) -> Summary {
        Summary { count, mean, deviation: (count > 1).then_some(deviation), interval: None }
    }

    fn theirs(mean: f64, deviation: impl Into<Option<f64>>, runs: impl Into<Option<usize>>) -> Published {
        Published { mean, decimals: 1, deviation: deviation.into(), runs: runs.into() }
    }

    fn assert_joint(ours: Summary, theirs: Published, uncertainty: f64, agrees: bool, basis: Basis) {
        let found = joint(&ours, &theirs).unwrap();
        assert!((found.uncertainty - uncertainty).abs() < 1e-12, "{found:?}");
        assert!((found.difference - (ours.mean - theirs.mean)).abs() < 1e-12, "{found:?}");
        assert_eq!((found.agrees, found.basis), (agrees, basis), "{found:?}");
    }

    #[test]
    fn squares_add_up() {
        // 1.96·√(3²/9 + 48/16) = 1.96·2.
        let published = theirs(70.0, 48.0_f64.sqrt(), 16);
        assert_joint(ours(73.9, 3.0, 9), published, 3.92, true, Basis::Both);
        assert_joint(ours(73.95, 3.0, 9), published, 3.92, false, Basis::Both);
        assert_joint(ours(66.05, 3.0, 9), published, 3.92, false, Basis::Both);
    }

    #[test]
    fn what_is_not_published_is_not_assumed() {
        // 1.96·3/√9 + 0.05.
        for published in [theirs(70.0, None, None), theirs(70.0, None, 10), theirs(70.0, 100.0, None)] {
            assert_joint(ours(72.0, 3.0, 9), published, 2.01, true, Basis::Ours);
            assert_joint(ours(72.02, 3.0, 9), published, 2.01, false, Basis::Ours);
        }
    }

    #[test]
    fn one_run_of_ours_adds_nothing() {
        assert_joint(ours(71.9, 0.0, 1), theirs(70.0, 4.0, 16), 1.96, true, Basis::Theirs);
        assert_joint(ours(72.0, 0.0, 1), theirs(70.0, 4.0, 16), 1.96, false, Basis::Theirs);
        // On the edge of the rounding: what is printed as 71.6 may be 71.65.
        assert_joint(ours(71.65, 0.0, 1), theirs(71.6, None, None), 0.05, true, Basis::Rounding);
        assert_joint(ours(71.66, 0.0, 1), theirs(71.6, None, None), 0.05, false, Basis::Rounding);
    }

    #[test]
    fn units_of_the_last_digit() {
        assert_eq!([0, 1, 4].map(half_a_unit), [0.5, 0.05, 0.00005]);
    }

    #[test]
    fn other_numbers_are_refused() {
        let good = ours(1.0, 1.0, 2);
        assert_eq!(joint(&good, &theirs(1.0, 1.0, 0)), Err(StatisticsError::Empty));
        let refused = [
            joint(&good, &theirs(1.0, -1.0, 2)),
            joint(&good, &theirs(f64::NAN, 1.0, 2)),
            joint(&ours(1.0, f64::NAN, 2), &theirs(1.0, 1.0, 2)),
        ];
        assert!(refused.iter().all(|it| matches!(it, Err(StatisticsError::OutOfRange { .. }))), "{refused:?}");
    }
}
