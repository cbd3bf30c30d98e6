//! One figure over several runs.

use serde::{Deserialize, Serialize};

use super::bootstrap::{interval, mean};
use super::error::{StatisticsError, finite};

/// Several values of one figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The sample deviation, divided by n − 1; none for one value.
    pub deviation: Option<f64>,
    /// The 95 % bootstrap interval of the mean, percentile method; none for one value. With three values or fewer it is
    /// their range, with ten still a little narrow.
    pub interval: Option<[f64; 2]>,
}

/// Mean, deviation and interval of a figure. The seed is the bootstrap's.
///
/// ```
/// let accuracy = veil_lab::statistics::summary(&[0.70, 0.72, 0.74], 1)?;
/// assert!((accuracy.mean - 0.72).abs() < 1e-12);
/// assert!((accuracy.deviation.unwrap() - 0.02).abs() < 1e-12);
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn summary(values: &[f64], seed: u64) -> Result<Summary, StatisticsError> {
    finite(values)?;
    if values.is_empty() {
        return Err(StatisticsError::Empty);
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let deviation = (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt());
    Ok(Summary { count: values.len(), mean, deviation, interval: interval(values, seed) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_values_by_hand() {
        // Mean 5, squares 9+1+1+1+0+0+4+16 = 32, divided by 7.
        let found = summary(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], 1).unwrap();
        assert_eq!((found.count, found.mean), (8, 5.0));
        assert!((found.deviation.unwrap() - 2.138_089_935_299_395).abs() < 1e-14);
        let [low, high] = found.interval.unwrap();
        assert!(low > 3.0 && low < 4.5 && high > 5.5 && high < 7.0, "{low} {high}");
    }

    #[test]
    fn one_value_has_no_spread_and_none_is_refused() {
        let one = summary(&[0.3], 1).unwrap();
        assert_eq!(one, Summary { count: 1, mean: 0.3, deviation: None, interval: None });
        assert_eq!(summary(&[], 1), Err(StatisticsError::Empty));
        let error = summary(&[1.0, f64::INFINITY], 1).unwrap_err();
        assert_eq!(error, StatisticsError::NotFinite { place: 1, value: f64::INFINITY });
    }

    #[test]
    fn equal_values_deviate_by_nothing() {
        let same = summary(&[0.1; 10], 1).unwrap();
        assert_eq!((same.mean, same.deviation), (0.1, Some(0.0)));
    }
}
