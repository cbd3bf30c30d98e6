//! The book: what the runs of a sweep gave, in one SQLite file.
//!
//! A result is there as a whole or not at all, and on the disk before the next one is counted:
//! whoever is killed loses the runs that were going on and nothing else. One process at a time
//! writes it.
//!
//! What is under way is there too: a run that needs more memory than there is ends the process
//! without a word, and must not be begun first each time. `pool` says what is made of that.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use serde_json::Value;
use veil_graph::write::owner;

use super::export::Columns;
use super::key::{self, Key};
use super::plan::Plan;
use super::work::Finished;
use crate::Outcome;

/// How long a reader waits for a writer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The name of the file in the folder of a sweep.
const NAME: &str = "book.sqlite";

const APPLICATION: i64 = 0x7665_6962;
const VERSION: i64 = 2;

/// Why a book cannot be used.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error("{} is not a sweep folder", folder.display())]
    Missing { folder: PathBuf },
    #[error("{}: this is not the book of a sweep", path.display())]
    NotABook { path: PathBuf },
    #[error("{}: results database version {found}; this program reads {VERSION}", path.display())]
    Version { path: PathBuf, found: i64 },
    #[error("{}: another process is working on this sweep", folder.display())]
    Busy { folder: PathBuf },
    #[error("{}: {source}", path.display())]
    Sqlite { path: PathBuf, source: rusqlite::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
}

impl BookError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            BookError::Missing { .. } => Some("a sweep makes one".to_owned()),
            BookError::Version { .. } => Some("choose another folder: a new book is begun there".to_owned()),
            _ => None,
        }
    }
}

/// An open book.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    connection: Connection,
    /// Held by whoever writes, and given back by the system when that process ends.
    _lock: Option<File>,
}

impl Book {
    /// The book in a folder, to write in; a new one if there is none.
    ///
    /// # Errors
    /// If another process writes in it, it is of another version, or it cannot be written.
    pub fn begin(folder: &Path) -> Result<Book, BookError> {
        let lock = locked(folder).map_err(|source| BookError::Io { path: folder.to_owned(), source })?;
        let lock = lock.ok_or_else(|| BookError::Busy { folder: folder.to_owned() })?;
        let path = folder.join(NAME);
        // Scores against the truth are for the owner alone. SQLite gives its journal the same mode.
        match owner::create_file(&path) {
            Err(source) if source.kind() != ErrorKind::AlreadyExists => return Err(BookError::Io { path, source }),
            _ => {}
        }
        let book = Book::at(path, OpenFlags::SQLITE_OPEN_READ_WRITE, Some(lock))?;
        let is_new = book.is_empty()?;
        if is_new || book.check()? == 1 {
            let transaction = book.transaction()?;
            let parts = [include_str!("schema.sql"), include_str!("schema-2.sql")];
            let missing = &parts[usize::from(!is_new)..];
            missing.iter().try_for_each(|part| transaction.execute_batch(part)).map_err(sqlite(&book.path))?;
            transaction.commit().map_err(sqlite(&book.path))?;
        }
        Ok(book)
    }

    /// The book in a folder, to read.
    ///
    /// # Errors
    /// If there is none, or it is of another version.
    pub fn open(folder: &Path) -> Result<Book, BookError> {
        let path = folder.join(NAME);
        if !path.is_file() {
            return Err(BookError::Missing { folder: folder.to_owned() });
        }
        // Not read-only: what a killed writer left half done is undone by whoever opens it next.
        let book = Book::at(path, OpenFlags::SQLITE_OPEN_READ_WRITE, None)?;
        book.check()?;
        Ok(book)
    }

    fn at(path: PathBuf, flags: OpenFlags, lock: Option<File>) -> Result<Book, BookError> {
        let connection = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let connection = connection.map_err(sqlite(&path))?;
        connection.busy_timeout(PATIENCE).map_err(sqlite(&path))?;
        connection.pragma_update(None, "synchronous", "EXTRA").map_err(sqlite(&path))?;
        connection.pragma_update(None, "foreign_keys", true).map_err(sqlite(&path))?;
        Ok(Book { path, connection, _lock: lock })
    }

    fn pragma(&self, name: &str) -> Result<i64, BookError> {
        self.connection.pragma_query_value(None, name, |row| row.get(0)).map_err(sqlite(&self.path))
    }

    /// Nothing was ever written: it is new, or whoever made it was killed first.
    fn is_empty(&self) -> Result<bool, BookError> {
        Ok(self.pragma("schema_version")? == 0 && self.pragma("application_id")? == 0)
    }

    /// Its version: this one, or an older one that is known.
    fn check(&self) -> Result<i64, BookError> {
        if self.pragma("application_id")? != APPLICATION {
            return Err(BookError::NotABook { path: self.path.clone() });
        }
        match self.pragma("user_version")? {
            known @ 1..=VERSION => Ok(known),
            found => Err(BookError::Version { path: self.path.clone(), found }),
        }
    }

    fn transaction(&self) -> Result<Transaction<'_>, BookError> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate).map_err(sqlite(&self.path))
    }

    /// Writes down what is to be run. What the book held before under other names stays, and is
    /// used if it is asked for again.
    pub(super) fn set_plan(&mut self, plan: &Plan) -> Result<(), BookError> {
        let wrong = sqlite(&self.path);
        let transaction = self.transaction()?;
        transaction.execute_batch("DELETE FROM sweep; DELETE FROM planned;").map_err(&wrong)?;
        let json = |value: &Value| value.to_string();
        let (seeds, figures) = (json(&plan.seeds.clone().into()), json(&plan.figures().into()));
        let about = params![plan.title, plan.text, env!("CARGO_PKG_VERSION"), seeds, figures];
        let insert = "INSERT INTO sweep (title, file, version, seeds, figures) VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction.execute(insert, about).map_err(&wrong)?;
        {
            let insert =
                "INSERT INTO planned (position, \"case\", data, point, seed, key) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let mut insert = transaction.prepare(insert).map_err(&wrong)?;
            for (position, job) in plan.jobs.iter().enumerate() {
                let run = &job.wanted;
                let point = serde_json::to_string(&run.point).map_err(|error| self.content(error))?;
                let seed = run.seed as i64;
                insert
                    .execute(params![position as i64, run.case, run.data, point, seed, job.key.to_string()])
                    .map_err(&wrong)?;
            }
        }
        transaction.commit().map_err(&wrong)
    }

    /// Whether a run is there, and if so whether it failed.
    pub(super) fn failed(&self, key: Key) -> Result<Option<bool>, BookError> {
        let found = self.connection.query_row(
            "SELECT error IS NOT NULL FROM result WHERE key = ?1",
            [key.to_string()],
            |row| row.get(0),
        );
        found.optional().map_err(sqlite(&self.path))
    }

    /// What was under way when an earlier process ended, and how many processes ended so. Whoever
    /// asks writes, so those processes are no more.
    pub(super) fn deaths(&mut self) -> Result<BTreeMap<String, u32>, BookError> {
        let wrong = sqlite(&self.path);
        let count = "UPDATE begun SET deaths = deaths + 1, under_way = 0 WHERE under_way";
        self.connection.execute(count, []).map_err(&wrong)?;
        let mut select = self.connection.prepare("SELECT key, deaths FROM begun WHERE deaths > 0").map_err(&wrong)?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(&wrong)?;
        rows.collect::<Result<_, _>>().map_err(&wrong)
    }

    /// Whoever is asked to end does not die of what is under way: it is begun again as if nothing
    /// had been. Called beside the process's own work, with a connection of its own; what fails has
    /// no one to be told.
    pub fn let_go(folder: &Path) {
        if let Ok(book) = Book::open(folder) {
            let _ = book.connection.execute("UPDATE begun SET under_way = 0", []);
        }
    }

    /// Writes down that a run is begun.
    pub(super) fn begun(&mut self, key: Key) -> Result<(), BookError> {
        let transaction = self.transaction()?;
        begin(&transaction, key).map_err(sqlite(&self.path))?;
        transaction.commit().map_err(sqlite(&self.path))
    }

    /// Writes down what a run gave, instead of what it gave before if that was a failure, and that
    /// the next one is begun. `about` is what the key is the hash of.
    pub(super) fn add(
        &mut self,
        (key, about): (Key, &str),
        found: &Result<Finished, String>,
        seconds: f64,
        next: Option<Key>,
    ) -> Result<(), BookError> {
        let wrong = sqlite(&self.path);
        let promises = found.as_ref().map_or(&[][..], |found| &found.promises);
        let promises = serde_json::to_string(promises).map_err(|error| self.content(error))?;
        let key = key.to_string();
        let transaction = self.transaction()?;
        transaction.execute("DELETE FROM begun WHERE key = ?1", [&key]).map_err(&wrong)?;
        transaction.execute("DELETE FROM result WHERE key = ?1 AND error IS NOT NULL", [&key]).map_err(&wrong)?;
        let insert = "INSERT INTO result (key, about, promises, error, seconds) VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction.execute(insert, params![key, about, promises, found.as_ref().err(), seconds]).map_err(&wrong)?;
        if let Ok(found) = found {
            let insert = "INSERT INTO figure (key, name, value) VALUES (?1, ?2, ?3)";
            let mut insert = transaction.prepare(insert).map_err(&wrong)?;
            for (name, value) in &found.figures {
                insert.execute(params![key, name, value]).map_err(&wrong)?;
            }
        }
        next.map_or(Ok(()), |next| begin(&transaction, next)).map_err(&wrong)?;
        transaction.commit().map_err(&wrong)
    }

    /// Writes down that a run failed because processes died during it. It stays suspect: should it
    /// be tried again, then last and alone.
    pub(super) fn give_up(&mut self, (key, about): (Key, &str), why: &str) -> Result<(), BookError> {
        self.add((key, about), &Err(why.to_owned()), 0.0, None)?;
        let suspect = "INSERT INTO begun (key, under_way, deaths) VALUES (?1, 0, 1)";
        self.connection.execute(suspect, [key.to_string()]).map(drop).map_err(sqlite(&self.path))
    }

    /// What was run of the plan, in its order: cases, data, points, seeds.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, BookError> {
        Ok(self.rows()?.into_iter().map(|(_, outcome)| outcome).collect())
    }

    /// The same, each with its key.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn rows(&self) -> Result<Vec<(String, Outcome)>, BookError> {
        let wrong = sqlite(&self.path);
        let mut figures: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        // One view of the file for both questions, also while somebody writes.
        let reading = self.connection.unchecked_transaction().map_err(&wrong)?;
        let mut select = reading.prepare("SELECT key, name, value FROM figure").map_err(&wrong)?;
        let mut rows = select.query([]).map_err(&wrong)?;
        while let Some(row) = rows.next().map_err(&wrong)? {
            let (key, name): (String, String) = (row.get(0).map_err(&wrong)?, row.get(1).map_err(&wrong)?);
            figures.entry(key).or_default().insert(name, row.get(2).map_err(&wrong)?);
        }
        let select = "SELECT \"case\", data, point, seed, promises, error, seconds, key, about
                      FROM planned JOIN result USING (key) ORDER BY position";
        let mut select = reading.prepare(select).map_err(&wrong)?;
        let mut rows = select.query([]).map_err(&wrong)?;
        let mut outcomes = Vec::new();
        while let Some(row) = rows.next().map_err(&wrong)? {
            let text = |at: usize| row.get::<_, String>(at).map_err(&wrong);
            let key = text(7)?;
            let outcome = Outcome {
                case: text(0)?,
                data: text(1)?,
                point: serde_json::from_str(&text(2)?).map_err(|error| self.content(error))?,
                seed: row.get::<_, i64>(3).map_err(&wrong)? as u64,
                promises: serde_json::from_str(&text(4)?).map_err(|error| self.content(error))?,
                error: row.get(5).map_err(&wrong)?,
                seconds: row.get(6).map_err(&wrong)?,
                figures: figures.get(&key).cloned().unwrap_or_default(),
                parameters: key::parameters(&text(8)?).map_err(|error| self.content(error))?,
            };
            outcomes.push((key, outcome));
        }
        Ok(outcomes)
    }

    /// How many runs the plan asks for.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn planned(&self) -> Result<usize, BookError> {
        let count = self.connection.query_row("SELECT count(*) FROM planned", [], |row| row.get::<_, i64>(0));
        count.map(|count| count as usize).map_err(sqlite(&self.path))
    }

    /// The columns of a table of all runs, whether they are there yet or not.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn columns(&self) -> Result<Columns, BookError> {
        let wrong = sqlite(&self.path);
        let mut columns = Columns::default();
        let mut select = self.connection.prepare("SELECT DISTINCT point FROM planned").map_err(&wrong)?;
        for point in select.query_map([], |row| row.get::<_, String>(0)).map_err(&wrong)? {
            let point: BTreeMap<String, Value> =
                serde_json::from_str(&point.map_err(&wrong)?).map_err(|error| self.content(error))?;
            columns.parameters.extend(point.into_keys());
        }
        // An old book does not tell.
        if self.check()? >= 2 {
            let figures = self.connection.query_row("SELECT figures FROM sweep", [], |row| row.get::<_, String>(0));
            let figures = figures.optional().map_err(&wrong)?.unwrap_or_else(|| "[]".to_owned());
            columns.figures = serde_json::from_str(&figures).map_err(|error| self.content(error))?;
        }
        Ok(columns)
    }

    /// The title of the sweep, and the text of its file; `None` if nothing was planned yet.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn sweep(&self) -> Result<Option<(String, String)>, BookError> {
        let found =
            self.connection.query_row("SELECT title, file FROM sweep", [], |row| Ok((row.get(0)?, row.get(1)?)));
        found.optional().map_err(sqlite(&self.path))
    }

    /// The first column of what a question finds.
    #[cfg(test)]
    #[allow(clippy::unwrap_used, reason = "what fails here fails a test")]
    pub(super) fn texts(&self, select: &str) -> Vec<String> {
        let mut select = self.connection.prepare(select).unwrap();
        select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    fn content(&self, error: impl std::fmt::Display) -> BookError {
        BookError::Content { path: self.path.clone(), problem: error.to_string() }
    }
}

/// Makes a folder and locks it until the file is dropped; `None` if another process works in it.
pub(crate) fn locked(folder: &Path) -> std::io::Result<Option<File>> {
    std::fs::create_dir_all(folder)?;
    let lock = File::options().create(true).append(true).open(folder.join("lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(source),
    }
}

fn begin(transaction: &Transaction<'_>, key: Key) -> rusqlite::Result<()> {
    let begin = "INSERT INTO begun (key) VALUES (?1) ON CONFLICT (key) DO UPDATE SET under_way = 1";
    transaction.execute(begin, [key.to_string()]).map(drop)
}

fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> BookError + use<> {
    let path = path.to_owned();
    move |source| match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => BookError::NotABook { path: path.clone() },
        _ => BookError::Sqlite { path: path.clone(), source },
    }
}
