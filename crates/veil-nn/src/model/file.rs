//! Saving and loading networks.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use veil_graph::write::WriteError;

use super::save::{self, SaveError};
use super::{Architecture, Description, Model};

/// The description of a network in its file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    inputs: usize,
    classes: usize,
    #[serde(flatten)]
    description: Description,
}

/// Why a network cannot be saved or loaded.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Content { path: PathBuf, source: SaveError },
}

impl Model {
    /// The network as a safetensors file, deterministically.
    ///
    /// # Errors
    /// If a weight is NaN or infinite.
    pub fn to_bytes(&self) -> Result<Vec<u8>, SaveError> {
        let Architecture { description, inputs, classes } = self.architecture;
        save::encode(&Described { inputs, classes, description }, &self.tensors())
    }

    /// Decodes a network from untrusted bytes.
    ///
    /// # Errors
    /// If they are not the result of [`to_bytes`](Model::to_bytes): see [`SaveError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, SaveError> {
        let (Described { inputs, classes, description }, tensors) = save::decode(bytes)?;
        let architecture = description.check(inputs, classes)?;
        // Checked before anything of the described size is allocated.
        let (expected, found) = (architecture.least_weights(), tensors.iter().map(|(_, tensor)| tensor.size()).sum());
        if found < expected {
            return Err(SaveError::TooFew { expected, found });
        }
        let (expected, found) = (architecture.matrices(), tensors.len());
        if found != expected {
            return Err(SaveError::Count { expected, found });
        }
        let mut model = Model::new(architecture, 0);
        let names: Vec<String> = model.tensors().into_iter().map(|(name, _)| name).collect();
        save::fill(tensors, names.into_iter().zip(model.tensors_mut()).collect())?;
        Ok(model)
    }

    /// Writes a safetensors file, as a whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written; an existing file is then unchanged.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let bytes = self.to_bytes().map_err(|source| FileError::Content { path: path.to_owned(), source })?;
        Ok(veil_graph::write::replace_file(path, &bytes)?)
    }

    /// Reads the file of [`save`](Model::save).
    ///
    /// # Errors
    /// If the file cannot be read or holds something else.
    pub fn load(path: &Path) -> Result<Model, FileError> {
        let bytes = std::fs::read(path).map_err(|source| FileError::Read { path: path.to_owned(), source })?;
        Model::from_bytes(&bytes).map_err(|source| FileError::Content { path: path.to_owned(), source })
    }
}

impl Architecture {
    /// The number of matrices of such a network: per layer as many as in a small one of its kind.
    fn matrices(&self) -> usize {
        let Description { layers, .. } = self.description;
        let small = |layers| {
            let description = Description { layers, hidden: 1, heads: 1, ..self.description };
            Model::new(Architecture { description, inputs: 1, classes: 1 }, 0).tensors().len()
        };
        let (one, two) = (small(1), small(2));
        one + (two - one) * (layers - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Kind;
    use crate::model::DescriptionError;

    fn networks() -> impl Iterator<Item = Model> {
        Kind::ALL.into_iter().flat_map(|kind| {
            let heads = if kind.has_heads() { 3 } else { 1 };
            [1, 2, 4].map(|layers| {
                let description =
                    Description { kind, layers, hidden: 5, heads, batch_norm: layers == 4, ..Description::default() };
                Model::new(description.check(6, 3).unwrap(), 7)
            })
        })
    }

    #[test]
    fn networks_survive_a_round_trip() {
        for model in networks() {
            let bytes = model.to_bytes().unwrap();
            let back = Model::from_bytes(&bytes).unwrap();
            assert_eq!(back.architecture(), model.architecture());
            assert_eq!(back.tensors(), model.tensors());
            assert_eq!(back.to_bytes().unwrap(), bytes);
        }
    }

    #[test]
    fn the_number_of_matrices_is_right_for_every_network() {
        for model in networks() {
            assert_eq!(model.tensors().len(), model.architecture().matrices());
        }
    }

    #[test]
    fn the_lower_bound_of_weights_holds() {
        for model in networks() {
            let weights: u64 = model.tensors().iter().map(|(_, tensor)| tensor.size()).sum();
            assert!(weights >= model.architecture().least_weights());
        }
    }

    /// The same weights under another description.
    fn described(model: &Model, change: impl Fn(&mut Described)) -> SaveError {
        let Architecture { description, inputs, classes } = *model.architecture();
        let mut description = Described { inputs, classes, description };
        change(&mut description);
        Model::from_bytes(&save::encode(&description, &model.tensors()).unwrap()).unwrap_err()
    }

    #[test]
    fn a_description_of_another_network_is_refused() {
        let model = networks().nth(1).unwrap();
        let error = described(&model, |described| described.classes = 4);
        assert_eq!(error.to_string(), "matrix \"layers.1.weight\" should be 5×4, but is 5×3");
        let error = described(&model, |described| described.inputs = 5);
        assert_eq!(error.to_string(), "matrix \"layers.0.weight\" should be 5×5, but is 6×5");
        let error = described(&model, |described| described.description.kind = Kind::Gcn);
        assert_eq!(error.to_string(), "the file has no matrix \"layers.0.lin.weight\"");
        let error = described(&model, |described| described.description.kind = Kind::Sage);
        assert_eq!(error.to_string(), "the file has 4 matrices, but the described network has 6");
        let error = described(&model, |described| described.description.layers = 0);
        assert!(matches!(error, SaveError::Architecture(DescriptionError::OutOfRange { what: "layers", .. })));
    }

    #[test]
    fn a_huge_description_allocates_nothing() {
        let model = networks().nth(1).unwrap();
        let error = described(&model, |described| described.description.hidden = 1 << 20);
        assert!(matches!(error, SaveError::TooFew { .. }), "{error}");
        let error = described(&model, |described| {
            described.description.hidden = 1 << 24;
            described.description.layers = 1 << 24;
        });
        assert!(matches!(error, SaveError::Architecture(_)), "{error}");
        // Many small layers take far more memory than their weights.
        let error = described(&model, |described| {
            described.description = Description { hidden: 1, layers: 40, ..described.description };
        });
        assert!(matches!(error, SaveError::Count { expected: 80, found: 4 }), "{error}");
    }

    #[test]
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        assert!(matches!(Model::load(&path), Err(FileError::Read { .. })));
        let model = networks().next().unwrap();
        model.save(&path).unwrap();
        assert_eq!(Model::load(&path).unwrap().tensors(), model.tensors());
        std::fs::write(&path, b"no model").unwrap();
        let text = Model::load(&path).unwrap_err().to_string();
        assert!(text.contains("model.safetensors") && text.contains("not a safetensors file"), "{text}");
    }
}
