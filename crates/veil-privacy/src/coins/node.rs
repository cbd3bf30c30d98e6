//! One node's coins: uniform words, and exactly uniform numbers below any bound.

use std::fmt;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use zeroize::Zeroizing;

use super::Inputs;
use super::key::hmac;

const ROUND: &[u8] = b"veilgraph/coins/device-round/v1";
const INPUTS: &[u8] = b"veilgraph/coins/of-inputs/v1";

/// The coins of one purpose, for all nodes. Cheap to share between threads: [`node`](Stream::node)
/// takes `&self`.
pub struct Stream {
    subkey: Zeroizing<[u8; 32]>,
}

impl Stream {
    pub(super) fn new(subkey: Zeroizing<[u8; 32]>) -> Stream {
        Stream { subkey }
    }

    /// The coins of a device with this key, equal to those of a simulation with the same subkey. In
    /// a deployment every device has its own key, so no device knows the coins of another.
    pub fn of_device(key: &[u8; 32]) -> Stream {
        Stream::new(Zeroizing::new(*key))
    }

    /// The coins of one round, for a device that reports several times under one key: HMAC-SHA-256
    /// of a label and the round (u32, little-endian) under the subkey.
    pub fn of_round(&self, round: u32) -> Stream {
        Stream::new(hmac(&*self.subkey, &[ROUND, &round.to_le_bytes()].concat()))
    }

    /// The coins of one function, for a caller that may be asked for several: HMAC-SHA-256 of a
    /// label and the digest of its inputs under the subkey.
    pub(crate) fn of_inputs(&self, inputs: Inputs) -> Stream {
        Stream::new(hmac(&*self.subkey, &[INPUTS, &inputs.0].concat()))
    }

    /// Node `v`'s coins, from their beginning: the same on every call.
    pub fn node(&self, v: u32) -> NodeCoins {
        let mut words = ChaCha20Rng::from_seed(*self.subkey);
        words.set_stream(u64::from(v));
        NodeCoins { words }
    }

    #[cfg(test)]
    pub(super) fn subkey(&self) -> [u8; 32] {
        *self.subkey
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(redacted)")
    }
}

/// One node's coins for one purpose: ChaCha20's key stream as little-endian words (64-bit counter
/// and stream number).
pub struct NodeCoins {
    words: ChaCha20Rng,
}

impl NodeCoins {
    /// A uniform 64-bit word.
    pub fn next_u64(&mut self) -> u64 {
        self.words.next_u64()
    }

    /// A uniform number below `n`, exactly (Lemire 2019: multiply, and reject the few words that
    /// would favour some results). For `n` ≤ 1 it is 0 and no coin is used.
    pub fn below(&mut self, n: u64) -> u64 {
        if n <= 1 {
            return 0;
        }
        // The high word of word·n is below n; each value owns ⌊2⁶⁴/n⌋ words once low words below
        // 2⁶⁴ mod n are rejected.
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let rejected = n.wrapping_neg() % n;
            while (product as u64) < rejected {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// As [`below`](NodeCoins::below), for bounds beyond 64 bits: two words (the first is the high
    /// one), cut to the bound's length, until they are below it.
    pub fn below_wide(&mut self, n: u128) -> u128 {
        if let Ok(n) = u64::try_from(n) {
            return u128::from(self.below(n));
        }
        let unused = (n - 1).leading_zeros();
        loop {
            let high = u128::from(self.next_u64());
            let low = u128::from(self.next_u64());
            let candidate = (high << 64 | low) >> unused;
            if candidate < n {
                return candidate;
            }
        }
    }
}

impl fmt::Debug for NodeCoins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NodeCoins(redacted)")
    }
}

/// The coins that samplers use: tests enumerate all outcomes instead of drawing one.
pub(crate) trait Uniform {
    /// Uniform below `n`; 0 if `n` ≤ 1.
    fn below(&mut self, n: u128) -> u128;
}

impl Uniform for NodeCoins {
    fn below(&mut self, n: u128) -> u128 {
        self.below_wide(n)
    }
}
