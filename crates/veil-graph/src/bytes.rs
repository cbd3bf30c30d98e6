//! Bytes as text, and several fields as one message.

use std::fmt::Write as _;

/// Lower-case hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    // Allocated once: growing would leave copies of a secret in memory.
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes of hexadecimal digits, if these are `N` of them.
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    read_hex(text, &mut bytes).then_some(bytes)
}

/// The same where the caller holds the bytes, as secrets need it. Says whether the text has as many
/// bytes and nothing else; otherwise the content of `bytes` means nothing.
pub fn read_hex(text: &str, bytes: &mut [u8]) -> bool {
    let digits = text.as_bytes();
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    digits.len() == 2 * bytes.len()
        && bytes.iter_mut().zip(digits.chunks_exact(2)).all(|(byte, pair)| {
            let both = value(pair[0]).zip(value(pair[1]));
            both.inspect(|(high, low)| *byte = high << 4 | low).is_some()
        })
}

/// Hands a field to a hash or a buffer, after its length in bytes (u64, little-endian). A list of
/// fields can be decoded again, so no two lists give the same bytes.
pub fn field(content: &[u8], mut to: impl FnMut(&[u8])) {
    to(&(content.len() as u64).to_le_bytes());
    to(content);
}

/// Several fields as one message; see [`field`].
pub fn fields(contents: &[&[u8]]) -> Vec<u8> {
    let mut message = Vec::with_capacity(contents.iter().map(|content| 8 + content.len()).sum());
    contents.iter().for_each(|content| field(content, |part| message.extend_from_slice(part)));
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_as_they_are_written() {
        let all: Vec<u8> = (0..=255).collect();
        let text = hex(&all);
        assert_eq!((text.len(), &text[..8], &text[508..]), (512, "00010203", "feff"));
        assert_eq!(from_hex::<256>(&text).unwrap(), all[..]);
        assert_eq!(from_hex("0aF9"), Some([0x0a, 0xf9]));
        for wrong in ["", "0", "0af", "0af9a", "0ag9", "+a09", " 0a9", "0é9"] {
            assert_eq!(from_hex::<2>(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn no_two_lists_of_fields_are_the_same_message() {
        assert_eq!(fields(&[b"ab", b""]), b"\x02\0\0\0\0\0\0\0ab\0\0\0\0\0\0\0\0");
        assert_ne!(fields(&[b"ab", b"c"]), fields(&[b"a", b"bc"]));
        assert_ne!(fields(&[b""]), fields(&[]));
    }
}
