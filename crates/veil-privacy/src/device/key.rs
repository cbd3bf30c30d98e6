//! The key of a device, with digests of its reports.

use std::fmt;
use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use veil_graph::bytes::{self, hex};
use zeroize::Zeroizing;

use super::{Contribution, Device, DeviceError};
use crate::coins::{CoinsError, Inputs, Stream};

/// No line of a key file is longer: a word, a round and 64 digits.
const LONGEST_LINE: usize = 96;

/// 256 bits from which all coins of one node in one release are derived, and digests of that
/// release and of each report.
///
/// A second report with the same coins on other data, parameters or messages would, compared with
/// the first, reveal what the noise hides; and rounds of different releases were not charged
/// together. So a key serves one release, makes one report per round and
/// [refuses](DeviceKey::hold_to) all others.
pub struct DeviceKey {
    key: Zeroizing<[u8; 32]>,
    /// Digest of the protocol, its parameters and the neighbours, after the first report.
    release: Option<[u8; 32]>,
    /// Digest of the order, after it was first seen, in protocols that have one.
    order: Option<[u8; 32]>,
    /// Round and digest, ascending.
    reported: Vec<(u32, [u8; 32])>,
}

impl DeviceKey {
    /// A fresh key from the operating system.
    ///
    /// # Errors
    /// If the operating system's random source fails.
    pub fn from_os() -> Result<DeviceKey, DeviceError> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key).map_err(|source| CoinsError::NoRandomness { source })?;
        Ok(DeviceKey { key, release: None, order: None, reported: Vec::new() })
    }

    /// A key from its text: 64 hexadecimal digits and, after its first use, one line for its
    /// release, one for its order if it has one, and one for each report.
    ///
    /// # Errors
    /// If a line is malformed, or there are reports without a release.
    pub fn read(text: &str) -> Result<DeviceKey, DeviceError> {
        let mut lines = (1..).zip(text.lines());
        let first = lines.next().and_then(|(_, line)| from_hex(line.trim()));
        let key = first.ok_or(DeviceError::Key { line: 1 })?;
        let (mut release, mut order, mut reported) = (None, None, Vec::new());
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let none = DeviceError::Key { line };
            match words[..] {
                ["release", digest] if release.is_none() => release = Some(*from_hex(digest).ok_or(none)?),
                ["order", digest] if release.is_some() && order.is_none() => {
                    order = Some(*from_hex(digest).ok_or(none)?)
                }
                ["reported", round, digest] if release.is_some() => {
                    let (round, digest) = round.parse().ok().zip(from_hex(digest)).ok_or(none)?;
                    reported.push((round, *digest));
                }
                _ => return Err(none),
            }
        }
        Ok(DeviceKey { key, release, order, reported })
    }

    /// The text that [`read`](Self::read) understands. It is secret.
    pub fn text(&self) -> Zeroizing<String> {
        // Allocated once: growing would leave copies of the key in memory.
        let mut text = Zeroizing::new(String::with_capacity(LONGEST_LINE * (3 + self.reported.len())));
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{}", *Zeroizing::new(hex(&*self.key)));
        if let Some(digest) = &self.release {
            let _ = writeln!(text, "release {}", hex(digest));
        }
        if let Some(digest) = &self.order {
            let _ = writeln!(text, "order {}", hex(digest));
        }
        for (round, digest) in &self.reported {
            let _ = writeln!(text, "reported {round} {}", hex(digest));
        }
        text
    }

    /// The coins of a release. They depend on its digest, so even a key that was copied has other
    /// noise for another release.
    pub fn stream(&self, device: &Device) -> Stream {
        let release = Inputs::of().with("release", &release_of(device)).digest();
        Stream::of_device(&self.key).of_inputs(release)
    }

    /// Records the order and the reports of a part, before anything is sent.
    ///
    /// # Errors
    /// If the key belongs to another release or order, has made another report in one of these
    /// rounds, or a round does not exist. Then nothing is recorded.
    pub fn hold_to(&mut self, device: &Device, part: &Contribution) -> Result<(), DeviceError> {
        let order = part.order.as_deref().and_then(from_hex).map(|digest| *digest);
        if part.rounds.is_empty() && order.is_none() {
            return Ok(());
        }
        let release = release_of(device);
        if self.release.is_some_and(|before| before != release) {
            return Err(DeviceError::ReportedOtherwise { round: None });
        }
        if self.order.is_some_and(|before| order.is_some_and(|order| order != before)) {
            return Err(DeviceError::AnotherOrder);
        }
        let (mut reported, rounds) = (self.reported.clone(), device.rounds());
        for &(round, ref clusters, ref report) in &part.rounds {
            if round >= rounds {
                return Err(DeviceError::NoSuchRound { round, rounds });
            }
            // The clusters are included: even equal counts for other clusters would reveal
            // something.
            let current = digest(&json!([clusters, report]));
            match reported.iter().find(|(before, _)| *before == round) {
                None => reported.push((round, current)),
                Some((_, before)) if *before == current => {}
                Some(_) => return Err(DeviceError::ReportedOtherwise { round: Some(round) }),
            }
        }
        reported.sort_unstable();
        (self.release, self.order, self.reported) = (Some(release), self.order.or(order), reported);
        Ok(())
    }
}

impl fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceKey").field("key", &"redacted").field("reports", &self.reported.len()).finish()
    }
}

/// The digest of everything that decides the release of a device.
fn release_of(device: &Device) -> [u8; 32] {
    digest(&json!([device.purpose(), device.me.neighbours]))
}

fn digest(content: &Value) -> [u8; 32] {
    Sha256::digest(content.to_string().as_bytes()).into()
}

fn from_hex(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    bytes::read_hex(text, &mut *bytes).then_some(bytes)
}
