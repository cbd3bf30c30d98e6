//! Parquet and Arrow tables.
//!
//! A folder holds `edges.parquet` (or `.arrow`, `.feather`) with the columns `src` and `dst`, and
//! optionally `nodes.parquet` with `node`, `label`, `split` and features. A single file with two
//! such columns is an edge list. `container` opens a file and yields its rows; `thrift` checks
//! Parquet's footer and `packed` Arrow's compressed blocks first. `cells` reads columns of any
//! suitable type; `edges` and `nodes` interpret them; `notes` holds metadata of the whole data set;
//! `assemble` builds it. Numeric node names are sorted; text names keep the order of the node
//! table.

#[cfg(feature = "parquet")]
mod assemble;
#[cfg(feature = "parquet")]
mod cells;
#[cfg(feature = "parquet")]
pub(crate) mod container;
#[cfg(feature = "parquet")]
mod edges;
#[cfg(feature = "parquet")]
mod nodes;
#[cfg(feature = "parquet")]
mod notes;
#[cfg(feature = "parquet")]
mod packed;
#[cfg(feature = "parquet")]
#[cfg(test)]
mod tests;
#[cfg(feature = "parquet")]
mod thrift;

#[cfg(feature = "parquet")]
pub(super) use self::assemble::read;
#[cfg(feature = "parquet")]
pub(crate) use self::notes::{ENCODING_KEY, Encoding, NOTES_KEY, Notes as TableNotes, VERSION};
use super::entries::Entries;

const ENDINGS: [&str; 3] = ["parquet", "arrow", "feather"];

pub(super) const DESCRIBED: &str =
    "a folder with edges.parquet and optionally nodes.parquet (or .arrow, .feather), or one such file of edges";

/// A folder with an edge table, or a single file with one of the endings.
pub(super) fn looks_like(entries: &Entries) -> bool {
    if entries.is_single_file() {
        let ending = |name: &String| ENDINGS.iter().any(|ending| name.ends_with(&format!(".{ending}")));
        return entries.names().iter().any(ending);
    }
    ENDINGS.iter().any(|ending| entries.has(&format!("edges.{ending}")))
}

#[cfg(not(feature = "parquet"))]
pub(super) fn read(entries: &Entries) -> Result<crate::Dataset, super::ReadError> {
    Err(super::ReadError::MissingFeature { path: entries.root().to_owned(), feature: "parquet" })
}
