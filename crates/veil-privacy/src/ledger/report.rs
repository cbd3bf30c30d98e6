//! The content of a ledger.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::snapshot::{self, Snapshot};
use super::{Ledger, LedgerError, account, amount, delta};
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
    /// If the file cannot be read.
    pub fn report(&mut self) -> Result<Report, LedgerError> {
        let sqlite = self.sqlite();
        // One transaction: sums and entries are consistent.
        let book = self.connection.transaction().map_err(&sqlite)?;
        let created = book.query_row("SELECT created FROM book", [], |row| row.get(0)).map_err(&sqlite)?;
        let lineage = snapshot::lineage(&book).map_err(&sqlite)?;
        let snapshots = snapshot::snapshots(&book).map_err(&sqlite)?;
        let mut units = Vec::new();
        for unit in Unit::ALL {
            let account = account(&book, unit).map_err(&sqlite)?;
            if account.budget.is_none() && account.spent == Spent::Nothing {
                continue;
            }
            units.push(UnitReport {
                unit,
                budget: account.budget.map(|budget| budget.epsilon),
                spent: account.spent,
                left: account.budget.map_or(Spent::Nothing, |budget| account.spent.left_of(budget.epsilon)),
                delta_budget: account.budget.map_or(Delta::ZERO, |budget| budget.delta),
                delta_spent: account.delta,
            });
        }
        let entries = read_entries(&book).map_err(&sqlite)?;
        Ok(Report { created, lineage, snapshots, units, entries })
    }
}

fn read_entries(book: &rusqlite::Connection) -> rusqlite::Result<Vec<Entry>> {
    let mut statement = book.prepare(
        "SELECT entry.number, charged, release, reproducible, iif(reproducible, NULL, epsilon_nanos), delta_units, guarantee,
         data, snapshot.name FROM entry LEFT JOIN snapshot USING (fingerprint) ORDER BY entry.number",
    )?;
    let rows = statement.query_map([], |row| {
        let json: String = row.get(6)?;
        let guarantee = serde_json::from_str(&json).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(6, rusqlite::types::Type::Text, Box::new(error))
        })?;
        Ok(Entry {
            number: row.get(0)?,
            charged: row.get(1)?,
            release: row.get(2)?,
            data: row.get(7)?,
            snapshot: row.get(8)?,
            reproducible: row.get(3)?,
            epsilon: amount(row, 4)?,
            delta: delta(row, 5)?,
            guarantee,
        })
    })?;
    rows.collect()
}
