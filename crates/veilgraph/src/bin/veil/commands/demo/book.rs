//! A release with a ledger: charged first, refused when the budget is used up.

use std::path::Path;

use veil_graph::{Dataset, write};
use veil_privacy::ledger::Report;
use veil_privacy::release::{Options, Plan, Privatised};
use veil_privacy::{Budget, Coins, Delta, Epsilon, Ledger, LedgerError, Private, Request, Unit};

use crate::failure::Failure;

/// What the ledger says in the end.
pub struct Booked {
    /// What was spent.
    pub ledger: Report,
    /// What it said to a second release.
    pub refused: String,
    /// What the release promises, in words.
    pub statement: String,
}

/// A whole number as ε.
fn whole(epsilon: u64) -> Option<Epsilon> {
    Epsilon::from_nanos(epsilon * 1_000_000_000)
}

/// Releases features and labels into `out`, and asks for the same again.
pub fn release(data: &Private<Dataset>, out: &Path) -> Result<Booked, Failure> {
    let options = Options { epsilon_features: whole(3), epsilon_labels: whole(3), ..Options::default() };
    let budget = |unit, epsilon| whole(epsilon).map(|epsilon| Budget { unit, epsilon, delta: Delta::ZERO });
    let budgets: Vec<Budget> = [budget(Unit::Feature, 3), budget(Unit::Label, 4)].into_iter().flatten().collect();
    let mut ledger = Ledger::create(&out.join("ledger.db"), &budgets)?;
    let released = privatise(data, options.clone(), &mut ledger)?;
    write::atomically(&out.join("released"), |folder| released.fill(folder))?;
    // A second release of the same kind does not fit the budget: the ledger must say no.
    let refused = match privatise(data, options, &mut ledger) {
        Err(Failure::Ledger(error @ LedgerError::OverBudget { .. })) => error.to_string(),
        Err(other) => return Err(other),
        Ok(_) => return Err(Failure::Unexpected("the ledger paid for more than its budget".to_owned())),
    };
    Ok(Booked { ledger: ledger.report()?, refused, statement: released.statement().to_markdown() })
}

fn privatise(data: &Private<Dataset>, options: Options, ledger: &mut Ledger) -> Result<Privatised, Failure> {
    let plan = Plan::new(data, options)?;
    let request = Request::new(data, Coins::from_os()?, plan.guarantees())?;
    let permit = ledger.charge(request, &[])?;
    Ok(plan.release(data, permit)?.released)
}
