//! Our folder format, version 1: a few tables and a `meta.json` (`docs/format.md` is the
//! definition).
//!
//! `meta` reads declarations; `tables` reads the tables, each row with its place; `assemble`
//! combines them and checks the declarations.

mod assemble;
pub(crate) mod meta;
mod tables;

#[cfg(test)]
mod tests;

use super::entries::Entries;
use super::error::ReadError;
use crate::dataset::Dataset;

pub(super) const DESCRIBED: &str = "a folder with any of edges.csv, features.csv, labels.csv, meta.json (.csv.gz too)";

/// A folder with one of our tables or our `meta.json`. With a `target.csv` it is another layout.
pub(super) fn looks_like(entries: &Entries) -> bool {
    let ours = ["edges", "features", "labels"].iter().any(|table| entries.has_table(table));
    let dense = entries.has(tables::DENSE);
    !entries.is_single_file() && (ours || dense || entries.has(meta::NAME)) && !entries.has_table("target")
}

pub(super) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
    assemble::read(entries)
}
