//! The purpose of a stream of coins, under an injective encoding.

use veil_graph::bytes::fields;

/// The purpose of a stream of coins. Contexts that differ in any field have independent coins.
///
/// Two outputs with the same coins must be outputs of the same function on the same data: their
/// difference would otherwise reveal what the noise hides. So everything that decides the function
/// is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context<'a> {
    /// The id of the release, never used twice.
    pub release: [u8; 16],
    /// The number of the redemption of the permit, from 0: no two mechanisms of a release share
    /// coins.
    pub redemption: u32,
    /// The mechanism's name.
    pub mechanism: &'a str,
    /// The canonical text of all parameters.
    pub parameters: &'a str,
    /// The digest of everything else that the mechanism reads and that is not private: an
    /// embedding, queries, a public graph, compared features, the settings of teachers.
    pub inputs: [u8; 32],
    /// The fingerprint of the data: the same coins on changed data would reveal the change.
    pub data: [u8; 32],
    /// Round of a protocol, from 0.
    pub round: u32,
    /// Query within the round, from 0.
    pub query: u64,
}

impl Context<'_> {
    /// The fields in the order of the struct, numbers little-endian, each after its length in bytes
    /// (u64, little-endian): injective, because it can be decoded.
    pub(super) fn encode(&self) -> Vec<u8> {
        let redemption = self.redemption.to_le_bytes();
        let round = self.round.to_le_bytes();
        let query = self.query.to_le_bytes();
        fields(&[
            b"veilgraph/coins/stream/v2",
            &self.release,
            &redemption,
            self.mechanism.as_bytes(),
            self.parameters.as_bytes(),
            &self.inputs,
            &self.data,
            &round,
            &query,
        ])
    }
}
