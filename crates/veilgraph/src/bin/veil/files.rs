//! Files that a command is asked to write besides what it prints.

use std::path::{Path, PathBuf};

use veil_graph::write::WriteError;

use crate::failure::{Failure, usage};

/// The files that were asked for. None is there yet, and each is named once, so that a command can
/// refuse before it has written any.
pub fn new_files<'a>(asked: &[&'a Option<PathBuf>]) -> Result<Vec<&'a Path>, Failure> {
    let files: Vec<&Path> = asked.iter().filter_map(|file| file.as_deref()).collect();
    for (place, file) in files.iter().enumerate() {
        if files[..place].contains(file) {
            return usage(format!("{} is named twice: each format needs a file of its own", file.display()));
        }
        if file.symlink_metadata().is_ok() {
            return Err(WriteError::Exists { path: (*file).to_owned() }.into());
        }
    }
    Ok(files)
}
