//! A zip archive of arrays, decompressed one by one, within limits.
//!
//! Declared sizes are limited by the size of the archive: deflate expands a byte to at most 1032.
//! The decompressed total is limited to 256 MiB, or 250 times the archive if that is more.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::read::error::{Place, ReadError};
use crate::read::npy::{Array, Source};

/// Bytes that may be decompressed from any archive.
const ALWAYS: u64 = 256 << 20;
/// Bytes that may be decompressed per byte of a larger archive.
const PER_BYTE: u64 = 250;
/// The maximum expansion of deflate.
const DEFLATE: u64 = 1032;

/// An open archive of arrays.
pub(in crate::read) struct Npz {
    path: PathBuf,
    archive: ZipArchive<BufReader<File>>,
    size: u64,
    unpacked: u64,
}

impl Npz {
    /// Opens an archive and reads its list of arrays.
    pub(in crate::read) fn open(path: &Path) -> Result<Npz, ReadError> {
        let file = File::open(path).map_err(|error| ReadError::io(path, error))?;
        let size = file.metadata().map_err(|error| ReadError::io(path, error))?.len();
        let archive = ZipArchive::new(BufReader::with_capacity(1 << 16, file));
        let archive = archive.map_err(|error| refused(Place::file(path), &error))?;
        Ok(Npz { path: path.to_owned(), archive, size, unpacked: 0 })
    }

    /// The file.
    pub(in crate::read) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of an array for error messages.
    pub(in crate::read) fn source(&self, name: &str) -> Source {
        Source::part(&self.path, name)
    }

    /// Whether the archive holds an array of this name.
    pub(in crate::read) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name_raw(format!("{name}.npy").as_bytes()).is_some()
    }

    /// Starts decompressing an array.
    pub(in crate::read) fn array(&mut self, name: &str) -> Result<Array<ZipFile<'_, BufReader<File>>>, ReadError> {
        let source = self.source(name);
        let index = self.archive.index_for_name_raw(format!("{name}.npy").as_bytes());
        let index = index.ok_or_else(|| source.format("missing array"))?;
        let entry = self.archive.by_index(index).map_err(|error| refused(source.whole(), &error))?;
        let packed = entry.compressed_size().min(self.size);
        let most = match entry.compression() {
            CompressionMethod::Stored => packed,
            _ => packed.saturating_mul(DEFLATE),
        };
        let length = entry.size();
        if length > most {
            return Err(source.format(format!("declares {length} bytes, too many for its {packed} compressed bytes")));
        }
        let limit = limit(self.size);
        self.unpacked = self.unpacked.saturating_add(length);
        if self.unpacked > limit {
            let what = format!("the decompressed archive ({} bytes so far)", self.unpacked);
            return Err(ReadError::TooLarge { place: source.whole(), what, limit });
        }
        Array::read(entry, length, source)
    }

    /// A vector of integers.
    pub(in crate::read) fn integers<T: TryFrom<i128> + Clone>(&mut self, name: &str) -> Result<Vec<T>, ReadError> {
        let array = self.array(name)?;
        array.length()?;
        array.integers()
    }

    /// A vector of numbers.
    pub(in crate::read) fn floats(&mut self, name: &str) -> Result<Vec<f32>, ReadError> {
        let array = self.array(name)?;
        array.length()?;
        array.floats()
    }

    /// How many of the values of a matrix are stored though they are zero. Values are not read
    /// otherwise, so those of another type are no error.
    pub(in crate::read) fn zeros(&mut self, name: &str) -> usize {
        if self.has(name) { self.array(name).and_then(|array| array.zeros()).unwrap_or(0) } else { 0 }
    }

    /// A vector of texts.
    pub(in crate::read) fn texts(&mut self, name: &str) -> Result<Vec<String>, ReadError> {
        let array = self.array(name)?;
        array.length()?;
        array.texts()
    }

    /// One text.
    pub(in crate::read) fn text(&mut self, name: &str) -> Result<String, ReadError> {
        let texts = self.array(name)?.texts()?;
        match <[String; 1]>::try_from(texts) {
            Ok([text]) => Ok(text),
            Err(texts) => Err(self.source(name).format(format!("found {} texts, expected one", texts.len()))),
        }
    }

    /// Rows and columns, from a vector of two numbers.
    pub(in crate::read) fn sides(&mut self, name: &str) -> Result<(usize, usize), ReadError> {
        match self.integers::<usize>(name)?[..] {
            [rows, columns] => Ok((rows, columns)),
            ref lengths => Err(self.source(name).format(format!("found {} lengths, expected two", lengths.len()))),
        }
    }

    /// The side of a square matrix.
    pub(in crate::read) fn square(&mut self, name: &str) -> Result<usize, ReadError> {
        match self.sides(name)? {
            (rows, columns) if rows == columns => Ok(rows),
            (rows, columns) => Err(self.source(name).format(format!("{rows} × {columns} is not a square matrix"))),
        }
    }

    /// The offsets of a CSR matrix: ascending from zero, one more than there are rows.
    pub(in crate::read) fn offsets(&mut self, name: &str, rows: usize) -> Result<Vec<usize>, ReadError> {
        let offsets = self.integers::<usize>(name)?;
        let source = self.source(name);
        ReadError::check_count(source.whole(), "offsets of rows", offsets.len(), rows.saturating_add(1))?;
        if offsets[0] != 0 {
            return Err(ReadError::unexpected(source.element(0), &offsets[0].to_string(), "0"));
        }
        match offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            Some(row) => {
                let expected = format!("{} or more", offsets[row]);
                Err(ReadError::unexpected(source.element(row + 1), &offsets[row + 1].to_string(), expected))
            }
            None => Ok(offsets),
        }
    }
}

/// The limit for an archive of this size.
pub(super) fn limit(size: u64) -> u64 {
    size.saturating_mul(PER_BYTE).max(ALWAYS)
}

fn refused(place: Place, error: &ZipError) -> ReadError {
    ReadError::format(place, format!("the zip archive cannot be read: {error}"))
}
