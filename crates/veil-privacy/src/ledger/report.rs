//! The content of a ledger.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::{Content, Row};
use super::error::Trouble;
use super::{Damage, Head, Ledger, LedgerError, Snapshot};
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Spent, Status, Unit};

/// The content of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The time of its creation (UTC).
    pub created: String,
    /// The owner's name for all snapshots together.
    pub lineage: Option<String>,
    /// The snapshots of its data, oldest first; none before the first charge.
    pub snapshots: Vec<Snapshot>,
    /// Its head: what to keep elsewhere, to notice an older copy.
    pub head: Head,
    /// The balance of each unit.
    pub units: Vec<UnitReport>,
    /// All entries, oldest first.
    pub entries: Vec<Entry>,
}

/// One unit of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitReport {
    /// The unit.
    pub unit: Unit,
    /// The total ε; `None` without a budget.
    pub budget: Option<Epsilon>,
    /// ε spent so far.
    pub spent: Spent,
    /// ε left.
    pub left: Spent,
    /// The total δ.
    pub delta_budget: Delta,
    /// δ spent so far.
    pub delta_spent: Delta,
}

/// One charge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its number, from 1.
    pub number: i64,
    /// The time of the charge (UTC).
    pub charged: String,
    /// The release.
    pub release: String,
    /// The name of the data set; `None` in entries of earlier versions.
    pub data: Option<String>,
    /// The snapshot; `None` for a further graph, such as one that a model answers about, and in
    /// entries of earlier versions.
    pub snapshot: Option<String>,
    /// Whether the noise is derived from a known seed: then the release is not private, and its ε
    /// is unbounded.
    pub reproducible: bool,
    /// The booked ε.
    pub epsilon: Spent,
    /// The booked δ.
    pub delta: Delta,
    /// The guarantee that was booked.
    pub guarantee: Booked,
}

/// A guarantee as it was booked. A book outlives the formats of guarantees: only what every version
/// has is typed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Booked {
    /// The protected unit.
    pub unit: Unit,
    /// Whether the guarantee holds.
    pub status: Status,
    /// The mechanism.
    pub mechanism: String,
    /// Everything else, as it was written.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

impl Ledger {
    /// Everything in the ledger.
    ///
    /// # Errors
    /// If the file cannot be read, or is damaged.
    pub fn report(&mut self) -> Result<Report, LedgerError> {
        let content = self.read()?.content;
        let units = Unit::ALL.into_iter().filter_map(|unit| unit_of(&content, unit)).collect();
        let entries = content.entries.iter().enumerate().map(|(at, row)| entry(&content, at + 1, row));
        let entries = entries.collect::<Result<_, Trouble>>().map_err(Trouble::at(&self.path))?;
        let head = content.head();
        let Content { founding, snapshots, .. } = content;
        Ok(Report { created: founding.created, lineage: founding.lineage, snapshots, head, units, entries })
    }
}

impl Ledger {
    /// Checks that further losses, one per unit, would fit the budgets. Nothing is booked: a charge
    /// checks again.
    ///
    /// # Errors
    /// If one would not fit, or the file cannot be read, or is damaged.
    pub fn afford(&mut self, losses: &[(Unit, Spent, Delta)]) -> Result<(), LedgerError> {
        let content = self.read()?.content;
        for &(unit, asked, delta) in losses {
            let account = content.account(unit);
            let (path, spent) = (self.path.clone(), account.spent);
            let Some(budget) = account.budget else {
                return Err(LedgerError::OverBudget { path, unit, asked, spent, left: Spent::Nothing });
            };
            if !spent.plus(asked).within(budget.epsilon) {
                let left = spent.left_of(budget.epsilon);
                return Err(LedgerError::OverBudget { path, unit, asked, spent, left });
            }
            if account.delta.checked_add(delta).is_none_or(|sum| sum > budget.delta) {
                let left = budget.delta.units().saturating_sub(account.delta.units());
                let left = Delta::from_units(left).unwrap_or_default();
                return Err(LedgerError::OverDelta { path, unit, asked: delta, spent: account.delta, left });
            }
        }
        Ok(())
    }
}

/// The balance of a unit that has a budget or an entry.
fn unit_of(content: &Content, unit: Unit) -> Option<UnitReport> {
    let account = content.account(unit);
    let budget = account.budget;
    (budget.is_some() || account.spent != Spent::Nothing).then(|| UnitReport {
        unit,
        budget: budget.map(|budget| budget.epsilon),
        spent: account.spent,
        left: budget.map_or(Spent::Nothing, |budget| account.spent.left_of(budget.epsilon)),
        delta_budget: budget.map_or(Delta::ZERO, |budget| budget.delta),
        delta_spent: account.delta,
    })
}

fn entry(content: &Content, number: usize, row: &Row) -> Result<Entry, Trouble> {
    let unreadable =
        |error: serde_json::Error| Damage::Row { row: format!("entry {number}"), problem: error.to_string() };
    let snapshot = content.snapshots.iter().find(|it| Some(&it.fingerprint) == row.fingerprint.as_ref());
    Ok(Entry {
        number: number as i64,
        charged: row.charged.clone(),
        release: row.release.clone(),
        data: row.data.clone(),
        snapshot: snapshot.map(|it| it.name.clone()),
        reproducible: row.reproducible,
        epsilon: row.loss(),
        delta: row.delta,
        guarantee: serde_json::from_str(&row.guarantee).map_err(unreadable)?,
    })
}
