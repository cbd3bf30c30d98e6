//! The ledger: the privacy budget of one owner's data, spent and left.
//!
//! One SQLite file per lineage of data sets. `charge` books a release *before* it is made, all or
//! nothing, durably and under a write lock across processes: a crash between charge and release
//! costs budget, never privacy. The first charge binds the ledger to the fingerprint of its data;
//! later `snapshot`s of them are added by the owner. The ledger is append-only; triggers enforce
//! both. `report` lists its content.

mod charge;
mod report;
mod snapshot;

#[cfg(test)]
mod tests;

pub use report::{Booked, Entry, Report, UnitReport};
pub use snapshot::Snapshot;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use crate::budget::{BudgetError, Delta, Epsilon};
use crate::guarantee::{Spent, Status, Unit};
use crate::parameters::UnknownWord;

/// Timeout for another process that is charging the same ledger.
const PATIENCE: Duration = Duration::from_secs(30);

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
    #[error(transparent)]
    Unit(#[from] UnknownWord),
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

/// Why a ledger could not be created, read or charged.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("{}: already exists; a ledger is never overwritten", path.display())]
    Exists { path: PathBuf },
    #[error("{}: no such ledger", path.display())]
    Missing { path: PathBuf },
    #[error("{}: no such folder", path.display())]
    NoFolder { path: PathBuf },
    #[error("{}: {problem}", path.display())]
    NotALedger { path: PathBuf, problem: String },
    #[error("duplicate budget for the unit {unit}")]
    RepeatedUnit { unit: Unit },
    #[error("a ledger needs at least one budget")]
    NoBudget,
    #[error(
        "{}: this ledger is bound to another data set: {data} is none of its snapshots ({})",
        path.display(), known.join(", ")
    )]
    OtherData { path: PathBuf, data: String, known: Vec<String> },
    #[error("{}: these data are its snapshot {name} already", path.display())]
    KnownSnapshot { path: PathBuf, name: String },
    #[error("{}: another snapshot is called {name}", path.display())]
    RepeatedName { path: PathBuf, name: String },
    #[error("{}: release {release} has been charged already", path.display())]
    AlreadyCharged { path: PathBuf, release: String },
    #[error("{}: over budget for {unit}: asked {asked}, spent {spent}, left {left}", path.display())]
    OverBudget { path: PathBuf, unit: Unit, asked: Spent, spent: Spent, left: Spent },
    #[error("{}: over budget for the δ of {unit}: asked {asked}, spent {spent}, left {left}", path.display())]
    OverDelta { path: PathBuf, unit: Unit, asked: Delta, spent: Delta, left: Delta },
    #[error("{}: the guarantee of {mechanism} for {unit} is not proven (status {status})", path.display())]
    NotProven { path: PathBuf, mechanism: String, status: Status, unit: Unit },
    #[error("{}: the noise of {mechanism} for {unit} comes from a known seed: it protects nothing", path.display())]
    Seeded { path: PathBuf, mechanism: String, unit: Unit },
    #[error("{}: {source}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl LedgerError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        matches!(self, LedgerError::NoBudget | LedgerError::RepeatedUnit { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            LedgerError::NotProven { status, .. } => {
                return Some(format!("accept the status {status} explicitly: the release is then booked as unbounded"));
            }
            LedgerError::OverBudget { .. } => {
                "request a smaller ε; the budget of a ledger cannot be raised, because it is a promise about these data"
            }
            LedgerError::OtherData { .. } => {
                "add these data as a snapshot, if they are later data about the same people; otherwise create another ledger"
            }
            LedgerError::RepeatedName { .. } => "give the snapshot a name of its own",
            LedgerError::Seeded { .. } => {
                "leave out the seed, or accept a seeded release explicitly: it is then booked as unbounded"
            }
            LedgerError::Missing { .. } => "create a ledger with budgets, for example feature=3 and label=3",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// What an owner accepts although no budget covers it. It is booked as unbounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// A guarantee with this status instead of a proven one.
    Status(Status),
    /// Noise from a known seed.
    Seeded,
}

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    connection: Connection,
}

impl Ledger {
    const APPLICATION: i64 = 0x7665_696c;
    const VERSION: i64 = 2;

    /// Creates a ledger with these budgets, atomically.
    ///
    /// # Errors
    /// If `path` exists, no budget is given, a unit is given twice, or the file cannot be written.
    pub fn create(path: &Path, budgets: &[Budget]) -> Result<Ledger, LedgerError> {
        Ledger::create_for(path, budgets, None)
    }

    /// The same for a lineage of data sets with this name.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_for(path: &Path, budgets: &[Budget], lineage: Option<&str>) -> Result<Ledger, LedgerError> {
        let at = || path.to_owned();
        let io = |source| LedgerError::Io { path: at(), source };
        if budgets.is_empty() {
            return Err(LedgerError::NoBudget);
        }
        if let Some((_, twice)) = budgets
            .iter()
            .enumerate()
            .find(|(i, budget)| budgets[..*i].iter().any(|earlier| earlier.unit == budget.unit))
        {
            return Err(LedgerError::RepeatedUnit { unit: twice.unit });
        }
        if path.exists() {
            return Err(LedgerError::Exists { path: at() });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(LedgerError::NoFolder { path: folder.to_owned() });
        }
        let draft = tempfile::Builder::new().prefix(".ledger-").tempfile_in(folder).map_err(io)?;
        {
            let sqlite = |source| LedgerError::Sqlite { path: at(), source };
            let connection = Connection::open(draft.path()).map_err(sqlite)?;
            let schema = concat!(include_str!("schema.sql"), include_str!("snapshots.sql"));
            connection.execute_batch(schema).map_err(sqlite)?;
            for budget in budgets {
                connection
                    .execute(
                        "INSERT INTO budget (unit, epsilon_nanos, delta_units) VALUES (?1, ?2, ?3)",
                        params![
                            budget.unit.name(),
                            budget.epsilon.nanos().map(|nanos| nanos as i64),
                            budget.delta.units() as i64
                        ],
                    )
                    .map_err(sqlite)?;
            }
            connection.execute("UPDATE book SET lineage = ?1, sealed = 1", [lineage]).map_err(sqlite)?;
        }
        draft.persist_noclobber(path).map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => LedgerError::Exists { path: at() },
            _ => io(error.error),
        })?;
        Ledger::open(path)
    }

    /// Opens a ledger. One of an earlier version is upgraded.
    ///
    /// # Errors
    /// If the file does not exist, is not a ledger, or has a later version.
    pub fn open(path: &Path) -> Result<Ledger, LedgerError> {
        if !path.exists() {
            return Err(LedgerError::Missing { path: path.to_owned() });
        }
        if path.is_dir() {
            return Err(LedgerError::NotALedger { path: path.to_owned(), problem: "this is a folder".to_owned() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sqlite = |source| LedgerError::Sqlite { path: path.to_owned(), source };
        let connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
        connection.busy_timeout(PATIENCE).map_err(sqlite)?;
        let not_a_ledger = |problem: String| LedgerError::NotALedger { path: path.to_owned(), problem };
        let pragma = |name: &str| -> Result<i64, LedgerError> {
            connection.pragma_query_value(None, name, |row| row.get(0)).map_err(|source| {
                match source.sqlite_error_code() {
                    Some(rusqlite::ErrorCode::NotADatabase) => not_a_ledger("this file is not a ledger".to_owned()),
                    _ => sqlite(source),
                }
            })
        };
        if pragma("application_id")? != Ledger::APPLICATION {
            return Err(not_a_ledger("this SQLite file is not a ledger".to_owned()));
        }
        if pragma("user_version")? == 1 {
            Ledger::upgrade(&connection).map_err(sqlite)?;
        }
        let version = pragma("user_version")?;
        if version != Ledger::VERSION {
            return Err(not_a_ledger(format!(
                "ledger version {version}; this program supports version {}",
                Ledger::VERSION
            )));
        }
        // A charge must be durable before anything is released.
        connection.pragma_update(None, "synchronous", "EXTRA").map_err(sqlite)?;
        Ok(Ledger { path: path.to_owned(), connection })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// For `map_err`.
    fn sqlite(&self) -> impl Fn(rusqlite::Error) -> LedgerError + use<> {
        let path = self.path.clone();
        move |source| LedgerError::Sqlite { path: path.clone(), source }
    }
}

/// The balance of one unit and its budget; sums are exact.
#[derive(Clone, Copy, Debug)]
struct Account {
    budget: Option<Budget>,
    spent: Spent,
    delta: Delta,
}

/// Reads one account. Amounts are added entry by entry: an unbounded one (NULL) makes the sum
/// unbounded, and so does one whose noise comes from a known seed (earlier versions booked its ε).
fn account(connection: &Connection, unit: Unit) -> rusqlite::Result<Account> {
    let budget = connection
        .query_row("SELECT epsilon_nanos, delta_units FROM budget WHERE unit = ?1", [unit.name()], |row| {
            let epsilon = match amount(row, 0)? {
                Spent::Finite(epsilon) => epsilon,
                Spent::Nothing | Spent::Unbounded => Epsilon::INFINITE,
            };
            Ok(Budget { unit, epsilon, delta: delta(row, 1)? })
        })
        .optional()?;
    let amounts = "SELECT iif(reproducible, NULL, epsilon_nanos), delta_units FROM entry WHERE unit = ?1";
    let mut statement = connection.prepare(amounts)?;
    let mut rows = statement.query([unit.name()])?;
    let (mut spent, mut sum_of_deltas) = (Spent::Nothing, Delta::ZERO);
    while let Some(row) = rows.next()? {
        spent = spent.plus(amount(row, 0)?);
        match sum_of_deltas.checked_add(delta(row, 1)?) {
            Some(sum) => sum_of_deltas = sum,
            // δ above 1 promises nothing.
            None => spent = Spent::Unbounded,
        }
    }
    Ok(Account { budget, spent, delta: sum_of_deltas })
}

/// A positive ε, or none for unbounded. Any other value is refused: a ledger fails closed.
fn amount(row: &Row<'_>, column: usize) -> rusqlite::Result<Spent> {
    let Some(nanos) = row.get::<_, Option<i64>>(column)? else { return Ok(Spent::Unbounded) };
    let epsilon = u64::try_from(nanos).ok().and_then(Epsilon::from_nanos);
    epsilon.map(Spent::Finite).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, nanos))
}

fn delta(row: &Row<'_>, column: usize) -> rusqlite::Result<Delta> {
    let units: i64 = row.get(column)?;
    let delta = u64::try_from(units).ok().and_then(Delta::from_units);
    delta.ok_or(rusqlite::Error::IntegralValueOutOfRange(column, units))
}
