//! The ledger: the privacy budget of one owner's data, spent and left.
//!
//! One SQLite file per lineage of data sets. `charge` books a release *before* it is made, all or
//! nothing, durably and under a write lock across processes: a crash between charge and release
//! costs budget, never privacy. The first charge binds the ledger to the fingerprint of its data;
//! later `snapshot`s of them are added by the owner.
//!
//! Every reader and every charge opens the `book` through the same door. It reads all rows
//! (`content`), compares file and tables with what they must be (`schema`), and recomputes the
//! `chain`, in which each row commits to all before it. A ledger that does not add up is refused. A
//! `head` that was kept elsewhere shows that an older copy was put back; `backup` writes one beside
//! each copy. `file` and `lock` know the file and who holds it. `report` lists the content.

mod backup;
mod book;
mod budget;
mod chain;
mod charge;
mod content;
mod error;
mod file;
mod head;
mod lock;
mod parallel;
mod report;
mod schema;
mod snapshot;

#[cfg(test)]
mod tests;

pub use backup::{Verified, head_beside};
pub use budget::{Budget, BudgetTextError};
pub(crate) use charge::Charged;
pub use error::{Damage, LedgerError};
pub use head::{Head, HeadTextError, Link};
pub use lock::{Holder, Notice, Waiting};
pub use parallel::NotParallel;
pub use report::{Booked, Entry, Report, UnitReport};
pub use snapshot::Snapshot;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use veil_graph::write;

use crate::guarantee::Status;
use content::{Content, Founding};
use error::Trouble;
use file::FileId;
use lock::{Patience, patiently};

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
    file: FileId,
    patience: Patience,
}

impl Ledger {
    /// Creates a ledger with these budgets, atomically.
    ///
    /// # Errors
    /// If `path` exists, no budget is given, a unit is given twice, or the file cannot be written.
    pub fn create(path: &Path, budgets: &[Budget]) -> Result<Ledger, LedgerError> {
        Ledger::create_for(path, budgets, None, None)
    }

    /// The same for a lineage of data sets with this name, and with a head file: a new file outside
    /// of the ledger, to which every change writes the head, and without which the ledger is
    /// refused.
    ///
    /// # Errors
    /// As [`create`](Self::create), and if the head file exists or cannot be written.
    pub fn create_for(
        path: &Path,
        budgets: &[Budget],
        lineage: Option<&str>,
        head_file: Option<&Path>,
    ) -> Result<Ledger, LedgerError> {
        let at = || path.to_owned();
        let io = |source| LedgerError::Io { path: at(), source };
        if budgets.is_empty() {
            return Err(LedgerError::NoBudget);
        }
        let mut budgets = budgets.to_vec();
        budgets.sort_by_key(|budget| budget.unit);
        if let Some(twice) = budgets.windows(2).find(|pair| pair[0].unit == pair[1].unit) {
            return Err(LedgerError::RepeatedUnit { unit: twice[0].unit });
        }
        if path.exists() {
            return Err(LedgerError::Exists { path: at() });
        }
        let folder = file::folder_of(path);
        if !folder.is_dir() {
            return Err(LedgerError::NoFolder { path: folder.to_owned() });
        }
        let head_file = head_file.map(absolute_text).transpose()?;
        let draft = file::DRAFTS.create(folder).map_err(io)?;
        let head = {
            let sqlite = |source| LedgerError::Sqlite { path: at(), source };
            let connection = Connection::open(draft.path()).map_err(sqlite)?;
            // The draft is synced as a whole, and needs no journal beside it.
            connection.pragma_update(None, "journal_mode", "MEMORY").map_err(sqlite)?;
            let founding = Founding {
                created: book::now(&connection).map_err(sqlite)?,
                lineage: lineage.map(str::to_owned),
                head_file: head_file.clone(),
                salt: book::salt().map_err(io)?,
                budgets,
            };
            let content = Content::new(founding);
            schema::write(&connection, &content).map_err(sqlite)?;
            content.head()
        };
        if let Some(head_file) = &head_file {
            write::write_guarded_file(Path::new(head_file), format!("{head}\n").as_bytes())?;
        }
        let named = file::name_draft(draft, path);
        if let (Err(_), Some(head_file)) = (&named, &head_file) {
            // It was written for nothing.
            let _ = std::fs::remove_file(head_file);
        }
        named?;
        Ledger::open(path)
    }

    /// Opens a ledger. One of an earlier version is upgraded.
    ///
    /// # Errors
    /// If the file does not exist, is not a ledger, is damaged, or has a later version.
    pub fn open(path: &Path) -> Result<Ledger, LedgerError> {
        Ledger::open_with(path, None)
    }

    /// The same; `notice` is told while another process holds the ledger.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: &Path, notice: Option<Notice>) -> Result<Ledger, LedgerError> {
        let not_a_ledger = |problem: String| LedgerError::NotALedger { path: path.to_owned(), problem };
        let missing = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::NotFound => LedgerError::Missing { path: path.to_owned() },
            _ => LedgerError::Io { path: path.to_owned(), source },
        };
        let file = FileId::at(path).map_err(missing)?;
        if path.is_dir() {
            return Err(not_a_ledger("this is a folder".to_owned()));
        }
        file::DRAFTS.destroy_left_overs(file::folder_of(path));
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let sqlite = |source: rusqlite::Error| Trouble::at(path)(source.into());
        let connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
        if FileId::at(path).map_err(missing)? != file {
            return Err(LedgerError::Moved { path: path.to_owned() });
        }
        let ledger =
            Ledger { path: path.to_owned(), connection, file, patience: Patience { notice, ..Patience::default() } };
        let waiting = (path, &ledger.connection);
        let application: i64 = patiently(waiting, ledger.patience, || {
            Ok(ledger.connection.pragma_query_value(None, "application_id", |row| row.get(0))?)
        })?;
        if application != schema::APPLICATION {
            return Err(not_a_ledger("this SQLite file is not a ledger".to_owned()));
        }
        // A charge must be durable before anything is released: a rollback journal, which is
        // removed durably.
        ledger.connection.pragma_update(None, "journal_mode", "DELETE").map_err(sqlite)?;
        ledger.connection.pragma_update(None, "synchronous", "EXTRA").map_err(sqlite)?;
        // The whole file is read twice, by SQLite's check and by ours: up to 64 MiB stay in memory.
        ledger.connection.pragma_update(None, "cache_size", -65_536).map_err(sqlite)?;
        if (1..schema::VERSION).contains(&schema::version(&ledger.connection).map_err(sqlite)?) {
            patiently(waiting, ledger.patience, || schema::upgrade(&ledger.connection))?;
        }
        let version = schema::version(&ledger.connection).map_err(sqlite)?;
        if version != schema::VERSION {
            return Err(not_a_ledger(format!(
                "ledger version {version}; this program supports version {}",
                schema::VERSION
            )));
        }
        Ok(ledger)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// For `map_err`.
    fn sqlite(&self) -> impl Fn(rusqlite::Error) -> LedgerError + use<> {
        let at = Trouble::at(&self.path);
        move |source| at(source.into())
    }
}

/// A path that means the same in every working directory, as text.
fn absolute_text(path: &Path) -> Result<String, LedgerError> {
    let io = |source| LedgerError::Io { path: path.to_owned(), source };
    let absolute = std::path::absolute(path).map_err(io)?;
    let unfit = || io(std::io::Error::other("the path of a head file must be UTF-8"));
    absolute.into_os_string().into_string().map_err(|_| unfit())
}
