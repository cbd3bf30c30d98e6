//! One node's coins: uniform words, and exactly uniform numbers below any bound.

use std::fmt;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use zeroize::Zeroizing;

use super::Inputs;
use super::enumerate::{Forks, Question, Script};
use super::key::hmac;

const ROUND: &[u8] = b"veilgraph/coins/device-round/v1";
const INPUTS: &[u8] = b"veilgraph/coins/of-inputs/v1";

/// The coins of one purpose, for all nodes. Cheap to share between threads: [`node`](Stream::node)
/// takes `&self`.
pub struct Stream {
    subkey: Zeroizing<[u8; 32]>,
    /// The decisions of an exploration, of which the subkey is a name.
    script: Option<Script>,
}

impl Stream {
    pub(super) fn new(subkey: Zeroizing<[u8; 32]>, script: Option<Script>) -> Stream {
        Stream { subkey, script }
    }

    /// The coins of a device with this key, equal to those of a simulation with the same subkey. In
    /// a deployment every device has its own key, so no device knows the coins of another.
    pub fn of_device(key: &[u8; 32]) -> Stream {
        Stream::new(Zeroizing::new(*key), None)
    }

    /// The coins of one round, for a device that reports several times under one key: HMAC-SHA-256
    /// of a label and the round (u32, little-endian) under the subkey.
    pub fn of_round(&self, round: u32) -> Stream {
        Stream::new(hmac(&*self.subkey, &[ROUND, &round.to_le_bytes()].concat()), self.script.clone())
    }

    /// The coins of one function, for a caller that may be asked for several: HMAC-SHA-256 of a
    /// label and the digest of its inputs under the subkey.
    pub(crate) fn of_inputs(&self, inputs: Inputs) -> Stream {
        Stream::new(hmac(&*self.subkey, &[INPUTS, &inputs.0].concat()), self.script.clone())
    }

    /// Node `v`'s coins, from their beginning: the same on every call.
    pub fn node(&self, v: u32) -> NodeCoins {
        if let Some(script) = &self.script {
            return NodeCoins { source: Source::Forks(script.node(*self.subkey, v)) };
        }
        let mut words = ChaCha20Rng::from_seed(*self.subkey);
        words.set_stream(u64::from(v));
        NodeCoins { source: Source::Words(words) }
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
    source: Source,
}

#[allow(clippy::large_enum_variant, reason = "the small one is for audits; the other must not be behind a pointer")]
enum Source {
    Words(ChaCha20Rng),
    /// The decisions of an exploration.
    Forks(Forks),
}

impl NodeCoins {
    /// A uniform 64-bit word.
    pub fn next_u64(&mut self) -> u64 {
        match &mut self.source {
            Source::Words(words) => words.next_u64(),
            Source::Forks(forks) => forks.word(),
        }
    }

    /// A uniform word of which only the order among all such words counts.
    pub(crate) fn order(&mut self) -> u64 {
        match &mut self.source {
            Source::Words(words) => words.next_u64(),
            Source::Forks(forks) => forks.order(),
        }
    }

    /// The answer of an exploration; `None` if these are coins that fall.
    #[inline]
    pub(crate) fn explored(&mut self, question: impl FnOnce() -> Question) -> Option<i128> {
        match &mut self.source {
            Source::Words(_) => None,
            Source::Forks(forks) => Some(forks.ask(question())),
        }
    }

    /// A uniform number below `n`, exactly (Lemire 2019: multiply, and reject the few words that
    /// would favour some results). For `n` ≤ 1 it is 0 and no coin is used.
    pub fn below(&mut self, n: u64) -> u64 {
        if n <= 1 {
            return 0;
        }
        if let Some(answer) = self.explored(|| Question::Below(n.into())) {
            return answer as u64;
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
        if let Some(answer) = self.explored(|| Question::Below(n)) {
            return answer as u128;
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

    /// Whether one of `of` equally likely numbers is below another.
    fn chance(&mut self, below: u128, of: u128) -> bool {
        self.below(of) < below
    }
}

impl Uniform for NodeCoins {
    fn below(&mut self, n: u128) -> u128 {
        self.below_wide(n)
    }

    fn chance(&mut self, below: u128, of: u128) -> bool {
        match self.explored(|| Question::Chance { below, of }) {
            Some(answer) => answer == 1,
            None => self.below_wide(of) < below,
        }
    }
}
