//! What is known about a named data set.

use super::classes::largest_classes;
use super::expected::Expected;
use crate::dataset::Dataset;
use crate::read::Misfit;

/// A data set that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Who publishes it, for people.
    pub home: &'static str,
    /// Its licence, as far as it is stated.
    pub licence: &'static str,
    /// What stands before the path of every source.
    pub base: &'static str,
    /// Its files.
    pub sources: &'static [Source],
    /// The part of the downloaded folder that holds the data set: `""` if all of it does.
    pub inside: &'static str,
    /// What is left to do after reading.
    pub finish: Finish,
    /// What it holds then.
    pub expected: Expected,
}

/// One file of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its address below the entry's base.
    pub path: &'static str,
    /// What it is called here, so that the reader of its layout knows it.
    pub file: &'static str,
    /// Its SHA-256 in hexadecimal, where it is known.
    pub sha256: Option<&'static str>,
    /// Whether it is an archive that must be unpacked.
    pub archive: bool,
    /// Whether the content behind this address is known to be the file that was counted and summed.
    pub verified: bool,
}

/// What is left to do after reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Nothing.
    AsRead,
    /// Only the nodes of that many largest classes are used.
    LargestClasses(u32),
}

impl Entry {
    /// Whether every file has a known sum, so that what is fetched is what was counted.
    pub fn verified(&self) -> bool {
        self.expected.verified && self.sources.iter().all(|source| source.verified && source.sha256.is_some())
    }

    /// Gives a data set that was read from this entry's files the form in which it is used.
    ///
    /// # Errors
    /// If it lacks what that needs, such as labels.
    pub fn finish(&self, dataset: Dataset) -> Result<Dataset, Misfit> {
        match self.finish {
            Finish::AsRead => Ok(dataset),
            Finish::LargestClasses(classes) => largest_classes(&dataset, classes),
        }
    }
}
