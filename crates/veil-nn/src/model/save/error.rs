//! Why a file does not hold the weights that are wanted.

use crate::model::DescriptionError;

/// Why a file does not hold the weights that are wanted, or weights cannot be put into one.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The bytes are no safetensors file.
    #[error("this is not a safetensors file: {reason}")]
    NotSafetensors {
        /// What is wrong with them.
        reason: String,
    },
    /// There are fewer or more bytes than the header describes.
    #[error("the header describes {expected} bytes of weights, but {found} follow it")]
    Length {
        /// As the header has it.
        expected: usize,
        /// What is there.
        found: usize,
    },
    /// A safetensors file, but not of ours.
    #[error("the file has no entry \"veil-model\": it was not written by this program")]
    NoDescription,
    /// The description is not that of a model.
    #[error("the description of the model cannot be read: {source}")]
    Description {
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Written by a program that knows another format.
    #[error("the file has format version {found}, but this program knows version {known} only")]
    UnknownVersion {
        /// As the file has it.
        found: u64,
        /// The one that is known.
        known: u64,
    },
    /// The description is of a network that cannot be.
    #[error("the model that the file describes cannot be: {0}")]
    Architecture(#[from] DescriptionError),
    /// The description is of a larger network.
    #[error("the file holds {found} weights, but the network that it describes has at least {expected}")]
    TooFew {
        /// Weights of the network, at least.
        expected: u64,
        /// Weights in the file.
        found: u64,
    },
    /// The description is of a network with more or fewer matrices.
    #[error("the file holds {found} matrices, but the network that it describes has {expected}")]
    Count {
        /// Matrices of the network.
        expected: usize,
        /// Matrices in the file.
        found: usize,
    },
    /// A matrix is not there.
    #[error("the file has no matrix \"{name}\"")]
    Missing {
        /// Its name.
        name: String,
    },
    /// A matrix has no place in the model.
    #[error("the file has a matrix \"{name}\", which the model does not")]
    Unexpected {
        /// Its name.
        name: String,
    },
    /// A matrix has another shape than the model's.
    #[error("matrix \"{name}\" should be {}×{}, but is {}×{}", expected[0], expected[1], found[0], found[1])]
    WrongShape {
        /// Its name.
        name: String,
        /// Rows and columns in the model.
        expected: [usize; 2],
        /// Rows and columns in the file.
        found: [usize; 2],
    },
    /// Something has not two sides, or an empty one.
    #[error("\"{name}\" has the shape {found:?}: only matrices that are not empty can be read")]
    NotAMatrix {
        /// Its name.
        name: String,
        /// Its shape.
        found: Vec<usize>,
    },
    /// Values are not 32-bit floats.
    #[error("matrix \"{name}\" holds values of type {found}, not F32")]
    WrongType {
        /// Its name.
        name: String,
        /// Their type.
        found: String,
    },
    /// NaN or infinity.
    #[error("matrix \"{name}\" holds a value that is not finite (row {row}, column {column})")]
    NotFinite {
        /// Its name.
        name: String,
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
}
