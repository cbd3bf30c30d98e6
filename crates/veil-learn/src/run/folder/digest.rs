//! What a model is, in a few bytes.

use sha2::{Digest, Sha256};
use veil_graph::bytes::{field, hex};
use veil_nn::{FileError, Model};

use super::{MODEL, MOMENTS, READOUT, Run, RunError};

impl Run {
    /// A digest of everything learned that answers depend on: networks, moments and readout.
    ///
    /// # Errors
    /// If a weight is NaN or infinite.
    pub(crate) fn digest(&self) -> Result<String, RunError> {
        let network = |model: &Model| {
            let bytes = model.to_bytes();
            bytes.map_err(|source| RunError::from(FileError::Content { path: MODEL.into(), source }))
        };
        let json = |name: &str, value: serde_json::Result<Vec<u8>>| {
            value.map_err(|error| RunError::File { path: name.into(), problem: error.to_string() })
        };
        let mut learned = self.chosen.iter().chain([&self.last]).map(network).collect::<Result<Vec<_>, _>>()?;
        learned.push(json(MOMENTS, serde_json::to_vec(&self.scaled.moments()))?);
        learned.push(json(READOUT, serde_json::to_vec(&self.readout))?);
        let mut hash = Sha256::new_with_prefix(b"veilgraph/model/1");
        learned.iter().for_each(|content| field(content, |part| hash.update(part)));
        Ok(hex(&hash.finalize()))
    }
}
