//! Errors of encoding and decoding weights.

use crate::model::DescriptionError;

/// Why weights cannot be encoded or decoded.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("not a safetensors file: {reason}")]
    NotSafetensors { reason: String },
    #[error("the header declares {expected} bytes of weights, but there are {found}")]
    Length { expected: usize, found: usize },
    #[error("the file has no entry \"veil-model\": another program wrote it")]
    NoDescription,
    #[error("the description of the model cannot be read: {source}")]
    Description { source: serde_json::Error },
    #[error("the file has format version {found}, but this program reads version {known}")]
    UnknownVersion { found: u64, known: u64 },
    #[error("the described network is invalid: {0}")]
    Architecture(#[from] DescriptionError),
    #[error("the file has {found} weights, but the described network has at least {expected}")]
    TooFew { expected: u64, found: u64 },
    #[error("the file has {found} matrices, but the described network has {expected}")]
    Count { expected: usize, found: usize },
    #[error("the file has no matrix \"{name}\"")]
    Missing { name: String },
    #[error("the file has a matrix \"{name}\", which the network does not have")]
    Unexpected { name: String },
    #[error("matrix \"{name}\" should be {}×{}, but is {}×{}", expected[0], expected[1], found[0], found[1])]
    WrongShape { name: String, expected: [usize; 2], found: [usize; 2] },
    #[error("\"{name}\" has the shape {found:?}: only nonempty matrices are supported")]
    NotAMatrix { name: String, found: Vec<usize> },
    #[error("matrix \"{name}\" holds values of type {found}, not F32")]
    WrongType { name: String, found: String },
    #[error("matrix \"{name}\" holds a value that is not finite (row {row}, column {column})")]
    NotFinite { name: String, row: usize, column: usize },
}
