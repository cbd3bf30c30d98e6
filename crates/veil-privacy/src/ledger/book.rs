//! An open book: a transaction on a ledger whose content was verified, and which is written as a
//! whole or not at all.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use veil_graph::write;

use super::content::{self, Content, Founding, Placed, Row};
use super::error::Trouble;
use super::file::FileId;
use super::lock::patiently;
use super::{Head, Ledger, LedgerError, Snapshot, schema};

/// A verified ledger inside a transaction, which is rolled back unless it is committed.
pub(super) struct Book<'a> {
    ledger: &'a Ledger,
    transaction: Transaction<'a>,
    pub content: Content,
}

impl Ledger {
    /// For writing. IMMEDIATE takes the write lock before reading: two processes never decide on
    /// the same balance.
    pub(super) fn begin(&self) -> Result<Book<'_>, LedgerError> {
        self.verified(TransactionBehavior::Immediate)
    }

    /// For reading.
    pub(super) fn read(&self) -> Result<Book<'_>, LedgerError> {
        self.verified(TransactionBehavior::Deferred)
    }

    /// Reads everything and refuses what does not add up: the file, the tables, the rows, the
    /// chain, and the head file if there is one.
    fn verified(&self, behaviour: TransactionBehavior) -> Result<Book<'_>, LedgerError> {
        let transaction = patiently((&self.path, &self.connection), self.patience, || {
            let transaction = Transaction::new_unchecked(&self.connection, behaviour)?;
            // A deferred transaction takes its lock here.
            schema::version(&transaction)?;
            Ok(transaction)
        })?;
        let read = || {
            schema::check_file(&transaction)?;
            schema::check_tables(&transaction)?;
            let content = content::read(&transaction)?;
            content.verify()?;
            Ok(content)
        };
        let content = read().map_err(Trouble::at(&self.path))?;
        let book = Book { ledger: self, transaction, content };
        book.check_head_file()?;
        Ok(book)
    }

    /// Fails if the path leads to another file by now than the one that is open.
    pub(super) fn check_place(&self) -> Result<(), LedgerError> {
        match FileId::at(&self.path) {
            Ok(found) if found == self.file => Ok(()),
            _ => Err(LedgerError::Moved { path: self.path.clone() }),
        }
    }

    /// Writes the head into the head file, under the lock of a writer: a later head is never
    /// overwritten by an earlier one.
    fn write_head(&self, head_file: &Path) -> Result<(), LedgerError> {
        let book = self.begin()?;
        Ok(write::replace_guarded_file(head_file, format!("{}\n", book.content.head()).as_bytes())?)
    }
}

impl Book<'_> {
    pub fn path(&self) -> &Path {
        &self.ledger.path
    }

    /// The head file holds a head that this ledger had: the last one, or an earlier one if the
    /// program was interrupted between its commit and the file.
    fn check_head_file(&self) -> Result<(), LedgerError> {
        let Some(head_file) = &self.content.founding.head_file else { return Ok(()) };
        let head = std::fs::read_to_string(head_file).ok().and_then(|text| text.parse().ok());
        let Some(head) = head else {
            let head = Box::new(self.content.head());
            return Err(LedgerError::NoHead { path: self.path().to_owned(), head_file: head_file.into(), head });
        };
        self.check_had(&head, head_file)
    }

    /// Refuses a ledger that never had this head, which is known from elsewhere.
    pub fn check_had(&self, head: &Head, of: &str) -> Result<(), LedgerError> {
        if self.content.had(head) {
            return Ok(());
        }
        let (path, of) = (self.path().to_owned(), of.to_owned());
        Err(LedgerError::RolledBack { path, entries: self.content.entries.len(), head: Box::new(*head), of })
    }

    /// The time now (UTC).
    pub fn now(&self) -> Result<String, LedgerError> {
        now(&self.transaction).map_err(self.ledger.sqlite())
    }

    pub fn add_snapshot(&mut self, snapshot: Snapshot) -> Result<(), LedgerError> {
        let placed = self.content.push_snapshot(snapshot.clone());
        insert_snapshot(&self.transaction, placed.number, &snapshot)
            .and_then(|()| insert_link(&self.transaction, self.content.chain.len(), &placed))
            .map_err(self.ledger.sqlite())
    }

    pub fn add_entry(&mut self, entry: Row) -> Result<(), LedgerError> {
        let placed = self.content.push_entry(entry.clone());
        insert_entry(&self.transaction, placed.number, &entry)
            .and_then(|()| insert_link(&self.transaction, self.content.chain.len(), &placed))
            .map_err(self.ledger.sqlite())
    }

    /// Makes the added rows durable. Fails if the path leads to another file by now: then what was
    /// written may be lost, and nothing may be released.
    pub fn commit(self) -> Result<Content, LedgerError> {
        let Book { ledger, transaction, content } = self;
        let sqlite = ledger.sqlite();
        let end = content.end;
        let head = "UPDATE head SET snapshots = ?1, entries = ?2, link = ?3";
        transaction.execute(head, params![end.snapshots, end.entries, end.link.0]).map_err(&sqlite)?;
        transaction.commit().map_err(&sqlite)?;
        ledger.check_place()?;
        if let Some(head_file) = &content.founding.head_file {
            ledger.write_head(Path::new(head_file))?;
        }
        Ok(content)
    }
}

/// The time now (UTC).
pub(super) fn now(book: &Connection) -> rusqlite::Result<String> {
    book.query_row("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", [], |row| row.get(0))
}

/// A new salt.
pub(super) fn salt() -> std::io::Result<[u8; 32]> {
    let mut salt = [0; 32];
    getrandom::fill(&mut salt).map_err(std::io::Error::other)?;
    Ok(salt)
}

/// Writes all rows into new tables.
pub(super) fn insert_all(book: &Connection, content: &Content) -> rusqlite::Result<()> {
    let Content { founding, snapshots, entries, chain, end } = content;
    let Founding { created, lineage, head_file, salt, budgets } = founding;
    for budget in budgets {
        let insert = "INSERT INTO budget (unit, epsilon_nanos, delta_units) VALUES (?1, ?2, ?3)";
        book.execute(insert, params![budget.unit.name(), budget.epsilon.nanos(), budget.delta.units()])?;
    }
    let insert = "INSERT INTO book (created, lineage, head_file, salt) VALUES (?1, ?2, ?3, ?4)";
    book.execute(insert, params![created, lineage, head_file, salt])?;
    for (at, snapshot) in snapshots.iter().enumerate() {
        insert_snapshot(book, at + 1, snapshot)?;
    }
    for (at, entry) in entries.iter().enumerate() {
        insert_entry(book, at + 1, entry)?;
    }
    for (at, placed) in chain.iter().enumerate() {
        insert_link(book, at + 1, placed)?;
    }
    let insert = "INSERT INTO head (snapshots, entries, link) VALUES (?1, ?2, ?3)";
    book.execute(insert, params![end.snapshots, end.entries, end.link.0]).map(drop)
}

fn insert_snapshot(book: &Connection, number: usize, snapshot: &Snapshot) -> rusqlite::Result<()> {
    let Snapshot { name, added, fingerprint } = snapshot;
    let insert = "INSERT INTO snapshot (number, added, name, fingerprint) VALUES (?1, ?2, ?3, ?4)";
    book.execute(insert, params![number, added, name, fingerprint]).map(drop)
}

fn insert_entry(book: &Connection, number: usize, entry: &Row) -> rusqlite::Result<()> {
    let insert = "INSERT INTO entry
        (number, charged, release, reproducible, unit, epsilon_nanos, delta_units, guarantee, data, fingerprint)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let (unit, nanos, delta) = (entry.unit.name(), entry.nanos(), entry.delta.units());
    let Row { charged, release, reproducible, guarantee, data, fingerprint, .. } = entry;
    book.execute(
        insert,
        params![number, charged, release, reproducible, unit, nanos, delta, guarantee, data, fingerprint],
    )
    .map(drop)
}

fn insert_link(book: &Connection, place: usize, placed: &Placed) -> rusqlite::Result<()> {
    let insert = "INSERT INTO chain (place, kind, number, link) VALUES (?1, ?2, ?3, ?4)";
    book.execute(insert, params![place, placed.kind.name(), placed.number, placed.link.0]).map(drop)
}
