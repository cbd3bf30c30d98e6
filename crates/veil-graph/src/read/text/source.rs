//! A file as a stream of unpacked bytes, with limits against files that unpack to far more than they are.

use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::read::error::{Place, ReadError};

/// A packed file may always become this large.
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// Beyond that, a packed file may grow by this factor. Deflate can reach 1032; tables of numbers stay below 30.
const GROWTH: u64 = 250;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The bytes of a file, unpacked if it is a gzip file (by its first bytes, not by its name).
pub(super) struct Source {
    path: PathBuf,
    stream: Stream,
    unpacked: u64,
    limit: u64,
}

type Start = Chain<Cursor<Vec<u8>>, File>;

enum Stream {
    Plain(Start),
    Gzip(Box<MultiGzDecoder<Start>>),
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Source, ReadError> {
        let io = |source| ReadError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let packed = file.metadata().map_err(io)?.len();
        let mut start = Vec::with_capacity(GZIP.len());
        (&mut file).take(GZIP.len() as u64).read_to_end(&mut start).map_err(io)?;
        let is_gzip = start == GZIP;
        let whole = Cursor::new(start).chain(file);
        let (stream, limit) = if is_gzip {
            (Stream::Gzip(Box::new(MultiGzDecoder::new(whole))), packed.saturating_mul(GROWTH).max(ALWAYS_ALLOWED))
        } else {
            (Stream::Plain(whole), u64::MAX)
        };
        Ok(Source { path: path.to_owned(), stream, unpacked: 0, limit })
    }

    /// Appends up to `wanted` bytes; fewer only at the end of the file.
    pub(super) fn append(&mut self, buffer: &mut Vec<u8>, wanted: usize) -> Result<usize, ReadError> {
        let result = match &mut self.stream {
            Stream::Plain(plain) => plain.take(wanted as u64).read_to_end(buffer),
            Stream::Gzip(gzip) => gzip.take(wanted as u64).read_to_end(buffer),
        };
        let read = result.map_err(|source| match (&self.stream, source.raw_os_error()) {
            (Stream::Gzip(_), None) => {
                ReadError::format(Place::file(&self.path), format!("the gzip stream is broken: {source}"))
            }
            _ => ReadError::io(&self.path, source),
        })?;
        self.unpacked += read as u64;
        if self.unpacked > self.limit {
            return Err(ReadError::TooLarge {
                place: Place::file(&self.path),
                what: "the unpacked size in bytes".to_owned(),
                limit: self.limit,
            });
        }
        Ok(read)
    }
}

/// All bytes of a file of at most `limit` bytes (unpacked).
///
/// # Errors
/// If the file cannot be read, is no sound gzip file, or is larger.
pub(crate) fn read_whole(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    const STEP: usize = 4 << 20;
    let mut source = Source::open(path)?;
    let mut bytes = Vec::new();
    while source.append(&mut bytes, STEP)? == STEP {
        if bytes.len() as u64 > limit {
            break;
        }
    }
    if bytes.len() as u64 > limit {
        let what = "the size in bytes".to_owned();
        return Err(ReadError::TooLarge { place: Place::file(path), what, limit });
    }
    Ok(bytes)
}
