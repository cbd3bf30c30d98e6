//! Errors of downloads.

use std::path::{Path, PathBuf};

use crate::write::WriteError;

/// Why a data set could not be fetched. Complete and verified files stay in the cache.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The server does not respond.
    #[error("{url}: no answer ({problem}); is the network there, and does a proxy need HTTPS_PROXY?")]
    Unreachable {
        /// The address.
        url: String,
        /// The reason.
        problem: String,
    },
    /// The server returned an error.
    #[error("{url}: the server answered {status}; {}", advice(*status))]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The connection broke and could not be resumed.
    #[error("{url}: the connection broke after {received} bytes ({problem}); fetch again to resume")]
    Cut {
        /// The address.
        url: String,
        /// The bytes received in all attempts.
        received: u64,
        /// The reason.
        problem: String,
    },
    /// The response violates the protocol.
    #[error("{url}: {problem}")]
    BadAnswer {
        /// The address.
        url: String,
        /// The reason.
        problem: String,
    },
    /// The file exceeds the size limit.
    #[error("{url}: the file exceeds {limit} bytes and was removed")]
    TooLarge {
        /// The address.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// The file has another size than announced.
    #[error("{url}: expected {expected} bytes, found {found}; the file was removed")]
    WrongSize {
        /// The address.
        url: String,
        /// The announced size.
        expected: u64,
        /// The received size.
        found: u64,
    },
    /// The file has another sum than the known one.
    #[error("{url}: expected SHA-256 {expected}, found {found}; the file was removed")]
    WrongSum {
        /// The address.
        url: String,
        /// The known sum, in hexadecimal.
        expected: String,
        /// The sum of the received file.
        found: String,
    },
    /// The cache cannot be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An archive cannot be unpacked.
    #[error(transparent)]
    Unpack(#[from] WriteError),
}

impl FetchError {
    /// For `map_err`: a system error at `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> FetchError {
        let path = path.to_owned();
        move |source| FetchError::Io { path, source }
    }
}

/// Advice for a status.
fn advice(status: u16) -> &'static str {
    match status {
        404 | 410 => "the file is gone: download it elsewhere and import it from its path",
        401 | 403 => "access denied: download the file elsewhere and import it from its path",
        407 => "the proxy requires credentials in HTTPS_PROXY",
        429 | 500..=599 => "try again later",
        _ => "download the file elsewhere and import it from its path",
    }
}
