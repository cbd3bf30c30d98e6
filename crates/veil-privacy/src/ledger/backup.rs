//! Copies of a ledger, and whether a ledger has everything that is known of it elsewhere.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use veil_graph::write;

use super::content::Row;
use super::file::{DRAFTS, folder_of, name_draft};
use super::report::Booked;
use super::{Head, Ledger, LedgerError};
use crate::guarantee::{Booking, Guarantee, Statement};

/// A ledger that adds up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Its head.
    #[serde(flatten)]
    pub head: Head,
    /// Snapshots of its data.
    pub snapshots: usize,
    /// Heads that it was compared with: that of its head file, and those given.
    pub heads: usize,
    /// Statements that it was compared with.
    pub statements: usize,
}

impl Ledger {
    /// Verifies the whole ledger: that it adds up, that it once had each of these heads, and that
    /// it was charged for each of these statements. Each comes with the name of where it was found.
    ///
    /// # Errors
    /// If the ledger is damaged, lacks a head, or was not charged for a statement.
    pub fn verify(
        &mut self,
        heads: &[(String, Head)],
        statements: &[(String, Statement)],
    ) -> Result<Verified, LedgerError> {
        let book = self.read()?;
        for (of, head) in heads {
            book.check_had(head, of)?;
        }
        for (of, statement) in statements {
            if let Some(head) = &statement.ledger {
                book.check_had(head, of)?;
            }
            if let Some(missing) = not_charged(&book.content.entries, statement) {
                let (path, of, release) = (self.path.clone(), of.clone(), statement.release.clone());
                return Err(LedgerError::NotCharged { path, of, release, missing });
            }
        }
        let content = &book.content;
        let heads = heads.len() + usize::from(content.founding.head_file.is_some());
        let (head, snapshots) = (content.head(), content.snapshots.len());
        Ok(Verified { head, snapshots, heads, statements: statements.len() })
    }

    /// Writes a copy, atomically and without overwriting, and beside it its head in a file
    /// ([`head_beside`]). The copy is verified before it gets its name.
    ///
    /// # Errors
    /// If the ledger is damaged, or a file exists or cannot be written.
    pub fn backup(&mut self, out: &Path) -> Result<Head, LedgerError> {
        let beside = head_beside(out);
        for path in [out, &beside] {
            if path.symlink_metadata().is_ok() {
                return Err(LedgerError::Exists { path: path.to_owned() });
            }
        }
        drop(self.read()?);
        let io = |source| LedgerError::Io { path: out.to_owned(), source };
        let draft = DRAFTS.create(folder_of(out)).map_err(io)?;
        let name =
            draft.path().to_str().ok_or_else(|| io(std::io::Error::other("the path of a copy must be UTF-8")))?;
        self.connection.execute("VACUUM INTO ?1", [name]).map_err(self.sqlite())?;
        // Another process may have charged the ledger meanwhile: the head is that of the copy.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(draft.path(), flags).map_err(self.sqlite())?;
        let copy = Ledger { path: out.to_owned(), connection, file: self.file, patience: self.patience };
        let head = copy.read()?.content.head();
        drop(copy);
        name_draft(draft, out)?;
        write::write_guarded_file(&beside, format!("{head}\n").as_bytes())?;
        Ok(head)
    }
}

/// The file with the head of a copy: the name of the copy with `.head` after it.
pub fn head_beside(copy: &Path) -> PathBuf {
    let mut name = copy.as_os_str().to_owned();
    name.push(".head");
    name.into()
}

/// What a statement promises that is not booked under its release.
fn not_charged(entries: &[Row], statement: &Statement) -> Option<String> {
    if statement.booked == Booking::None {
        return Some("the statement says that no ledger was charged".to_owned());
    }
    let of_release = || entries.iter().filter(|entry| entry.release == statement.release);
    let books = |entry: &Row, promised: &Guarantee| {
        let booked = serde_json::from_str::<Booked>(&entry.guarantee);
        let same = |booked: Booked| (booked.mechanism == promised.mechanism) && booked.status == promised.status;
        // What is written of ε is a floating-point number.
        let epsilon = |it: &Booked| it.rest.get("epsilon").cloned();
        let promised_epsilon = serde_json::to_value(promised.epsilon).ok();
        entry.unit == promised.unit
            && entry.delta == promised.delta
            && booked.is_ok_and(|booked| epsilon(&booked) == promised_epsilon && same(booked))
    };
    let missing = statement.guarantees.iter().find(|promised| !of_release().any(|entry| books(entry, promised)));
    missing.map(|it| format!("{} with ε = {} by {}", it.unit, it.epsilon, it.mechanism))
}
