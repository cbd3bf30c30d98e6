//! Seeded randomness for what is *not* private: splits and generated data.
//!
//! One stream per (seed, purpose), so that adding a draw in one place changes nothing in another.
//! Privacy noise never comes from here, but from `Coins` of `veil-privacy`.

use chacha20::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A stream of random numbers that depends only on a seed and a purpose.
pub struct Random(ChaCha12Rng);

impl Random {
    /// The stream of this seed for this purpose.
    pub fn new(seed: u64, purpose: &str) -> Random {
        let mut hash = Sha256::new();
        hash.update(b"veil-graph/random/1");
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        Random(ChaCha12Rng::from_seed(hash.finalize().into()))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number below `bound` (0 if `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        // Lemire 2019: the high word of a product, rejecting the few low words that would bias the
        // result.
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            if (wide as u64) >= bound.wrapping_neg().checked_rem(bound).unwrap_or(0) {
                return (wide >> 64) as usize;
            }
        }
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Shuffles a list.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_purpose() {
        let draw = |seed, purpose| Random::new(seed, purpose).bits();
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
    }

    #[test]
    fn below_reaches_every_number_and_no_other() {
        let mut random = Random::new(1, "below");
        let mut seen = [0; 7];
        for _ in 0..7000 {
            seen[random.below(7)] += 1;
        }
        // Each count is Binomial(7000, 1/7), standard deviation 29: six of them are exceeded once
        // in 10⁸.
        assert!(seen.iter().all(|&count| (1000i32 - count).abs() < 180), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }
}
