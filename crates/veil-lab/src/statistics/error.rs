//! What statistics refuse.

/// Figures that mean nothing together.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    /// No figures at all.
    #[error("there are no figures")]
    Empty,
    /// NaN, or infinite where no infinite value has a meaning.
    #[error("figure {place} is {value}, not a finite number")]
    NotFinite {
        /// Its place in the list, from 0.
        place: usize,
        /// The figure.
        value: f64,
    },
    /// Pairs need lists of one length.
    #[error("{left} figures cannot be paired with {right}")]
    Lengths {
        /// The length of the first list.
        left: usize,
        /// The length of the second.
        right: usize,
    },
    /// Nothing to pair.
    #[error("none of the {left} seeds of one case is among the {right} of the other")]
    NoCommonSeed {
        /// Seeds of the first case.
        left: usize,
        /// Seeds of the second.
        right: usize,
    },
    /// A p-value outside [0, 1].
    #[error("p-value {place} is {value}, not between 0 and 1")]
    NotAProbability {
        /// Its place in the list, from 0.
        place: usize,
        /// What it was.
        value: f64,
    },
    /// A deviation that is negative, NaN or infinite.
    #[error("{value} is not a standard deviation")]
    NotADeviation {
        /// What it was.
        value: f64,
    },
    /// A mean of no runs.
    #[error("a figure cannot be the mean of 0 runs")]
    NoRuns,
}

/// Checks that every figure is a finite number.
pub fn finite(values: &[f64]) -> Result<(), StatisticsError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(StatisticsError::NotFinite { place, value: values[place] }),
        None => Ok(()),
    }
}
