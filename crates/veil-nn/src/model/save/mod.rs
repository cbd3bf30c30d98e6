//! Weights in a file: safetensors, with a description of their model.
//!
//! The file's metadata has one entry, `veil-model`: JSON with a format `version` and the
//! description of the `model`. Every tensor is a 32-bit matrix `[rows, columns]`, without padding.
//! [`encode`] is deterministic. [`decode`] accepts untrusted bytes: it never panics, and never
//! allocates more than a few times the size of the file. [`fill`] assigns decoded matrices to their
//! parameters.

mod error;
#[cfg(test)]
mod tests;

pub use error::SaveError;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use safetensors::tensor::{Dtype, Metadata, View, serialize};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::tensor::Tensor;

/// The entry of the metadata that holds the description.
const KEY: &str = "veil-model";
/// The format version that this code writes and reads.
const VERSION: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Described<D> {
    version: u64,
    model: D,
}

/// The version only; other versions may have other keys.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

/// Encodes a description and matrices, ordered by name.
///
/// # Errors
/// If a value is NaN or infinite, or the description cannot be serialised.
///
/// # Panics
/// If two matrices have the same name, one is empty, or one is named `__metadata__`.
pub fn encode<D: Serialize>(description: &D, tensors: &[(String, &Tensor)]) -> Result<Vec<u8>, SaveError> {
    let names: BTreeSet<&str> = tensors.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.len() == tensors.len() && !names.contains("__metadata__"), "distinct names of matrices");
    assert!(tensors.iter().all(|(_, tensor)| tensor.rows() > 0 && tensor.columns() > 0), "no matrix is empty");
    for (name, tensor) in tensors {
        all_finite(name, tensor)?;
    }
    let described = serde_json::to_string(&Described { version: VERSION, model: description });
    let described = described.map_err(|source| SaveError::Description { source })?;
    // One entry: a map with more would have an unspecified order.
    let metadata = [(KEY.to_owned(), described)].into_iter().collect();
    let matrices = tensors.iter().map(|(name, tensor)| (name, Unpadded::of(tensor)));
    serialize(matrices, Some(metadata)).map_err(|source| SaveError::NotSafetensors { reason: source.to_string() })
}

/// The description and the matrices of a file, in the order of the file.
///
/// # Errors
/// If the bytes are not the result of [`encode`]: see [`SaveError`].
pub fn decode<D: DeserializeOwned>(bytes: &[u8]) -> Result<(D, Vec<(String, Tensor)>), SaveError> {
    let (metadata, data) = split(bytes)?;
    let described =
        metadata.metadata().as_ref().and_then(|entries| entries.get(KEY)).ok_or(SaveError::NoDescription)?;
    let malformed = |source| SaveError::Description { source };
    let Version { version: found } = serde_json::from_str(described).map_err(malformed)?;
    if found != VERSION {
        return Err(SaveError::UnknownVersion { found, known: VERSION });
    }
    let Described { model, .. } = serde_json::from_str(described).map_err(malformed)?;

    let mut tensors = Vec::new();
    for name in metadata.offset_keys() {
        if let Some(info) = metadata.info(&name) {
            let tensor = matrix(&name, info.dtype, &info.shape, &data[info.data_offsets.0..info.data_offsets.1])?;
            tensors.push((name, tensor));
        }
    }
    Ok((model, tensors))
}

/// Splits a file into header and data.
///
/// The reader of the safetensors crate adds offsets before it checks them against the length of the
/// file, and the sum can overflow. Everything else (offsets without gaps or overlaps that fit the
/// shapes) is checked by the deserialisation of [`Metadata`].
fn split(bytes: &[u8]) -> Result<(Metadata, &[u8]), SaveError> {
    let broken = |reason: &str| SaveError::NotSafetensors { reason: reason.to_owned() };
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| broken("shorter than the length of a header"))?;
    let parts = usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|length| rest.split_at_checked(length));
    let (header, data) = parts.ok_or_else(|| broken("the header is longer than the file"))?;
    let metadata: Metadata = serde_json::from_slice(header).map_err(|error| broken(&error.to_string()))?;
    if metadata.data_len() != data.len() {
        return Err(SaveError::Length { expected: metadata.data_len(), found: data.len() });
    }
    Ok((metadata, data))
}

fn matrix(name: &str, dtype: Dtype, shape: &[usize], data: &[u8]) -> Result<Tensor, SaveError> {
    if dtype != Dtype::F32 {
        return Err(SaveError::WrongType { name: name.to_owned(), found: dtype.to_string() });
    }
    // An empty matrix has no bytes, so its other dimension could be any number.
    let &[rows @ 1..=usize::MAX, columns @ 1..=usize::MAX] = shape else {
        return Err(SaveError::NotAMatrix { name: name.to_owned(), found: shape.to_vec() });
    };
    let mut tensor = Tensor::zeros(rows, columns);
    for (row, bytes) in data.chunks_exact(columns * size_of::<f32>()).enumerate() {
        let (values, _) = bytes.as_chunks::<4>();
        for (out, value) in tensor.row_mut(row).iter_mut().zip(values) {
            *out = f32::from_le_bytes(*value);
        }
    }
    all_finite(name, &tensor)?;
    Ok(tensor)
}

fn all_finite(name: &str, tensor: &Tensor) -> Result<(), SaveError> {
    for row in 0..tensor.rows() {
        if let Some(column) = tensor.row(row).iter().position(|value| !value.is_finite()) {
            return Err(SaveError::NotFinite { name: name.to_owned(), row, column });
        }
    }
    Ok(())
}

/// Assigns every decoded matrix by its name, or changes nothing if one does not fit.
///
/// # Errors
/// If a matrix is missing, has another shape, or is unknown.
pub fn fill(decoded: Vec<(String, Tensor)>, places: Vec<(String, &mut Tensor)>) -> Result<(), SaveError> {
    let mut decoded: BTreeMap<String, Tensor> = decoded.into_iter().collect();
    let mut moves = Vec::with_capacity(places.len());
    for (name, place) in places {
        let Some(tensor) = decoded.remove(&name) else {
            return Err(SaveError::Missing { name });
        };
        let (expected, found) = ([place.rows(), place.columns()], [tensor.rows(), tensor.columns()]);
        if expected != found {
            return Err(SaveError::WrongShape { name, expected, found });
        }
        moves.push((place, tensor));
    }
    if let Some((name, _)) = decoded.pop_first() {
        return Err(SaveError::Unexpected { name });
    }
    for (place, tensor) in moves {
        *place = tensor;
    }
    Ok(())
}

/// The values of a tensor without padding.
struct Unpadded<'a> {
    tensor: &'a Tensor,
    shape: [usize; 2],
}

impl Unpadded<'_> {
    fn of(tensor: &Tensor) -> Unpadded<'_> {
        Unpadded { tensor, shape: [tensor.rows(), tensor.columns()] }
    }
}

impl View for Unpadded<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let rows = (0..self.tensor.rows()).flat_map(|row| self.tensor.row(row));
        rows.flat_map(|value| value.to_le_bytes()).collect()
    }

    fn data_len(&self) -> usize {
        self.shape[0] * self.shape[1] * size_of::<f32>()
    }
}
