//! What can be wrong with a file, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::dataset::DatasetError;
use crate::features::SparseError;
use crate::graph::GraphError;
use crate::labels::LabelError;
use crate::matrix::ShapeError;

/// A place in a file: a line and a column of a text, or a part of a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// Where in the file.
    pub at: At,
}

/// Where in a file.
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
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system could not read the file.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nothing at the path looks like a data set.
    #[error("{}: {problem}", path.display())]
    Unrecognised {
        /// The path.
        path: PathBuf,
        /// What was found, and what was expected.
        problem: String,
    },
    /// A text is not what should stand there.
    #[error("{place}: found {found:?}, expected {expected}")]
    Unexpected {
        /// Where.
        place: Place,
        /// What stands there (shortened).
        found: String,
        /// What should.
        expected: String,
    },
    /// A node id is outside the declared nodes.
    #[error("{place}: node {id} is not one of the {nodes} nodes")]
    NoSuchNode {
        /// Where.
        place: Place,
        /// The id as it stands there.
        id: String,
        /// How many nodes there are.
        nodes: u32,
    },
    /// Something that may stand only once stands twice.
    #[error("{place}: {what} is given twice")]
    Repeated {
        /// Where the second one stands.
        place: Place,
        /// What is repeated.
        what: String,
    },
    /// A file holds more or less than another place says.
    #[error("{place}: {found} {what}, but {declared} are declared")]
    WrongCount {
        /// Where it was counted.
        place: Place,
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there should be.
        declared: u64,
    },
    /// The bytes are not UTF-8.
    #[error("{place}: not UTF-8 text")]
    NotUtf8 {
        /// Where.
        place: Place,
    },
    /// A file is larger, or grows larger when unpacked, than a reader accepts.
    #[error("{place}: {what} exceeds the limit of {limit}")]
    TooLarge {
        /// Where.
        place: Place,
        /// What is too large.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// A binary file does not follow its format.
    #[error("{place}: {problem}")]
    Format {
        /// Where.
        place: Place,
        /// What is wrong.
        problem: String,
    },
    /// A file that belongs to the layout is missing.
    #[error("{}: missing ({needed_for})", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// Why it is needed.
        needed_for: String,
    },
    /// The parts are readable but do not fit together.
    #[error("{place}: {source}")]
    Inconsistent {
        /// The file in which the misfit showed.
        place: Place,
        /// What does not fit.
        source: Misfit,
    },
}

/// Parts of a data set that do not fit together.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Misfit {
    /// The graph.
    Graph(#[from] GraphError),
    /// The features.
    Sparse(#[from] SparseError),
    /// The features.
    Shape(#[from] ShapeError),
    /// The labels.
    Label(#[from] LabelError),
    /// The whole.
    Dataset(#[from] DatasetError),
}

impl ReadError {
    /// Wraps an error of the operating system.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> ReadError {
        ReadError::Io { path: path.to_owned(), source }
    }

    /// A text that should be something else, shortened for the message.
    pub(crate) fn unexpected(place: Place, found: &str, expected: impl Into<String>) -> ReadError {
        let mut short: String = found.chars().take(60).collect();
        if short.len() < found.len() {
            short.push('…');
        }
        ReadError::Unexpected { place, found: short, expected: expected.into() }
    }

    /// A binary file that does not follow its format.
    pub(crate) fn format(place: Place, problem: impl Into<String>) -> ReadError {
        ReadError::Format { place, problem: problem.into() }
    }

    /// For `map_err`: parts of the file at `path` do not fit together.
    pub(crate) fn misfit<E: Into<Misfit>>(path: &Path) -> impl FnOnce(E) -> ReadError {
        let place = Place::file(path);
        move |source| ReadError::Inconsistent { place, source: source.into() }
    }
}
