//! A line, its fields, and the numbers in them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::graph::NodeId;
use crate::read::error::{Place, ReadError};

/// A line of a text without its line end.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    path: &'a Path,
    number: u64,
    bytes: &'a [u8],
}

/// A line that outlives its block.
#[derive(Clone)]
pub(crate) struct OwnedLine {
    path: PathBuf,
    number: u64,
    bytes: Vec<u8>,
}

impl OwnedLine {
    /// The line.
    pub(crate) fn line(&self) -> Line<'_> {
        Line { path: &self.path, number: self.number, bytes: &self.bytes }
    }
}

impl<'a> Line<'a> {
    /// A line from its bytes with or without LF or CRLF.
    pub(super) fn new(path: &'a Path, number: u64, bytes: &'a [u8]) -> Line<'a> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        Line { path, number, bytes: bytes.strip_suffix(b"\r").unwrap_or(bytes) }
    }

    pub(super) fn to_owned(self) -> OwnedLine {
        OwnedLine { path: self.path.to_owned(), number: self.number, bytes: self.bytes.to_vec() }
    }

    /// The number of the line, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The bytes of the line.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// The place of a column of this line (counted from 1; 0 is the whole line).
    pub(crate) fn place(&self, column: u32) -> Place {
        Place::line(self.path, self.number, column)
    }

    /// The line is not as expected.
    pub(crate) fn unexpected(&self, expected: impl Into<String>) -> ReadError {
        match std::str::from_utf8(self.bytes) {
            Ok(text) => ReadError::unexpected(self.place(0), text, expected),
            Err(_) => ReadError::NotUtf8 { place: self.place(0) },
        }
    }

    /// The fields between separators. A space separates by runs of blanks and tabs, ignoring those
    /// around the line; any other byte separates by itself. A field may be quoted (RFC 4180) within
    /// a line; blanks around an unquoted field are not part of it.
    pub(crate) fn fields(&self, separator: u8) -> Fields<'a> {
        let rest = if separator == b' ' { self.bytes.trim_ascii() } else { self.bytes };
        Fields { line: *self, rest: Some(rest), separator, column: 0 }
    }

    /// Exactly `N` fields.
    ///
    /// # Errors
    /// If there are fewer or more, or a quote is not closed.
    pub(crate) fn exactly<const N: usize>(&self, separator: u8) -> Result<[Field<'a>; N], ReadError> {
        let mut fields = self.fields(separator);
        let row = self.take_fields(&mut fields)?;
        match fields.next() {
            None => Ok(row),
            Some(_) => Err(self.unexpected(format!("{N} fields"))),
        }
    }

    /// The first `N` fields; more are ignored.
    ///
    /// # Errors
    /// If there are fewer, or a quote is not closed.
    pub(crate) fn at_least<const N: usize>(&self, separator: u8) -> Result<[Field<'a>; N], ReadError> {
        self.take_fields(&mut self.fields(separator))
    }

    fn take_fields<const N: usize>(&self, fields: &mut Fields<'a>) -> Result<[Field<'a>; N], ReadError> {
        let empty = || Field { line: *self, column: 0, bytes: Cow::Borrowed(&[]) };
        let mut row: [Field<'a>; N] = std::array::from_fn(|_| empty());
        for place in &mut row {
            *place = fields.next().ok_or_else(|| self.unexpected(format!("{N} fields")))??;
        }
        Ok(row)
    }
}

/// The fields of a line, in order.
pub(crate) struct Fields<'a> {
    line: Line<'a>,
    rest: Option<&'a [u8]>,
    separator: u8,
    column: u32,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, ReadError>;

    #[inline]
    fn next(&mut self) -> Option<Result<Field<'a>, ReadError>> {
        let rest = self.rest?;
        self.column += 1;
        if rest.first() == Some(&b'"') {
            return Some(self.quoted(&rest[1..]));
        }
        // Fields are a few bytes long: a plain loop is faster than memchr.
        let is_end = |&byte: &u8| byte == self.separator || (self.separator == b' ' && byte == b'\t');
        let bytes = match rest.iter().position(is_end) {
            Some(end) => {
                self.rest = Some(self.after_separator(&rest[end..]));
                &rest[..end]
            }
            None => {
                self.rest = None;
                rest
            }
        };
        let bytes = Cow::Borrowed(bytes.trim_ascii());
        Some(Ok(Field { line: self.line, column: self.column, bytes }))
    }
}

impl<'a> Fields<'a> {
    /// A field after its opening quote.
    fn quoted(&mut self, inside: &'a [u8]) -> Result<Field<'a>, ReadError> {
        self.rest = None;
        let place = self.line.place(self.column);
        let broken = |expected: &str| ReadError::unexpected(place, &String::from_utf8_lossy(inside), expected);
        let mut from = 0;
        let end = loop {
            match memchr::memchr(b'"', &inside[from..]) {
                Some(quote) if inside.get(from + quote + 1) == Some(&b'"') => from += quote + 2,
                Some(quote) => break from + quote,
                None => return Err(broken("a closing quote in the same line")),
            }
        };
        let after = &inside[end + 1..];
        match after.first() {
            None => {}
            Some(&byte) if byte == self.separator || (self.separator == b' ' && byte == b'\t') => {
                self.rest = Some(self.after_separator(after));
            }
            Some(_) => return Err(broken("a separator after the closing quote")),
        }
        let bytes = match from {
            0 => Cow::Borrowed(&inside[..end]),
            _ => Cow::Owned(without_doubled_quotes(&inside[..end])),
        };
        Ok(Field { line: self.line, column: self.column, bytes })
    }

    /// The rest after the separator at its start.
    fn after_separator(&self, rest: &'a [u8]) -> &'a [u8] {
        if self.separator == b' ' { rest.trim_ascii_start() } else { &rest[1..] }
    }
}

fn without_doubled_quotes(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter();
    while let Some(&byte) = bytes.next() {
        plain.push(byte);
        if byte == b'"' {
            bytes.next();
        }
    }
    plain
}

/// A field of a line.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    line: Line<'a>,
    column: u32,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Field<'a> {
    /// The bytes of the field, without quotes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the field, without quotes, borrowed from the line where possible.
    pub(crate) fn into_bytes(self) -> Cow<'a, [u8]> {
        self.bytes
    }

    /// The number of its line.
    pub(crate) fn line(&self) -> u64 {
        self.line.number
    }

    /// The place of the field.
    pub(crate) fn place(&self) -> Place {
        self.line.place(self.column)
    }

    /// The field is not as expected.
    pub(crate) fn unexpected(&self, expected: impl Into<String>) -> ReadError {
        match self.as_str() {
            Ok(text) => ReadError::unexpected(self.place(), text, expected),
            Err(error) => error,
        }
    }

    /// The field as text.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub(crate) fn as_str(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.bytes).map_err(|_| ReadError::NotUtf8 { place: self.place() })
    }

    /// The field as an integer.
    ///
    /// # Errors
    /// If it is not one, or too large for 64 bits.
    #[inline]
    pub(crate) fn as_u64(&self) -> Result<u64, ReadError> {
        parse_u64(&self.bytes).ok_or_else(|| self.unexpected("a whole number below 2^64"))
    }

    /// The field as a 32-bit integer.
    ///
    /// # Errors
    /// If it is not one, or too large.
    #[inline]
    pub(crate) fn as_u32(&self) -> Result<u32, ReadError> {
        let number = parse_u64(&self.bytes).and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| self.unexpected("a whole number below 2^32"))
    }

    /// The field as a number below `limit`, named `what` in an error.
    ///
    /// # Errors
    /// If it is not an integer, or too large.
    pub(crate) fn as_below(&self, limit: u64, what: &str) -> Result<u32, ReadError> {
        let number = self.as_u32()?;
        if u64::from(number) < limit { Ok(number) } else { Err(self.unexpected(format!("a {what} below {limit}"))) }
    }

    /// The field as one of the nodes 0, 1, …, `nodes` − 1.
    ///
    /// # Errors
    /// If it is not an integer, or not one of them.
    #[inline]
    pub(crate) fn as_node(&self, nodes: u32) -> Result<NodeId, ReadError> {
        match parse_u64(&self.bytes) {
            Some(number) if number < u64::from(nodes) => Ok(number as NodeId),
            _ => Err(self.no_node(nodes)),
        }
    }

    #[cold]
    fn no_node(&self, nodes: u32) -> ReadError {
        let digits = !self.bytes.is_empty() && self.bytes.iter().all(u8::is_ascii_digit);
        match self.as_str() {
            Ok(id) if digits => ReadError::NoSuchNode { place: self.place(), id: id.chars().take(40).collect(), nodes },
            _ => self.unexpected("the number of a node"),
        }
    }

    /// The field as a finite number.
    ///
    /// # Errors
    /// If it is not a number, or NaN, infinite or too large for 32 bits.
    #[inline]
    pub(crate) fn as_f32(&self) -> Result<f32, ReadError> {
        // Most features are small counts: up to seven digits are exact.
        if self.bytes.len() <= 7
            && let Some(number) = parse_u64(&self.bytes)
        {
            return Ok(number as f32);
        }
        let number = self.as_str()?.parse::<f32>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| self.unexpected("a finite number"))
    }
}

/// An integer in ASCII digits, without sign.
#[inline]
pub(crate) fn parse_u64(bytes: &[u8]) -> Option<u64> {
    // 19 digits always fit; only longer numbers need checked arithmetic.
    let checked = bytes.len() > 19;
    let mut number = 0u64;
    for &byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = if checked {
            number.checked_mul(10)?.checked_add(u64::from(digit))?
        } else {
            number * 10 + u64::from(digit)
        };
    }
    (!bytes.is_empty()).then_some(number)
}
