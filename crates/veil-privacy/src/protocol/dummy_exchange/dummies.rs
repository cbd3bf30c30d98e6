//! Dummy vectors.

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use veil_graph::{Features, NodeId};
use zeroize::Zeroizing;

use crate::coins::NodeCoins;
use crate::protocol::exchange::{Profile, Space, Vector};

/// The variance of the sum of eight uniform bytes: 8·(256² − 1)/12.
const VARIANCE: f32 = 43_690.0;

/// Its mean: 8·255/2.
const MEAN: f32 = 1_020.0;

/// The broadcast moments from which nodes generate dummies, computed from released features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The mean of each dimension.
    pub mean: Vec<f32>,
    /// The standard deviation of each dimension (over all nodes, not n−1).
    pub deviation: Vec<f32>,
    /// The range of all values.
    pub range: (f32, f32),
}

impl Moments {
    /// The moments of released (rectified) features. One thread, rows in order, so that sums are
    /// always the same.
    pub fn of(features: &Features) -> Moments {
        let mut sums = vec![(0.0_f64, 0.0_f64); features.columns()];
        let mut add = |column: usize, value: f64| {
            sums[column].0 += value;
            sums[column].1 += value * value;
        };
        // Of the deviations from the offset: of encoded features few are not zero.
        let mut offset = 0.0;
        match features {
            Features::Dense(matrix) => {
                let rows = (0..matrix.rows()).flat_map(|row| matrix.row(row).iter().enumerate());
                rows.for_each(|(column, &value)| add(column, value.into()));
            }
            Features::Sparse(sparse) => {
                let rows = (0..sparse.rows()).flat_map(|row| sparse.row(row));
                rows.for_each(|(column, value)| add(column as usize, value.into()));
            }
            Features::Encoded(encoded) => {
                offset = f64::from(encoded.offset());
                let scale = f64::from(encoded.scale());
                let rows = (0..encoded.rows()).flat_map(|row| encoded.row(row));
                rows.for_each(|(column, sign)| add(column as usize, scale * f64::from(sign)));
            }
        }
        let nodes = features.rows().max(1) as f64;
        let mean = sums.iter().map(|(sum, _)| (offset + sum / nodes) as f32).collect();
        let variance = |&(sum, squares): &(f64, f64)| (squares / nodes - (sum / nodes) * (sum / nodes)).max(0.0);
        let deviation = sums.iter().map(|sums| variance(sums).sqrt() as f32).collect();
        Moments { mean, deviation, range: features.range().unwrap_or((0.0, 0.0)) }
    }
}

/// The key of all dummies of one node.
pub struct Key(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(redacted)")
    }
}

impl Key {
    /// Four words of a node's coins.
    pub fn draw(coins: &mut NodeCoins) -> Key {
        let mut key = Zeroizing::new([0; 32]);
        for part in key.chunks_exact_mut(8) {
            part.copy_from_slice(&coins.next_u64().to_le_bytes());
        }
        Key(key)
    }
}

/// The dummies of one message, generated on demand.
///
/// ChaCha20 under the sender's key, with the receiver's number as its stream: the lowest bit of the
/// first word is the coin, then comes a word for each dimension of each dummy. The sum of a word's
/// eight bytes, centred and scaled, stands for a standard normal (within ±4.9; excess kurtosis
/// −0.15): whole numbers, the same on every machine. No guarantee rests on it.
pub struct Dummies {
    words: ChaCha20Rng,
    count: usize,
}

impl Dummies {
    /// f = min(⌊degree/2⌋ + coin, most) dummies for one receiver.
    pub(super) fn draw(key: &Key, to: NodeId, degree: usize, most: u32) -> Dummies {
        let mut words = ChaCha20Rng::from_seed(*key.0);
        words.set_stream(u64::from(to));
        let coin = (words.next_u64() & 1) as usize;
        Dummies { words, count: (degree / 2 + coin).min(most as usize) }
    }

    /// Their number.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Generates the dummies.
    pub fn make(mut self, space: &Space, moments: &Moments) -> Vec<Profile> {
        let mut bytes = vec![0_u8; 8 * moments.mean.len()];
        let (low, high) = moments.range;
        let deviation = VARIANCE.sqrt();
        let mut one = || {
            self.words.fill_bytes(&mut bytes);
            let words = bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word));
            let normal = words.map(|word| (f32::from(sum_of_bytes(word)) - MEAN) / deviation);
            let scales = moments.mean.iter().zip(&moments.deviation);
            // Not `clamp`, which panics if a range were upside down.
            let values =
                scales.zip(normal).map(|((mean, deviation), normal)| (mean + deviation * normal).max(low).min(high));
            space.profile(Vector::Dense(values.collect()))
        };
        (0..self.count).map(|_| one()).collect()
    }
}

/// The sum of a word's bytes: in pairs, then all pairs at once into the highest part of a product.
fn sum_of_bytes(word: u64) -> u16 {
    const LOW: u64 = 0x00ff_00ff_00ff_00ff;
    let pairs = (word & LOW) + ((word >> 8) & LOW);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u16
}

impl std::fmt::Debug for Dummies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dummies").field("count", &self.count).finish_non_exhaustive()
    }
}
