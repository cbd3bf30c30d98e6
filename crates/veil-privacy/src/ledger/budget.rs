//! The total budget of one unit, and how a user writes it.

use std::str::FromStr;

use crate::budget::{BudgetError, Delta, Epsilon};
use crate::guarantee::Unit;
use crate::parameters::UnknownWord;

/// The total budget of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The unit.
    pub unit: Unit,
    /// The total ε.
    pub epsilon: Epsilon,
    /// The total δ.
    pub delta: Delta,
}

/// Why a text is not a budget such as `edge-bit=4` or `node=8,1e-5`.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetTextError {
    #[error("{given:?} is not UNIT=EPSILON or UNIT=EPSILON,DELTA (for example edge-bit=4, or node=8,1e-5)")]
    NoUnit { given: String },
    #[error("{source}\n{}", Unit::list())]
    Unit {
        #[from]
        source: UnknownWord,
    },
    #[error("{given:?}: {source}")]
    Number { given: String, source: BudgetError },
}

impl BudgetTextError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        true
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}

impl FromStr for Budget {
    type Err = BudgetTextError;

    fn from_str(text: &str) -> Result<Budget, BudgetTextError> {
        let given = || text.to_owned();
        let (unit, amount) = text.split_once('=').ok_or_else(|| BudgetTextError::NoUnit { given: given() })?;
        let (epsilon, delta) = amount.split_once(',').unwrap_or((amount, "0"));
        let number = |source| BudgetTextError::Number { given: given(), source };
        Ok(Budget {
            unit: unit.trim().parse()?,
            epsilon: epsilon.parse().map_err(number)?,
            delta: delta.parse().map_err(number)?,
        })
    }
}
