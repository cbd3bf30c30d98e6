//! A text as blocks of whole lines, parsed on all cores and delivered in the order of the file.

use std::path::{Path, PathBuf};

use memchr::{memchr, memchr_iter, memrchr};
use rayon::prelude::*;

use super::line::{Line, OwnedLine};
use super::source::Source;
use crate::read::error::{Place, ReadError};

/// Block size: large enough that the overhead of a task is negligible, small enough for the caches.
const BLOCK: usize = 4 << 20;

/// The limit for the length of a line.
const LONGEST_LINE: usize = 1 << 20;

/// Blocks held at once (twice: one batch is parsed while the next is read).
const LARGEST_BATCH: usize = 16;

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A text file, read from start to end.
pub(crate) struct Text {
    path: PathBuf,
    source: Source,
    /// Bytes that were read but not delivered: `buffer[start..]`.
    buffer: Vec<u8>,
    start: usize,
    /// The number of the line at `start`.
    line: u64,
    ended: bool,
    block: usize,
}

/// Some whole lines of a text.
pub(crate) struct Block<'a> {
    path: &'a Path,
    first_line: u64,
    bytes: Vec<u8>,
}

impl Text {
    /// Opens a text, compressed or not, and skips a byte order mark.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Text, ReadError> {
        Text::with_block_size(path, BLOCK)
    }

    pub(super) fn with_block_size(path: &Path, block: usize) -> Result<Text, ReadError> {
        let source = Source::open(path)?;
        let (buffer, path) = (Vec::new(), path.to_owned());
        let mut text = Text { path, source, buffer, start: 0, line: 1, ended: false, block };
        text.fill(block.max(BYTE_ORDER_MARK.len()))?;
        if text.buffer.starts_with(&BYTE_ORDER_MARK) {
            text.start = BYTE_ORDER_MARK.len();
        }
        Ok(text)
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the next nonblank line; `None` at the end.
    ///
    /// # Errors
    /// If the file cannot be read or the line is too long.
    pub(crate) fn take_line(&mut self) -> Result<Option<OwnedLine>, ReadError> {
        loop {
            self.fill(LONGEST_LINE + 2)?;
            let rest = &self.buffer[self.start..];
            if rest.is_empty() {
                return Ok(None);
            }
            let length = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let line = Line::new(&self.path, self.line, &rest[..length]);
            if line.bytes().len() > LONGEST_LINE {
                return Err(too_long(&self.path, self.line));
            }
            let line = (!line.is_blank()).then(|| line.to_owned());
            self.start += length;
            self.line += 1;
            if line.is_some() {
                return Ok(line);
            }
        }
    }

    /// The next nonblank lines that satisfy `keep`, at most `count` and only those in the first
    /// block, without consuming them. For recognising the format of a file.
    pub(crate) fn peek_lines(&self, count: usize, keep: impl Fn(&Line<'_>) -> bool) -> Vec<OwnedLine> {
        let rest = &self.buffer[self.start..];
        let whole = if self.ended { rest.len() } else { memrchr(b'\n', rest).map_or(0, |end| end + 1) };
        let lines = Lines { path: &self.path, rest: &rest[..whole], number: self.line };
        lines.filter(keep).take(count).map(|line| line.to_owned()).collect()
    }

    /// Parses the rest of the text: `parse` receives blocks, in parallel on all cores, and `take`
    /// receives the results in the order of the file. Returns the first error in that order.
    ///
    /// # Errors
    /// If the file cannot be read, a line is too long, or `parse` or `take` fails.
    pub(crate) fn parse<T: Send>(
        mut self,
        parse: impl Fn(Block<'_>) -> Result<T, ReadError> + Sync,
        mut take: impl FnMut(T) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let path = self.path.clone();
        let size = rayon::current_num_threads().clamp(2, LARGEST_BATCH);
        let mut batch = self.next_batch(size);
        loop {
            let Batch { blocks, error } = batch;
            if blocks.is_empty() && error.is_none() {
                return Ok(());
            }
            let parse = |(first_line, bytes)| parse(Block { path: &path, first_line, bytes });
            let (parsed, next) = rayon::join(
                || blocks.into_par_iter().map(parse).collect::<Vec<_>>(),
                || if error.is_none() { self.next_batch(size) } else { Batch::default() },
            );
            for result in parsed {
                take(result?)?;
            }
            if let Some(error) = error {
                return Err(error);
            }
            batch = next;
        }
    }

    /// The next blocks, and the error that ended them.
    fn next_batch(&mut self, size: usize) -> Batch {
        let mut batch = Batch::default();
        while batch.blocks.len() < size {
            match self.next_block() {
                Ok(Some(block)) => batch.blocks.push(block),
                Ok(None) => break,
                Err(error) => {
                    batch.error = Some(error);
                    break;
                }
            }
        }
        batch
    }

    fn next_block(&mut self) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
        self.fill(self.block.max(LONGEST_LINE + 2))?;
        let rest = &self.buffer[self.start..];
        if rest.is_empty() {
            return Ok(None);
        }
        // A small block size is for tests: it limits where a block ends, not how much is read.
        let end = match self.ended && rest.len() <= self.block {
            true => rest.len(),
            false => {
                let end = memrchr(b'\n', &rest[..self.block.min(rest.len())]).or_else(|| memchr(b'\n', rest));
                match end {
                    Some(end) => end + 1,
                    None if self.ended => rest.len(),
                    None => return Err(too_long(&self.path, self.line)),
                }
            }
        };
        let remaining = rest[end..].to_vec();
        let mut bytes = std::mem::replace(&mut self.buffer, remaining);
        bytes.truncate(self.start + end);
        bytes.drain(..self.start);
        self.start = 0;
        let first_line = self.line;
        check_line_lengths(&self.path, first_line, &bytes)?;
        self.line += memchr_iter(b'\n', &bytes).count() as u64;
        Ok(Some((first_line, bytes)))
    }

    /// Reads until `wanted` bytes are available, or the file ends.
    fn fill(&mut self, wanted: usize) -> Result<(), ReadError> {
        let present = self.buffer.len() - self.start;
        if self.ended || present >= wanted {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let missing = wanted.max(self.block) - present;
        self.buffer.reserve_exact(missing.min(BLOCK));
        self.ended = self.source.append(&mut self.buffer, missing)? < missing;
        Ok(())
    }
}

#[derive(Default)]
struct Batch {
    blocks: Vec<(u64, Vec<u8>)>,
    error: Option<ReadError>,
}

impl Block<'_> {
    /// The size of the block, to estimate its number of rows.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The nonblank lines, without their line ends (LF or CRLF).
    pub(crate) fn lines(&self) -> Lines<'_> {
        Lines { path: self.path, rest: &self.bytes, number: self.first_line }
    }
}

/// The lines of a block.
pub(crate) struct Lines<'a> {
    path: &'a Path,
    rest: &'a [u8],
    number: u64,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        while !self.rest.is_empty() {
            let length = memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end + 1);
            let (line, rest) = self.rest.split_at(length);
            let line = Line::new(self.path, self.number, line);
            self.rest = rest;
            self.number += 1;
            if !line.is_blank() {
                return Some(line);
            }
        }
        None
    }
}

/// Fails if a line is too long. A line above the limit leaves some window of half the limit without
/// a line end, so this checks only a few bytes of an ordinary block.
fn check_line_lengths(path: &Path, first_line: u64, bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.chunks(LONGEST_LINE / 2).all(|window| memchr(b'\n', window).is_some()) {
        return Ok(());
    }
    let lines = Lines { path, rest: bytes, number: first_line };
    match lines.into_iter().find(|line| line.bytes().len() > LONGEST_LINE) {
        Some(line) => Err(too_long(path, line.number())),
        None => Ok(()),
    }
}

fn too_long(path: &Path, line: u64) -> ReadError {
    let what = "the length of the line in bytes".to_owned();
    ReadError::TooLarge { place: Place::line(path, line, 0), what, limit: LONGEST_LINE as u64 }
}
