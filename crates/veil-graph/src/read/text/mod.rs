//! What all readers of text share: a file becomes bytes, blocks of whole lines, lines, fields, numbers.
//!
//! `source` opens a file and unpacks it if its first bytes say gzip, within limits; `blocks` cuts the bytes into
//! blocks that end at a line end, and parses several of them at once while the next ones are being read, so that
//! memory stays bounded however long the file is; `line` cuts a line into fields and turns these into numbers, with
//! errors that name file, line and column.

mod blocks;
mod line;
mod source;

#[cfg(test)]
mod tests;

pub(crate) use blocks::{Block, Text};
pub(crate) use line::{Field, Line, OwnedLine, parse_u64};
pub(crate) use source::read_whole;
