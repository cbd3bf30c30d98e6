//! Calibration: the noise for a target ε.

use super::error::{AccountingError, delta, positive};
use super::{Queries, Spending};

/// Parameters are whole numbers of 10⁻⁹, as an [`Epsilon`](crate::Epsilon) is, so they are printed
/// exactly.
const UNITS: f64 = 1e9;
/// The largest parameter; larger ones mean no privacy.
const MOST_UNITS: u64 = 1_000_000_000_000;

/// A parameter and the cost of the queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated {
    /// λ, or the ε of one query: a decimal with nine places.
    pub parameter: f64,
    /// The cost, at most the target.
    pub spending: Spending,
}

/// The largest parameter (up to a millionth of itself) for which `queries(parameter)` cost at most
/// (`epsilon`, `delta`).
///
/// The cost is computed for the returned parameter, so it holds even if costs were not monotone.
///
/// # Errors
/// An ε that is not positive and finite, a δ outside (0, 1), an error of `queries`, or if no
/// parameter is small enough.
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
    // Steps by a factor of 16 up to a parameter that costs too much, then bisection.
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
