//! Parts of a data set that do not fit together.

use crate::dataset::DatasetError;
use crate::features::SparseError;
use crate::graph::GraphError;
use crate::labels::LabelError;
use crate::matrix::ShapeError;

/// Why parts of a data set do not fit together.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum Misfit {
    /// The graph.
    Graph(#[from] GraphError),
    /// The features.
    Sparse(#[from] SparseError),
    /// The features.
    Shape(#[from] ShapeError),
    /// The labels.
    Label(#[from] LabelError),
    /// The data set as a whole.
    Dataset(#[from] DatasetError),
}
