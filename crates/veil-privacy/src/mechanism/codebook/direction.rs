//! A vector as a direction of 256 whole numbers, and the public coins: no float decides which
//! codewords are near.

use std::sync::LazyLock;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};
use veil_graph::NodeId;

use super::CODEWORDS;

/// The number of coordinates of a direction.
pub const WIDTH: usize = 256;

/// The largest coordinate has so many bits.
const BITS: u32 = 15;

/// The largest value of a row, in steps: 2²⁴, as many as a float distinguishes.
const STEPS: f64 = (1 << 24) as f64;

/// A sign for each coordinate: a set bit is −1.
pub type Signs = [u64; WIDTH / 64];

/// A direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction([i32; WIDTH]);

impl Direction {
    /// The projection of a row, given its entries that are not 0: for each coordinate, the sum over
    /// the dimensions, each with a public sign. Values are rounded towards 0 to 2⁻²⁴ of the largest
    /// one, and only the direction of a vector counts, not its length.
    pub fn of(entries: &[(u32, f32)]) -> Direction {
        let largest = entries.iter().map(|(_, value)| value.abs()).fold(0.0, f32::max);
        let mut sums = [0_i64; WIDTH];
        if !(largest > 0.0 && largest.is_finite()) {
            return Direction([0; WIDTH]);
        }
        for &(dimension, value) in entries {
            // Division and truncation of floats give the same everywhere.
            let steps = (f64::from(value) / f64::from(largest) * STEPS) as i64;
            add(&mut sums, steps, &next(&mut public(&PROJECTION, dimension)));
        }
        Direction::scaled(&sums)
    }

    /// With the largest coordinate just below 2¹⁵, unless all are 0.
    fn scaled(sums: &[i64; WIDTH]) -> Direction {
        let largest = sums.iter().map(|it| it.unsigned_abs()).fold(0, u64::max);
        let length = u64::BITS - largest.leading_zeros();
        let cut = |sum: &i64| match length.checked_sub(BITS) {
            Some(down) => sum >> down,
            None => sum << (BITS - length),
        };
        let mut coordinates = [0; WIDTH];
        coordinates.iter_mut().zip(sums).for_each(|(it, sum)| *it = cut(sum) as i32);
        Direction(coordinates)
    }

    /// The coordinates.
    pub fn coordinates(&self) -> &[i32; WIDTH] {
        &self.0
    }

    /// The length, rounded down.
    pub fn length(&self) -> i64 {
        let squares: i64 = self.0.iter().map(|&it| i64::from(it) * i64::from(it)).sum();
        squares.isqrt()
    }

    /// The inner product with a codeword.
    pub fn product(&self, codeword: &Signs) -> i64 {
        let mut sum = 0;
        for (part, word) in self.0.chunks_exact(64).zip(codeword) {
            for (place, &it) in part.iter().enumerate() {
                let negative = -((word >> place & 1) as i32);
                sum += (it ^ negative) - negative;
            }
        }
        i64::from(sum)
    }
}

/// Adds a codeword, so many times.
pub(super) fn add(sums: &mut [i64; WIDTH], times: i64, codeword: &Signs) {
    for (part, word) in sums.chunks_exact_mut(64).zip(codeword) {
        for (place, it) in part.iter_mut().enumerate() {
            let negative = -((word >> place & 1) as i64);
            *it += (times ^ negative) - negative;
        }
    }
}

/// All codewords of a user.
pub fn codebook(user: NodeId) -> Vec<Signs> {
    let mut coins = public(&CODEBOOKS, user);
    (0..CODEWORDS).map(|_| next(&mut coins)).collect()
}

/// One of them.
pub fn codeword(user: NodeId, place: u32) -> Signs {
    let mut coins = public(&CODEBOOKS, user);
    // Counted in words of 32 bits.
    coins.set_word_pos(u128::from(place) * (WIDTH / 32) as u128);
    next(&mut coins)
}

/// Seeds that anybody can compute. Whatever they give, a report is private.
static PROJECTION: LazyLock<[u8; 32]> = LazyLock::new(|| Sha256::digest(b"veilgraph/codebook/projection/v1").into());
static CODEBOOKS: LazyLock<[u8; 32]> = LazyLock::new(|| Sha256::digest(b"veilgraph/codebook/codewords/v1").into());

/// Public coins of a number.
fn public(seed: &[u8; 32], number: u32) -> ChaCha20Rng {
    let mut words = ChaCha20Rng::from_seed(*seed);
    words.set_stream(u64::from(number));
    words
}

fn next(words: &mut ChaCha20Rng) -> Signs {
    std::array::from_fn(|_| words.next_u64())
}
