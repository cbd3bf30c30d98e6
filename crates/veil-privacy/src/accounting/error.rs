//! Why something cannot be accounted for.

/// Why something cannot be accounted for. Depends on public parameters only, never on data.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AccountingError {
    /// A shift, a scale, a loss or a λ.
    #[error("{what} is {given}, which is not a positive finite number")]
    NotPositive {
        /// Which parameter.
        what: &'static str,
        /// What was given.
        given: f64,
    },
    /// The share of the data that a sample takes.
    #[error("gamma is {given}, which is not above 0 and at most 1")]
    Gamma {
        /// What was given.
        given: f64,
    },
    /// With δ = 0 only the plain sum holds, and δ = 1 promises nothing.
    #[error("delta is {given}, which is not between 0 and 1")]
    Delta {
        /// What was given.
        given: f64,
    },
    /// Nothing is answered.
    #[error("there must be at least one query")]
    NoQueries,
    /// Between one class and itself there is nothing to tell apart.
    #[error("there must be at least two classes, not {given}")]
    Classes {
        /// What was given.
        given: u32,
    },
    /// A coordinate that cannot move has no loss, and the whole moves at least as far as one coordinate.
    #[error("{each} steps of one coordinate and {steps} of all together: expected at least 1, and no more than of all")]
    Steps {
        /// Of all coordinates together.
        steps: u64,
        /// Of each coordinate.
        each: u64,
    },
    /// The loss is beyond the range of numbers.
    #[error("{what} is {given}: no such loss is worth computing (at most {largest})")]
    TooLarge {
        /// Which parameter.
        what: &'static str,
        /// What was given.
        given: f64,
        /// The largest allowed.
        largest: f64,
    },
    /// Even the smallest loss for each query is too much together.
    #[error(
        "{count} queries cannot be answered at an epsilon of {epsilon}: even with a billionth for each they cost more"
    )]
    Unreachable {
        /// The wanted ε.
        epsilon: f64,
        /// How many queries.
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

/// A number that must be positive, finite and small enough to be squared and multiplied by any order.
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
