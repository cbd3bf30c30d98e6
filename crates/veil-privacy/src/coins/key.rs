//! The key of one release.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::enumerate::Script;
use super::{Context, Stream};

const REPRODUCIBLE: &[u8] = b"veilgraph/coins/reproducible/v1";

/// Why there are no coins.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoinsError {
    #[error("the operating system's random source failed: {source}")]
    NoRandomness { source: getrandom::Error },
}

impl CoinsError {
    /// Whether the request is wrong, rather than the data or the system.
    pub fn is_usage(&self) -> bool {
        false
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        None
    }
}

/// The randomness of one release: a 256-bit key that is wiped when dropped and never shown.
///
/// Anyone who knows the seed of [`Coins::reproducible`] can remove the noise, so everything
/// released with it is marked "reproducible, therefore not private". A key must not serve two
/// releases, so it cannot be cloned.
///
/// ```compile_fail,E0599
/// fn again(coins: veil_privacy::Coins) -> (veil_privacy::Coins, veil_privacy::Coins) {
///     (coins.clone(), coins)
/// }
/// ```
pub struct Coins {
    key: [u8; 32],
    seed: Option<u64>,
    /// The decisions of an exploration, which replace the key's.
    script: Option<Script>,
}

impl Coins {
    /// A fresh key from the operating system.
    ///
    /// # Errors
    /// If the operating system's random source fails.
    pub fn from_os() -> Result<Coins, CoinsError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|source| CoinsError::NoRandomness { source })?;
        let coins = Coins { key, seed: None, script: None };
        key.zeroize();
        Ok(coins)
    }

    /// The key derived from `seed`, for experiments and tests: **not private**.
    pub fn reproducible(seed: u64) -> Coins {
        let key = hmac(REPRODUCIBLE, &seed.to_le_bytes());
        Coins { key: *key, seed: Some(seed), script: None }
    }

    /// Coins for scoring a mechanism. They belong to no release and no data: nothing drawn with
    /// them may be released.
    pub fn for_scoring(&self, purpose: &str) -> Stream {
        self.stream(&Context {
            release: [0; 16],
            redemption: 0,
            mechanism: "scoring",
            parameters: purpose,
            inputs: [0; 32],
            data: [0; 32],
            round: 0,
            query: 0,
        })
    }

    /// The stored key of an interrupted release.
    pub(crate) fn of_key(key: [u8; 32], seed: Option<u64>) -> Coins {
        Coins { key, seed, script: None }
    }

    /// Coins of an exploration: **not private**. Purposes have the streams of a fixed key.
    pub(super) fn forking(script: Script) -> Coins {
        Coins { script: Some(script), ..Coins::reproducible(0) }
    }

    /// The key, to be stored until a release ends.
    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// Coins for a second release of the same exploration; none of real coins, because no two
    /// releases share a key.
    pub fn of_next_release(&self) -> Option<Coins> {
        self.script.clone().map(Coins::forking)
    }

    /// A message authentication code under the key. No coins are derived from it.
    pub(crate) fn tag(&self, message: &[u8]) -> [u8; 32] {
        *hmac(&self.key, &[b"veilgraph/coins/tag/v1".as_slice(), message].concat())
    }

    /// Whether the coins are derived from a seed: then nothing released with them is private.
    pub fn is_reproducible(&self) -> bool {
        self.seed.is_some()
    }

    /// The seed, if there is one.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The coins for one purpose.
    pub fn stream(&self, context: &Context<'_>) -> Stream {
        Stream::new(hmac(&self.key, &context.encode()), self.script.clone())
    }
}

impl Drop for Coins {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl ZeroizeOnDrop for Coins {}

impl fmt::Debug for Coins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coins").field("key", &"redacted").field("seed", &self.seed).finish()
    }
}

/// HMAC-SHA-256 (RFC 2104). Keys are at most one block (64 bytes) long and padded with zeros, so no
/// length is refused.
pub(crate) fn hmac(key: &[u8], message: &[u8]) -> Zeroizing<[u8; 32]> {
    debug_assert!(key.len() <= 64);
    let mut block = Zeroizing::new([0_u8; 64]);
    for (slot, byte) in block.iter_mut().zip(key) {
        *slot = *byte;
    }
    let mut mac = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    mac.update(message);
    let mut tag = mac.finalize().into_bytes();
    let mut out = Zeroizing::new([0; 32]);
    out.copy_from_slice(&tag);
    tag.as_mut_slice().zeroize();
    out
}
