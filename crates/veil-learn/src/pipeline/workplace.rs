//! A hidden folder beside a result that takes long: it holds everything that an interrupted job
//! needs to resume.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;
use veil_graph::write::{self, WriteError};
use veil_privacy::resume::{destroy, release_of};

use super::PipelineError;

/// The file that holds the key.
const KEY: &str = "key";

/// Whether there is a workplace: a signal handler can be handed nothing else.
static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// Whether the current job can resume if it is interrupted now.
pub fn is_resumable() -> bool {
    RESUMABLE.load(Ordering::Relaxed)
}

/// A hidden folder beside a result, for one process at a time.
#[derive(Debug)]
pub struct Workplace {
    folder: PathBuf,
    _lock: File,
    /// Whether the job can resume from here.
    kept: bool,
}

impl Workplace {
    /// The workplace of this result: the one that an interrupted job left, or a new one.
    ///
    /// # Errors
    /// If the result exists, or another process works on it.
    pub fn of(out: &Path) -> Result<Workplace, PipelineError> {
        let name = out.file_name().ok_or_else(|| WriteError::NoName { path: out.to_owned() })?;
        let folder = out.with_file_name(format!(".{}.unfinished", name.to_string_lossy()));
        if let Err(exists) = write::refuse_if_there(out) {
            // If it is the result of this job, the job was interrupted while cleaning up.
            let finished = release_of(&folder.join(KEY)).is_ok_and(|release| is_of(out, &release.to_string()));
            if finished {
                Workplace::at(folder, true)?.finish()?;
            }
            return Err(exists.into());
        }
        Workplace::at(folder, true)
    }

    /// A workplace for results in memory.
    pub(super) fn temporary() -> Result<Workplace, PipelineError> {
        let mut name = [0; 16];
        getrandom::fill(&mut name).map_err(|source| veil_privacy::CoinsError::NoRandomness { source })?;
        let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        Workplace::at(std::env::temp_dir().join(format!("veil-{name}")), false)
    }

    fn at(folder: PathBuf, kept: bool) -> Result<Workplace, PipelineError> {
        fs::create_dir_all(&folder).map_err(WriteError::io(&folder))?;
        let path = folder.join("lock");
        let lock = File::options().create(true).append(true).open(&path).map_err(WriteError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => {
                if kept {
                    RESUMABLE.store(true, Ordering::Relaxed);
                }
                Ok(Workplace { folder, _lock: lock, kept })
            }
            Err(fs::TryLockError::WouldBlock) => Err(PipelineError::Busy { folder }),
            Err(fs::TryLockError::Error(error)) => Err(WriteError::io(&path)(error).into()),
        }
    }

    /// The path of the release's key.
    pub(super) fn key(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// The path of a file of this name.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Something that is decided once: before the interruption, or now.
    pub(super) fn decided<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        decide: impl FnOnce() -> Result<T, PipelineError>,
    ) -> Result<T, PipelineError> {
        let path = self.file(name);
        // Half a file counts as none: whatever was to follow it has not happened.
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

    /// Forgets a decision that nothing came of.
    pub(super) fn forget(&self, name: &str) -> Result<(), PipelineError> {
        let path = self.file(name);
        if path.exists() {
            fs::remove_file(&path).map_err(WriteError::io(&path))?;
        }
        Ok(())
    }

    /// The result exists, or nothing was spent on it: the key is destroyed, and the rest removed.
    pub(super) fn finish(self) -> Result<(), PipelineError> {
        if self.kept {
            RESUMABLE.store(false, Ordering::Relaxed);
        }
        // Answers before the key: no other key may ever find them. Decisions after it: without them
        // a key is of no use.
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

impl Drop for Workplace {
    fn drop(&mut self) {
        if !self.kept {
            // No job can resume from here, also after an error: the key must not stay. Nothing more
            // can be done than try.
            let _ = destroy(&self.key());
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Whether a folder holds the release with this id.
fn is_of(out: &Path, release: &str) -> bool {
    let statement = fs::read_to_string(out.join("privacy.json")).ok();
    let statement = statement.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    statement.is_some_and(|statement| statement["release"] == release)
}
