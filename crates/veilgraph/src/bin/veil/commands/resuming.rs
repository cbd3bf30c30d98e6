//! Work that takes long: what is needed to go on with it lies in a hidden folder beside its result until that is there.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use veil_graph::write::{self, WriteError};
use veil_lab::sweep::Book;
use veil_privacy::resume::{destroy, release_of};

use crate::failure::Failure;

/// The file that holds the key.
const KEY: &str = "key";

/// Whether a folder holds the release with this id.
fn is_of(out: &Path, release: &str) -> bool {
    let statement = fs::read_to_string(out.join("privacy.json")).ok();
    let statement = statement.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    statement.is_some_and(|statement| statement["release"] == release)
}

/// Whether there is a workplace: whoever handles a signal can be handed nothing else.
static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// Whether what is being done can be gone on with if it is interrupted.
pub fn is_resumable() -> bool {
    RESUMABLE.load(Ordering::Relaxed)
}

/// From now on it can.
pub fn can_go_on() {
    RESUMABLE.store(true, Ordering::Relaxed);
}

/// The folder of the sweep that is being run.
static SWEEP: OnceLock<PathBuf> = OnceLock::new();

/// From now on this sweep can.
pub fn sweep_can_go_on(folder: &Path) {
    let _ = SWEEP.set(folder.to_owned());
    can_go_on();
}

/// Whoever is interrupted did not die of what is under way.
pub fn let_go() {
    if let Some(folder) = SWEEP.get() {
        Book::let_go(folder);
    }
}

/// A hidden folder beside a result, for one process at a time.
pub struct Workplace {
    folder: PathBuf,
    _lock: File,
}

impl Workplace {
    /// The workplace of this result: the one that an interrupted program left, or a new one.
    pub fn of(out: &Path) -> Result<Workplace, Failure> {
        let name = out.file_name().ok_or_else(|| WriteError::NoName { path: out.to_owned() })?;
        let folder = out.with_file_name(format!(".{}.unfinished", name.to_string_lossy()));
        if let Err(there) = write::refuse_if_there(out) {
            // If it is the result of this work, whoever left it was interrupted while cleaning up.
            let finished = release_of(&folder.join(KEY)).is_ok_and(|release| is_of(out, &release.to_string()));
            if finished {
                Workplace::at(folder)?.finish()?;
            }
            return Err(there.into());
        }
        Workplace::at(folder)
    }

    fn at(folder: PathBuf) -> Result<Workplace, Failure> {
        fs::create_dir_all(&folder).map_err(WriteError::io(&folder))?;
        let path = folder.join("lock");
        let lock = File::options().create(true).append(true).open(&path).map_err(WriteError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => {
                can_go_on();
                Ok(Workplace { folder, _lock: lock })
            }
            Err(fs::TryLockError::WouldBlock) => Err(Failure::Busy { folder }),
            Err(fs::TryLockError::Error(error)) => Err(WriteError::io(&path)(error).into()),
        }
    }

    /// Where the key of the release lies.
    pub fn key(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// A file of this name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Something that is decided once: what was decided before the interruption, or now.
    pub fn decided<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        decide: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let path = self.file(name);
        // Half a file is none: whatever was to follow it has not happened.
        let known = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
        if let Some(known) = known {
            return Ok(known);
        }
        let now = decide()?;
        let text = serde_json::to_string(&now).map_err(WriteError::content(&path))?;
        let mut file = File::create(&path).map_err(WriteError::io(&path))?;
        // On the disk before the key is: without it a key is of no use.
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(WriteError::io(&path))?;
        Ok(now)
    }

    /// What was decided before nothing came of it.
    pub fn forget(&self, name: &str) -> Result<(), Failure> {
        let path = self.file(name);
        if path.exists() {
            fs::remove_file(&path).map_err(WriteError::io(&path))?;
        }
        Ok(())
    }

    /// The result is there, or nothing was spent on it: the key is destroyed, and the rest removed.
    pub fn finish(self) -> Result<(), Failure> {
        RESUMABLE.store(false, Ordering::Relaxed);
        // Answers before the key: no other key may ever find them. What was decided goes after it: without that a key is of no use.
        for name in fs::read_dir(&self.folder).map_err(WriteError::io(&self.folder))?.flatten() {
            let path = name.path();
            if path != self.key() && path.extension() != Some("json".as_ref()) {
                fs::remove_file(&path).map_err(WriteError::io(&path))?;
            }
        }
        if self.key().exists() {
            destroy(&self.key())?;
        }
        Ok(fs::remove_dir_all(&self.folder).map_err(WriteError::io(&self.folder))?)
    }
}
