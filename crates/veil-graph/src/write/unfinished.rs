//! Hidden folders in progress, so that an interrupted program can remove them.
//!
//! A signal ends a program without dropping values. This list is our only global state, because a
//! signal handler receives no arguments.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

/// How often and at which interval the removal of a folder is tried: a writing thread may add a
/// file meanwhile.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder in progress: listed until it is dropped.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Creates a folder and lists it, atomically with respect to [`abandon_unfinished`].
    pub(super) fn new(make: impl FnOnce() -> io::Result<TempDir>) -> io::Result<(TempDir, Unfinished)> {
        let mut list = list();
        let folder = make()?;
        let path = folder.path().to_owned();
        list.push(path.clone());
        Ok((folder, Unfinished(path)))
    }

    /// Renames the folder, atomically with respect to [`abandon_unfinished`].
    pub(super) fn finish<T>(&self, name_it: impl FnOnce() -> T) -> T {
        let _guard = list();
        name_it()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        list().retain(|path| *path != self.0);
    }
}

/// While it lives, no folder in progress can be finished.
pub struct Abandoned {
    left: Vec<PathBuf>,
    _list: MutexGuard<'static, Vec<PathBuf>>,
}

impl Abandoned {
    /// The folders that could not be removed.
    pub fn left(&self) -> &[PathBuf] {
        &self.left
    }
}

/// Removes all folders in progress of [`atomically`](super::atomically), for an interrupted program
/// that is about to end. Keep the result until then, or another thread could finish a half-removed
/// folder.
#[must_use = "a half-removed folder could be finished"]
pub fn abandon_unfinished() -> Abandoned {
    let list = list();
    let left = list.iter().filter_map(|path| remove(path)).collect();
    Abandoned { left, _list: list }
}

/// Removes a folder that a thread may be writing into; returns its path on failure.
///
/// It is renamed first, so that its files cannot be opened by their paths any more. A file that is
/// being opened at that moment may still appear, so removal is retried.
fn remove(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push("-abandoned");
    let moved = path.with_file_name(name);
    let path = match fs::rename(path, &moved) {
        Ok(()) => &moved,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(_) => path,
    };
    for _ in 0..TRIES {
        if fs::remove_dir_all(path).is_ok() || !path.exists() {
            return None;
        }
        std::thread::sleep(PAUSE);
    }
    Some(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_while_a_thread_writes_into_it() {
        let home = tempfile::tempdir().unwrap();
        for try_number in 0..20 {
            let folder = home.path().join(format!("hidden-{try_number}"));
            fs::create_dir(&folder).unwrap();
            let writer = std::thread::spawn({
                let folder = folder.clone();
                // Until the folder is gone.
                move || (0..).take_while(|file| fs::write(folder.join(format!("{file}")), "x").is_ok()).count()
            });
            while fs::read_dir(&folder).unwrap().next().is_none() {
                std::thread::yield_now();
            }
            assert_eq!(remove(&folder), None);
            assert!(writer.join().unwrap() > 0);
            assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn missing_folders_are_ignored_and_failures_are_returned() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(remove(&home.path().join("finished")), None);
        // A file instead of a folder: removing it as a folder always fails.
        let file = home.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(remove(&file), Some(home.path().join("file-abandoned")));
    }
}
