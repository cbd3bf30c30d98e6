//! A table of texts: what all formats have in common.
//!
//! Numbers, booleans and lists are kept as they are written (lists as `[…]`), so that every format
//! is judged by the same rules. A missing value is an empty text.

use std::path::{Path, PathBuf};

use super::error::ImportError;
use crate::read::{Place, ReadError};

/// The limit for the columns of a table.
pub(super) const MOST_TABLE_COLUMNS: usize = 1 << 16;

/// Cells that a table may always have, and cells per byte of its file beyond that: rows of JSON
/// name only some of the columns.
const FREE_CELLS: u64 = 1 << 22;
const CELLS_PER_BYTE: u64 = 4;

/// The limit for what default values take, in a file of so many bytes: as much as that of empty
/// cells.
pub(super) fn most_default_bytes(length: u64) -> u64 {
    let cells = FREE_CELLS.saturating_add(CELLS_PER_BYTE.saturating_mul(length));
    cells.saturating_mul(size_of::<usize>() as u64)
}

/// What a default value takes in one row.
pub(super) fn default_bytes(text: &str) -> u64 {
    (text.len() + size_of::<usize>()) as u64
}

/// The texts of a column, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    bytes: String,
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes that it takes.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<usize>()
    }

    /// The text of a row; empty if it is missing.
    pub(super) fn get(&self, row: usize) -> &str {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.bytes[start..self.ends[row]]
    }

    /// Adds missing values up to this number of rows.
    pub(super) fn fill(&mut self, rows: usize) {
        while self.ends.len() < rows {
            self.ends.push(self.bytes.len());
        }
    }
}

/// A column that is read.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    /// Its place among all columns, from 1.
    number: u32,
    /// What its type says about its values.
    pub(super) form: Form,
    pub(super) texts: Texts,
}

/// What the type of a column says about its values. Formats without types say nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Each value is its text.
    Text,
    /// Lists of numbers, in which places count.
    Vector,
    /// Values of this type, which have no text.
    Other(String),
}

impl Column {
    /// Refuses values whose texts do not tell them apart.
    pub(super) fn has_text(&self, path: &Path) -> Result<(), ImportError> {
        match &self.form {
            Form::Text | Form::Vector => Ok(()),
            Form::Other(found) => {
                let (path, column, found) = (path.to_owned(), self.name.clone(), found.clone());
                Err(ImportError::NoText { path, column, found })
            }
        }
    }
}

/// Where rows are in their file.
#[derive(Clone, Debug)]
pub(super) enum Rows {
    /// Their lines.
    Lines(Vec<u64>),
    /// Rows or elements of this name, counted from 1.
    Counted(&'static str),
}

/// Some columns of a table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) path: PathBuf,
    /// The names of all columns, read or not.
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column>,
    pub(super) rows: usize,
    pub(super) at: Rows,
    /// What was assumed about the file.
    pub(super) guessed: Vec<String>,
    /// Whether the rows decide which columns there are: rows of objects with keys.
    pub(super) keyed: bool,
}

/// Which columns to read, given the names of all, in any order.
pub(super) type Wanted<'a> = &'a dyn Fn(&Header<'_>) -> Result<Vec<usize>, ImportError>;

/// The names of the columns of a file.
pub(super) struct Header<'a> {
    pub(super) path: &'a Path,
    pub(super) names: &'a [String],
    /// Whether the names are numbers of columns, because the file has none.
    pub(super) headless: bool,
}

impl Table {
    /// The place of a cell.
    pub(super) fn place(&self, row: usize, column: &Column) -> Place {
        match &self.at {
            Rows::Lines(lines) => Place::line(&self.path, lines.get(row).copied().unwrap_or(0), column.number),
            Rows::Counted(what) => Place::part(&self.path, format!("{what} {}, {}", row + 1, column.name)),
        }
    }

    /// The row in a message.
    pub(super) fn row_name(&self, row: usize) -> String {
        match &self.at {
            Rows::Lines(lines) => format!("line {}", lines.get(row).copied().unwrap_or(0)),
            Rows::Counted(what) => format!("{what} {}", row + 1),
        }
    }
}

/// Prepares the columns to read.
pub(super) fn columns_of(names: &[String], wanted: &[usize]) -> Vec<Column> {
    let column = |&place: &usize| Column {
        name: names[place].clone(),
        number: u32::try_from(place + 1).unwrap_or(u32::MAX),
        form: Form::Text,
        texts: Texts::default(),
    };
    wanted.iter().map(column).collect()
}

pub(super) fn too_many_columns(place: Place) -> ReadError {
    ReadError::TooLarge { place, what: "the number of columns".to_owned(), limit: MOST_TABLE_COLUMNS as u64 }
}

/// Checks the names of columns: not too many, and each once.
pub(super) fn check_names(path: &Path, names: &[String]) -> Result<(), ReadError> {
    if names.len() > MOST_TABLE_COLUMNS {
        return Err(too_many_columns(Place::file(path)));
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let what = format!("column {:?}", pair[0].chars().take(60).collect::<String>());
            Err(ReadError::Repeated { place: Place::file(path), what })
        }
        None => Ok(()),
    }
}

/// A table whose columns are found while it is read: rows of objects with keys.
pub(super) struct Builder {
    path: PathBuf,
    known: std::collections::HashMap<String, usize>,
    names: Vec<String>,
    texts: Vec<Texts>,
    lines: Option<Vec<u64>>,
    counted: &'static str,
    rows: usize,
    bytes: u64,
}

impl Builder {
    pub(super) fn new(path: &Path, counted: &'static str) -> Builder {
        Builder {
            path: path.to_owned(),
            known: std::collections::HashMap::new(),
            names: Vec::new(),
            texts: Vec::new(),
            lines: None,
            counted,
            rows: 0,
            bytes: 0,
        }
    }

    /// A column that exists even if no row has it.
    pub(super) fn declare(&mut self, name: &str) -> usize {
        if let Some(&column) = self.known.get(name) {
            return column;
        }
        self.known.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.texts.push(Texts::default());
        self.names.len() - 1
    }

    /// The names of the columns so far.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds a row. A second value of the same column is an error. `read` is how much of the file
    /// was read, where the row may be longer than what it takes there.
    pub(super) fn row<'a>(
        &mut self,
        line: Option<u64>,
        read: Option<u64>,
        cells: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), ReadError> {
        for (name, text) in cells {
            let column = self.declare(name);
            if column >= MOST_TABLE_COLUMNS {
                return Err(too_many_columns(Place::file(&self.path)));
            }
            let texts = &mut self.texts[column];
            if texts.len() > self.rows {
                let place = Place::part(&self.path, format!("{} {}", self.counted, self.rows + 1));
                return Err(ReadError::Repeated { place, what: format!("{name:?}") });
            }
            texts.fill(self.rows);
            texts.push(text);
            self.bytes += (name.len() + text.len()) as u64 + 1;
        }
        self.bytes = read.unwrap_or(self.bytes);
        self.rows += 1;
        if let Some(line) = line {
            self.lines.get_or_insert_default().push(line);
        }
        let limit = FREE_CELLS.saturating_add(CELLS_PER_BYTE.saturating_mul(self.bytes));
        if (self.rows as u64).saturating_mul(self.names.len() as u64) > limit {
            return Err(self.too_large("the number of cells, most of them empty,", limit));
        }
        Ok(())
    }

    fn too_large(&self, what: &str, limit: u64) -> ReadError {
        ReadError::TooLarge { place: Place::file(&self.path), what: what.to_owned(), limit }
    }

    /// The wanted columns.
    pub(super) fn finish(mut self, wanted: Wanted<'_>) -> Result<Table, ImportError> {
        let header = Header { path: &self.path, names: &self.names, headless: false };
        let wanted = wanted(&header)?;
        let mut columns = columns_of(&self.names, &wanted);
        for (column, &place) in columns.iter_mut().zip(&wanted) {
            column.texts = std::mem::take(&mut self.texts[place]);
            column.texts.fill(self.rows);
        }
        let at = self.lines.map_or(Rows::Counted(self.counted), Rows::Lines);
        Ok(Table { path: self.path, names: self.names, columns, rows: self.rows, at, guessed: Vec::new(), keyed: true })
    }
}
