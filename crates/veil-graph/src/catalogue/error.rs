//! Why a data set could not be fetched.

use std::path::{Path, PathBuf};

use crate::write::WriteError;

/// Why a data set could not be fetched. Files that were complete and right stay in the cache.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// There is no answer from the server.
    #[error("{url}: no answer ({problem}); is the network there, and does a proxy need HTTPS_PROXY?")]
    Unreachable {
        /// What was asked for.
        url: String,
        /// What went wrong.
        problem: String,
    },
    /// The server says no.
    #[error("{url}: the server answered {status}; {}", advice(*status))]
    Status {
        /// What was asked for.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The connection broke and could not be taken up again.
    #[error("{url}: the connection broke after {received} bytes ({problem}); fetch again to go on from there")]
    Cut {
        /// What was asked for.
        url: String,
        /// How much had arrived, all attempts together.
        received: u64,
        /// What went wrong.
        problem: String,
    },
    /// The answer does not follow the protocol.
    #[error("{url}: {problem}")]
    BadAnswer {
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The file is larger than it can be.
    #[error("{url}: more than the {limit} bytes that this file can have; the file was removed")]
    TooLarge {
        /// What was asked for.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// The file has another size than the known one.
    #[error("{url}: expected {expected} bytes, found {found}; the file was removed")]
    WrongSize {
        /// What was asked for.
        url: String,
        /// The known size.
        expected: u64,
        /// The size that arrived.
        found: u64,
    },
    /// The file has another content than the known one.
    #[error("{url}: expected SHA-256 {expected}, found {found}; the file was removed")]
    WrongSum {
        /// What was asked for.
        url: String,
        /// The known sum, in hexadecimal.
        expected: String,
        /// The sum of what arrived.
        found: String,
    },
    /// The cache cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// An archive cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] WriteError),
}

impl FetchError {
    /// For `map_err`: what the operating system said about `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> FetchError {
        let path = path.to_owned();
        move |source| FetchError::Io { path, source }
    }
}

/// What a user can do about a status.
fn advice(status: u16) -> &'static str {
    match status {
        404 | 410 => "the file is no longer there: get it elsewhere and import it from its path",
        401 | 403 => "it does not give this file to everyone: get it elsewhere and import it from its path",
        407 => "a proxy wants credentials in HTTPS_PROXY",
        429 | 500..=599 => "try again later",
        _ => "get the file elsewhere and import it from its path",
    }
}
