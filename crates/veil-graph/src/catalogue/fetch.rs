//! Downloads all files of a named data set into the cache.

use std::fs;
use std::path::{Path, PathBuf};

use super::archive::unpack;
use super::download::{download, sum};
use super::entry::Entry;
use super::error::FetchError;

/// The size limit of an unpacked data set.
const UNPACKED_LIMIT: u64 = 16 << 30;

/// The progress of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchProgress<'a> {
    /// The file that is being downloaded.
    pub file: &'a str,
    /// The index of the file, counted from 1.
    pub number: usize,
    /// The number of files.
    pub files: usize,
    /// The received bytes of this file.
    pub received: u64,
    /// Its size, if the server announced it.
    pub total: Option<u64>,
}

/// The user's cache: `$VEIL_CACHE`, or the system's cache folder, if any.
pub fn cache_folder() -> Option<PathBuf> {
    std::env::var_os("VEIL_CACHE").filter(|path| !path.is_empty()).map(PathBuf::from).or_else(dirs::cache_dir)
}

/// The folder into which [`fetch`] downloads an entry.
pub fn folder_of(entry: &Entry, cache: &Path) -> PathBuf {
    cache.join("veilgraph").join(entry.name).join("raw")
}

/// Downloads the files of an entry that are not cached, and returns the folder to read.
///
/// # Errors
/// If a file cannot be downloaded or has another sum.
pub fn fetch(entry: &Entry, cache: &Path, progress: &mut dyn FnMut(FetchProgress<'_>)) -> Result<PathBuf, FetchError> {
    fetch_from(entry.base, entry, cache, progress)
}

/// As [`fetch`], from a mirror: `base` replaces that of the entry.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_from(
    base: &str,
    entry: &Entry,
    cache: &Path,
    progress: &mut dyn FnMut(FetchProgress<'_>),
) -> Result<PathBuf, FetchError> {
    let raw = folder_of(entry, cache);
    fs::create_dir_all(&raw).map_err(FetchError::io(&raw))?;
    let files = entry.sources.len();
    for (source, number) in entry.sources.iter().zip(1..) {
        let target = raw.join(source.file);
        if target.exists() {
            // A cached file may be damaged; where the sum is known, checking is cheap.
            if source.sha256.is_none_or(|known| sum(&target).is_ok_and(|found| found == known)) {
                continue;
            }
            fs::remove_file(&target).map_err(FetchError::io(&target))?;
        }
        let url = format!("{base}{}", source.path);
        download(&url, &target, source.sha256, &mut |received, total| {
            progress(FetchProgress { file: source.file, number, files, received, total });
        })?;
    }
    for source in entry.sources.iter().filter(|source| source.archive) {
        let unpacked = raw.join("unpacked");
        // Unpacking is atomic, so an existing folder is complete.
        if !unpacked.exists() {
            unpack(&raw.join(source.file), &unpacked, UNPACKED_LIMIT)?;
        }
    }
    Ok(if entry.inside.is_empty() { raw } else { raw.join(entry.inside) })
}

#[cfg(test)]
mod tests;
