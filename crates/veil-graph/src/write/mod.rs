//! Putting data sets down.
//!
//! [`atomically`] is the frame: what it writes is there as a whole or not at all, and it overwrites nothing. Into that
//! frame `folder` puts our own layout: a `meta.json` that counts, and one table for edges, features, labels, splits
//! and names each, small ones by `csv`, the long one of features by `blocks`, which compresses on all
//! cores and still gives the same bytes on one; or `parquet` puts two tables. [`write_file`] is the frame of a single file.

mod atomic;
mod blocks;
mod csv;
mod error;
mod folder;
mod parquet;
mod unfinished;

pub use atomic::{atomically, refuse_if_there, write_file};
pub use error::WriteError;
pub use folder::{fill_folder, replace_split, write_folder};
pub use parquet::{fill_parquet, write_parquet};
pub use unfinished::{Abandoned, abandon_unfinished};
