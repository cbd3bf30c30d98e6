//! Broken files for the tests: seeded mutations of bytes, and what every reader must do with them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use super::ReadError;
use crate::Dataset;
use crate::random::Random;

/// One to three mutations of good bytes.
pub(super) fn mutate(good: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..=random.below(3) {
        if bytes.is_empty() {
            break;
        }
        once(&mut bytes, random);
    }
    bytes
}

fn once(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(16)).min(bytes.len());
    match random.below(10) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.bits() as u8,
        3 => drop(bytes.drain(at..end)),
        4 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        5 => bytes[at..end].fill(if random.below(2) == 0 { 0 } else { 0xff }),
        6 => {
            let other = random.below(bytes.len());
            bytes.swap(at, other);
        }
        7 => {
            // Lengths, offsets and ids are two, four or eight bytes: make one huge or negative.
            let number =
                [u64::MAX, 1 << 63, u64::MAX >> 1, 1 << 40, 0xffff_ffff_8000_0000, 0x7fff_ffff][random.below(6)];
            let size = [2, 4, 8][random.below(3)].min(bytes.len() - at);
            bytes[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
        }
        _ => number_in_text(bytes, at, random),
    }
}

/// Exchanges a number that is written in digits.
fn number_in_text(bytes: &mut Vec<u8>, from: usize, random: &mut Random) {
    let Some(start) = (from..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else { return };
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let other =
        ["-1", "0", "4294967296", "1000000000000", "18446744073709551616", "9".repeat(400).as_str(), "1e9", "NaN"]
            [random.below(8)]
        .to_owned();
    bytes.splice(start..start + length, other.bytes());
}

/// Writes broken files into a folder, round after round, and reads it: nothing may panic or take long, and every
/// error names a file of the folder.
pub(super) fn survive(
    seed: u64,
    rounds: usize,
    read: impl Fn(&Path) -> Result<Dataset, ReadError>,
    files: impl Fn(&mut Random) -> Vec<(String, Vec<u8>)>,
) {
    let mut random = Random::new(seed, "hostile");
    let folder = tempfile::tempdir().unwrap();
    let mut written = BTreeMap::new();
    let mut refused = 0;
    for round in 0..rounds {
        for (name, bytes) in files(&mut random) {
            // Most files are the same as in the round before, and writing is what takes the time.
            if written.get(&name) != Some(&bytes) {
                std::fs::write(folder.path().join(&name), &bytes).unwrap();
                written.insert(name, bytes);
            }
        }
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| read(folder.path()).map(|dataset| dataset.summary())));
        assert!(start.elapsed() < Duration::from_secs(2), "seed {seed}, round {round} took {:?}", start.elapsed());
        match result {
            Err(_) => panic!("seed {seed}, round {round} panicked"),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                refused += 1;
                let text = error.to_string();
                let inside = folder.path().to_string_lossy();
                assert!(text.contains(inside.as_ref()), "seed {seed}, round {round} names no file: {text}");
            }
        }
    }
    // If few were refused, the mutations would not reach what is read.
    assert!(refused > rounds / 3, "only {refused} of {rounds} were refused");
}
