//! The ways in which a file goes wrong.

use std::io::{Read, Write};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use veil_graph::random::Random;

/// What a number is replaced by.
const NUMBERS: [&[u8]; 12] = [
    b"-1",
    b"NaN",
    b"inf",
    b"1e400",
    b"99999999999",
    b"268435455",
    b"4294967295",
    b"18446744073709551616",
    b"0.5",
    b"0",
    b"",
    b"x",
];

const BAD_UTF8: [&[u8]; 4] = [b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"];

const STRAY: [&[u8]; 9] = [b"\0", b"\"", b",", b"\n", b"\r", b"\xef\xbb\xbf", b"#", b"{", b"\x1f\x8b"];

/// Changes bytes in one way and says which. Packed bytes are mostly unpacked first and packed again, so that the change
/// meets the reader and not only the unpacker.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    if bytes.starts_with(b"\x1f\x8b") && random.below(4) > 0 {
        let mut plain = Vec::new();
        if MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).is_ok() {
            let what = mutate_plain(&mut plain, random);
            *bytes = gzip(&plain);
            return format!("unpacked: {what}");
        }
    }
    mutate_plain(bytes, random)
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn mutate_plain(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    match random.below(40) {
        0..5 => {
            let length = random.below(bytes.len() + 1);
            bytes.truncate(length);
            format!("cut after {length} bytes")
        }
        5..11 => {
            let flips = 1 + random.below(3);
            for _ in 0..flips.min(bytes.len()) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            format!("{flips} bits flipped")
        }
        11..15 => with_lines(bytes, random, "a line deleted", |lines, at, _| drop(lines.remove(at))),
        15..19 => with_lines(bytes, random, "a line repeated", |lines, at, random| {
            let line = lines[at].clone();
            lines.insert(random.below(lines.len() + 1), line);
        }),
        19..21 => with_lines(bytes, random, "two lines swapped", |lines, at, random| {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }),
        21..31 => replace_number(bytes, random),
        31..34 => insert(bytes, random, &BAD_UTF8, "bad UTF-8"),
        34..37 => insert(bytes, random, &STRAY, "a stray byte"),
        37 => {
            let extra: Vec<u8> = (0..1 + random.below(64)).map(|_| random.bits() as u8).collect();
            let at = random.below(bytes.len() + 1);
            bytes.splice(at..at, extra);
            "random bytes".to_owned()
        }
        38 => {
            let line = vec![b'7'; (1 << 20) + 1];
            let at = random.below(bytes.len() + 1);
            bytes.splice(at..at, line);
            "a line of a mebibyte".to_owned()
        }
        _ => {
            *bytes = bomb(random.below(2) == 0);
            "a file that unpacks to 65 MiB".to_owned()
        }
    }
}

/// A small gzip file that unpacks to more than a reader accepts, in lines or in one. Made once.
fn bomb(lines: bool) -> Vec<u8> {
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
    if lines.is_empty() {
        return "nothing".to_owned();
    }
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
    bytes.splice(start..end, number.iter().copied());
    format!("the number at byte {start} replaced by {:?}", String::from_utf8_lossy(number))
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random, what: &[&[u8]], described: &str) -> String {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, what[random.below(what.len())].iter().copied());
    format!("{described} at byte {at}")
}
