//! A file as a stream of decompressed bytes, with limits against compression bombs.

use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::read::error::{Place, ReadError};

/// The size to which any compressed file may expand.
const ALWAYS_ALLOWED: u64 = 16 << 20;

/// Beyond that, the limit for the expansion so far, so that a bomb is detected early. Deflate can
/// reach 1032; tables of numbers stay below 30.
const GROWTH: u64 = 250;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a file, decompressed if it is a gzip file (by its first bytes, not by its name).
pub(super) struct Source {
    path: PathBuf,
    stream: Stream,
    unpacked: u64,
}

type Start = Chain<Cursor<Vec<u8>>, File>;

enum Stream {
    Plain(Start),
    Gzip(Box<MultiGzDecoder<Counted>>),
}

/// Compressed bytes, and the number of those read.
struct Counted {
    packed: Start,
    read: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.packed.read(buffer)?;
        self.read += count as u64;
        Ok(count)
    }
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Source, ReadError> {
        let io = |source| ReadError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let mut start = Vec::with_capacity(GZIP.len());
        (&mut file).take(GZIP.len() as u64).read_to_end(&mut start).map_err(io)?;
        let is_gzip = start == GZIP;
        let whole = Cursor::new(start).chain(file);
        let stream = if is_gzip {
            Stream::Gzip(Box::new(MultiGzDecoder::new(Counted { packed: whole, read: 0 })))
        } else {
            Stream::Plain(whole)
        };
        Ok(Source { path: path.to_owned(), stream, unpacked: 0 })
    }

    /// Appends up to `wanted` bytes; fewer only at the end of the file.
    pub(super) fn append(&mut self, buffer: &mut Vec<u8>, wanted: usize) -> Result<usize, ReadError> {
        let result = match &mut self.stream {
            Stream::Plain(plain) => plain.take(wanted as u64).read_to_end(buffer),
            Stream::Gzip(gzip) => gzip.take(wanted as u64).read_to_end(buffer),
        };
        let read = result.map_err(|source| match (&self.stream, source.raw_os_error()) {
            (Stream::Gzip(_), None) => {
                ReadError::format(Place::file(&self.path), format!("invalid gzip file: {source}"))
            }
            _ => ReadError::io(&self.path, source),
        })?;
        self.unpacked += read as u64;
        if let Stream::Gzip(gzip) = &self.stream {
            let limit = gzip.get_ref().read.saturating_mul(GROWTH).max(ALWAYS_ALLOWED);
            if self.unpacked > limit {
                let what = format!("the decompressed size ({} bytes so far)", self.unpacked);
                return Err(ReadError::TooLarge { place: Place::file(&self.path), what, limit });
            }
        }
        Ok(read)
    }
}

/// All bytes of a file of at most `limit` bytes (decompressed).
///
/// # Errors
/// If the file cannot be read, is an invalid gzip file, or is larger.
pub(crate) fn read_whole(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    const STEP: usize = 4 << 20;
    let too_large = || {
        let what = "the size in bytes".to_owned();
        ReadError::TooLarge { place: Place::file(path), what, limit }
    };
    // A far larger file need not be read. (Compression can make a file a little larger.)
    if std::fs::metadata(path).is_ok_and(|found| found.len() / 2 > limit.max(1 << 10)) {
        return Err(too_large());
    }
    let mut source = Source::open(path)?;
    let mut bytes = Vec::new();
    while source.append(&mut bytes, STEP)? == STEP {
        if bytes.len() as u64 > limit {
            break;
        }
    }
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}
