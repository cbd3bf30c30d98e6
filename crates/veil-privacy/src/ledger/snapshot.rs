//! The data that a ledger is about: a lineage of snapshots, which the owner names.
//!
//! The first charge binds a ledger to its first snapshot. Other data are refused until the owner
//! adds them: a later snapshot of the same people has its own fingerprint, and what was spent on
//! the earlier ones stays spent. Sums go over the whole lineage, as if every snapshot held
//! everybody's data unchanged.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use serde::Serialize;
use veil_graph::Dataset;

use super::{Ledger, LedgerError};
use crate::permit::Request;
use crate::seal::Private;

/// One snapshot of the data of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Snapshot {
    /// The owner's name for it.
    pub name: String,
    /// The time when it was added (UTC).
    pub added: String,
    /// The fingerprint of its data. Keep it secret: it identifies the raw data.
    pub fingerprint: String,
}

impl Ledger {
    /// Adds a later snapshot of the same data, under a name of its own; without one, that of the
    /// data set. Releases from it are then charged to this ledger.
    ///
    /// # Errors
    /// If the name or the data are there already, or the file cannot be written.
    pub fn add_snapshot(&mut self, data: &Private<Dataset>, name: Option<&str>) -> Result<(), LedgerError> {
        let name = name.unwrap_or(data.public().name).replace(char::is_control, " ");
        let book = self.begin()?;
        let fingerprint = data.fingerprint().to_string();
        let known = snapshots(&book).map_err(self.sqlite())?;
        if let Some(same) = known.iter().find(|it| it.fingerprint == fingerprint) {
            return Err(LedgerError::KnownSnapshot { path: self.path.clone(), name: same.name.clone() });
        }
        if known.iter().any(|it| it.name == name) {
            return Err(LedgerError::RepeatedName { path: self.path.clone(), name });
        }
        insert(&book, &name, &fingerprint).map_err(self.sqlite())?;
        book.commit().map_err(self.sqlite())
    }

    /// Brings a ledger of version 1 to the current version, as a whole or not at all.
    pub(super) fn upgrade(connection: &Connection) -> rusqlite::Result<()> {
        let book = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        let version: i64 = book.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 1 {
            // The trigger of the lineage names a column that the upgrade adds.
            book.execute_batch(concat!(
                include_str!("upgrade_columns.sql"),
                include_str!("snapshots.sql"),
                include_str!("upgrade.sql")
            ))?;
        }
        book.commit()
    }
}

/// All snapshots, oldest first.
pub(super) fn snapshots(book: &Connection) -> rusqlite::Result<Vec<Snapshot>> {
    let mut statement = book.prepare("SELECT name, added, fingerprint FROM snapshot ORDER BY number")?;
    let rows = statement
        .query_map([], |row| Ok(Snapshot { name: row.get(0)?, added: row.get(1)?, fingerprint: row.get(2)? }))?;
    rows.collect()
}

fn insert(book: &Transaction<'_>, name: &str, fingerprint: &str) -> rusqlite::Result<()> {
    book.execute("INSERT INTO snapshot (name, fingerprint) VALUES (?1, ?2)", [name, fingerprint]).map(drop)
}

/// The first charge binds the ledger to its data; later ones must be about one of its snapshots.
pub(super) fn bind(book: &Transaction<'_>, request: &Request, path: &Path) -> Result<(), LedgerError> {
    let sqlite = |source| LedgerError::Sqlite { path: path.to_owned(), source };
    let found = request.data.to_string();
    let known = snapshots(book).map_err(sqlite)?;
    if known.is_empty() {
        return insert(book, &request.name, &found).map_err(sqlite);
    }
    if known.iter().any(|snapshot| snapshot.fingerprint == found) {
        return Ok(());
    }
    let known = known.into_iter().map(|snapshot| snapshot.name).collect();
    Err(LedgerError::OtherData { path: path.to_owned(), data: request.name.clone(), known })
}

/// The name that the owner gave to the snapshots together.
pub(super) fn lineage(book: &Connection) -> rusqlite::Result<Option<String>> {
    book.query_row("SELECT lineage FROM book", [], |row| row.get(0)).optional().map(Option::flatten)
}
