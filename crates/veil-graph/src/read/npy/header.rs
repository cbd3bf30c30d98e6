//! The header of an NPY file: magic, version, and a Python dict with type, order and shape.

use std::io::Read;

use super::Source;
use crate::read::error::ReadError;

/// NumPy refuses headers above 10 000 characters; supported ones need at most 200.
const LONGEST: u64 = 1 << 16;

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One byte, 0 or 1.
    Bool,
    /// A signed integer of this many bytes.
    Signed(u8),
    /// An unsigned integer of this many bytes.
    Unsigned(u8),
    /// A floating-point number of this many bytes.
    Float(u8),
    /// A text of this many bytes, padded with zeros.
    Bytes(usize),
    /// A text of this many four-byte characters, padded with zeros.
    Characters(usize),
}

/// The type of the elements, with their byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(super) kind: Kind,
    pub(super) big_endian: bool,
}

impl Type {
    /// Parses NumPy's `<i4`, `|b1`, `>f8`, `|S3`, `<U19`; `Err` explains why a type is not
    /// supported.
    pub(crate) fn parse(text: &str) -> Result<Type, String> {
        let (big_endian, code) = match text.strip_prefix(['<', '|', '=']) {
            Some(code) => (false, code),
            None => text.strip_prefix('>').map_or((false, text), |code| (true, code)),
        };
        if code.starts_with('O') {
            return Err("arrays of Python objects (pickles) are not supported".to_owned());
        }
        let unknown = || format!("elements of type {:?} are not supported", text.chars().take(20).collect::<String>());
        let mut letters = code.chars();
        let letter = letters.next().ok_or_else(unknown)?;
        let digits = letters.as_str();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(unknown());
        }
        let size: usize = digits.parse().map_err(|_| unknown())?;
        let kind = match (letter, size) {
            ('b', 1) => Kind::Bool,
            ('i', 1 | 2 | 4 | 8) => Kind::Signed(size as u8),
            ('u', 1 | 2 | 4 | 8) => Kind::Unsigned(size as u8),
            ('f', 2 | 4 | 8) => Kind::Float(size as u8),
            ('S' | 'a', _) => Kind::Bytes(size),
            ('U', _) => Kind::Characters(size),
            _ => return Err(unknown()),
        };
        Ok(Type { kind, big_endian })
    }

    /// The bytes of one element; `None` on overflow.
    pub(super) fn size(self) -> Option<usize> {
        match self.kind {
            Kind::Bool => Some(1),
            Kind::Signed(size) | Kind::Unsigned(size) | Kind::Float(size) => Some(usize::from(size)),
            Kind::Bytes(size) => Some(size),
            Kind::Characters(size) => size.checked_mul(4),
        }
    }

    /// The name for error messages.
    pub(super) fn name(self) -> &'static str {
        match self.kind {
            Kind::Bool => "truth values",
            Kind::Signed(_) | Kind::Unsigned(_) => "whole numbers",
            Kind::Float(_) => "floating-point numbers",
            Kind::Bytes(_) | Kind::Characters(_) => "texts",
        }
    }
}

/// The content of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The type of the elements.
    pub(crate) item: Type,
    /// Whether the order is by columns.
    pub(crate) fortran: bool,
    /// The length in each dimension.
    pub(crate) shape: Vec<usize>,
}

/// Reads a header; also returns its length. `length` is the number of bytes of the array with its
/// header.
pub(super) fn read(reader: &mut impl Read, length: u64, source: &Source) -> Result<(Header, u64), ReadError> {
    let mut start = [0u8; 8];
    fill(reader, &mut start, 0, source)?;
    let [magic @ .., major, minor] = start;
    if magic != *b"\x93NUMPY" {
        return Err(source.format_at(0, "not an NPY array: it does not start with \\x93NUMPY"));
    }
    let (text_length, text_start) = match (major, minor) {
        (1, 0) => {
            let mut bytes = [0u8; 2];
            fill(reader, &mut bytes, 8, source)?;
            (u64::from(u16::from_le_bytes(bytes)), 10)
        }
        (2 | 3, 0) => {
            let mut bytes = [0u8; 4];
            fill(reader, &mut bytes, 8, source)?;
            (u64::from(u32::from_le_bytes(bytes)), 12)
        }
        _ => return Err(source.format_at(6, format!("NPY version {major}.{minor} is not supported"))),
    };
    if text_length > LONGEST {
        return Err(ReadError::TooLarge {
            place: source.byte(8),
            what: "the header of the array".into(),
            limit: LONGEST,
        });
    }
    if text_start + text_length > length {
        return Err(source.format_at(8, format!("a header of {text_length} bytes in an array of {length} bytes")));
    }
    let mut text = vec![0u8; text_length as usize];
    fill(reader, &mut text, text_start, source)?;
    // Versions 1 and 2 are Latin-1, version 3 is UTF-8; only ASCII is accepted.
    if !text.is_ascii() {
        return Err(source.format_at(text_start, "the header is not ASCII"));
    }
    let text = String::from_utf8_lossy(&text);
    let mut parser = Parser { text: &text, at: 0 };
    match parser.header() {
        Ok(header) => Ok((header, text_start + text_length)),
        Err(problem) => Err(source.format_at(text_start + parser.at as u64, problem)),
    }
}

fn fill(reader: &mut impl Read, bytes: &mut [u8], at: u64, source: &Source) -> Result<(), ReadError> {
    reader.read_exact(bytes).map_err(|error| source.cut(at, &error))
}

/// Parses only the dict that NumPy writes, without nesting, so it never recurses.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn header(&mut self) -> Result<Header, String> {
        let (mut item, mut fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.accept('}') {
            let key = self.quoted()?;
            self.expect(':')?;
            let repeated = match key {
                "descr" if self.peek() == Some('[') => return Err("an array of records is not read".to_owned()),
                "descr" => item.replace(Type::parse(self.quoted()?)?).is_some(),
                "fortran_order" => fortran.replace(self.truth()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err(format!("unknown key {key:?} in the header")),
            };
            if repeated {
                return Err(format!("duplicate key {key:?} in the header"));
            }
            if !self.accept(',') {
                self.expect('}')?;
                break;
            }
        }
        if self.peek().is_some() {
            return Err("unexpected text after the dict of the header".to_owned());
        }
        let missing = |key: &str| format!("missing key {key:?} in the header");
        Ok(Header {
            item: item.ok_or_else(|| missing("descr"))?,
            fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    /// The next nonblank character.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.accept(wanted) { Ok(()) } else { Err(format!("expected {wanted:?} in the header")) }
    }

    /// Text in single or double quotes, without escapes.
    fn quoted(&mut self) -> Result<&'a str, String> {
        let quote = self.peek().filter(|quote| matches!(quote, '\'' | '"')).ok_or("expected a text in quotes")?;
        let rest = &self.text[self.at + 1..];
        let end = rest.find(quote).ok_or("a text has no closing quote")?;
        self.at += end + 2;
        Ok(&rest[..end])
    }

    fn truth(&mut self) -> Result<bool, String> {
        self.peek();
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err("expected True or False".to_owned())
    }

    /// `()`, `(3,)`, `(3, 4)`; Python 2 wrote `3L`.
    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            self.peek();
            let rest = &self.text[self.at..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let length = rest[..digits].parse().map_err(|_| "a length in the shape is not a nonnegative integer")?;
            self.at += digits + usize::from(rest[digits..].starts_with('L'));
            shape.push(length);
            if shape.len() > 2 {
                return Err("more than two dimensions are not supported".to_owned());
            }
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}
