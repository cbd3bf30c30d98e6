//! A hidden folder beside a result that is being made: it holds everything that an interrupted job
//! needs to resume, for its owner alone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use veil_graph::write::{self, Parents, WriteError, owner};
use veil_privacy::resume::{destroy, releases_of};

use super::PipelineError;

/// The file that holds the keys.
const KEY: &str = "key";
/// The file that is locked while somebody works here.
const LOCK: &str = "lock";
/// The file that holds the seed of everything that is random but no noise.
const DRAWN: &str = "drawn";
/// The file that takes the space of the result until it is written.
const RESERVE: &str = "reserve";

/// How often a folder is locked that its last user is removing.
const TRIES: usize = 20;

/// Whether there is a workplace with a key: a signal handler can be handed nothing else.
static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// Whether the current job can resume if it is interrupted now.
pub fn is_resumable() -> bool {
    RESUMABLE.load(Ordering::Relaxed)
}

/// The folder of the workplace of a result.
fn folder_of(out: &Path) -> Result<PathBuf, WriteError> {
    let name = out.file_name().ok_or_else(|| WriteError::NoName { path: out.to_owned() })?;
    Ok(out.with_file_name(format!(".{}.unfinished", name.to_string_lossy())))
}

/// Whether a job was interrupted that was making this result.
pub fn is_interrupted(out: &Path) -> bool {
    folder_of(out).is_ok_and(|folder| folder.join(KEY).symlink_metadata().is_ok())
}

/// The seed that an interrupted job drew for everything that is random but no noise.
///
/// # Errors
/// If the folder that it left is not ours.
pub(super) fn drawn_for(out: &Path) -> Result<Option<u64>, PipelineError> {
    let folder = folder_of(out)?;
    if !is_interrupted(out) {
        return Ok(None);
    }
    owner::check_folder(&folder)?;
    Ok(read_drawn(&folder))
}

fn read_drawn(folder: &Path) -> Option<u64> {
    fs::read_to_string(folder.join(DRAWN)).ok()?.trim().parse().ok()
}

/// Fails if the result is in its place and nothing is left to be done for it.
pub(super) fn refuse_complete(out: &Path) -> Result<(), PipelineError> {
    if write::refuse_if_there(out).is_err() {
        drop(Workplace::of(out)?);
    }
    Ok(())
}

/// A hidden folder beside a result, for one process at a time.
#[derive(Debug)]
pub struct Workplace {
    folder: PathBuf,
    parents: Parents,
    _lock: File,
    /// Whether the result is in its place: the job was interrupted while cleaning up.
    done: bool,
}

impl Workplace {
    /// The workplace of this result: the one that an interrupted job left, or a new one.
    ///
    /// # Errors
    /// If the result exists, another process works on it, or somebody else owns the folder.
    pub fn of(out: &Path) -> Result<Workplace, PipelineError> {
        let folder = folder_of(out)?;
        let left = folder.symlink_metadata().is_ok();
        let exists = match write::refuse_if_there(out) {
            Ok(()) => return Workplace::locked(folder, Parents::make(out)?),
            Err(exists) => exists,
        };
        write::tidy(out);
        if !left {
            return Err(exists.into());
        }
        let mut workplace = Workplace::locked(folder, Parents::make(out)?)?;
        if !workplace.has_key() {
            // The last step of a job that was interrupted while cleaning up.
            workplace.remove();
            return Err(exists.into());
        }
        // Another result at this place is none of this job's.
        let ids = releases_of(&workplace.key())?;
        if !ids.first().is_some_and(|id| is_of(out, &id.to_string())) {
            return Err(exists.into());
        }
        workplace.done = true;
        Ok(workplace)
    }

    fn locked(folder: PathBuf, parents: Parents) -> Result<Workplace, PipelineError> {
        let path = folder.join(LOCK);
        for _ in 0..TRIES {
            owner::ensure_folder(&folder)?;
            let lock = match owner::open_or_create(&path) {
                Ok(lock) => lock,
                // Its last user has just removed it.
                Err(_) if !folder.exists() => continue,
                Err(error) => return Err(error.into()),
            };
            match lock.try_lock() {
                Ok(()) if !path.exists() => {}
                Ok(()) => {
                    let workplace = Workplace { folder, parents, _lock: lock, done: false };
                    if workplace.has_key() {
                        RESUMABLE.store(true, Ordering::Relaxed);
                    } else {
                        workplace.clear()?;
                    }
                    return Ok(workplace);
                }
                Err(fs::TryLockError::WouldBlock) => return Err(PipelineError::Busy { folder }),
                Err(fs::TryLockError::Error(error)) => return Err(WriteError::io(&path)(error).into()),
            }
        }
        Err(PipelineError::Busy { folder })
    }

    /// Its path.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the result is in its place already.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    /// The path of the keys.
    pub(super) fn key(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// Whether a job was interrupted here.
    pub(super) fn has_key(&self) -> bool {
        self.key().symlink_metadata().is_ok()
    }

    /// The path of a file of this name.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The seed of everything that is random but no noise, if it was drawn before.
    pub(super) fn drawn(&self) -> Option<u64> {
        read_drawn(&self.folder)
    }

    /// Notes that seed. It is on the disk before the keys are: without it they are of no use.
    pub(super) fn draw(&self, seed: u64) -> Result<(), PipelineError> {
        Ok(owner::write_new(&self.file(DRAWN), seed.to_string().as_bytes())?)
    }

    /// From now on the job can resume, also after a power cut: the folder with the keys is found
    /// again.
    pub(super) fn begun(&self) -> Result<(), PipelineError> {
        self.parents.sync()?;
        RESUMABLE.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Takes the space that the result will need.
    pub(super) fn reserve(&self, bytes: u64) -> Result<(), PipelineError> {
        let path = self.file(RESERVE);
        let reserved = owner::reserve(&path, bytes);
        reserved.map_err(|source| PipelineError::NoSpace { folder: self.folder.clone(), bytes, source })
    }

    /// Frees that space.
    pub(super) fn free(&self) {
        // If it cannot be freed, it is removed with the folder.
        let _ = fs::remove_file(self.file(RESERVE));
    }

    /// The result is in its place, or nothing was spent on it: the keys are destroyed, and the rest
    /// is removed.
    pub(super) fn finish(self) -> Result<(), PipelineError> {
        // Keys first: without them the rest is nothing.
        if self.has_key() {
            destroy(&self.key())?;
        }
        self.remove();
        Ok(())
    }

    /// Removes everything but the lock.
    fn clear(&self) -> Result<(), WriteError> {
        for entry in fs::read_dir(&self.folder).map_err(WriteError::io(&self.folder))?.flatten() {
            let path = entry.path();
            if entry.file_name() == LOCK {
                continue;
            }
            // What a killed job left of its keys is overwritten, if it is a file.
            let overwritten = path.file_stem() == Some(KEY.as_ref()) && owner::destroy(&path).is_ok();
            if !overwritten {
                fs::remove_file(&path).map_err(WriteError::io(&path))?;
            }
        }
        Ok(())
    }

    /// Removes a folder without keys. What cannot be removed is removed by the next job here.
    fn remove(self) {
        RESUMABLE.store(false, Ordering::Relaxed);
        if self.clear().is_ok() {
            let _ = fs::remove_file(self.file(LOCK));
            let _ = fs::remove_dir(&self.folder);
        }
        // Parents that hold nothing are removed with it.
        drop(self.parents);
    }
}

/// Whether a folder holds the release with this id.
fn is_of(out: &Path, release: &str) -> bool {
    let statement = fs::read_to_string(out.join("privacy.json")).ok();
    let statement = statement.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    statement.is_some_and(|statement| statement["release"] == release)
}
