//! Good files made bad, for the tests of readers.

use std::fs;
use std::path::Path;

use super::entries::Entries;
use super::error::ReadError;
use crate::dataset::Dataset;
use crate::random::Random;

/// A broken copy of a good file: one or a few bytes changed, a piece cut out or doubled, the end cut off.
pub(super) fn mutated(good: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let at = |random: &mut Random, length: usize| random.below(length.max(1));
    match random.below(5) {
        0 | 1 => {
            for _ in 0..=random.below(4) {
                let place = at(random, bytes.len());
                bytes[place] = [0, 1, 0x7f, 0x80, 0xff, random.below(256) as u8][at(random, 6)];
            }
        }
        // The footers are at the end, and there the bytes mean most.
        2 => {
            let place = bytes.len() - 1 - at(random, bytes.len().min(700));
            bytes[place] ^= 1 << random.below(8);
        }
        3 => bytes.truncate(at(random, good.len())),
        _ => {
            let (from, to) = (at(random, bytes.len()), at(random, bytes.len()));
            let piece = bytes[from.min(to)..from.max(to)].to_vec();
            match random.below(2) {
                0 => drop(bytes.drain(from.min(to)..from.max(to))),
                _ => drop(bytes.splice(from..from, piece)),
            }
        }
    }
    bytes
}

/// How many mutations of each good file are tried. Set `VEIL_MUTATIONS` for a longer search.
pub(super) fn cases() -> u64 {
    std::env::var("VEIL_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(250)
}

/// Breaks each file of a good folder in turn; whatever the reader then says must begin with the folder's name and name
/// one of its files. Answers how many of the broken folders it refused.
pub(super) fn refused(folder: &Path, files: &[&str], read: fn(&Entries) -> Result<Dataset, ReadError>) -> u64 {
    read(&Entries::of(folder).unwrap()).unwrap();
    let mut refused = 0;
    for name in files {
        let path = folder.join(name);
        let good = fs::read(&path).unwrap();
        let mut random = Random::new(1, name);
        for _ in 0..cases() {
            let mut bad = mutated(&good, &mut random);
            if random.below(3) == 0 {
                // What a hand would get wrong.
                let wrong: [&[u8]; 8] = [b"-1", b"NaN", b"99999999999", b",", b"\"", b"\xff\xfe", b"\n", b"4294967295"];
                let place = random.below(good.len() + 1);
                bad = [&good[..place], wrong[random.below(8)], &good[place..]].concat();
            }
            fs::write(&path, &bad).unwrap();
            if let Err(error) = read(&Entries::of(folder).unwrap()) {
                refused += 1;
                let said = error.to_string();
                let named = files.iter().any(|name| said.contains(name));
                assert!(said.starts_with(folder.to_str().unwrap()) && named, "{said}");
            }
        }
        fs::write(&path, &good).unwrap();
    }
    refused
}
