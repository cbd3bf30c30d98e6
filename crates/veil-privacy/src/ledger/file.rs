//! The file of a ledger: the same one from opening to the end of a charge, and drafts of new ones.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::NamedTempFile;
use veil_graph::write::{Drafts, sync_folder};

use super::LedgerError;

/// Hidden, so that a listing shows nothing unfinished, and no name that an owner would choose for a
/// copy.
pub(super) const DRAFTS: Drafts = Drafts::with_prefix(".ledger-draft-");

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
