//! Why a ledger refuses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_READONLY_DBMOVED;
use veil_graph::write::WriteError;

use super::{Head, Holder, NotParallel};
use crate::budget::Delta;
use crate::guarantee::{Spent, Status, Unit};

/// How a file differs from a ledger that this program wrote.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error("SQLite reports: {found}")]
    File { found: String },
    #[error("its table or trigger {name} was changed")]
    Schema { name: String },
    #[error("{row}: {problem}")]
    Row { row: String, problem: String },
    #[error("{row} differs from its link in the chain")]
    Link { row: String },
    #[error("the number of {rows} is {found}, but {expected} according to {source_of_truth}")]
    Count { rows: &'static str, found: usize, expected: usize, source_of_truth: &'static str },
    #[error("its chain does not end at its head")]
    Head,
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
    #[error("{}: this ledger is damaged: {damage}", path.display())]
    Damaged { path: PathBuf, damage: Box<Damage> },
    #[error(
        "{}: this ledger ({entries} entries) does not contain the head {head} of {of}: it is an older copy, or another ledger",
        path.display()
    )]
    RolledBack { path: PathBuf, entries: usize, head: Box<Head>, of: String },
    #[error("{}: its head file {} is missing or unreadable; its own head is {head}", path.display(), head_file.display())]
    NoHead { path: PathBuf, head_file: PathBuf, head: Box<Head> },
    #[error("{}: {of} is the statement of release {release}, but the ledger has no charge for {missing}", path.display())]
    NotCharged { path: PathBuf, of: String, release: String, missing: String },
    #[error(
        "{}: the ledger was moved, replaced or deleted while it was in use: nothing is released", path.display()
    )]
    Moved { path: PathBuf },
    #[error("{source}; it is not known whether it was charged")]
    Uncertain { path: PathBuf, release: String, source: Box<LedgerError> },
    #[error(
        "{}: still locked after {} s; {holder} has held it for at least {} s",
        path.display(), waited.as_secs(), held.as_secs()
    )]
    Locked { path: PathBuf, waited: Duration, held: Duration, holder: Holder },
    #[error("duplicate budget for the unit {unit}")]
    RepeatedUnit { unit: Unit },
    #[error("a ledger needs at least one budget")]
    NoBudget,
    #[error(
        "{}: this ledger is bound to another data set: {data} is none of its snapshots ({})",
        path.display(), known.join(", ")
    )]
    OtherData { path: PathBuf, data: String, known: Vec<String> },
    #[error("{}: these data are already snapshot {name}", path.display())]
    KnownSnapshot { path: PathBuf, name: String },
    #[error("{}: another snapshot is called {name}", path.display())]
    RepeatedName { path: PathBuf, name: String },
    #[error("{}: release {release} has been charged already", path.display())]
    AlreadyCharged { path: PathBuf, release: String },
    #[error("{}: this release extends release {extends}, but {why}", path.display())]
    NotParallel { path: PathBuf, extends: String, why: NotParallel },
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
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl LedgerError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        matches!(self, LedgerError::NoBudget | LedgerError::RepeatedUnit { .. })
    }

    /// Whether a charge that ended with this error may have been booked: it failed while or after
    /// it was made durable. Any other error booked nothing.
    pub fn is_uncertain(&self) -> bool {
        matches!(self, LedgerError::Uncertain { .. })
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
            LedgerError::NotParallel { .. } => {
                "give the run whose release this ledger booked last for the growing graph, or release the graph as another one"
            }
            LedgerError::Seeded { .. } => {
                "leave out the seed, or accept a seeded release explicitly: it is then booked as unbounded"
            }
            LedgerError::Missing { .. } => "create a ledger with budgets, for example feature=3 and label=3",
            LedgerError::Damaged { .. } => {
                "restore the newest backup, and verify it against the statements of all releases: what was charged after the \
                 backup is spent all the same"
            }
            LedgerError::RolledBack { .. } => "restore the newest ledger: what it has charged is spent",
            LedgerError::NoHead { .. } => {
                "restore the head file; if this ledger is certainly the newest, write its head into that file"
            }
            LedgerError::Moved { .. } => "put the ledger back at its place",
            LedgerError::Uncertain { path, release, source } => {
                let first = source.hint().map_or_else(String::new, |hint| format!("{hint}; "));
                let path = path.display();
                return Some(format!(
                    "{first}veil ledger verify {path} tells whether the ledger adds up, and veil ledger show {path}, as JSON, \
                     whether it has a charge of release {release}"
                ));
            }
            LedgerError::Locked { .. } => "wait for that process to end",
            LedgerError::Write(error) => return error.hint(),
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

/// Why the content of a file could not be read, before its path is known.
#[derive(Debug)]
pub(super) enum Trouble {
    Sqlite(rusqlite::Error),
    Io(std::io::Error),
    Damage(Damage),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        Trouble::Sqlite(error)
    }
}

impl From<Damage> for Trouble {
    fn from(damage: Damage) -> Trouble {
        Trouble::Damage(damage)
    }
}

impl Trouble {
    /// For `map_err`. What SQLite calls corrupt is damage; it also notices some moved files itself.
    pub(super) fn at(path: &Path) -> impl Fn(Trouble) -> LedgerError + use<> {
        let path = path.to_owned();
        move |trouble| {
            let path = path.clone();
            match trouble {
                Trouble::Damage(damage) => LedgerError::Damaged { path, damage: Box::new(damage) },
                Trouble::Io(source) => LedgerError::Io { path, source },
                Trouble::Sqlite(source) => match source.sqlite_error().map(|error| (error.code, error.extended_code)) {
                    Some((ErrorCode::DatabaseCorrupt, _)) => {
                        LedgerError::Damaged { path, damage: Box::new(Damage::File { found: source.to_string() }) }
                    }
                    Some((ErrorCode::NotADatabase, _)) => {
                        LedgerError::NotALedger { path, problem: "this file is not a ledger".to_owned() }
                    }
                    Some((_, SQLITE_READONLY_DBMOVED)) => LedgerError::Moved { path },
                    _ => LedgerError::Sqlite { path, source },
                },
            }
        }
    }
}
