//! The files of a device, written atomically; only the owner can read the key.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use veil_graph::write::WriteError;
use zeroize::Zeroizing;

use super::{DeviceError, DeviceKey};

/// Why the key of a device could not be used.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{} is readable by other users (mode {mode:03o}): a key must be private", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("{}: {source}", path.display())]
    NoKey { path: PathBuf, source: DeviceError },
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

/// The key in a file; a fresh one if the file does not exist. Nothing is written.
///
/// # Errors
/// If the file cannot be read, is readable by other users, or does not hold a key.
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

/// Writes a file atomically, replacing an existing one. Only the owner can read a `secret` one.
///
/// # Errors
/// If the file cannot be written.
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
