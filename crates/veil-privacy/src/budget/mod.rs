//! Privacy budgets as exact decimals: [`Epsilon`] and [`Delta`].
//!
//! A ledger that adds 0.1 ten times must arrive at 1, and records must show the number that a user
//! typed. So ε is a whole number of 10⁻⁹ and δ a whole number of 10⁻¹⁸. A float that becomes a
//! budget is rounded up, because ε must never be understated.

mod decimal;
mod delta;
mod epsilon;
#[cfg(test)]
mod tests;

pub use delta::Delta;
pub use epsilon::Epsilon;

/// Why a text or number is not a budget.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    #[error("a budget of zero releases nothing (got {given:?})")]
    Zero { given: String },
    #[error("a budget cannot be negative (got {given:?})")]
    Negative { given: String },
    #[error("a budget must be a number (got NaN)")]
    NotANumber,
    #[error("{given:?} is not a decimal number")]
    Malformed { given: String },
    #[error("{given:?} has more than {places} decimal places")]
    TooManyDigits { given: String, places: u32 },
    #[error("{given:?} is above the largest budget, {largest}")]
    TooLarge { given: String, largest: &'static str },
}
