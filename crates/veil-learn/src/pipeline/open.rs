//! Data by path or by name.

use std::path::Path;
#[cfg(feature = "fetch")]
use std::path::PathBuf;

use veil_graph::Dataset;
#[cfg(feature = "fetch")]
use veil_graph::catalogue;
use veil_graph::read::{self, ReadError};
use veil_privacy::release::Privatised;

use super::PipelineError;

/// Reads a data set by path or, with the feature `fetch`, by name from the cache of fetched ones.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn open(data: &str) -> Result<Dataset, PipelineError> {
    let path = Path::new(data);
    if path.exists() {
        return Ok(read::open(path)?);
    }
    #[cfg(feature = "fetch")]
    if let Some(entry) = catalogue::find(data) {
        let kept = kept(entry, &cache()?);
        if kept.exists() {
            return Ok(read::open(&kept)?);
        }
        return Err(PipelineError::NotFetched { name: data.to_owned() });
    }
    let problem = "no such path, and no known data set of this name".to_owned();
    Err(ReadError::Unrecognised { path: path.to_owned(), problem }.into())
}

/// Where fetched data sets are kept.
///
/// # Errors
/// If the system has no such place.
#[cfg(feature = "fetch")]
pub fn cache() -> Result<PathBuf, PipelineError> {
    catalogue::cache_folder().ok_or(PipelineError::NoCache)
}

/// Where a fetched data set is kept in our format: beside the raw files.
#[cfg(feature = "fetch")]
pub fn kept(entry: &catalogue::Entry, cache: &Path) -> PathBuf {
    catalogue::folder_of(entry, cache).with_file_name("data")
}

/// Fails if a result would lie inside raw data, which invites publishing the wrong folder.
///
/// # Errors
/// If it would, or the path of the result cannot be resolved.
pub fn refuse_inside(out: &Path, data: &Path) -> Result<(), PipelineError> {
    let Ok(data) = data.canonicalize() else { return Ok(()) };
    let path = std::path::absolute(out)?;
    let inside = path.ancestors().filter_map(|folder| folder.canonicalize().ok()).any(|folder| folder == data);
    if inside && data.is_dir() { Err(PipelineError::InsideData { out: out.to_owned(), data }) } else { Ok(()) }
}

/// Reads raw data, not a release.
///
/// # Errors
/// As [`open`], and if the folder is a release.
pub fn raw(data: &str) -> Result<Dataset, PipelineError> {
    if Privatised::is_released(Path::new(data)) {
        return Err(PipelineError::NotRaw { data: data.to_owned() });
    }
    open(data)
}
