//! Why something could not be written.

use std::path::{Path, PathBuf};

/// Why something could not be written. Whatever it was, nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something is already there, and nothing is overwritten.
    #[error("{} is already there, and nothing is overwritten", path.display())]
    Exists {
        /// What is there.
        path: PathBuf,
    },
    /// The path does not end in a name, so that nothing can be called by it.
    #[error("{} does not end in the name of a file or a folder", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The operating system could not do it.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The content cannot be put into this format.
    #[error("{}: {source}", path.display())]
    Content {
        /// The file that was to hold it.
        path: PathBuf,
        /// What does not fit.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl WriteError {
    /// For `map_err`: what the operating system said about `path`.
    pub fn io(path: &Path) -> impl FnOnce(std::io::Error) -> WriteError {
        let path = path.to_owned();
        move |source| WriteError::Io { path, source }
    }

    /// For `map_err`: the content of `path` cannot be put into its format.
    pub fn content<E: Into<Box<dyn std::error::Error + Send + Sync>>>(path: &Path) -> impl FnOnce(E) -> WriteError {
        let path = path.to_owned();
        move |source| WriteError::Content { path, source: source.into() }
    }
}
