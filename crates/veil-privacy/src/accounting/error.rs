//! Errors of the accountants.

/// Why a cost cannot be computed. Depends on public parameters only, never on data.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AccountingError {
    /// A shift, scale, loss or λ is not positive and finite.
    #[error("{what} must be a positive finite number, not {given}")]
    NotPositive {
        /// The parameter.
        what: &'static str,
        /// The given value.
        given: f64,
    },
    /// The sampling rate is out of range.
    #[error("gamma must be above 0 and at most 1, not {given}")]
    Gamma {
        /// The given value.
        given: f64,
    },
    /// δ is out of range.
    #[error("delta must be between 0 and 1, not {given}")]
    Delta {
        /// The given value.
        given: f64,
    },
    /// There is no query.
    #[error("there must be at least one query")]
    NoQueries,
    /// There are fewer than two classes.
    #[error("there must be at least two classes, not {given}")]
    Classes {
        /// The given value.
        given: u32,
    },
    /// The sensitivity of a coordinate is 0 or above that of the vector.
    #[error("the sensitivity of one coordinate must be at least 1 and at most {steps} steps, not {each}")]
    Steps {
        /// The sensitivity of the vector.
        steps: u64,
        /// The sensitivity of one coordinate.
        each: u64,
    },
    /// The loss is too large to be computed.
    #[error("{what} must be at most {largest}, not {given}")]
    TooLarge {
        /// The parameter.
        what: &'static str,
        /// The given value.
        given: f64,
        /// The largest allowed.
        largest: f64,
    },
    /// No noise reaches the target.
    #[error("{count} queries cannot be answered at epsilon {epsilon}: even 10^-9 per query costs more")]
    Unreachable {
        /// The target ε.
        epsilon: f64,
        /// The number of queries.
        count: u64,
    },
}

impl AccountingError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        !matches!(self, AccountingError::Unreachable { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            AccountingError::Unreachable { .. } => Some("ask for fewer queries, or lower gamma".to_owned()),
            _ => None,
        }
    }
}

/// A number that must be positive, finite and small enough to be squared and multiplied by any
/// order.
pub(super) fn positive(what: &'static str, given: f64) -> Result<f64, AccountingError> {
    const LARGEST: f64 = 1e12;
    if !(given > 0.0 && given.is_finite()) {
        return Err(AccountingError::NotPositive { what, given });
    }
    if given > LARGEST {
        return Err(AccountingError::TooLarge { what, given, largest: LARGEST });
    }
    Ok(given)
}

/// δ as a number strictly between 0 and 1.
pub(super) fn delta(given: f64) -> Result<f64, AccountingError> {
    if given > 0.0 && given < 1.0 { Ok(given) } else { Err(AccountingError::Delta { given }) }
}
