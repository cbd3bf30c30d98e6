//! Data by path or by name.

use std::path::Path;

use veil_graph::catalogue;
use veil_graph::read::{self, ReadError};
use veil_graph::Dataset;
use veil_privacy::release::Privatised;

use super::PipelineError;

/// Reads a data set by path, or by name from the cache of fetched ones.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn open(data: &str) -> Result<Dataset, PipelineError> {
    let path = Path::new(data);
    if path.exists() {
        return Ok(read::open(path)?);
    }
    let Some(entry) = catalogue::find(data) else {
        let problem = "no such path, and no known data set of this name".to_owned();
        return Err(ReadError::Unrecognised { path: path.to_owned(), problem }.into());
    };
    let kept = catalogue::kept(entry, &catalogue::cache()?);
    if kept.exists() {
        return Ok(read::open(&kept)?);
    }
    Err(PipelineError::NotFetched { name: data.to_owned() })
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
