//! Bytes as hexadecimal digits.

use std::fmt::Write as _;

/// Lower-case digits, two for each byte.
pub(crate) fn encode(bytes: &[u8]) -> String {
    // Allocated once: growing would leave copies of a secret in memory.
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes, if these are `N` of them.
pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}
