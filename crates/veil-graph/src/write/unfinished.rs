//! Hidden folders that are being filled, so that an interrupted program can remove them.
//!
//! A signal ends a program without dropping anything. This list is the one thing of ours that lives as long as the
//! program, because whoever handles the signal can be handed nothing else.

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder that is being filled: listed until it is dropped.
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    pub(super) fn new(path: PathBuf) -> Unfinished {
        list().push(path.clone());
        Unfinished(path)
    }

    /// Gives the folder its name, with nobody abandoning it meanwhile: it is finished as a whole or not at all.
    pub(super) fn finish<T>(&self, name_it: impl FnOnce() -> T) -> T {
        let _nobody_else = list();
        name_it()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        list().retain(|path| *path != self.0);
    }
}

/// As long as it lives, nothing that was being written can be finished.
pub struct Abandoned {
    _list: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes what is being written by [`atomically`](super::atomically): for a program that was interrupted and is about
/// to end. Keep the result until it does, or another thread could finish what was half removed.
#[must_use = "what was half removed could be finished"]
pub fn abandon_unfinished() -> Abandoned {
    let list = list();
    for path in list.iter() {
        // What cannot be removed stays, hidden; there is nobody left to tell.
        let _ = fs::remove_dir_all(path);
    }
    Abandoned { _list: list }
}
