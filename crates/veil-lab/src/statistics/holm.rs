//! Holm's step-down correction (1979) of many tests.
//!
//! The smallest of m p-values is multiplied by m, the next by m − 1, and so on; none becomes less
//! than a smaller one, none more than 1. Rejecting what is then ≤ α keeps the family-wise error
//! rate ≤ α, whatever the dependence. As `multipletests(method="holm")` of statsmodels and
//! `p.adjust` of R.

use super::{StatisticsError, check};

/// The adjusted p-values, in the order given.
///
/// ```
/// let adjusted = veil_lab::statistics::holm(&[0.25, 0.125, 0.5])?;
/// assert_eq!(adjusted, [0.5, 0.375, 0.5]);
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    check(p_values, "probability", |value| (0.0..=1.0).contains(&value))?;
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (before, place) in order.into_iter().enumerate() {
        largest = largest.max((p_values.len() - before) as f64 * p_values[place]).min(1.0);
        adjusted[place] = largest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_adjusted(p_values: &[f64], expected: &[f64]) {
        let found = holm(p_values).unwrap();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found}, not {expected}");
        }
    }

    #[test]
    fn five_by_hand() {
        // 5·0.01, 4·0.02, 3·0.03, then 2·0.04 and 1·0.05 which are raised to 0.09.
        assert_adjusted(&[0.01, 0.02, 0.03, 0.04, 0.05], &[0.05, 0.08, 0.09, 0.09, 0.09]);
        assert_adjusted(&[0.04, 0.01, 0.05, 0.03, 0.02], &[0.09, 0.05, 0.09, 0.09, 0.08]);
    }

    #[test]
    fn ties_are_adjusted_alike_and_nothing_exceeds_one() {
        // 4·0.01 = 0.04 for the first of two equals; 3·0.01 for the second is raised to it. 2·0.6
        // is cut to 1.
        assert_adjusted(&[0.6, 0.01, 0.7, 0.01], &[1.0, 0.04, 1.0, 0.04]);
        assert_adjusted(&[0.3], &[0.3]);
        assert_adjusted(&[], &[]);
    }

    /// As `multipletests` of statsmodels 0.15.0.
    #[test]
    fn seven_as_statsmodels_has_them() {
        assert_adjusted(
            &[0.0312, 0.0009, 0.45, 0.0312, 0.0117, 0.81, 0.0041],
            &[0.1248, 0.0063, 0.9, 0.1248, 0.0585, 0.9, 0.0246],
        );
    }

    #[test]
    fn other_numbers_are_refused() {
        for value in [-0.1, 1.5] {
            assert_eq!(holm(&[0.5, value]), Err(StatisticsError::OutOfRange { kind: "probability", value }));
        }
        assert!(holm(&[f64::NAN]).is_err());
    }
}
