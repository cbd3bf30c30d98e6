//! A long table as gzip, compressed on all cores.
//!
//! A gzip file may have several members, which a reader concatenates. So rows are split into blocks
//! of a fixed size, each a member, and the file has the same bytes on any number of cores. No
//! header has a timestamp.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use rayon::prelude::*;

use super::WriteError;

/// Entries per block: about a megabyte of text, so that the overhead of members is negligible.
const ENTRIES: usize = 1 << 16;

/// Blocks in memory at once.
const TOGETHER: usize = 64;

/// The compression level. Amazon Computers' 41 MB of features, on one core: level 1 takes 0.18 s
/// for 14.1 MB, level 2 0.32 s for 10.0 MB, level 3 0.39 s for 8.8 MB; from 4 on it takes longer
/// without gain.
const LEVEL: u32 = 3;

/// Writes a gzipped table of `rows` rows; `entries_before(r)` is the number of entries of the rows
/// before r, `append` writes the lines of some rows.
pub(super) fn write_gzipped(
    path: &Path,
    header: &str,
    rows: usize,
    entries_before: impl Fn(usize) -> usize,
    append: impl Fn(Range<usize>, &mut Vec<u8>) + Sync,
) -> Result<(), WriteError> {
    let blocks = cut(rows, entries_before);
    let file = File::create_new(path).map_err(WriteError::io(path))?;
    let mut file = BufWriter::with_capacity(1 << 18, file);
    for group in blocks.chunks(TOGETHER) {
        let members: Vec<std::io::Result<Vec<u8>>> = group
            .par_iter()
            .map(|rows| {
                let mut text = Vec::with_capacity(1 << 20);
                if rows.start == 0 {
                    text.extend_from_slice(header.as_bytes());
                }
                append(rows.clone(), &mut text);
                let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), Compression::new(LEVEL));
                encoder.write_all(&text)?;
                encoder.finish()
            })
            .collect();
        for member in members {
            member.and_then(|member| file.write_all(&member)).map_err(WriteError::io(path))?;
        }
    }
    file.flush().map_err(WriteError::io(path))
}

/// Rows in blocks of at least [`ENTRIES`] entries (except the last); at least one block, for the
/// header.
fn cut(rows: usize, entries_before: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    for end in 1..=rows {
        if end == rows || entries_before(end) - entries_before(start) >= ENTRIES {
            blocks.push(start..end);
            start = end;
        }
    }
    if blocks.is_empty() {
        blocks.push(0..0);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn blocks_cover_every_row_once_and_depend_on_the_rows_alone() {
        for (rows, width) in [(0, 3), (1, 3), (100_000, 3), (5, 1 << 17), (10, 0)] {
            let blocks = cut(rows, |row| row * width);
            assert_eq!(blocks.first().map(|block| block.start), Some(0));
            assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(blocks.last().map(|block| block.end), Some(rows));
        }
        assert_eq!(cut(100_000, |row| row * 3).len(), 5);
    }

    #[test]
    fn the_file_has_the_same_bytes_on_any_number_of_threads() {
        let home = tempfile::tempdir().unwrap();
        let write = |threads: usize| {
            let path = home.path().join(threads.to_string());
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let append = |rows: Range<usize>, text: &mut Vec<u8>| {
                rows.for_each(|row| (0..3).for_each(|column| writeln!(text, "{row},{column},1").unwrap()));
            };
            pool.install(|| write_gzipped(&path, "node,feature,value\n", 100_000, |row| row * 3, append)).unwrap();
            std::fs::read(&path).unwrap()
        };
        let one = write(1);
        assert_eq!(one, write(2));
        assert_eq!(one, write(7));
        // RFC 1952: bytes 4 to 7 are the timestamp.
        assert_eq!(one[4..8], [0; 4]);
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(one.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text.lines().count(), 300_001);
        assert_eq!(text.lines().last(), Some("99999,2,1"));
    }
}
