//! Graphs and the data on their nodes.
//!
//! [`read`] recognises and reads files, [`import`] makes data sets of any tables of edges and
//! attributes, [`generate`] generates data, [`catalogue`] downloads data
//! sets by name. Each yields a [`Dataset`]: a [`Graph`] with [`Features`], [`Labels`] and a
//! [`Split`]. [`homophily`] measures how alike neighbours are; [`write`](mod@write) writes data
//! sets.
//!
//! This crate provides no privacy: see `veil-privacy`.
//!
//! ```
//! use veil_graph::generate::Community;
//! use veil_graph::homophily;
//!
//! let dataset = Community::citation().with_nodes(300).check()?.generate(7);
//! let labels = dataset.labels().ok_or("no labels")?;
//! let share = homophily::of_edges(dataset.graph(), |node| labels.get(node));
//! assert!(share.is_some_and(|share| share > 0.7));
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("citation");
//! # #[cfg(feature = "files")]
//! veil_graph::write::write_folder(&dataset, &path)?;
//! # #[cfg(feature = "files")]
//! assert_eq!(veil_graph::read::open(&path)?, dataset);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! All are on by default. `files`: readers and writers of data sets. `parquet`: Parquet and Arrow
//! tables. `import`: tables of edges and attributes, graph files with attributes, zstd. `fetch`:
//! the catalogue and its downloads.

mod caught;
mod dataset;
mod features;
mod graph;
mod ids;
mod labels;
mod matrix;
mod misfit;
mod split;
#[cfg(all(test, any(feature = "files", feature = "fetch")))]
mod testing;

pub mod bytes;
#[cfg(feature = "fetch")]
pub mod catalogue;
pub mod generate;
pub mod homophily;
#[cfg(feature = "import")]
pub mod import;
pub mod limits;
pub mod random;
#[cfg(feature = "files")]
pub mod read;
pub mod write;

pub use caught::{caught, is_caught};
pub use dataset::{
    Apart, Counts, Dataset, DatasetError, Declared, Fingerprint, Holder, Holders, HoldersError, Overlap, Range, Ranges,
    Summary,
};
pub use features::{Encoded, Features, Moments, Sparse, SparseError, StackError};
pub use graph::{Built, Direction, Dropped, Graph, GraphError, NodeId};
pub use ids::NodeNames;
pub use labels::{LabelError, Labels};
pub use matrix::{Matrix, ShapeError};
pub use misfit::Misfit;
pub use split::{Fractions, FractionsError, Part, Split};
