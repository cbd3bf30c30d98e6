//! Text tables: CSV, TSV, and others with one byte between fields.
//!
//! The crate `csv` splits records (RFC 4180: quoted fields may hold separators and line ends; LF or
//! CRLF; a byte order mark is skipped). It accepts what is not closed and what follows a closing
//! quote, so `Quotes` checks both on the way. The separator is the one of tab, comma, semicolon and
//! bar that the first line has most of. A first line of numbers only is not a header.

use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use super::super::error::ImportError;
use super::super::table::{Header, MOST_TABLE_COLUMNS, Rows, Table, Wanted, check_names, columns_of, too_many_columns};
use super::{Format, Options};
use crate::read::text::{Source, unwrapped};
use crate::read::{Place, ReadError};

pub(super) const FORMAT: Format =
    Format { described: ".csv, .tsv, .txt (also .gz, .zst)", endings: &["csv", "tsv", "tab", "txt", "dat"], read };

/// Bytes that are searched for the first line.
const FIRST: usize = 1 << 16;

const SEPARATORS: [u8; 4] = [b',', b'\t', b';', b'|'];

fn read(path: &Path, options: Options, wanted: Wanted<'_>) -> Result<Table, ImportError> {
    let mut source = Source::open(path)?;
    let mut first = Vec::new();
    source.append(&mut first, FIRST)?;
    let separator = separator(&first);
    let quotes = Quotes::new(path, Cursor::new(first).chain(source), separator);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(BufReader::with_capacity(1 << 16, quotes));
    let mut record = csv::ByteRecord::new();
    if !next(&mut reader, &mut record, path)? {
        return Err(ReadError::format(Place::file(path), "the table is empty").into());
    }
    let numbers = record.iter().all(|field| number(field).is_some());
    let headless = options.headless || numbers;
    let mut guessed = Vec::new();
    if numbers && !options.headless {
        guessed.push(format!("{}: its first line holds only numbers, so it is not a header", path.display()));
    }
    if separator != b',' {
        let name = if separator == b'\t' { "tabs".to_owned() } else { format!("{:?}", separator as char) };
        guessed.push(format!("{}: fields are separated by {name}", path.display()));
    }
    let names = names(&record, headless, path)?;
    check_names(path, &names)?;
    let wanted = wanted(&Header { path, names: &names, headless })?;
    let mut columns = columns_of(&names, &wanted);
    let mut lines = Vec::new();
    let mut present = headless || next(&mut reader, &mut record, path)?;
    while present {
        let line = record.position().map_or(0, csv::Position::line);
        // A line of blanks is no row.
        if !(record.len() == 1 && record[0].is_empty() && names.len() > 1) {
            if record.len() != names.len() {
                let found = format!("{} fields", record.len());
                let expected = format!("{} fields, as in the first line", names.len());
                return Err(ReadError::Unexpected { place: Place::line(path, line, 0), found, expected }.into());
            }
            for (column, &place) in columns.iter_mut().zip(&wanted) {
                column.texts.push(text(&record[place], path, line, place)?);
            }
            lines.push(line);
        }
        present = next(&mut reader, &mut record, path)?;
    }
    let rows = lines.len();
    Ok(Table { path: path.to_owned(), names, columns, rows, at: Rows::Lines(lines), guessed, keyed: false })
}

fn next(
    reader: &mut csv::Reader<BufReader<impl Read>>,
    record: &mut csv::ByteRecord,
    path: &Path,
) -> Result<bool, ImportError> {
    reader.read_byte_record(record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => unwrapped(path, error).into(),
        other => ReadError::format(Place::file(path), format!("{other:?}")).into(),
    })
}

fn text<'a>(field: &'a [u8], path: &Path, line: u64, place: usize) -> Result<&'a str, ReadError> {
    let place = || Place::line(path, line, u32::try_from(place + 1).unwrap_or(u32::MAX));
    std::str::from_utf8(field).map_err(|_| ReadError::NotUtf8 { place: place() })
}

fn names(record: &csv::ByteRecord, headless: bool, path: &Path) -> Result<Vec<String>, ImportError> {
    let name = |(place, field): (usize, &[u8])| {
        let name = text(field, path, 1, place)?;
        // Some writers leave the name of their row numbers empty.
        Ok(if headless || name.is_empty() { format!("{}", place + 1) } else { name.to_owned() })
    };
    record.iter().enumerate().map(name).collect()
}

fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// The separator that the first line has most of, outside of quotes.
fn separator(first: &[u8]) -> u8 {
    let mut counts = [0usize; SEPARATORS.len()];
    let mut quoted = false;
    for &byte in first {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted && counts != [0; SEPARATORS.len()] => break,
            b'\n' if !quoted => return SEPARATORS[0],
            _ if quoted => {}
            _ => {
                if let Some(place) = SEPARATORS.iter().position(|&it| it == byte) {
                    counts[place] += 1;
                }
            }
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    SEPARATORS[counts.iter().position(|&count| count == most).unwrap_or(0)]
}

/// Passes bytes on with LF as the only line end, and checks that quotes are closed and followed by
/// a separator, and that a row does not have too many fields: each takes memory before it is read.
struct Quotes<R> {
    path: PathBuf,
    bytes: R,
    separator: u8,
    state: State,
    line: u64,
    opened: u64,
    /// Fields of the row before the one that is read.
    fields: usize,
    /// Whether the last byte was CR.
    returned: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a field.
    Start,
    /// In a field without quotes.
    Plain,
    /// After an opening quote.
    Quoted,
    /// After a quote that closes a field, or begins a doubled one.
    Closed,
}

impl<R> Quotes<R> {
    fn new(path: &Path, bytes: R, separator: u8) -> Quotes<R> {
        Quotes {
            path: path.to_owned(),
            bytes,
            separator,
            state: State::Start,
            line: 1,
            opened: 0,
            fields: 0,
            returned: false,
        }
    }

    fn check(&mut self, byte: u8) -> Result<(), ReadError> {
        self.state = match (self.state, byte) {
            (State::Start, b'"') => {
                self.opened = self.line;
                State::Quoted
            }
            (State::Quoted, b'"') => State::Closed,
            (State::Quoted, _) | (State::Closed, b'"') => State::Quoted,
            (_, b'\n') => {
                self.fields = 0;
                State::Start
            }
            (_, byte) if byte == self.separator => {
                self.fields += 1;
                if self.fields >= MOST_TABLE_COLUMNS {
                    return Err(too_many_columns(Place::line(&self.path, self.line, 0)));
                }
                State::Start
            }
            (State::Closed, _) => {
                let place = Place::line(&self.path, self.line, 0);
                return Err(ReadError::unexpected(place, "a closing quote in a field", "a separator after it"));
            }
            _ => State::Plain,
        };
        self.line += u64::from(byte == b'\n');
        Ok(())
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.bytes.read(buffer)?;
            if count == 0 && !buffer.is_empty() && self.state == State::Quoted {
                let place = Place::line(&self.path, self.opened, 0);
                let expected = "a closing quote before the end of the file";
                return Err(io::Error::other(ReadError::unexpected(place, "an opening quote", expected)));
            }
            // Every line ends with LF alone, so that lines are counted alike.
            let mut kept = 0;
            for at in 0..count {
                let byte = buffer[at];
                let returned = std::mem::replace(&mut self.returned, byte == b'\r');
                if self.state != State::Quoted && byte == b'\n' && returned {
                    continue;
                }
                let byte = if self.state != State::Quoted && byte == b'\r' { b'\n' } else { byte };
                self.check(byte).map_err(io::Error::other)?;
                buffer[kept] = byte;
                kept += 1;
            }
            if kept > 0 || count == 0 {
                return Ok(kept);
            }
        }
    }
}
