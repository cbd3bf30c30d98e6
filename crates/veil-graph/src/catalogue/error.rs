//! Errors of downloads.

use std::path::{Path, PathBuf};

use crate::write::WriteError;

/// Why a data set could not be fetched. Complete and verified files stay in the cache.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("{url}: no answer ({problem}); is the network there, and does a proxy need HTTPS_PROXY?")]
    Unreachable { url: String, problem: String },
    #[error("{url}: the server answered {status}; {}", advice(*status))]
    Status { url: String, status: u16 },
    #[error("{url}: the connection broke after {received} bytes ({problem}); fetch again to resume")]
    Cut { url: String, received: u64, problem: String },
    #[error("{url}: {problem}")]
    BadAnswer { url: String, problem: String },
    #[error("{url}: the file exceeds {limit} bytes and was removed")]
    TooLarge { url: String, limit: u64 },
    #[error("{url}: expected {expected} bytes, found {found}; the file was removed")]
    WrongSize { url: String, expected: u64, found: u64 },
    #[error("{url}: expected SHA-256 {expected}, found {found}; the file was removed")]
    WrongSum { url: String, expected: String, found: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
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
