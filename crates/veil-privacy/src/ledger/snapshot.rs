//! The data that a ledger is about: a lineage of snapshots, which the owner names.
//!
//! The first charge binds a ledger to its first snapshot. Other data are refused until the owner
//! adds them: a later snapshot of the same people has its own fingerprint, and what was spent on
//! the earlier ones stays spent. Sums go over the whole lineage, as if every snapshot held
//! everybody's data unchanged.

use serde::Serialize;
use veil_graph::Dataset;

use super::book::Book;
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
        let mut book = self.begin()?;
        let fingerprint = data.fingerprint().to_string();
        let path = || self.path.clone();
        let known = &book.content.snapshots;
        if let Some(same) = known.iter().find(|it| it.fingerprint == fingerprint) {
            return Err(LedgerError::KnownSnapshot { path: path(), name: same.name.clone() });
        }
        if known.iter().any(|it| it.name == name) {
            return Err(LedgerError::RepeatedName { path: path(), name });
        }
        let added = book.now()?;
        book.add_snapshot(Snapshot { name, added, fingerprint })?;
        book.commit().map(drop)
    }
}

/// The first charge binds the ledger to its data; later ones must be about one of its snapshots.
pub(super) fn bind(book: &mut Book<'_>, request: &Request) -> Result<(), LedgerError> {
    let fingerprint = request.data.to_string();
    let known = &book.content.snapshots;
    if known.is_empty() {
        let added = book.now()?;
        return book.add_snapshot(Snapshot { name: request.name.clone(), added, fingerprint });
    }
    if known.iter().any(|snapshot| snapshot.fingerprint == fingerprint) {
        return Ok(());
    }
    let known = known.iter().map(|snapshot| snapshot.name.clone()).collect();
    Err(LedgerError::OtherData { path: book.path().to_owned(), data: request.name.clone(), known })
}
