//! The file of a ledger: the same one from opening to the end of a charge, and drafts of new ones.

use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::NamedTempFile;
use veil_graph::write::sync_folder;

use super::LedgerError;

/// Hidden, so that a listing shows nothing unfinished. Left-overs with this prefix are removed, so
/// it is not one that an owner would choose for a copy.
const PREFIX: &str = ".ledger-draft-";

/// Which file a path leads to. While a file is open, no other one has its identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

impl FileId {
    /// Elsewhere than on Unix an open file can be neither renamed nor removed.
    pub fn at(path: &Path) -> io::Result<FileId> {
        let found = fs::metadata(path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Ok(FileId { device_and_inode: (found.dev(), found.ino()) })
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            Ok(FileId {})
        }
    }
}

/// The folder of a ledger.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A draft in a folder, locked while it is in use.
pub(super) fn draft_in(folder: &Path) -> io::Result<NamedTempFile> {
    remove_left_overs(folder);
    loop {
        let draft = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder)?;
        draft.as_file().lock()?;
        // Another process may have taken it for a left-over before it was locked.
        if draft.path().exists() {
            return Ok(draft);
        }
    }
}

/// Gives a draft its name, durably, if that name is free.
pub(super) fn name_draft(draft: NamedTempFile, path: &Path) -> Result<(), LedgerError> {
    let io = |source: io::Error| match source.kind() {
        ErrorKind::AlreadyExists => LedgerError::Exists { path: path.to_owned() },
        _ => LedgerError::Io { path: path.to_owned(), source },
    };
    draft.as_file().sync_all().map_err(io)?;
    draft.persist_noclobber(path).map_err(|error| io(error.error))?;
    Ok(sync_folder(folder_of(path))?)
}

/// Removes the drafts of processes that were killed: those that no process has locked.
pub(super) fn remove_left_overs(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let drafts = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for draft in drafts {
        let is_file = draft.file_type().is_ok_and(|kind| kind.is_file());
        let Some(file) = is_file.then(|| fs::File::open(draft.path()).ok()).flatten() else { continue };
        match file.try_lock() {
            // What cannot be removed harms nobody.
            Ok(()) => drop(fs::remove_file(draft.path())),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}
