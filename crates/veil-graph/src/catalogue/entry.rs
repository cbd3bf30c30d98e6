//! The description of a named data set.

use super::classes::largest_classes;
use super::expected::Expected;
use crate::dataset::Dataset;
use crate::misfit::Misfit;

/// A named data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The web page of its publisher.
    pub home: &'static str,
    /// Its licence, if stated.
    pub licence: &'static str,
    /// The common prefix of the addresses of its sources.
    pub base: &'static str,
    /// Its files.
    pub sources: &'static [Source],
    /// The subfolder of the downloaded folder with the data set, or `""`.
    pub inside: &'static str,
    /// What to do after reading.
    pub finish: Finish,
    /// The expected counts after that.
    pub expected: Expected,
}

/// One file of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its address, relative to the base of the entry.
    pub path: &'static str,
    /// Its local name, as the reader of its layout expects it.
    pub file: &'static str,
    /// Its SHA-256 in hexadecimal, if known.
    pub sha256: Option<&'static str>,
    /// Whether it is an archive that must be unpacked.
    pub archive: bool,
}

/// What to do after reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Nothing.
    AsRead,
    /// Keep only the nodes of this many largest classes.
    LargestClasses(u32),
}

impl Entry {
    /// Whether every file has a known sum, so that the downloaded files are those that were
    /// counted.
    pub fn verified(&self) -> bool {
        self.expected.verified && self.sources.iter().all(|source| source.sha256.is_some())
    }

    /// Applies [`Entry::finish`] to a data set read from the files of this entry.
    ///
    /// # Errors
    /// If it lacks required parts, such as labels.
    pub fn finish(&self, dataset: Dataset) -> Result<Dataset, Misfit> {
        match self.finish {
            Finish::AsRead => Ok(dataset),
            Finish::LargestClasses(classes) => largest_classes(&dataset, classes),
        }
    }
}
