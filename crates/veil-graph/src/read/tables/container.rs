//! Parquet and Arrow files: validated, then read batch by batch.
//!
//! All declarations are checked against the length of the file first: footers, positions of column
//! chunks and blocks, sizes of pages. The decoding libraries may still panic on contradictory
//! bytes, so every call into them goes through [`contained`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::super::error::{Place, ReadError};
use super::{packed, thrift};
use crate::caught;

/// Rows decoded at once.
const BATCH_ROWS: usize = 8192;

/// A file may unpack to this many values and bytes, whatever its size, … (Fewer in tests: reaching
/// the limit takes a minute.)
const FREE_VALUES: u64 = if cfg!(test) { 1 << 18 } else { 1 << 25 };
const FREE_BYTES: u64 = 1 << 28;

/// … and to this many more for each of its bytes. Meaningful edges and features take more than a
/// bit each.
const VALUES_PER_BYTE: u64 = 64;

/// The largest page header.
const MAX_PAGE_HEADER: u64 = 1 << 16;

/// Parquet's encoding of strings as a prefix of the previous string and a suffix.
const DELTA_BYTE_ARRAY: i64 = 7;

/// An opened table.
pub(crate) struct Table {
    path: PathBuf,
    file: File,
    length: u64,
    schema: SchemaRef,
    metadata: BTreeMap<String, String>,
    parquet: Option<ArrowReaderMetadata>,
}

/// Some rows of some columns.
pub(crate) struct Batch<'a> {
    path: &'a Path,
    group: (&'static str, usize),
    first_row: u64,
    record: RecordBatch,
}

impl Batch<'_> {
    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.record.num_rows()
    }

    /// A requested column.
    pub(crate) fn column(&self, name: &str) -> Result<&dyn arrow_array::Array, ReadError> {
        let column = self.record.column_by_name(name);
        column.map(AsRef::as_ref).ok_or_else(|| ReadError::format(self.part(name), "missing column"))
    }

    /// The place of a column of this batch.
    pub(crate) fn part(&self, column: &str) -> Place {
        let (group, number) = self.group;
        Place::part(self.path, format!("{group} {number}, column {column}"))
    }

    /// The place of a cell; rows are counted from 0 within the file.
    pub(super) fn cell(&self, row: usize, column: &str) -> Place {
        let (group, number) = self.group;
        Place::part(self.path, format!("{group} {number}, row {}, column {column}", self.first_row + row as u64))
    }
}

impl Table {
    /// Opens a Parquet or Arrow file, recognised by its first bytes.
    pub(crate) fn open(path: &Path) -> Result<Table, ReadError> {
        let io = |error| ReadError::io(path, error);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut magic = Vec::new();
        (&mut file).take(6).read_to_end(&mut magic).map_err(io)?;
        let mut table = Table {
            path: path.to_owned(),
            file,
            length,
            schema: Arc::new(Schema::empty()),
            metadata: BTreeMap::new(),
            parquet: None,
        };
        match magic.as_slice() {
            [b'P', b'A', b'R', b'1', ..] => table.open_parquet()?,
            b"ARROW1" => table.open_arrow()?,
            [b'F', b'E', b'A', b'1', ..] => {
                return Err(ReadError::format(Place::file(path), "Feather version 1 is not supported, only version 2"));
            }
            _ => return Err(ReadError::format(Place::byte(path, 0), "neither a Parquet nor an Arrow file")),
        }
        Ok(table)
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The limit for bytes of names in the table: see [`FREE_BYTES`].
    pub(crate) fn text_budget(&self) -> u64 {
        FREE_BYTES.saturating_add(self.length.saturating_mul(VALUES_PER_BYTE))
    }

    /// The columns.
    pub(crate) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The metadata of the file under this key.
    pub(super) fn note(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str)
    }

    /// The first of these columns that the table has.
    pub(super) fn find<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        names.iter().copied().find(|name| self.schema.column_with_name(name).is_some())
    }

    /// Calls `each` for the rows of these columns, batch by batch.
    pub(crate) fn batches(
        &self,
        columns: &[&str],
        each: &mut dyn FnMut(&Batch<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let requested: BTreeSet<&str> = columns.iter().copied().collect();
        let (mut seen, mut wanted) = (BTreeSet::new(), Vec::with_capacity(columns.len()));
        for (place, field) in self.schema.fields().iter().enumerate() {
            if requested.contains(field.name().as_str()) {
                if !seen.insert(field.name()) {
                    let what = format!("column {}", field.name());
                    return Err(ReadError::Repeated { place: Place::file(&self.path), what });
                }
                wanted.push(place);
            }
        }
        match &self.parquet {
            Some(metadata) => self.parquet_batches(metadata, &wanted, each),
            None => self.arrow_batches(wanted, each),
        }
    }

    fn open_parquet(&mut self) -> Result<(), ReadError> {
        let path = self.path.clone();
        let broken = |problem: &str| ReadError::format(Place::part(&path, "footer"), problem);
        let mut tail = [0; 8];
        if self.length < 12 {
            return Err(broken("the file ends before its footer"));
        }
        self.read_at(self.length - 8, &mut tail)?;
        let (size, magic) = (u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]])), &tail[4..]);
        if magic != b"PAR1" {
            return Err(broken(if magic == b"PARE" { "the file is encrypted" } else { "the file is truncated" }));
        }
        if size > self.length - 12 {
            return Err(broken("the footer is declared larger than the file"));
        }
        let mut footer = vec![0; size as usize];
        self.read_at(self.length - 8 - size, &mut footer)?;
        if !thrift::footer_is_sound(&footer) {
            return Err(broken("its counts do not fit its bytes"));
        }
        drop(footer);

        let place = || Place::part(&path, "footer");
        // The Arrow schema that some writers embed is ignored: it is not needed, and can declare
        // fixed lengths that contradict the file.
        let options = || ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let plain = contained(place, || ArrowReaderMetadata::load(&self.file, options()))?;
        // Strings as views: a string of a dictionary is not copied into each of its rows.
        let fields: Vec<_> = plain.schema().fields().iter().map(viewed).collect();
        let schema = Arc::new(Schema::new(fields));
        let metadata = contained(place, || {
            ArrowReaderMetadata::try_new(Arc::clone(plain.metadata()), options().with_schema(schema))
        })?;
        self.schema = Arc::clone(metadata.schema());
        for note in metadata.metadata().file_metadata().key_value_metadata().into_iter().flatten() {
            if let Some(value) = &note.value {
                self.metadata.insert(note.key.clone(), value.clone());
            }
        }
        self.parquet = Some(metadata);
        Ok(())
    }

    fn parquet_batches(
        &self,
        metadata: &ArrowReaderMetadata,
        wanted: &[usize],
        each: &mut dyn FnMut(&Batch<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let batch_rows = self.check_pages(metadata, wanted)?;
        let mut first_row = 0;
        for number in 0..metadata.metadata().num_row_groups() {
            let group = ("row group", number);
            let place = || Place::part(&self.path, format!("row group {number}"));
            let file = self.file.try_clone().map_err(|error| ReadError::io(&self.path, error))?;
            let mut reader = contained(place, || {
                let mask = ProjectionMask::roots(metadata.parquet_schema(), wanted.iter().copied());
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
                    .with_projection(mask)
                    .with_row_groups(vec![number])
                    .with_batch_size(batch_rows)
                    .build()
            })?;
            while let Some(record) = contained(place, || reader.next().transpose())? {
                let rows = record.num_rows() as u64;
                each(&Batch { path: &self.path, group, first_row, record })?;
                first_row += rows;
            }
        }
        Ok(())
    }

    /// Walks over the page headers of the requested columns, adds up what they declare, and checks
    /// the limits. Returns the number of rows to decode at once.
    fn check_pages(&self, metadata: &ArrowReaderMetadata, wanted: &[usize]) -> Result<usize, ReadError> {
        let (mut values, mut bytes, mut batch_rows) = (0u64, 0u64, BATCH_ROWS);
        let schema = metadata.parquet_schema();
        for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                if leaf >= schema.num_columns() || wanted.binary_search(&schema.get_column_root_idx(leaf)).is_err() {
                    continue;
                }
                let part = || Place::part(&self.path, format!("row group {number}, column {}", chunk.column_path()));
                let broken = |problem: &str| ReadError::format(part(), problem);
                let start = chunk.dictionary_page_offset().unwrap_or_else(|| chunk.data_page_offset());
                let outside = || broken("its pages are declared outside the file");
                let mut at = u64::try_from(start).map_err(|_| outside())?;
                let size = u64::try_from(chunk.compressed_size()).map_err(|_| outside())?;
                let end = at.checked_add(size).filter(|&end| end <= self.length).ok_or_else(outside)?;
                while at < end {
                    let mut head = vec![0; (end - at).min(256) as usize];
                    self.read_at(at, &mut head)?;
                    let header = match thrift::page_header(&head) {
                        None => {
                            // Statistics of long strings make a header long.
                            head.resize((end - at).min(MAX_PAGE_HEADER) as usize, 0);
                            self.read_at(at, &mut head)?;
                            thrift::page_header(&head)
                        }
                        found => found,
                    };
                    let header = header.ok_or_else(|| broken("a page has an invalid header"))?;
                    let impossible = || broken("a page declares impossible sizes");
                    let compressed = u64::try_from(header.compressed).map_err(|_| impossible())?;
                    let unpacked = u64::try_from(header.uncompressed).map_err(|_| impossible())?;
                    let held = u64::try_from(header.values).map_err(|_| impossible())?;
                    if header.dictionary && held > unpacked {
                        return Err(impossible());
                    }
                    at = at + header.length as u64 + compressed;
                    if at > end {
                        return Err(impossible());
                    }
                    if header.encoding == DELTA_BYTE_ARRAY {
                        // Each row may be as long as the page.
                        batch_rows = batch_rows.min((FREE_BYTES / unpacked.max(1)).max(1) as usize);
                    }
                    // Empty pages count too, so that this walk ends.
                    values = values.saturating_add(held.max(1));
                    bytes = bytes.saturating_add(unpacked);
                    for (found, free, what) in [(values, FREE_VALUES, "values"), (bytes, FREE_BYTES, "bytes")] {
                        let limit = free.saturating_add(self.length.saturating_mul(VALUES_PER_BYTE));
                        if found > limit {
                            let what = format!("the number of decompressed {what}");
                            return Err(ReadError::TooLarge { place: part(), what, limit });
                        }
                    }
                }
            }
        }
        Ok(batch_rows)
    }

    fn open_arrow(&mut self) -> Result<(), ReadError> {
        let path = self.path.clone();
        let place = || Place::part(&path, "footer");
        let broken = |problem: &str| ReadError::format(place(), problem);
        let mut tail = [0; 10];
        if self.length < 20 {
            return Err(broken("the file ends before its footer"));
        }
        self.read_at(self.length - 10, &mut tail)?;
        let size = contained(place, || arrow_ipc::reader::read_footer_length(tail))? as u64;
        if size > self.length - 18 {
            return Err(broken("the footer is declared larger than the file"));
        }
        let mut footer = vec![0; size as usize];
        self.read_at(self.length - 10 - size, &mut footer)?;
        let mut unpacked = 0u64;
        let schema = contained(place, || {
            let footer = arrow_ipc::root_as_footer(&footer).map_err(|error| error.to_string())?;
            let blocks = footer.recordBatches().into_iter().chain(footer.dictionaries()).flatten();
            for block in blocks {
                let parts = (
                    u64::try_from(block.offset()),
                    u64::try_from(block.metaDataLength()),
                    u64::try_from(block.bodyLength()),
                );
                let inside = match parts {
                    (Ok(offset), Ok(head), Ok(body)) => {
                        head >= 8 && offset.saturating_add(head).saturating_add(body) <= self.length
                    }
                    _ => false,
                };
                if !inside {
                    return Err("a block is declared outside the file".to_owned());
                }
                let found = packed::declared_bytes(&self.file, block)?;
                unpacked = unpacked.saturating_add(found);
            }
            let schema = footer.schema().ok_or("no schema")?;
            Ok(arrow_ipc::convert::fb_to_schema(schema))
        })?;
        let limit = self.text_budget();
        if unpacked > limit {
            let what = "the number of decompressed bytes".to_owned();
            return Err(ReadError::TooLarge { place: Place::file(&path), what, limit });
        }
        self.metadata = schema.metadata().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        self.schema = Arc::new(schema);
        Ok(())
    }

    fn arrow_batches(
        &self,
        wanted: Vec<usize>,
        each: &mut dyn FnMut(&Batch<'_>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let io = |error| ReadError::io(&self.path, error);
        let mut file = self.file.try_clone().map_err(io)?;
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        let whole = || Place::part(&self.path, "dictionaries");
        let mut reader = contained(whole, || arrow_ipc::reader::FileReader::try_new(file, Some(wanted)))?;
        let mut first_row = 0;
        for number in 0.. {
            let place = || Place::part(&self.path, format!("record batch {number}"));
            let Some(record) = contained(place, || reader.next().transpose())? else { break };
            let rows = record.num_rows() as u64;
            each(&Batch { path: &self.path, group: ("record batch", number), first_row, record })?;
            first_row += rows;
        }
        Ok(())
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<(), ReadError> {
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes));
        read.map_err(|error| ReadError::io(&self.path, error))
    }
}

/// The same field with strings as views.
fn viewed(field: &Arc<Field>) -> Arc<Field> {
    match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
        _ => Arc::clone(field),
    }
}

/// Calls a foreign decoder: its errors and panics become errors of the file. The state of the
/// decoder is dropped, so continuing is safe.
pub(crate) fn contained<T, E: std::fmt::Display>(
    place: impl Fn() -> Place,
    decode: impl FnOnce() -> Result<T, E>,
) -> Result<T, ReadError> {
    match caught(decode) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(ReadError::format(place(), error.to_string())),
        None => Err(ReadError::format(place(), "the file contradicts itself, and the decoder failed")),
    }
}
