//! Edges and attributes as people have them: from tables of any format to a data set.
//!
//! In the order in which data meets it: a [`Request`] names files and columns. `formats` reads a
//! file into a `table` of texts, with one reader per format in a registry; `networks` reads files
//! that hold a whole graph with attributes (GraphML, node-link JSON) into two such tables. `edges`
//! finds the two ends of every edge and numbers the nodes; `nodes` finds the row of every node. For
//! each column of attributes `values` decides what it holds (numbers, booleans, categories, lists,
//! dates), `columns` which features it becomes, and `labels` which classes. `plan` brings it
//! together; the [`Report`] says what each column became, what was guessed and what was dropped.
//!
//! Nothing is filled in silently: a missing value gets a column that says so, or is refused.

mod columns;
mod edges;
mod error;
mod formats;
mod labels;
mod networks;
mod nodes;
mod plan;
mod report;
mod request;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use error::{Contradiction, ImportError};
pub use formats::is_table;
pub use networks::is_network;
pub(crate) use networks::open_bare;
pub use plan::{Rows, import, import_tables};
pub use report::{ColumnReport, Report};
pub use request::{Classes, FeatureColumns, Kind, MissingValues, Request, Unlisted};

use crate::dataset::Dataset;
use crate::read::headers::IDS;

/// Whether a column of this name usually holds the ids of nodes.
pub fn names_ids(column: &str) -> bool {
    IDS.iter().any(|known| column.eq_ignore_ascii_case(known))
}

/// A data set, and how it came about.
#[derive(Debug)]
pub struct Imported {
    /// The data set.
    pub dataset: Dataset,
    /// What became of the columns.
    pub report: Report,
}
