//! Errors of reading, with their place in a file.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::misfit::Misfit;

/// A place in a file: a line and a column of a text, or a part of a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Where in the file.
    pub at: At,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The file as a whole.
    File,
    /// A line, and a column (field) in it, both counted from 1; column 0 is the whole line.
    Line(u64, u32),
    /// A byte of a binary file.
    Byte(u64),
    /// A named part: an array of an NPZ, a column of a Parquet table, a key of a JSON object.
    Part(String),
}

impl Place {
    /// The file as a whole.
    pub fn file(path: &Path) -> Place {
        Place { path: path.to_owned(), at: At::File }
    }

    /// A line and a column of a text, counted from 1.
    pub fn line(path: &Path, line: u64, column: u32) -> Place {
        Place { path: path.to_owned(), at: At::Line(line, column) }
    }

    /// A byte of a binary file.
    pub fn byte(path: &Path, byte: u64) -> Place {
        Place { path: path.to_owned(), at: At::Byte(byte) }
    }

    /// A named part of a file.
    pub fn part(path: &Path, part: impl Into<String>) -> Place {
        Place { path: path.to_owned(), at: At::Part(part.into()) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.at {
            At::File => write!(f, "{path}"),
            At::Line(line, 0) => write!(f, "{path}:{line}"),
            At::Line(line, column) => write!(f, "{path}:{line}:{column}"),
            At::Byte(byte) => write!(f, "{path}, byte {byte}"),
            At::Part(part) => write!(f, "{path}, {part}"),
        }
    }
}

/// Why a data set could not be read.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {problem}", path.display())]
    Unrecognised { path: PathBuf, problem: String },
    #[error("{place}: found {found:?}, expected {expected}")]
    Unexpected { place: Place, found: String, expected: String },
    #[error("{place}: node {id} is not one of the {nodes} nodes")]
    NoSuchNode { place: Place, id: String, nodes: u32 },
    #[error("{place}: duplicate {what}")]
    Repeated { place: Place, what: String },
    #[error("{place}: {found} {what}, but {declared} are declared")]
    WrongCount { place: Place, what: &'static str, found: u64, declared: u64 },
    #[error("{place}: not UTF-8 text")]
    NotUtf8 { place: Place },
    #[error("{place}: {what} exceeds the limit of {limit}")]
    TooLarge { place: Place, what: String, limit: u64 },
    #[error("{place}: {problem}")]
    Format { place: Place, problem: String },
    #[error("{}: missing ({needed_for})", path.display())]
    Missing { path: PathBuf, needed_for: String },
    #[error("{}: built without the cargo feature \"{feature}\", which reads this file", path.display())]
    MissingFeature { path: PathBuf, feature: &'static str },
    #[error(
        "{}:{line}: the first line, {:?}, is neither an edge nor a known header", path.display(), columns.join(", ")
    )]
    UnknownHeader { path: PathBuf, line: u64, columns: Vec<String> },
    #[error("{}: nodes have attributes ({attributes}), which cannot be read without saying what they are", path.display())]
    Attributes { path: PathBuf, attributes: String },
    #[error("{place}: {source}")]
    Inconsistent { place: Place, source: Misfit },
}

impl ReadError {
    /// What the user can do, if anything.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            ReadError::Unrecognised { .. } => Some("docs/format.md describes our folder format".to_owned()),
            ReadError::NoSuchNode { .. } => {
                Some("correct \"nodes\" in meta.json, or delete meta.json to count them".to_owned())
            }
            ReadError::WrongCount { .. } => Some("correct meta.json, or delete it to count again".to_owned()),
            ReadError::MissingFeature { feature, .. } => Some(format!("build with the cargo feature \"{feature}\"")),
            _ => None,
        }
    }

    /// Wraps an error of the operating system.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> ReadError {
        ReadError::Io { path: path.to_owned(), source }
    }

    /// An unexpected text, shortened for the message.
    pub(crate) fn unexpected(place: Place, found: &str, expected: impl Into<String>) -> ReadError {
        let mut short: String = found.chars().take(60).collect();
        if short.len() < found.len() {
            short.push('…');
        }
        ReadError::Unexpected { place, found: short, expected: expected.into() }
    }

    /// A binary file that violates its format.
    pub(crate) fn format(place: Place, problem: impl Into<String>) -> ReadError {
        ReadError::Format { place, problem: problem.into() }
    }

    /// `Ok` if as many items were found as declared.
    pub(crate) fn check_count(
        place: Place,
        what: &'static str,
        found: usize,
        declared: usize,
    ) -> Result<(), ReadError> {
        let (found, declared) = (found as u64, declared as u64);
        if found == declared { Ok(()) } else { Err(ReadError::WrongCount { place, what, found, declared }) }
    }

    /// A missing file.
    pub(crate) fn missing(path: PathBuf, needed_for: impl Into<String>) -> ReadError {
        ReadError::Missing { path, needed_for: needed_for.into() }
    }

    /// A duplicate.
    pub(crate) fn repeated(place: Place, what: impl Into<String>) -> ReadError {
        ReadError::Repeated { place, what: what.into() }
    }

    /// For `map_err`: an error of the JSON parser, whose message ends with its place.
    pub(crate) fn json(path: &Path) -> impl FnOnce(serde_json::Error) -> ReadError {
        let path = path.to_owned();
        move |error| {
            if error.is_io() {
                return ReadError::io(&path, error.into());
            }
            let column = u32::try_from(error.column()).unwrap_or(u32::MAX);
            let place =
                if error.line() == 0 { Place::file(&path) } else { Place::line(&path, error.line() as u64, column) };
            let message = error.to_string();
            ReadError::format(place, message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message))
        }
    }

    /// For `map_err`: parts of the file at `path` do not fit together.
    pub(crate) fn misfit<E: Into<Misfit>>(path: &Path) -> impl FnOnce(E) -> ReadError {
        let place = Place::file(path);
        move |source| ReadError::Inconsistent { place, source: source.into() }
    }
}
