//! What an interrupt leaves behind.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use veil_lab::sweep::Book;

/// Whether an evaluation keeps what it has: a signal handler can be handed nothing else.
static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// The folder of the running sweep.
static SWEEP: OnceLock<PathBuf> = OnceLock::new();

/// Whether the same command resumes if it is interrupted now.
pub fn is_resumable() -> bool {
    RESUMABLE.load(Ordering::Relaxed) || veil_learn::pipeline::is_resumable()
}

/// From now on the command can resume.
pub fn set_resumable() {
    RESUMABLE.store(true, Ordering::Relaxed);
}

/// From now on this sweep can resume.
pub fn set_sweep(folder: &Path) {
    let _ = SWEEP.set(folder.to_owned());
    set_resumable();
}

/// An interrupt is not counted as a crash of the runs under way.
pub fn release_runs() {
    if let Some(folder) = SWEEP.get() {
        Book::let_go(folder);
    }
}
