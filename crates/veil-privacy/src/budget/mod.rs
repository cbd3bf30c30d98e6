//! Privacy budgets as exact decimals: [`Epsilon`] and [`Delta`].
//!
//! A ledger that adds 0.1 ten times must arrive at 1, and what a user typed must be what is written down. So ε is a
//! whole number of 10⁻⁹ and δ a whole number of 10⁻¹⁸; floating point appears only at the edges, and a float that is
//! turned into a budget is rounded up, because understating ε is the one error we may not make.

mod decimal;
mod delta;
mod epsilon;
#[cfg(test)]
mod tests;

pub use delta::Delta;
pub use epsilon::Epsilon;

/// Why a text or number is not a budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// ε = 0 would release nothing.
    #[error("a budget of zero releases nothing (got {given:?})")]
    Zero {
        /// What was given.
        given: String,
    },
    /// Privacy loss has no sign.
    #[error("a budget cannot be negative (got {given:?})")]
    Negative {
        /// What was given.
        given: String,
    },
    /// NaN.
    #[error("a budget must be a number (got NaN)")]
    NotANumber,
    /// Not a decimal number at all.
    #[error("{given:?} is not a decimal number")]
    Malformed {
        /// What was given.
        given: String,
    },
    /// A digit beyond the last decimal place that we keep.
    #[error("{given:?} has more than the {places} decimal places that are kept exactly")]
    TooManyDigits {
        /// What was given.
        given: String,
        /// How many decimal places can be kept.
        places: u32,
    },
    /// Above the largest finite budget.
    #[error("{given:?} is above the largest budget, {largest}")]
    TooLarge {
        /// What was given.
        given: String,
        /// The largest value allowed.
        largest: &'static str,
    },
}

impl BudgetError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        true
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}
