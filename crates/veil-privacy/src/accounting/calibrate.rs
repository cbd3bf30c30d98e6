//! The other way round: how much noise for a wanted ε.

use super::error::{AccountingError, delta, positive};
use super::{Queries, Spending};

/// Parameters are whole numbers of 10⁻⁹, as an [`Epsilon`](crate::Epsilon) is: what is printed is what is used.
const UNITS: f64 = 1e9;
/// No parameter above a thousand says more than "not private".
const MOST_UNITS: u64 = 1_000_000_000_000;

/// A parameter and what the queries then cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated {
    /// λ, or the ε of one query: a decimal with nine places.
    pub parameter: f64,
    /// What it costs: at most what was wanted.
    pub spending: Spending,
}

/// The largest parameter (up to a millionth of itself) for which `queries(parameter)` cost at most (`epsilon`, `delta`).
///
/// What is returned was accounted for with that very parameter, so it holds even where the cost were not monotone.
///
/// # Errors
/// An ε that is not positive and finite, a δ outside (0, 1), what `queries` refuses, or if no parameter is small enough.
pub fn calibrate(
    epsilon: f64,
    delta_wanted: f64,
    queries: impl Fn(f64) -> Result<Queries, AccountingError>,
) -> Result<Calibrated, AccountingError> {
    let (epsilon, wanted) = (positive("epsilon", epsilon)?, delta(delta_wanted)?);
    let attempt = |units: u64| -> Result<Option<Calibrated>, AccountingError> {
        let parameter = units as f64 / UNITS;
        let spending = queries(parameter)?.spending(wanted)?;
        Ok((spending.epsilon <= epsilon).then_some(Calibrated { parameter, spending }))
    };
    let Some(mut best) = attempt(1)? else {
        let count = queries(1.0 / UNITS)?.count();
        return Err(AccountingError::Unreachable { epsilon, count });
    };
    // In sixteenfold steps up to one that costs too much, then halving what lies between.
    let (mut low, mut high) = (1_u64, 16_u64);
    while let Some(found) = attempt(high)? {
        (low, best) = (high, found);
        if high >= MOST_UNITS {
            return Ok(best);
        }
        high = (16 * high).min(MOST_UNITS);
    }
    while high - low > 1.max(low / 1_000_000) {
        // The geometric middle, because the ends may be far apart.
        let middle = ((low as f64 * high as f64).sqrt() as u64).clamp(low + 1, high - 1);
        match attempt(middle)? {
            Some(found) => (low, best) = (middle, found),
            None => high = middle,
        }
    }
    Ok(best)
}
