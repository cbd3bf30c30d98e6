//! Text files for all readers: bytes, blocks of whole lines, lines, fields, numbers.
//!
//! `source` opens a file and decompresses gzip and zstd, recognised by their first bytes, within
//! limits. `blocks` splits the bytes at line ends and parses several blocks in parallel while the
//! next ones are read, so memory is bounded whatever the length of the file. `line` splits a line
//! into fields and parses numbers, with errors that name file, line and column.

mod blocks;
mod line;
mod source;

#[cfg(test)]
mod tests;

pub(crate) use blocks::{Block, Text};
pub(crate) use line::{Field, Line, OwnedLine, parse_u64};
pub(crate) use source::read_whole;
#[cfg(feature = "import")]
pub(crate) use source::{Source, unwrapped};
