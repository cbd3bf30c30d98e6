//! The files of a device: whole or not at all, and the key for its owner only.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use veil_graph::write::WriteError;
use zeroize::Zeroizing;

use super::{DeviceError, DeviceKey};

/// Why a device's key could not be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The operating system could not read it.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Others may read it.
    #[error("{} may be read by others (mode {mode:03o}), and a key is for its device alone", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It holds no key.
    #[error("{}: {source}", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: DeviceError,
    },
}

impl KeyFileError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            KeyFileError::Io { .. } => None,
            KeyFileError::Open { path, .. } => Some(format!("chmod 600 {}", path.display())),
            KeyFileError::NoKey { source, .. } => source.hint(),
        }
    }
}

/// The key in a file; a fresh one if there is no such file. Nothing is written.
///
/// # Errors
/// If it cannot be read, others may read it, or it holds no key.
pub fn key(path: &Path) -> Result<DeviceKey, KeyFileError> {
    let no_key = |source| KeyFileError::NoKey { path: path.to_owned(), source };
    let io = |source| KeyFileError::Io { path: path.to_owned(), source };
    let text = match fs::read_to_string(path) {
        Ok(text) => Zeroizing::new(text),
        Err(error) if error.kind() == ErrorKind::NotFound => return DeviceKey::from_os().map_err(no_key),
        Err(error) => return Err(io(error)),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_err(io)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyFileError::Open { path: path.to_owned(), mode });
        }
    }
    DeviceKey::read(&text).map_err(no_key)
}

/// Writes a file, or writes it anew, as a whole: under another name first. Only a `secret` one stays its owner's.
///
/// # Errors
/// If the operating system cannot.
pub fn put(path: &Path, content: &[u8], secret: bool) -> Result<(), WriteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".veil-device-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(if secret { 0o600 } else { 0o666 }));
    }
    let mut draft = builder.tempfile_in(folder).map_err(WriteError::io(folder))?;
    let written = draft.write_all(content).and_then(|()| draft.as_file().sync_all());
    written.map_err(WriteError::io(path))?;
    draft.persist(path).map_err(|error| WriteError::io(path)(error.error))?;
    Ok(())
}
