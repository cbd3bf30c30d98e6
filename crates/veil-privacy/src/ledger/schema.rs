//! The tables of a ledger: created, compared with what they must be, and upgraded.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::Snapshot;
use super::book::{self, now, salt};
use super::content::{self, AMOUNTS, Content, Founding, get, one};
use super::error::{Damage, Trouble};

/// "veil" in the header of the file.
pub(super) const APPLICATION: i64 = 0x7665_696c;
/// The version of the tables.
pub(super) const VERSION: i64 = 3;

const SCHEMA: &str = include_str!("schema.sql");

/// Creates the tables with these rows.
pub(super) fn write(book: &Connection, content: &Content) -> rusqlite::Result<()> {
    book.execute_batch(SCHEMA)?;
    book::insert_all(book, content)
}

/// Whether SQLite finds no damage in the file.
pub(super) fn check_file(book: &Connection) -> Result<(), Trouble> {
    let found: String = book.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(Damage::File { found }.into()) }
}

/// Whether tables, checks and triggers are those of this version.
pub(super) fn check_tables(book: &Connection) -> Result<(), Trouble> {
    let expected = Connection::open_in_memory()?;
    expected.execute_batch(SCHEMA)?;
    let (expected, found) = (tables(&expected)?, tables(book)?);
    let differs = |one: &[Table], other: &[Table]| one.iter().find(|it| !other.contains(it)).map(|it| it.name.clone());
    match differs(&expected, &found).or_else(|| differs(&found, &expected)) {
        Some(name) => Err(Damage::Schema { name }.into()),
        None => Ok(()),
    }
}

#[derive(PartialEq)]
struct Table {
    name: String,
    kind: String,
    of: String,
    sql: Option<String>,
}

fn tables(book: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut statement = book.prepare("SELECT name, type, tbl_name, sql FROM sqlite_schema")?;
    let rows = statement
        .query_map([], |row| Ok(Table { name: row.get(0)?, kind: row.get(1)?, of: row.get(2)?, sql: row.get(3)? }))?;
    rows.collect()
}

/// The version in the header of the file.
pub(super) fn version(book: &Connection) -> rusqlite::Result<i64> {
    book.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings a ledger of an earlier version to this one, as a whole or not at all.
///
/// Versions 1 and 2 had no chain: what SQLite finds damaged, entries whose amounts differ from
/// their guarantee, and gaps in the numbers of entries are refused. Entries that were removed at
/// the end, or rows that were changed consistently, cannot be noticed: the chain begins now.
pub(super) fn upgrade(connection: &Connection) -> Result<(), Trouble> {
    let book = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let version = version(&book)?;
    if !(1..VERSION).contains(&version) {
        return Ok(());
    }
    check_file(&book)?;
    let content = earlier(&book, version)?;
    // Triggers are dropped with their tables.
    for table in ["entry", "budget", "snapshot", "book"] {
        book.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    write(&book, &content)?;
    Ok(book.commit()?)
}

/// The content of a ledger of version 1 or 2, with a new chain.
fn earlier(book: &Connection, version: i64) -> Result<Content, Trouble> {
    let lineage = if version == 1 { "NULL" } else { "lineage" };
    let founding = one(book, "book", &format!("SELECT created, {lineage} FROM book"), |row, _| {
        Ok((get::<String>(row, 0)?, get::<Option<String>>(row, 1)?))
    })?;
    let (created, lineage) = founding;
    let founding = Founding {
        created,
        lineage,
        head_file: None,
        salt: salt().map_err(Trouble::Io)?,
        budgets: content::budgets(book)?,
    };
    let mut content = Content::new(founding);
    for snapshot in if version == 1 { only_snapshot(book)? } else { content::snapshots(book)? } {
        content.push_snapshot(snapshot);
    }
    // Entries of version 1 do not say which data they are about.
    let about = if version == 1 { "NULL, NULL" } else { "data, fingerprint" };
    for entry in content::entries(book, &format!("SELECT {AMOUNTS}, {about} FROM entry ORDER BY number"))? {
        content.push_entry(entry);
    }
    Ok(content)
}

/// Version 1 was bound to one data set.
fn only_snapshot(book: &Connection) -> Result<Vec<Snapshot>, Trouble> {
    let bound: Option<String> = one(book, "book", "SELECT fingerprint FROM book", |row, _| get(row, 0))?;
    let added = now(book)?;
    Ok(bound
        .into_iter()
        .map(|fingerprint| Snapshot { name: "first".to_owned(), added: added.clone(), fingerprint })
        .collect())
}
