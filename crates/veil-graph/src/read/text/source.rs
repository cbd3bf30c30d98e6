//! A file as a stream of decompressed bytes, with limits against compression bombs.

use std::fs::File;
#[cfg(feature = "import")]
use std::io::BufReader;
use std::io::{Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::read::error::{Place, ReadError};

/// The size to which any compressed file may expand.
const ALWAYS_ALLOWED: u64 = 16 << 20;

/// Beyond that, the limit for the expansion so far, so that a bomb is detected early. Deflate can
/// reach 1032; tables of numbers stay below 30.
const GROWTH: u64 = 250;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The largest window of a zstd file, as a power of two: 32 MiB, which covers its levels up to 19
/// and is taken before a byte is unpacked.
#[cfg(feature = "import")]
const LARGEST_WINDOW: u32 = 25;

/// The bytes of a file, decompressed if it is a gzip or zstd file (by its first bytes, not by its
/// name).
pub(crate) struct Source {
    path: PathBuf,
    stream: Stream,
    unpacked: u64,
}

type Start = Chain<Cursor<Vec<u8>>, File>;

enum Stream {
    Plain(Start),
    Gzip(Box<MultiGzDecoder<Counted>>),
    #[cfg(feature = "import")]
    Zstd(Box<zstd::stream::read::Decoder<'static, BufReader<Counted>>>),
}

impl Stream {
    /// Its compression, and the packed bytes that were read.
    fn packed(&self) -> Option<(&'static str, u64)> {
        match self {
            Stream::Plain(_) => None,
            Stream::Gzip(gzip) => Some(("gzip", gzip.get_ref().read)),
            #[cfg(feature = "import")]
            Stream::Zstd(zstd) => Some(("zstd", zstd.get_ref().get_ref().read)),
        }
    }
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
    pub(crate) fn open(path: &Path) -> Result<Source, ReadError> {
        let io = |source| ReadError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let mut start = Vec::with_capacity(ZSTD.len());
        (&mut file).take(ZSTD.len() as u64).read_to_end(&mut start).map_err(io)?;
        let (is_gzip, is_zstd) = (start.starts_with(GZIP), start == ZSTD);
        let whole = Cursor::new(start).chain(file);
        let stream = if is_gzip {
            Stream::Gzip(Box::new(MultiGzDecoder::new(Counted { packed: whole, read: 0 })))
        } else if is_zstd {
            unzstd(whole, path)?
        } else {
            Stream::Plain(whole)
        };
        Ok(Source { path: path.to_owned(), stream, unpacked: 0 })
    }

    /// Appends up to `wanted` bytes; fewer only at the end of the file.
    pub(crate) fn append(&mut self, buffer: &mut Vec<u8>, wanted: usize) -> Result<usize, ReadError> {
        let result = match &mut self.stream {
            Stream::Plain(plain) => plain.take(wanted as u64).read_to_end(buffer),
            Stream::Gzip(gzip) => gzip.take(wanted as u64).read_to_end(buffer),
            #[cfg(feature = "import")]
            Stream::Zstd(zstd) => zstd.take(wanted as u64).read_to_end(buffer),
        };
        let read = result.map_err(|source| match (self.stream.packed(), source.raw_os_error()) {
            (Some((name, _)), None) => {
                ReadError::format(Place::file(&self.path), format!("invalid {name} file: {source}"))
            }
            _ => ReadError::io(&self.path, source),
        })?;
        self.unpacked += read as u64;
        if let Some((_, packed)) = self.stream.packed() {
            let limit = packed.saturating_mul(GROWTH).max(ALWAYS_ALLOWED);
            if self.unpacked > limit {
                let what = format!("the decompressed size ({} bytes so far)", self.unpacked);
                return Err(ReadError::TooLarge { place: Place::file(&self.path), what, limit });
            }
        }
        Ok(read)
    }
}

#[cfg(feature = "import")]
fn unzstd(packed: Start, path: &Path) -> Result<Stream, ReadError> {
    let decoder = zstd::stream::read::Decoder::new(Counted { packed, read: 0 }).and_then(|mut decoder| {
        decoder.window_log_max(LARGEST_WINDOW)?;
        Ok(decoder)
    });
    decoder.map(|zstd| Stream::Zstd(Box::new(zstd))).map_err(|error| ReadError::io(path, error))
}

#[cfg(not(feature = "import"))]
fn unzstd(_packed: Start, path: &Path) -> Result<Stream, ReadError> {
    Err(ReadError::MissingFeature { path: path.to_owned(), feature: "import" })
}

/// For readers of other crates. An error within holds the [`ReadError`]: see [`unwrapped`].
#[cfg(feature = "import")]
impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let mut read = Vec::with_capacity(buffer.len().min(1 << 16));
        self.append(&mut read, buffer.len().min(1 << 16)).map_err(std::io::Error::other)?;
        buffer[..read.len()].copy_from_slice(&read);
        Ok(read.len())
    }
}

/// The error of reading inside of an error that another crate passes on.
#[cfg(feature = "import")]
pub(crate) fn unwrapped(path: &Path, error: std::io::Error) -> ReadError {
    match error.downcast::<ReadError>() {
        Ok(error) => error,
        Err(error) => ReadError::io(path, error),
    }
}

/// All bytes of a file of at most `limit` bytes (decompressed).
///
/// # Errors
/// If the file cannot be read, is an invalid compressed file, or is larger.
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
