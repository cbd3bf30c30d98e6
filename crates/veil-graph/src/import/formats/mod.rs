//! The formats of tables, one reader each.
//!
//! A format is recognised by the ending of the file's name, without `.gz` or `.zst`: compression is
//! recognised by the first bytes. To add a format: a module with `FORMAT`, and a line in
//! [`FORMATS`].

mod arrow;
mod delimited;
pub(super) mod json;

use std::path::Path;

use super::error::ImportError;
use super::table::{Table, Wanted};

/// How to recognise and read one format.
struct Format {
    /// For the error that lists all formats.
    described: &'static str,
    /// Endings of names.
    endings: &'static [&'static str],
    read: fn(&Path, Options, Wanted<'_>) -> Result<Table, ImportError>,
}

pub(super) use arrow::of_batches;

/// What a file does not say about itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Options {
    /// A text table without a header.
    pub(super) headless: bool,
}

const FORMATS: [&Format; 4] = [&delimited::FORMAT, &arrow::FORMAT, &json::LINES, &json::ARRAY];

/// The format of a file, by its name.
fn format(path: &Path) -> Option<&'static Format> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_ascii_lowercase());
    let plain = [".gz", ".zst", ".zstd"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
    FORMATS.into_iter().find(|format| format.endings.contains(&ending))
}

/// Whether the name of a file is that of a table.
pub fn is_table(path: &Path) -> bool {
    path.is_file() && format(path).is_some()
}

/// Reads the wanted columns of a table.
pub(super) fn read(path: &Path, options: Options, wanted: Wanted<'_>) -> Result<Table, ImportError> {
    match format(path) {
        Some(format) => (format.read)(path, options, wanted),
        None => {
            let known: Vec<&str> = FORMATS.iter().map(|format| format.described).collect();
            Err(ImportError::UnknownFormat { path: path.to_owned(), known: known.join("; ") })
        }
    }
}
