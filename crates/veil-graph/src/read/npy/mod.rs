//! NPY: one NumPy array in a file.
//!
//! `header` reads type and shape; this file checks them against the length of the file and streams
//! the elements into the requested type. Integers are range-checked.
//!
//! Written by hand: the crate `npyz` (0.9) allocates what a header declares, up to 4 GiB before a
//! byte is read, and parses it with a recursive grammar, so a deeply nested header overflows the
//! stack. Graph data need only vectors and matrices of numbers and texts.

mod header;
#[cfg(test)]
mod tests;
mod write;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use header::Kind;
pub(crate) use header::{Header, Type};
pub(crate) use write::write_matrix;

use super::error::{Place, ReadError};
use crate::matrix::Matrix;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// Parses a number from exactly its bytes (other lengths give zero, and do not occur).
macro_rules! number {
    ($number:ty, $big:expr, $bytes:expr) => {{
        let bytes = $bytes.try_into().unwrap_or_default();
        if $big { <$number>::from_be_bytes(bytes) } else { <$number>::from_le_bytes(bytes) }
    }};
}

/// Expands `$numbers!(type)` for every integer type, and further arms.
macro_rules! by_integer {
    ($kind:expr, $numbers:ident, { $($others:tt)* }) => {
        match $kind {
            Kind::Bool | Kind::Unsigned(1) => $numbers!(u8),
            Kind::Signed(1) => $numbers!(i8),
            Kind::Signed(2) => $numbers!(i16),
            Kind::Signed(4) => $numbers!(i32),
            Kind::Signed(_) => $numbers!(i64),
            Kind::Unsigned(2) => $numbers!(u16),
            Kind::Unsigned(4) => $numbers!(u32),
            Kind::Unsigned(_) => $numbers!(u64),
            $($others)*
        }
    };
}

/// The array of a file, with which every error message begins.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: PathBuf,
    part: Option<String>,
}

impl Source {
    /// The array of a file.
    pub(crate) fn file(path: &Path) -> Source {
        Source { path: path.to_owned(), part: None }
    }

    /// A named array in a file.
    pub(crate) fn part(path: &Path, part: &str) -> Source {
        Source { path: path.to_owned(), part: Some(part.to_owned()) }
    }

    /// The array as a whole.
    pub(crate) fn whole(&self) -> Place {
        self.part.as_ref().map_or_else(|| Place::file(&self.path), |part| Place::part(&self.path, part))
    }

    /// A byte of the array.
    pub(crate) fn byte(&self, byte: u64) -> Place {
        match &self.part {
            Some(part) => Place::part(&self.path, format!("{part}, byte {byte}")),
            None => Place::byte(&self.path, byte),
        }
    }

    /// An element of the array, counted row by row.
    pub(crate) fn element(&self, index: usize) -> Place {
        match &self.part {
            Some(part) => Place::part(&self.path, format!("{part}[{index}]")),
            None => Place::part(&self.path, format!("element {index}")),
        }
    }

    /// The array violates its format.
    pub(crate) fn format(&self, problem: impl Into<String>) -> ReadError {
        ReadError::format(self.whole(), problem)
    }

    fn format_at(&self, byte: u64, problem: impl Into<String>) -> ReadError {
        ReadError::format(self.byte(byte), problem)
    }

    /// The data ended early, or could not be decompressed.
    fn cut(&self, byte: u64, error: &io::Error) -> ReadError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.format_at(byte, "the array is truncated here"),
            _ => self.format_at(byte, format!("the array cannot be read from here on: {error}")),
        }
    }
}

/// An array with a checked header, before its elements.
pub(crate) struct Array<R> {
    reader: R,
    source: Source,
    header: Header,
    count: usize,
    item: usize,
    /// The start of the elements, for error messages.
    start: u64,
}

impl Array<BufReader<File>> {
    /// The array in a file.
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(|error| ReadError::io(path, error))?;
        let length = file.metadata().map_err(|error| ReadError::io(path, error))?.len();
        Array::read(BufReader::with_capacity(CHUNK, file), length, Source::file(path))
    }
}

impl<R: Read> Array<R> {
    /// Reads the header. `length` is the number of available bytes, which the header must declare
    /// exactly.
    pub(crate) fn read(mut reader: R, length: u64, source: Source) -> Result<Self, ReadError> {
        let (header, start) = header::read(&mut reader, length, &source)?;
        Array::from_parts(reader, header, (start, length - start.min(length)), source)
    }

    /// An array with an external header: its elements start at a byte of the source and have a
    /// given length.
    pub(crate) fn from_parts(
        reader: R,
        header: Header,
        (start, length): (u64, u64),
        source: Source,
    ) -> Result<Self, ReadError> {
        let too_large = || source.format(format!("an array of shape {:?} does not fit into memory", header.shape));
        let item = header.item.size().ok_or_else(too_large)?;
        let count = header.shape.iter().try_fold(1usize, |product, &length| product.checked_mul(length));
        let count = count.ok_or_else(too_large)?;
        let declared = count.checked_mul(item).ok_or_else(too_large)? as u64;
        if item == 0 {
            // They would take no bytes, so the length of the file would not limit their number.
            return Err(source.format("texts of length 0 are not supported"));
        }
        if declared != length {
            let place = source.whole();
            return Err(ReadError::WrongCount { place, what: "bytes of elements", found: length, declared });
        }
        Ok(Array { reader, source, header, count, item, start })
    }

    /// The length in each dimension: zero, one or two of them.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Which array this is.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// The length of a vector.
    pub(crate) fn length(&self) -> Result<usize, ReadError> {
        match self.shape() {
            &[length] => Ok(length),
            shape => Err(self.source.format(format!("found shape {shape:?}, expected a vector"))),
        }
    }

    /// Rows and columns of a matrix.
    pub(crate) fn sides(&self) -> Result<(usize, usize), ReadError> {
        match self.shape() {
            &[rows, columns] => Ok((rows, columns)),
            shape => Err(self.source.format(format!("found shape {shape:?}, expected a matrix"))),
        }
    }

    /// All elements as integers, row by row. Each must fit the requested type.
    pub(crate) fn integers<T: TryFrom<i128> + Clone>(self) -> Result<Vec<T>, ReadError> {
        let big = self.header.item.big_endian;
        // Each arm is its own loop: the type is matched once per array, not per element.
        macro_rules! numbers {
            ($number:ty) => {
                self.elements(|source, index, bytes| {
                    let number = number!($number, big, bytes);
                    T::try_from(number.into()).map_err(|_| {
                        let expected = format!("a number from 0 to {}", largest::<T>());
                        ReadError::unexpected(source.element(index), &number.to_string(), expected)
                    })
                })
            };
        }
        by_integer!(self.header.item.kind, numbers, {
            _ => Err(self.wrong_kind("whole numbers")),
        })
    }

    /// All elements as 32-bit floats, row by row. They may be infinite or NaN.
    pub(crate) fn floats(self) -> Result<Vec<f32>, ReadError> {
        let big = self.header.item.big_endian;
        macro_rules! numbers {
            ($number:ty) => {
                self.elements(|_, _, bytes| Ok(number!($number, big, bytes) as f32))
            };
        }
        by_integer!(self.header.item.kind, numbers, {
            Kind::Float(2) => self.elements(|_, _, bytes| Ok(half(number!(u16, big, bytes)))),
            Kind::Float(4) => numbers!(f32),
            Kind::Float(_) => numbers!(f64),
            Kind::Bytes(_) | Kind::Characters(_) => Err(self.wrong_kind("numbers")),
        })
    }

    /// How many elements are zero.
    pub(crate) fn zeros(self) -> Result<usize, ReadError> {
        let big = self.header.item.big_endian;
        let sign = match self.header.item.kind {
            Kind::Bytes(_) | Kind::Characters(_) => return Err(self.wrong_kind("numbers")),
            Kind::Float(_) => 0x80,
            _ => 0,
        };
        let zeros = Cell::new(0);
        self.elements(|_, _, bytes| {
            let highest = if big { 0 } else { bytes.len() - 1 };
            let bits = |(place, byte): (usize, &u8)| if place == highest { byte & !sign } else { *byte };
            zeros.set(zeros.get() + usize::from(bytes.iter().enumerate().all(|byte| bits(byte) == 0)));
            Ok(())
        })?;
        Ok(zeros.get())
    }

    /// A matrix whose values are all finite.
    pub(crate) fn matrix(self) -> Result<Matrix, ReadError> {
        let (rows, columns) = self.sides()?;
        let source = self.source.clone();
        let values = self.floats()?;
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            let (row, column) = (index / columns, index % columns);
            let part = source.part.as_ref().map_or_else(String::new, |part| format!("{part}, "));
            let place = Place::part(&source.path, format!("{part}row {row}, column {column}"));
            return Err(ReadError::unexpected(place, &values[index].to_string(), "a finite number"));
        }
        Matrix::from_values(rows, columns, values).map_err(ReadError::misfit(&source.path))
    }

    /// All elements as texts, without padding.
    pub(crate) fn texts(self) -> Result<Vec<String>, ReadError> {
        let big = self.header.item.big_endian;
        match self.header.item.kind {
            Kind::Bytes(_) => self.elements(|source, index, bytes| {
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                let text = std::str::from_utf8(&bytes[..end]);
                text.map(str::to_owned).map_err(|_| ReadError::NotUtf8 { place: source.element(index) })
            }),
            Kind::Characters(_) => self.elements(|source, index, bytes| {
                let codes = bytes.chunks_exact(4).map(|bytes| number!(u32, big, bytes));
                let text: Option<String> = codes.map(char::from_u32).collect();
                let text = text.ok_or_else(|| ReadError::NotUtf8 { place: source.element(index) })?;
                Ok(text.trim_end_matches('\0').to_owned())
            }),
            _ => Err(self.wrong_kind("texts")),
        }
    }

    fn wrong_kind(&self, expected: &str) -> ReadError {
        self.source.format(format!("holds {}, expected {expected}", self.header.item.name()))
    }

    /// Reads all elements in chunks, then checks for the end; transposes column order.
    fn elements<T: Clone>(
        mut self,
        convert: impl Fn(&Source, usize, &[u8]) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        // `from_parts` has checked that this many bytes exist.
        let mut values = Vec::with_capacity(self.count);
        let per_chunk = (CHUNK / self.item).max(1);
        let mut buffer = vec![0u8; self.item * per_chunk.min(self.count)];
        let mut at = self.start;
        while values.len() < self.count {
            let bytes = &mut buffer[..self.item * per_chunk.min(self.count - values.len())];
            self.reader.read_exact(bytes).map_err(|error| self.source.cut(at, &error))?;
            at += bytes.len() as u64;
            for bytes in bytes.chunks_exact(self.item) {
                values.push(convert(&self.source, values.len(), bytes)?);
            }
        }
        // The checksum of a compressed array is verified only at its end.
        match self.reader.read(&mut [0]) {
            Ok(0) => {}
            Ok(_) => return Err(self.source.format_at(at, "unexpected data after the last element")),
            Err(error) => return Err(self.source.cut(at, &error)),
        }
        match self.header.shape[..] {
            [rows, columns] if self.header.fortran => Ok(by_rows(&values, rows, columns)),
            _ => Ok(values),
        }
    }
}

/// The matrix in a file.
pub(crate) fn read_matrix(path: &Path) -> Result<Matrix, ReadError> {
    Array::open(path)?.matrix()
}

/// From column order to row order.
fn by_rows<T: Clone>(values: &[T], rows: usize, columns: usize) -> Vec<T> {
    (0..rows).flat_map(|row| (0..columns).map(move |column| values[column * rows + row].clone())).collect()
}

/// The largest number of a type, for error messages.
fn largest<T: TryFrom<i128>>() -> i128 {
    let powers = (1..=64).rev().map(|bits| (1i128 << bits) - 1);
    powers.into_iter().find(|&power| T::try_from(power).is_ok()).unwrap_or(0)
}

/// A half-precision float (IEEE 754 binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}
