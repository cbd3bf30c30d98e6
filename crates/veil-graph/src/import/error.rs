//! Why tables do not become a data set.

use std::path::PathBuf;

use super::request::Kind;
use crate::misfit::Misfit;
use crate::read::{Place, ReadError};

/// Why tables do not become a data set. Nothing is written.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("neither a table of edges nor a table of nodes is given")]
    NoTables,
    #[error("{}: not a table of a known format: {known}", path.display())]
    UnknownFormat { path: PathBuf, known: String },
    #[error("{}: which two columns are the ends of an edge? It has {}", path.display(), listed(columns))]
    UnknownEnds { path: PathBuf, columns: Vec<String> },
    #[error("{}: which column is the id of a node? It has {}", path.display(), listed(columns))]
    UnknownId { path: PathBuf, columns: Vec<String> },
    #[error("{}: no column {column:?}; it has {}", path.display(), listed(columns))]
    NoSuchColumn { path: PathBuf, column: String, columns: Vec<String> },
    #[error("column {column:?} cannot be {first} and {second}")]
    TwoRoles { column: String, first: &'static str, second: &'static str },
    #[error("{what} {column:?} is about a column that is not read as {role}")]
    Unused { what: &'static str, column: String, role: &'static str },
    #[error("{what} requires a table of {table}")]
    NoTable { what: String, table: &'static str },
    #[error("{what} {column:?} is given twice")]
    ToldTwice { what: &'static str, column: String },
    #[error("the range of column {column:?}, {low} to {high}, is not two finite numbers in ascending order")]
    BadRange { column: String, low: f64, high: f64 },
    #[error("{what} of column {column:?} does not fit its kind, {kind}")]
    WrongKind { what: &'static str, column: String, kind: Kind },
    #[error("{what}: the list has {problem}")]
    BadList { what: String, problem: String },
    #[error("{classes} classes are given, expected 1 to {limit}")]
    NumberOfClasses { classes: u64, limit: u64 },
    #[error(
        "{}: column {column:?} holds values of type {found}, which have no text of their own", path.display()
    )]
    NoText { path: PathBuf, column: String, found: String },
    #[error("{place}: the {what} is missing")]
    EmptyId { place: Place, what: String },
    #[error(
        "{place}: node {node:?} is not in {}; {edges} of the edges name such nodes", listed.display()
    )]
    Unlisted { place: Place, node: String, listed: PathBuf, edges: usize },
    #[error(transparent)]
    Contradiction(#[from] Box<Contradiction>),
    #[error("{place}: column {column:?} holds dates, such as {found:?}")]
    Date { place: Place, column: String, found: String },
    #[error("{}: column {column:?} has {found} different values in {rows} rows, more than {limit}", path.display())]
    TooManyCategories { path: PathBuf, column: String, found: usize, rows: usize, limit: usize },
    #[error("{place}: found {found:?} in column {column:?}, expected {expected}")]
    BadCell { place: Place, column: String, found: String, expected: String, kind: Kind },
    #[error("{}: column {column:?} has {missing} missing values in {rows} rows", path.display())]
    Missing { path: PathBuf, column: String, missing: usize, rows: usize },
    #[error("{place}: {found:?} is not among the given {what} of column {column:?}")]
    NotGiven { place: Place, column: String, found: String, what: &'static str },
    #[error("{place}: {found} of column {column:?} is outside of the given range, {low} to {high}")]
    OutOfRange { place: Place, column: String, found: String, low: f64, high: f64 },
    #[error("{}: column {column:?} has no values", path.display())]
    NoValues { path: PathBuf, column: String },
    #[error("{}: the file lists no nodes", path.display())]
    NoNodes { path: PathBuf },
    #[error("{path}: {source}", path = path.display())]
    Inconsistent { path: PathBuf, source: Misfit },
}

/// Two rows that say different things about a node.
#[allow(missing_docs, reason = "the message documents the fields")]
#[derive(Debug, thiserror::Error)]
#[error("{place}: {column} of node {node:?} is {found:?}, but {first:?} in an earlier row ({first_at})")]
pub struct Contradiction {
    pub place: Place,
    pub node: String,
    pub column: String,
    pub found: String,
    pub first: String,
    pub first_at: String,
}

impl ImportError {
    /// Whether the request is wrong, rather than the data or the system.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            ImportError::NoTables
                | ImportError::NoSuchColumn { .. }
                | ImportError::TwoRoles { .. }
                | ImportError::Unused { .. }
                | ImportError::NoTable { .. }
                | ImportError::ToldTwice { .. }
                | ImportError::BadRange { .. }
                | ImportError::WrongKind { .. }
                | ImportError::BadList { .. }
                | ImportError::NumberOfClasses { .. }
        )
    }

    /// What the user can do, if anything.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            ImportError::Read(error) => error.hint(),
            ImportError::Date { .. } => {
                Some("turn it into a number, such as a number of days, or leave the column out".to_owned())
            }
            ImportError::NoText { .. } => {
                Some("write the column as text, such as hexadecimal digits, or as numbers".to_owned())
            }
            ImportError::Contradiction(_) => Some("decide which row is right, and remove the other".to_owned()),
            _ => None,
        }
    }
}

/// Names of columns for a message, at most a dozen.
pub(super) fn listed(columns: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = columns.iter().take(SHOWN).map(|name| name.chars().take(40).collect::<String>()).collect();
    let more = columns.len().saturating_sub(SHOWN);
    match (shown.len(), more) {
        (0, _) => "no columns".to_owned(),
        (1, 0) => format!("the column {}", shown[0]),
        (_, 0) => format!("the columns {}", shown.join(", ")),
        _ => format!("the columns {} and {more} more", shown.join(", ")),
    }
}
