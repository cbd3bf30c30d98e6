//! What is in a ledger.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Ledger, LedgerError, account, amount, delta};
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Spent, Status, Unit};

/// A ledger, as it can be shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// When it was made (UTC).
    pub created: String,
    /// The fingerprint of its data set, once it has been charged. Keep it: it identifies the raw data.
    pub fingerprint: Option<String>,
    /// What each unit has spent.
    pub units: Vec<UnitReport>,
    /// All entries, oldest first.
    pub entries: Vec<Entry>,
}

/// One unit of a ledger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitReport {
    /// The unit.
    pub unit: Unit,
    /// The ε that may be spent in all; `None` if it has no budget.
    pub budget: Option<Epsilon>,
    /// The ε that has been spent.
    pub spent: Spent,
    /// The ε that is left.
    pub left: Spent,
    /// The δ that may be spent in all.
    pub delta_budget: Delta,
    /// The δ that has been spent.
    pub delta_spent: Delta,
}

/// One charge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its number, from 1.
    pub number: i64,
    /// When it was charged (UTC).
    pub charged: String,
    /// The release that it paid for.
    pub release: String,
    /// Whether the noise came from a known seed: then the release is not private.
    pub reproducible: bool,
    /// What was booked.
    pub epsilon: Spent,
    /// The δ that was booked.
    pub delta: Delta,
    /// The guarantee that was booked.
    pub guarantee: Booked,
}

/// A guarantee as it was booked. A book outlives the formats of guarantees: only what every version has is typed.
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
        // One transaction, so that the sums fit the entries.
        let book = self.connection.transaction().map_err(&sqlite)?;
        let (created, fingerprint) = book
            .query_row("SELECT created, fingerprint FROM book", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(&sqlite)?;
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
        Ok(Report { created, fingerprint, units, entries })
    }
}

fn read_entries(book: &rusqlite::Connection) -> rusqlite::Result<Vec<Entry>> {
    let mut statement = book.prepare(
        "SELECT number, charged, release, reproducible, epsilon_nanos, delta_units, guarantee FROM entry ORDER BY number",
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
            reproducible: row.get(3)?,
            epsilon: amount(row, 4)?,
            delta: delta(row, 5)?,
            guarantee,
        })
    })?;
    rows.collect()
}
