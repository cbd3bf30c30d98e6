//! Errors of encoding and decoding weights.

use crate::model::DescriptionError;

/// Why weights cannot be encoded or decoded.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The bytes are not a safetensors file.
    #[error("not a safetensors file: {reason}")]
    NotSafetensors {
        /// The reason.
        reason: String,
    },
    /// The file is shorter or longer than its header declares.
    #[error("the header declares {expected} bytes of weights, but there are {found}")]
    Length {
        /// The declared length.
        expected: usize,
        /// The actual length.
        found: usize,
    },
    /// A safetensors file of another program.
    #[error("the file has no entry \"veil-model\": another program wrote it")]
    NoDescription,
    /// The description is invalid.
    #[error("the description of the model cannot be read: {source}")]
    Description {
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The file has another format version.
    #[error("the file has format version {found}, but this program reads version {known}")]
    UnknownVersion {
        /// The version of the file.
        found: u64,
        /// The known version.
        known: u64,
    },
    /// The described network is invalid.
    #[error("the described network is invalid: {0}")]
    Architecture(#[from] DescriptionError),
    /// The described network is larger than the file.
    #[error("the file has {found} weights, but the described network has at least {expected}")]
    TooFew {
        /// Weights of the network, at least.
        expected: u64,
        /// Weights in the file.
        found: u64,
    },
    /// The described network has another number of matrices.
    #[error("the file has {found} matrices, but the described network has {expected}")]
    Count {
        /// Matrices of the network.
        expected: usize,
        /// Matrices in the file.
        found: usize,
    },
    /// A matrix is missing.
    #[error("the file has no matrix \"{name}\"")]
    Missing {
        /// Its name.
        name: String,
    },
    /// A matrix does not belong to the network.
    #[error("the file has a matrix \"{name}\", which the network does not have")]
    Unexpected {
        /// Its name.
        name: String,
    },
    /// A matrix has another shape than in the network.
    #[error("matrix \"{name}\" should be {}×{}, but is {}×{}", expected[0], expected[1], found[0], found[1])]
    WrongShape {
        /// Its name.
        name: String,
        /// Rows and columns in the network.
        expected: [usize; 2],
        /// Rows and columns in the file.
        found: [usize; 2],
    },
    /// A tensor does not have two dimensions, or one of them is 0.
    #[error("\"{name}\" has the shape {found:?}: only nonempty matrices are supported")]
    NotAMatrix {
        /// Its name.
        name: String,
        /// Its shape.
        found: Vec<usize>,
    },
    /// Values are not 32-bit floats.
    #[error("matrix \"{name}\" holds values of type {found}, not F32")]
    WrongType {
        /// The name of the matrix.
        name: String,
        /// The type.
        found: String,
    },
    /// A value is NaN or infinite.
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
