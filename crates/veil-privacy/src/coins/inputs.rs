//! The digest of what a mechanism reads besides its parameters and the private data.

use sha2::{Digest, Sha256};
use veil_graph::bytes::field;
use veil_graph::{Features, NodeId};

/// What decides the function of a mechanism, besides its parameters and the private data. The coins
/// depend on it: another function has other coins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs(pub(crate) [u8; 32]);

/// Inputs under their names, in order; injective up to collisions of SHA-256.
#[derive(Clone, Debug)]
pub struct InputsBuilder {
    hash: Sha256,
}

impl Inputs {
    /// For mechanisms that read nothing else.
    pub fn none() -> Inputs {
        Inputs::of().digest()
    }

    /// No inputs yet.
    pub fn of() -> InputsBuilder {
        InputsBuilder { hash: Sha256::new().chain_update(b"veilgraph/coins/inputs/v1") }
    }
}

impl InputsBuilder {
    /// The same with one more input.
    #[must_use]
    pub fn with(mut self, name: &str, content: &[u8]) -> InputsBuilder {
        for content in [name.as_bytes(), content] {
            field(content, |part| self.hash.update(part));
        }
        self
    }

    /// The same with numbers of nodes or clusters.
    #[must_use]
    pub fn with_numbers(self, name: &str, numbers: &[NodeId]) -> InputsBuilder {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.with(name, &bytes)
    }

    /// The same with released features, exactly as they are.
    #[must_use]
    pub fn with_features(self, features: &Features) -> InputsBuilder {
        let (form, offset, scale) = match features {
            Features::Dense(_) => (0_u32, 0.0, 0.0),
            Features::Sparse(_) => (1, 0.0, 0.0),
            Features::Encoded(encoded) => (2, encoded.offset(), encoded.scale()),
        };
        let shape = [form, features.rows() as u32, features.columns() as u32, offset.to_bits(), scale.to_bits()];
        let mut rows = Sha256::new();
        let mut row_bytes = Vec::new();
        for row in 0..features.rows() {
            row_bytes.clear();
            let mut entry = |column: u32, value: f32| {
                row_bytes.extend_from_slice(&column.to_le_bytes());
                row_bytes.extend_from_slice(&value.to_bits().to_le_bytes());
            };
            match features {
                Features::Dense(matrix) => matrix.row(row).iter().zip(0..).for_each(|(&value, at)| entry(at, value)),
                Features::Sparse(sparse) => sparse.row(row).for_each(|(at, value)| entry(at, value)),
                Features::Encoded(encoded) => encoded.row(row).for_each(|(at, sign)| entry(at, sign)),
            }
            field(&row_bytes, |part| rows.update(part));
        }
        self.with_numbers("shape of features", &shape).with("features", &rows.finalize())
    }

    /// The digest.
    pub fn digest(self) -> Inputs {
        Inputs(self.hash.finalize().into())
    }
}
