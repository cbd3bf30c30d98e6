//! A release with a ledger: charged first, refused when the budget is used up.

use std::path::Path;

use veil_graph::Dataset;
use veil_learn::parameters::{Reports, Scaling};
use veil_learn::pipeline::{self, Payment, Place, Silent, Terms, Unmodelled};
use veil_privacy::ledger::Report;
use veil_privacy::{Budget, Delta, Ledger, Private, Unit};

use crate::failure::Failure;

/// The state of the ledger in the end.
pub struct Booked {
    /// What was spent.
    pub ledger: Report,
    /// Why it refused a second release.
    pub refused: String,
    /// The privacy statement of the release.
    pub statement: String,
}

/// Releases features and labels into `out`, and requests the same again.
pub fn release(data: &Private<Dataset>, out: &Path) -> Result<Booked, Failure> {
    let path = out.join("ledger.db");
    let budget = |unit, epsilon: &str| Ok(Budget { unit, epsilon: epsilon.parse()?, delta: Delta::ZERO });
    let budgets = [budget(Unit::Feature, "3"), budget(Unit::Label, "4")].into_iter().collect::<Result<Vec<_>, _>>();
    let budgets = budgets.map_err(|error: veil_privacy::BudgetError| Failure::Unexpected(error.to_string()))?;
    Ledger::create(&path, &budgets)?;
    let folder = out.join("released");
    let three = "3".parse().ok();
    let reports =
        Reports { epsilon_features: three, epsilon_labels: three, scale: Scaling::None, ..Reports::default() };
    let payment = Payment { ledger: Some(path.clone()), ..Payment::default() };
    let release = |place| pipeline::release(data, &reports, None, &Terms::default(), &payment, place, &Silent);
    let Unmodelled { released, .. } = release(Place::Folder(&folder))?;
    // A second release of the same kind exceeds the budget: the ledger must refuse it.
    let refused = match release(Place::Memory) {
        Err(error @ pipeline::PipelineError::Ledger(_)) => error.to_string(),
        Err(other) => return Err(other.into()),
        Ok(_) => return Err(Failure::Unexpected("the ledger paid for more than its budget".to_owned())),
    };
    Ok(Booked { ledger: Ledger::open(&path)?.report()?, refused, statement: released.statement().to_markdown() })
}
