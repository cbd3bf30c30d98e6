//! Mutations of bytes.

use std::io::Write;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use veil_graph::random::Random;

/// Replacements of numbers in texts.
const NUMBERS: [&str; 16] = [
    "-1",
    "NaN",
    "inf",
    "1e400",
    "99999999999",
    "99999999999999999999",
    "268435455",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e9",
    "0.5",
    "0",
    "",
    "x",
    "𝟙",
];

/// Replacements of lengths, offsets and ids in binary files.
const LENGTHS: [u64; 7] = [u64::MAX, 1 << 63, u64::MAX >> 1, 1 << 40, 0xffff_ffff_8000_0000, 0x7fff_ffff, 0];

const BAD_UTF8: [&[u8]; 4] = [b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"];

const STRAY: [&[u8]; 9] = [b"\0", b"\"", b",", b"\n", b"\r", b"\xef\xbb\xbf", b"#", b"{", b"\x1f\x8b"];

/// Applies one mutation and describes it.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(16)).min(bytes.len());
    match random.below(44) {
        0..5 => {
            bytes.truncate(at);
            format!("cut after {at} bytes")
        }
        5..9 => {
            let flips = 1 + random.below(3);
            for _ in 0..flips {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            format!("{flips} bits flipped")
        }
        9..12 => {
            // Mostly near the end, where footers are.
            let at = bytes.len() - 1 - random.below(bytes.len().min(700));
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random.bits() as u8][random.below(6)];
            format!("byte {at} overwritten")
        }
        12..16 => {
            let number = LENGTHS[random.below(LENGTHS.len())];
            let size = [2, 4, 8][random.below(3)].min(bytes.len() - at);
            bytes[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
            format!("{size} bytes at {at} overwritten by {number:#x}")
        }
        16..18 => {
            bytes.drain(at..end);
            format!("bytes {at} to {end} deleted")
        }
        18..20 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
            format!("bytes {at} to {end} doubled")
        }
        20..23 => with_lines(bytes, random, "a line deleted", |lines, at, _| drop(lines.remove(at))),
        23..26 => with_lines(bytes, random, "a line repeated", |lines, at, random| {
            let line = lines[at].clone();
            lines.insert(random.below(lines.len() + 1), line);
        }),
        26..28 => with_lines(bytes, random, "two lines swapped", |lines, at, random| {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }),
        28..36 => replace_number(bytes, random),
        36..39 => insert(bytes, random, &BAD_UTF8, "bad UTF-8"),
        39..42 => insert(bytes, random, &STRAY, "a stray byte"),
        42 => {
            let extra: Vec<u8> = (0..1 + random.below(64)).map(|_| random.bits() as u8).collect();
            bytes.splice(at..at, extra);
            format!("random bytes at {at}")
        }
        _ => {
            bytes.splice(at..at, vec![b'7'; (1 << 20) + 1]);
            format!("a mebibyte of digits at {at}")
        }
    }
}

/// A small gzip file that expands beyond the limits, in many lines or in one. Built once.
pub fn bomb(lines: bool) -> Vec<u8> {
    static BOMBS: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    BOMBS.get_or_init(|| [false, true].map(make_bomb))[usize::from(lines)].clone()
}

fn make_bomb(lines: bool) -> Vec<u8> {
    let mut piece = vec![b'1'; 1 << 16];
    if lines {
        piece.iter_mut().skip(1023).step_by(1024).for_each(|byte| *byte = b'\n');
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    (0..65 << 4).for_each(|_| encoder.write_all(&piece).expect("memory"));
    encoder.finish().expect("memory")
}

fn with_lines(
    bytes: &mut Vec<u8>,
    random: &mut Random,
    what: &str,
    change: impl FnOnce(&mut Vec<Vec<u8>>, usize, &mut Random),
) -> String {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let at = random.below(lines.len());
    change(&mut lines, at, random);
    *bytes = lines.concat();
    format!("{what} ({})", at + 1)
}

fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let is_start = |&at: &usize| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit());
    let starts: Vec<usize> = (0..bytes.len()).filter(is_start).collect();
    if starts.is_empty() {
        return "nothing".to_owned();
    }
    let start = starts[random.below(starts.len())];
    let end = (start..bytes.len()).find(|&at| !bytes[at].is_ascii_digit()).unwrap_or(bytes.len());
    let number = NUMBERS[random.below(NUMBERS.len())];
    bytes.splice(start..end, number.bytes());
    format!("the number at byte {start} replaced by {number:?}")
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random, what: &[&[u8]], described: &str) -> String {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, what[random.below(what.len())].iter().copied());
    format!("{described} at byte {at}")
}
