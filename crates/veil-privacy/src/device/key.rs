//! A device's key, and what was reported with it.

use std::fmt;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::{Device, DeviceError, Part};
use crate::coins::{CoinsError, Stream};

/// 256 bits from which all coins of one node in one release follow, and a digest of each report that was made with them.
///
/// With the same coins a report on other data, other parameters or other messages would, compared with the first, show
/// what the noise hides. So a key makes one report in each round and [refuses](DeviceKey::hold_to) every other.
pub struct DeviceKey {
    key: Zeroizing<[u8; 32]>,
    /// Round and digest, ascending.
    reported: Vec<(u32, [u8; 32])>,
}

impl DeviceKey {
    /// A fresh key from the operating system.
    ///
    /// # Errors
    /// If it has no randomness to give.
    pub fn from_os() -> Result<DeviceKey, DeviceError> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key).map_err(|source| CoinsError::NoRandomness { source })?;
        Ok(DeviceKey { key, reported: Vec::new() })
    }

    /// A key from its text: 64 hexadecimal digits, and a line for each report.
    ///
    /// # Errors
    /// If a line is neither.
    pub fn read(text: &str) -> Result<DeviceKey, DeviceError> {
        let mut lines = (1..).zip(text.lines());
        let first = lines.next().and_then(|(_, line)| from_hex(line.trim()));
        let key = first.ok_or(DeviceError::Key { line: 1 })?;
        let mut reported = Vec::new();
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = match words[..] {
                ["reported", round, digest] => round.parse().ok().zip(from_hex(digest)),
                _ => None,
            };
            let (round, digest) = read.ok_or(DeviceError::Key { line: number })?;
            reported.push((round, *digest));
        }
        Ok(DeviceKey { key, reported })
    }

    /// The text that [`read`](Self::read) understands. It is secret.
    pub fn text(&self) -> Zeroizing<String> {
        let mut text = to_hex(&*self.key);
        text.push('\n');
        for (round, digest) in &self.reported {
            // Writing into a String cannot fail.
            let _ = writeln!(text, "reported {round} {}", *to_hex(digest));
        }
        text
    }

    /// The coins.
    pub fn stream(&self) -> Stream {
        Stream::of_device(&self.key)
    }

    /// Notes what a part reports, before it is sent.
    ///
    /// # Errors
    /// If this key has made another report in one of its rounds.
    pub fn hold_to(&mut self, device: &Device, part: &Part) -> Result<(), DeviceError> {
        for (round, clusters, report) in &part.rounds {
            // What was asked is part of it: even the same counts for other clusters would tell something.
            let said = serde_json::json!([device.purpose(), device.me.neighbours, round, clusters, report]).to_string();
            let digest: [u8; 32] = Sha256::digest(said.as_bytes()).into();
            match self.reported.iter().find(|(before, _)| before == round) {
                None => self.reported.push((*round, digest)),
                Some((_, before)) if *before == digest => {}
                Some(_) => return Err(DeviceError::ReportedOtherwise { round: *round }),
            }
        }
        self.reported.sort_unstable();
        Ok(())
    }
}

impl fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceKey").field("key", &"redacted").field("reports", &self.reported.len()).finish()
    }
}

fn to_hex(bytes: &[u8]) -> Zeroizing<String> {
    // Long enough from the beginning, so that no copy of a part is left behind.
    let mut text = Zeroizing::new(String::with_capacity(256));
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn from_hex(text: &str) -> Option<Zeroizing<[u8; 32]>> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    let mut bytes = Zeroizing::new([0; 32]);
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}
