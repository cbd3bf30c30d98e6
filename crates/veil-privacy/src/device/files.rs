//! The key file of a device, used by one process at a time.
//!
//! [`KeyFile::open`] takes an operating-system lock before it reads the key; [`KeyFile::report`]
//! returns a report only after its digest is on disk, and the lock is held until then. So of two
//! processes that report differently with one key, the second sees the record of the first and is
//! refused. The lock is a file beside the key, `.NAME.lock`, which is never removed. It is found
//! through the resolved path: symbolic links and other spellings of a path share it. A key with
//! several hard links is refused, because replacing one of them would leave the others without the
//! record. A *copy* of a key file is another file: it has its own lock and its own record.
//!
//! Drafts of keys and outputs are locked while they are written. Those of a killed process are
//! overwritten and removed by the next one that uses their folder.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use veil_graph::write::{Drafts, WriteError, owner};
use zeroize::Zeroizing;

use super::{Contribution, Device, DeviceError, DeviceKey};

/// Timeout for another process that uses the same key.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest chain of symbolic links, as in Linux.
const MOST_LINKS: u32 = 40;
/// Drafts of keys, and of outputs, which contain true neighbours.
const DRAFTS: Drafts = Drafts::with_prefix(".veil-device-");

/// Why the key of a device could not be used.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is readable by other users (mode {mode:03o}): a key must be private", path.display())]
    Open { path: PathBuf, mode: u32 },
    #[error("{} is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("{} has {links} hard links: a report would be recorded in one of them only", path.display())]
    HardLinks { path: PathBuf, links: u64 },
    #[error("{}: another process has held this key for {} seconds", path.display(), PATIENCE.as_secs())]
    Busy { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Refused { path: PathBuf, source: DeviceError },
    #[error(transparent)]
    Part(DeviceError),
    #[error(transparent)]
    Lock(#[from] WriteError),
}

impl KeyFileError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        match self {
            KeyFileError::Refused { source, .. } | KeyFileError::Part(source) => source.is_usage(),
            _ => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            KeyFileError::Open { path, .. } => Some(format!("chmod 600 {}", path.display())),
            KeyFileError::HardLinks { .. } => Some("remove the other links; symbolic links are allowed".to_owned()),
            KeyFileError::Refused { source, .. } | KeyFileError::Part(source) => source.hint(),
            KeyFileError::Lock(error) => error.hint(),
            KeyFileError::Io { .. } | KeyFileError::NotAFile { .. } | KeyFileError::Busy { .. } => None,
        }
    }
}

/// The key in a file, which no other process can use until this value is dropped.
#[derive(Debug)]
pub struct KeyFile {
    /// Without symbolic links.
    path: PathBuf,
    key: DeviceKey,
    /// Whether the file exists.
    stored: bool,
    /// Dropped last: closing it releases the lock.
    _lock: File,
}

impl KeyFile {
    /// Waits for the lock of a key, then reads the key; a fresh one if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be locked or read, it or its lock is accessible to other users, or it has
    /// several hard links or does not hold a key.
    pub fn open(path: &Path) -> Result<KeyFile, KeyFileError> {
        let path = resolve(path).map_err(at(path))?;
        let lock = lock(&path)?;
        DRAFTS.destroy_left_overs(folder_of(&path));
        let refused = |source| KeyFileError::Refused { path: path.clone(), source };
        let (key, stored) = match read(&path)? {
            Some(text) => (DeviceKey::read(&text).map_err(refused)?, true),
            None => (DeviceKey::from_os().map_err(refused)?, false),
        };
        Ok(KeyFile { path, key, stored, _lock: lock })
    }

    /// The output of a node, given its inbox. The key and the digests of all reports are durable
    /// when it returns, and only then is the lock released.
    ///
    /// # Errors
    /// If the inbox is not accepted, the key has made another report, or the file cannot be
    /// written. Then nothing is recorded, and nothing may be sent.
    pub fn report(mut self, device: &Device, inbox: &str) -> Result<Contribution, KeyFileError> {
        let part = device.part(inbox, &self.key.stream(device)).map_err(KeyFileError::Part)?;
        let before = self.key.text();
        let held = self.key.hold_to(device, &part);
        held.map_err(|source| KeyFileError::Refused { path: self.path.clone(), source })?;
        let text = self.key.text();
        if !self.stored || before != text {
            self.store(text.as_bytes()).map_err(at(&self.path))?;
        }
        Ok(part)
    }

    /// Writes the key atomically and durably. A new file is created exclusively.
    fn store(&self, text: &[u8]) -> io::Result<()> {
        let folder = folder_of(&self.path);
        let draft = draft(folder, text)?;
        let persisted = if self.stored { draft.persist(&self.path) } else { draft.persist_noclobber(&self.path) };
        persisted?;
        if cfg!(unix) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

/// For `map_err`.
fn at(path: &Path) -> impl FnOnce(io::Error) -> KeyFileError {
    let path = path.to_owned();
    move |source| KeyFileError::Io { path, source }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path without symbolic links. The file itself need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let name = path.file_name().ok_or_else(|| io::Error::from(ErrorKind::InvalidInput))?;
        let found = folder_of(&path).canonicalize()?.join(name);
        match fs::symlink_metadata(&found) {
            // A link is relative to its own folder.
            Ok(it) if it.is_symlink() => path = folder_of(&found).join(fs::read_link(&found)?),
            Ok(_) => return Ok(found),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(ErrorKind::InvalidInput))
}

/// Locks a key. `path` is resolved.
fn lock(path: &Path) -> Result<File, KeyFileError> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".lock");
    let beside = path.with_file_name(name);
    let begun = Instant::now();
    loop {
        let file = owner::open_or_create(&beside)?;
        match file.try_lock() {
            // Whoever locks a file that is no longer there has locked nothing.
            Ok(()) if is_at(&file, &beside).map_err(at(&beside))? => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => {
                return Err(KeyFileError::Busy { path: path.to_owned() });
            }
            Ok(()) | Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            Err(TryLockError::Error(error)) => return Err(at(&beside)(error)),
        }
    }
}

/// Whether an open file is the one at a path, and no symbolic link.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok((open.dev(), open.ino()) == (found.dev(), found.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    // An open file cannot be removed.
    Ok(true)
}

/// The text of a key, if the file exists and only its owner can read it.
fn read(path: &Path) -> Result<Option<Zeroizing<String>>, KeyFileError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path)(error)),
    };
    let found = file.metadata().map_err(at(path))?;
    if !found.is_file() {
        return Err(KeyFileError::NotAFile { path: path.to_owned() });
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        let mode = found.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyFileError::Open { path: path.to_owned(), mode });
        }
        if found.nlink() > 1 {
            return Err(KeyFileError::HardLinks { path: path.to_owned(), links: found.nlink() });
        }
        // A link that appeared after the path was resolved leads to a key with another lock.
        if !is_at(&file, path).map_err(at(path))? {
            return Err(KeyFileError::NotAFile { path: path.to_owned() });
        }
    }
    let mut text = Zeroizing::new(String::with_capacity(usize::try_from(found.len()).unwrap_or(0).min(1 << 20)));
    io::Read::read_to_string(&mut file, &mut text).map_err(at(path))?;
    Ok(Some(text))
}

/// A new file in a folder, for its owner alone, with its content on disk.
fn draft(folder: &Path, content: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let mut draft = DRAFTS.create(folder)?;
    draft.write_all(content)?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// Writes the output of a device atomically, replacing an existing file. It contains true
/// neighbours: only its owner can read it.
///
/// # Errors
/// If the file cannot be written.
pub fn put(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let draft = draft(folder_of(path), content).map_err(WriteError::io(path))?;
    draft.persist(path).map_err(|error| WriteError::io(path)(error.error))?;
    Ok(())
}
