//! Hidden draft files beside what they will become: for their owner alone, locked while somebody
//! writes them, and destroyed by the next program that uses the folder if their maker was killed.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::NamedTempFile;

use super::owner;

/// Drafts of one kind, by the prefix of their names. Everything of ours with this prefix that no
/// process has locked is destroyed, so it is not one that an owner would choose.
#[derive(Clone, Copy, Debug)]
pub struct Drafts {
    prefix: &'static str,
}

impl Drafts {
    /// Drafts whose names begin so.
    pub const fn with_prefix(prefix: &'static str) -> Drafts {
        Drafts { prefix }
    }

    /// A new draft in a folder, locked until it is dropped or named.
    ///
    /// # Errors
    /// If the system cannot create or lock it.
    pub fn create(self, folder: &Path) -> io::Result<NamedTempFile> {
        self.destroy_left_overs(folder);
        loop {
            // Temporary files are private to their owner.
            let draft = tempfile::Builder::new().prefix(self.prefix).tempfile_in(folder)?;
            draft.as_file().lock()?;
            // Another process may have taken it for a left-over before it was locked.
            if draft.path().exists() {
                return Ok(draft);
            }
        }
    }

    /// Overwrites and removes the drafts of processes that were killed: those of ours that no
    /// process has locked. What cannot be removed stays.
    pub fn destroy_left_overs(self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let named = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(self.prefix));
        for path in named.map(|entry| entry.path()) {
            let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
            // A file with another name is not a draft, whatever this name is.
            if !is_file || !owner::is_ours(&path) || owner::has_other_names(&path) {
                continue;
            }
            let Ok(file) = File::open(&path) else { continue };
            match file.try_lock() {
                // Under the lock: a maker that is about to lock it will see that it is gone.
                Ok(()) => match owner::destroy(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => drop(fs::remove_file(&path)),
                    _ => {}
                },
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    const DRAFTS: Drafts = Drafts::with_prefix(".test-draft-");

    #[test]
    fn drafts_of_killed_processes_are_overwritten_and_those_in_use_are_not() {
        let home = tempfile::tempdir().unwrap();
        let (left, other) = (home.path().join(".test-draft-a1"), home.path().join("letter"));
        fs::write(&left, "secret").unwrap();
        fs::write(&other, "mine").unwrap();
        let mut seen = File::open(&left).unwrap();
        let mut used = DRAFTS.create(home.path()).unwrap();
        used.write_all(b"half").unwrap();
        let next = DRAFTS.create(home.path()).unwrap();
        assert!(!left.exists() && used.path().exists() && next.path().exists());
        let mut content = String::new();
        seen.read_to_string(&mut content).unwrap();
        assert_eq!((content.as_str(), fs::read(used.path()).unwrap().as_slice()), ("      ", b"half".as_slice()));
        // A name ends the draft, and its lock.
        used.persist(home.path().join("done")).unwrap();
        drop(next);
        DRAFTS.destroy_left_overs(home.path());
        assert_eq!(fs::read(home.path().join("done")).unwrap(), b"half");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_with_the_name_of_a_draft_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let (letter, link) = (home.path().join("letter"), home.path().join(".test-draft-link"));
        fs::write(&letter, "mine").unwrap();
        std::os::unix::fs::symlink(&letter, &link).unwrap();
        DRAFTS.destroy_left_overs(home.path());
        assert_eq!(fs::read(&letter).unwrap(), b"mine");
    }
}
