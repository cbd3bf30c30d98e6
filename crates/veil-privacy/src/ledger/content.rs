//! The rows of a ledger, read as a whole.
//!
//! Everything is read without a filter and with one type per column, so that a damaged row is an
//! error instead of a row that is not counted. Sums are over the rows in memory.

use rusqlite::{Connection, Row as SqlRow};
use serde::Deserialize;

use super::error::{Damage, Trouble};
use super::parallel::Chains;
use super::{Budget, Link, Snapshot};
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Spent, Status, Unit};

/// What is decided when a ledger is created.
#[derive(Clone, Debug)]
pub(super) struct Founding {
    pub created: String,
    pub lineage: Option<String>,
    pub head_file: Option<String>,
    pub salt: [u8; 32],
    /// In the order of units.
    pub budgets: Vec<Budget>,
}

/// One entry as it is stored. Its number is its place, from 1.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub charged: String,
    pub release: String,
    pub reproducible: bool,
    pub unit: Unit,
    /// As stored; see [`loss`](Self::loss).
    pub epsilon: Spent,
    pub delta: Delta,
    /// JSON.
    pub guarantee: String,
    pub data: Option<String>,
    pub fingerprint: Option<String>,
}

/// What a link of the chain is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Snapshot,
    Entry,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Snapshot => "snapshot",
            Kind::Entry => "entry",
        }
    }
}

/// A link at its place in the chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub kind: Kind,
    pub number: usize,
    pub link: Link,
}

/// The end of the chain, as stored beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub snapshots: usize,
    pub entries: usize,
    pub link: Link,
}

/// All rows of a ledger.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub founding: Founding,
    pub snapshots: Vec<Snapshot>,
    pub entries: Vec<Row>,
    pub chain: Vec<Placed>,
    pub end: End,
}

/// The balance of one unit and its budget; sums are exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    pub budget: Option<Budget>,
    pub spent: Spent,
    pub delta: Delta,
}

impl Content {
    /// The account of a unit. An unbounded entry makes its sum unbounded; releases that compose in
    /// parallel count once.
    pub fn account(&self, unit: Unit) -> Account {
        self.account_with(unit, None)
    }

    /// The same if there were one entry more.
    pub fn account_with(&self, unit: Unit, more: Option<&Row>) -> Account {
        let budget = self.founding.budgets.iter().find(|budget| budget.unit == unit).copied();
        let entries = || self.entries.iter().chain(more).filter(|entry| entry.unit == unit);
        let mut account = Account { budget, spent: Chains::of(unit, entries()).spent(), delta: Delta::ZERO };
        for entry in entries() {
            match account.delta.checked_add(entry.delta) {
                Some(sum) => account.delta = sum,
                // δ above 1 promises nothing.
                None => account.spent = Spent::Unbounded,
            }
        }
        account
    }
}

/// What the stored guarantee says about the amounts beside it.
#[derive(Deserialize)]
struct Stated {
    unit: Unit,
    status: Status,
    epsilon: Epsilon,
    delta: Delta,
    reproducible: bool,
}

impl Row {
    /// The loss that counts: unbounded if the noise comes from a known seed (earlier versions
    /// booked its ε).
    pub fn loss(&self) -> Spent {
        if self.reproducible { Spent::Unbounded } else { self.epsilon }
    }

    /// ε in 10⁻⁹ as stored; none if it is unbounded.
    pub fn nanos(&self) -> Option<u64> {
        match self.epsilon {
            Spent::Finite(epsilon) => epsilon.nanos(),
            Spent::Nothing | Spent::Unbounded => None,
        }
    }

    /// Compares the amounts with the guarantee beside them.
    fn check(&self) -> Result<(), String> {
        let stated: Stated =
            serde_json::from_str(&self.guarantee).map_err(|error| format!("its guarantee is unreadable: {error}"))?;
        let proven = stated.status == Status::Proven && stated.epsilon.is_finite();
        let follows = match self.epsilon {
            // Guarantees are written as floating-point numbers.
            Spent::Finite(epsilon) => proven && epsilon.as_f64() == stated.epsilon.as_f64(),
            Spent::Nothing => false,
            Spent::Unbounded => !proven || stated.reproducible,
        };
        let same = follows
            && (self.unit, self.reproducible) == (stated.unit, stated.reproducible)
            && self.delta.as_f64() == stated.delta.as_f64();
        if same { Ok(()) } else { Err("its amounts are not those of its guarantee".to_owned()) }
    }
}

/// The columns of an entry, in the order of [`entries`]; `data` and `fingerprint` follow.
pub(super) const AMOUNTS: &str = "number, charged, release, reproducible, unit, epsilon_nanos, delta_units, guarantee";

/// Reads all rows. Whether they fit together is for the chain to say.
pub(super) fn read(book: &Connection) -> Result<Content, Trouble> {
    let founding = one(book, "book", "SELECT created, lineage, head_file, salt FROM book", |row, _| {
        Ok(Founding {
            created: get(row, 0)?,
            lineage: get(row, 1)?,
            head_file: get(row, 2)?,
            salt: get(row, 3)?,
            budgets: Vec::new(),
        })
    })?;
    let founding = Founding { budgets: budgets(book)?, ..founding };
    let snapshots = snapshots(book)?;
    let entries = entries(book, &format!("SELECT {AMOUNTS}, data, fingerprint FROM entry ORDER BY number"))?;
    let chain = all(book, "link", "SELECT place, kind, number, link FROM chain ORDER BY place", |row, place| {
        numbered(row, place)?;
        let kind = match get::<String>(row, 1)?.as_str() {
            "snapshot" => Kind::Snapshot,
            "entry" => Kind::Entry,
            other => return Err(format!("unknown kind {other:?}")),
        };
        Ok(Placed { kind, number: get(row, 2)?, link: Link(get(row, 3)?) })
    })?;
    let end = one(book, "head", "SELECT snapshots, entries, link FROM head", |row, _| {
        Ok(End { snapshots: get(row, 0)?, entries: get(row, 1)?, link: Link(get(row, 2)?) })
    })?;
    Ok(Content { founding, snapshots, entries, chain, end })
}

/// The budgets, in the order of units.
pub(super) fn budgets(book: &Connection) -> Result<Vec<Budget>, Trouble> {
    let mut budgets = all(book, "budget", "SELECT unit, epsilon_nanos, delta_units FROM budget", |row, _| {
        let epsilon = match amount(row, 1)? {
            Spent::Finite(epsilon) => epsilon,
            Spent::Nothing | Spent::Unbounded => Epsilon::INFINITE,
        };
        Ok(Budget { unit: unit(row, 0)?, epsilon, delta: delta(row, 2)? })
    })?;
    budgets.sort_by_key(|budget| budget.unit);
    Ok(budgets)
}

/// The snapshots, oldest first.
pub(super) fn snapshots(book: &Connection) -> Result<Vec<Snapshot>, Trouble> {
    all(book, "snapshot", "SELECT number, added, name, fingerprint FROM snapshot ORDER BY number", |row, number| {
        numbered(row, number)?;
        Ok(Snapshot { added: get(row, 1)?, name: get(row, 2)?, fingerprint: get(row, 3)? })
    })
}

/// The entries, oldest first, with their amounts compared with their guarantees.
pub(super) fn entries(book: &Connection, sql: &str) -> Result<Vec<Row>, Trouble> {
    all(book, "entry", sql, |row, number| {
        numbered(row, number)?;
        let entry = Row {
            charged: get(row, 1)?,
            release: get(row, 2)?,
            reproducible: get(row, 3)?,
            unit: unit(row, 4)?,
            epsilon: amount(row, 5)?,
            delta: delta(row, 6)?,
            guarantee: get(row, 7)?,
            data: get(row, 8)?,
            fingerprint: get(row, 9)?,
        };
        entry.check()?;
        Ok(entry)
    })
}

/// Reads every row of a table; `read` gets the number of each row, from 1, and says what is wrong.
fn all<T>(
    book: &Connection,
    rows_are: &str,
    sql: &str,
    read: impl Fn(&SqlRow<'_>, usize) -> Result<T, String>,
) -> Result<Vec<T>, Trouble> {
    let mut statement = book.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let number = found.len() + 1;
        let broken = |problem| Damage::Row { row: format!("{rows_are} {number}"), problem };
        found.push(read(row, number).map_err(broken)?);
    }
    Ok(found)
}

/// Reads the only row of a table.
pub(super) fn one<T>(
    book: &Connection,
    table: &'static str,
    sql: &str,
    read: impl Fn(&SqlRow<'_>, usize) -> Result<T, String>,
) -> Result<T, Trouble> {
    let mut rows = all(book, table, sql, read)?;
    match (rows.pop(), rows.len()) {
        (Some(row), 0) => Ok(row),
        (row, others) => {
            let problem = format!("{} rows instead of one", others + usize::from(row.is_some()));
            Err(Damage::Row { row: table.to_owned(), problem }.into())
        }
    }
}

pub(super) fn get<T: rusqlite::types::FromSql>(row: &SqlRow<'_>, column: usize) -> Result<T, String> {
    row.get(column).map_err(|error| error.to_string())
}

/// Rows are numbered from 1 without gaps, because none is ever removed.
fn numbered(row: &SqlRow<'_>, number: usize) -> Result<(), String> {
    let found: usize = get(row, 0)?;
    if found == number { Ok(()) } else { Err(format!("its number is {found}: rows are missing")) }
}

fn unit(row: &SqlRow<'_>, column: usize) -> Result<Unit, String> {
    get::<String>(row, column)?.parse().map_err(|error: crate::parameters::UnknownWord| error.to_string())
}

/// A positive ε, or none for unbounded.
fn amount(row: &SqlRow<'_>, column: usize) -> Result<Spent, String> {
    let Some(nanos) = get::<Option<u64>>(row, column)? else { return Ok(Spent::Unbounded) };
    Epsilon::from_nanos(nanos).map(Spent::Finite).ok_or_else(|| format!("{nanos}·10⁻⁹ is no ε"))
}

fn delta(row: &SqlRow<'_>, column: usize) -> Result<Delta, String> {
    let units = get(row, column)?;
    Delta::from_units(units).ok_or_else(|| format!("{units}·10⁻¹⁸ is no δ"))
}
