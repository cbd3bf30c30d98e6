//! `owner/`: what must not be handed over.
//!
//! Scores and exact counts of edges need the truth, timings depend on it, and data that were
//! released unperturbed without being declared public are the truth itself. They are kept in a
//! folder that nobody but its owner can open, so that copying a run folder cannot include them
//! unnoticed.

use std::path::{Path, PathBuf};

use veil_graph::write::{self, WriteError};
use veil_privacy::Statement;

/// The name of the folder.
pub const FOLDER: &str = "owner";

const README: &str = "\
# For the owner of the data alone

Nothing in this folder is covered by the guarantees of the release: scores against true labels and edges,
timings, and data that were released unperturbed without being declared public. Do not hand it over. `veil
publish` makes a folder that may be handed over.
";

/// Creates the folder in the folder of a run, readable by its owner alone.
///
/// # Errors
/// If it cannot be written.
pub(super) fn create(run: &Path) -> Result<PathBuf, WriteError> {
    let folder = run.join(FOLDER);
    write::owner::create_folder(&folder).map_err(WriteError::io(&folder))?;
    let readme = folder.join("README.md");
    std::fs::write(&readme, README).map_err(WriteError::io(&readme))?;
    Ok(folder)
}

/// Closes every folder of this name in a folder of runs, with all its files, to everybody but their
/// owner.
///
/// # Errors
/// If a mode cannot be changed.
pub(crate) fn close(runs: &Path) -> Result<(), WriteError> {
    for entry in std::fs::read_dir(runs).map_err(WriteError::io(runs))? {
        let path = entry.map_err(WriteError::io(runs))?.path();
        if path.is_dir() {
            if path.file_name() == Some(FOLDER.as_ref()) { write::owner::close(&path)? } else { close(&path)? }
        }
    }
    Ok(())
}

/// Where a part of a run that was released with this statement is written: beside the statement if
/// everything in it may leave.
pub(crate) fn place_of(run: &Path, part: &str, statement: &Statement) -> PathBuf {
    if statement.undeclared().is_empty() { run.join(part) } else { run.join(FOLDER).join(part) }
}

/// Where a part of a run was written.
pub(crate) fn find(run: &Path, part: &str) -> PathBuf {
    let open = run.join(part);
    if open.exists() { open } else { run.join(FOLDER).join(part) }
}
