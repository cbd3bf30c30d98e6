//! Errors of the accountants.

/// Why a cost cannot be computed. Depends on public parameters only, never on data.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AccountingError {
    #[error("{what} must be a positive finite number, not {given}")]
    NotPositive { what: &'static str, given: f64 },
    #[error("gamma must be above 0 and at most 1, not {given}")]
    Gamma { given: f64 },
    #[error("delta must be between 0 and 1, not {given}")]
    Delta { given: f64 },
    #[error("there must be at least one query")]
    NoQueries,
    #[error("there must be at least two classes, not {given}")]
    Classes { given: u32 },
    #[error("the sensitivity of one coordinate must be at least 1 and at most {steps} steps, not {each}")]
    Steps { steps: u64, each: u64 },
    #[error("{what} must be at most {largest}, not {given}")]
    TooLarge { what: &'static str, given: f64, largest: f64 },
    #[error("{count} queries cannot be answered at epsilon {epsilon}: even 10^-9 per query costs more")]
    Unreachable { epsilon: f64, count: u64 },
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
