//! Errors of writing.

use std::path::{Path, PathBuf};

/// Why something could not be written. Nothing is left behind.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{} already exists", path.display())]
    Exists { path: PathBuf },
    #[error("{} does not end in the name of a file or a folder", path.display())]
    NoName { path: PathBuf },
    #[error("{} is not used: {problem}, and what is written there is for its owner alone", path.display())]
    NotOurs { path: PathBuf, problem: String },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Content { path: PathBuf, source: Box<dyn std::error::Error + Send + Sync> },
}

impl WriteError {
    /// What the user can do, if anything.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            WriteError::Exists { .. } => Some("choose another path, or delete this one".to_owned()),
            WriteError::NotOurs { .. } => {
                Some("find out who made it, then remove it; or choose a path in a folder of your own".to_owned())
            }
            _ => None,
        }
    }

    /// For `map_err`: a system error at `path`.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> WriteError {
        let path = path.to_owned();
        move |source| WriteError::Io { path, source }
    }

    /// For `map_err`: the content of `path` cannot be encoded in its format.
    pub fn content<E: Into<Box<dyn std::error::Error + Send + Sync>>>(path: &Path) -> impl FnOnce(E) -> WriteError {
        let path = path.to_owned();
        move |source| WriteError::Content { path, source: source.into() }
    }
}
