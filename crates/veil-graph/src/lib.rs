//! Graphs and the data on their nodes.
//!
//! Data meets these modules in this order: [`read`] recognises what a path holds and reads it, or [`generate`] makes
//! it up, or [`catalogue`] fetches it by name; it becomes a [`Dataset`] of a [`Graph`], [`Features`], [`Labels`] and a
//! [`Split`]; [`homophily`] asks how far neighbours are alike; [`write`](mod@write) puts it down again.
//!
//! Nothing here protects anybody: that is `veil-privacy`.

mod caught;
mod dataset;
mod features;
mod graph;
mod ids;
mod labels;
mod matrix;
mod split;
#[cfg(test)]
mod testing;

pub mod catalogue;
pub mod generate;
pub mod homophily;
pub mod random;
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
pub use split::{Fractions, FractionsError, Part, Split};
