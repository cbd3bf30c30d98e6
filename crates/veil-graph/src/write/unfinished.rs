//! Hidden folders in progress: for their owner alone, locked while somebody works in them, removed
//! by an interrupted program, or else by the next one that writes beside them.
//!
//! A signal ends a program without dropping values. This list is our only global state, because a
//! signal handler receives no arguments.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::owner;

/// Hidden, so that a listing of the parent shows nothing unfinished.
const PREFIX: &str = ".veil-unfinished-";

/// The file that is locked while somebody works in the folder. It is removed last: a folder without
/// it is empty, or not ours to judge.
const LOCK: &str = ".lock";

/// How often and at which interval the removal of a folder is tried: a writing thread may add a
/// file meanwhile.
const TRIES: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder in progress: listed and locked until it is dropped, and then removed.
pub(super) struct Unfinished {
    folder: PathBuf,
    _lock: File,
}

impl Unfinished {
    /// Creates a folder in another one and lists it, atomically with respect to
    /// [`abandon_unfinished`]. What killed programs left there is removed.
    pub(super) fn new(parent: &Path) -> io::Result<Unfinished> {
        remove_left_overs(parent);
        let mut list = list();
        for _ in 0..TRIES {
            let mut builder = tempfile::Builder::new();
            // What is not finished yet has the modes that it will have in its place, and is closed
            // there by the folder around it.
            let made = builder.prefix(PREFIX).make_in(parent, owner::create_folder)?;
            let folder = made.into_temp_path().keep().map_err(|error| error.error)?;
            match locked(&folder, true) {
                Ok(Some(lock)) => {
                    list.push(folder.clone());
                    return Ok(Unfinished { folder, _lock: lock });
                }
                // Another program took it for a left-over before it was locked.
                Ok(None) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let _ = clear(&folder);
                    return Err(error);
                }
            }
        }
        Err(io::Error::other("hidden folders disappear here"))
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Moves its content to its place, atomically with respect to [`abandon_unfinished`].
    pub(super) fn finish<T>(&self, name_it: impl FnOnce() -> T) -> T {
        let _guard = list();
        name_it()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        list().retain(|path| *path != self.folder);
        // If it cannot be removed, the next program will try.
        let _ = clear(&self.folder);
    }
}

/// Locks a folder in progress. None if somebody else has locked it, or has removed it meanwhile.
fn locked(folder: &Path, create: bool) -> io::Result<Option<File>> {
    let path = folder.join(LOCK);
    let lock = if create { owner::create_file(&path)? } else { File::open(&path)? };
    match lock.try_lock() {
        Ok(()) => Ok(path.exists().then_some(lock)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Removes a folder, its lock last: whoever is killed in between leaves something to lock.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            let path = entry.path();
            if entry.file_type()?.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
        }
    }
    match fs::remove_file(folder.join(LOCK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir(folder),
    }
}

/// Removes folders in progress of programs that were killed: those of ours that nobody has locked.
/// What cannot be removed stays: it is in nobody's way.
pub(super) fn remove_left_overs(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !named || !entry.file_type().is_ok_and(|kind| kind.is_dir()) || !owner::is_ours(&entry.path()) {
            continue;
        }
        match locked(&entry.path(), false) {
            Ok(Some(_lock)) => drop(clear(&entry.path())),
            Ok(None) => {}
            // Its maker was killed before it was locked, or is about to lock it and will notice.
            Err(_) => drop(fs::remove_dir(entry.path())),
        }
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
        if clear(path).is_ok() || !path.exists() {
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
    fn what_a_killed_program_left_is_removed_by_the_next_one_and_nothing_else_is() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(format!("{PREFIX}{name}"));
        // Killed while it wrote, and before it had a lock.
        fs::create_dir_all(at("killed/out")).unwrap();
        fs::write(at("killed/out/half"), "a fi").unwrap();
        fs::write(at("killed").join(LOCK), "").unwrap();
        fs::create_dir(at("early")).unwrap();
        // Somebody's own folder of that name, and one that is in use.
        fs::create_dir(at("named")).unwrap();
        fs::write(at("named/letter"), "mine").unwrap();
        let used = Unfinished::new(home.path()).unwrap();
        fs::write(used.path().join("half"), "a fi").unwrap();

        let next = Unfinished::new(home.path()).unwrap();
        assert!(!at("killed").exists() && !at("early").exists());
        assert!(at("named/letter").exists() && used.path().join("half").exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = used.path().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "closed to others while somebody works in it");
        }
        drop((used, next));
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "what is in use removes itself");
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
