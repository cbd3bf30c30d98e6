//! Node tables: names, labels, parts of the split, and features in one of four forms.

use std::collections::BTreeMap;

use super::super::error::{Place, ReadError};
use super::cells::{Cell, Cells, Lists, finite, floats};
use super::container::{Batch, Table};
use super::edges::check_count;
use super::notes::{ENCODING_KEY, Encoding, Notes, note};
use crate::features::{Encoded, Features, Sparse};
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::limits::{MOST_CLASSES, MOST_FEATURES};
use crate::matrix::Matrix;
use crate::split::{Part, Split};

const MAX_CLASSES: u32 = MOST_CLASSES as u32;

/// The content of a node table, with one entry per node in each part.
pub(super) struct Nodes {
    pub(super) names: NodeNames,
    pub(super) features: Option<Features>,
    pub(super) labels: Option<Labels>,
    pub(super) split: Option<Split>,
}

/// Reads a node table.
pub(super) fn read(table: &Table, notes: &Notes) -> Result<Nodes, ReadError> {
    let id = table.find(&["node", "id"]).ok_or_else(|| {
        let expected = "a column node (or id) with the name of each node";
        ReadError::unexpected(Place::part(table.path(), "columns"), "none", expected)
    })?;
    let (label, split) = (table.find(&["label"]), table.find(&["split"]));
    let form = Form::of(table)?;
    let numbered = match form {
        Form::Wide(width) => (0..width).map(|column| format!("x{column}")).collect(),
        _ => Vec::new(),
    };
    let mut columns: Vec<&str> = std::iter::once(id).chain(label).chain(split).collect();
    columns.extend(form.columns());
    columns.extend(numbered.iter().map(String::as_str));

    let mut names = Names::new(table);
    let mut classes = Classes::new(notes);
    let mut parts = Vec::new();
    let mut rows = Rows::new(form, notes);
    table.batches(&columns, &mut |batch| {
        names.add(batch, id)?;
        if let Some(label) = label {
            classes.add(batch, label)?;
        }
        if let Some(split) = split {
            add_parts(batch, split, &mut parts)?;
        }
        rows.add(batch, &numbered)
    })?;

    check_count(table.path(), names.len())?;
    let (names, order) = names.finish(table, id)?;
    let features = rows.finish(table, names.len(), order.as_deref())?;
    let labels = label.map(|label| classes.finish(table, label, order.as_deref())).transpose()?;
    let split = split.map(|_| Split::new(gathered(parts, order.as_deref())));
    Ok(Nodes { names, features, labels, split })
}

/// The same entries in another order.
fn gathered<T: Copy>(entries: Vec<T>, order: Option<&[u32]>) -> Vec<T> {
    match order {
        Some(order) => order.iter().map(|&row| entries[row as usize]).collect(),
        None => entries,
    }
}

/// Names during reading: all numbers or all texts.
struct Names {
    numbers: Vec<u64>,
    texts: Vec<String>,
    bytes: u64,
    budget: u64,
}

impl Names {
    fn new(table: &Table) -> Names {
        Names { numbers: Vec::new(), texts: Vec::new(), bytes: 0, budget: table.text_budget() }
    }

    fn len(&self) -> usize {
        self.numbers.len() + self.texts.len()
    }

    fn add(&mut self, batch: &Batch<'_>, column: &str) -> Result<(), ReadError> {
        let cells = Cells::of(batch, column)?;
        for row in 0..batch.rows() {
            let unexpected =
                |found: &str, expected: &str| ReadError::unexpected(batch.cell(row, column), found, expected);
            match cells.get(row) {
                Some(Cell::Number(number)) => self.numbers.push(number),
                Some(Cell::Text(text)) => {
                    self.bytes += text.len() as u64;
                    if self.bytes > self.budget {
                        let what = "the length of all names".to_owned();
                        return Err(ReadError::TooLarge { place: batch.cell(row, column), what, limit: self.budget });
                    }
                    self.texts.push(text.to_owned());
                }
                Some(cell) => return Err(unexpected(&cell.shown(), "a node id that is not negative")),
                None => return Err(unexpected("", "a node, but it is missing")),
            }
        }
        Ok(())
    }

    /// The names, and the order of the rows if it differs from that of the table.
    fn finish(self, table: &Table, column: &str) -> Result<(NodeNames, Option<Vec<u32>>), ReadError> {
        let repeated = |name: String| ReadError::Repeated {
            place: Place::part(table.path(), format!("column {column}")),
            what: format!("node {}", name.chars().take(60).collect::<String>()),
        };
        if !self.texts.is_empty() {
            return Ok((NodeNames::from_texts(self.texts).map_err(repeated)?, None));
        }
        let order = (!self.numbers.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..self.numbers.len() as u32).collect();
            order.sort_by_key(|&row| self.numbers[row as usize]);
            order
        });
        let numbers = gathered(self.numbers, order.as_deref());
        match numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(repeated(pair[0].to_string())),
            None => Ok((NodeNames::from_ascending_numbers(numbers), order)),
        }
    }
}

/// Labels during reading: class numbers, or class names.
struct Classes {
    values: Vec<Option<u32>>,
    /// Names by first occurrence, and the provisional class numbers.
    seen: BTreeMap<String, u32>,
    declared: Option<u32>,
    names: Option<Vec<String>>,
}

impl Classes {
    fn new(notes: &Notes) -> Classes {
        let names = notes.class_names.clone();
        Classes { values: Vec::new(), seen: BTreeMap::new(), declared: notes.classes, names }
    }

    fn add(&mut self, batch: &Batch<'_>, column: &str) -> Result<(), ReadError> {
        let cells = Cells::of(batch, column)?;
        for row in 0..batch.rows() {
            let value = match cells.get(row) {
                None => None,
                Some(Cell::Number(number)) if number < u64::from(self.declared.unwrap_or(MAX_CLASSES)) => {
                    Some(number as u32)
                }
                Some(Cell::Text(text)) => Some(match self.seen.get(text) {
                    Some(&class) => class,
                    None if self.seen.len() < MAX_CLASSES as usize => {
                        let class = self.seen.len() as u32;
                        self.seen.insert(text.to_owned(), class);
                        class
                    }
                    None => return Err(self.unknown(batch, row, column, text)),
                }),
                Some(cell) => return Err(self.unknown(batch, row, column, &cell.shown())),
            };
            self.values.push(value);
        }
        Ok(())
    }

    fn unknown(&self, batch: &Batch<'_>, row: usize, column: &str, found: &str) -> ReadError {
        let expected = format!("one of {} classes", self.declared.unwrap_or(MAX_CLASSES));
        ReadError::unexpected(batch.cell(row, column), found, expected)
    }

    fn finish(mut self, table: &Table, column: &str, order: Option<&[u32]>) -> Result<Labels, ReadError> {
        let place = || Place::part(table.path(), format!("column {column}"));
        if !self.seen.is_empty() {
            // From the order of first occurrence to the declared order, or else the sorted one.
            let names = self.names.take().unwrap_or_else(|| self.seen.keys().cloned().collect());
            let place_of: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
            let mut renumbered = vec![0; self.seen.len()];
            for (name, &class) in &self.seen {
                let known = place_of.get(name.as_str());
                renumbered[class as usize] = *known
                    .ok_or_else(|| ReadError::unexpected(place(), name, "one of the class names of the metadata"))?;
            }
            self.values.iter_mut().flatten().for_each(|class| *class = renumbered[*class as usize]);
            self.names = Some(names);
        }
        let largest = self.values.iter().flatten().max().map_or(0, |&largest| largest + 1);
        let named = self.names.as_ref().map(|names| names.len() as u32);
        let classes = self.declared.or(named).unwrap_or(largest);
        if classes > MAX_CLASSES {
            let what = "the number of classes".to_owned();
            return Err(ReadError::TooLarge { place: place(), what, limit: u64::from(MAX_CLASSES) });
        }
        let labels = Labels::new(classes, gathered(self.values, order)).map_err(ReadError::misfit(table.path()))?;
        match self.names {
            Some(names) => labels.with_names(names).map_err(ReadError::misfit(table.path())),
            None => Ok(labels),
        }
    }
}

fn add_parts(batch: &Batch<'_>, column: &str, parts: &mut Vec<Part>) -> Result<(), ReadError> {
    let cells = Cells::of(batch, column)?;
    for row in 0..batch.rows() {
        parts.push(match cells.get(row) {
            None => Part::None,
            Some(Cell::Text("train")) => Part::Train,
            Some(Cell::Text("val")) => Part::Val,
            Some(Cell::Text("test")) => Part::Test,
            Some(cell) => {
                let expected = "train, val, test or nothing";
                return Err(ReadError::unexpected(batch.cell(row, column), &cell.shown(), expected));
            }
        });
    }
    Ok(())
}

/// The form of features in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    None,
    /// One list of numbers per node.
    Dense,
    /// Columns `x0`, `x1`, ….
    Wide(usize),
    /// A list of columns and a list of values per node.
    Sparse,
    /// A list of columns and a list of signs per node.
    Encoded(Encoding),
}

impl Form {
    fn of(table: &Table) -> Result<Form, ReadError> {
        let has = |name: &str| table.find(&[name]).is_some();
        let numbered = |name: &str| {
            let digits = name.strip_prefix('x')?;
            digits.parse::<usize>().ok().filter(|number| number.to_string() == digits)
        };
        let mut wide: Vec<usize> = table.schema().fields().iter().filter_map(|field| numbered(field.name())).collect();
        wide.sort_unstable();
        let forms = [has("features"), has("feature_columns"), !wide.is_empty()];
        let columns = Place::part(table.path(), "columns");
        if forms.iter().filter(|&&there| there).count() > 1 {
            let problem = "features in more than one form: features, feature_columns, x0 …";
            return Err(ReadError::format(columns, problem));
        }
        if let Some(gap) = wide.iter().zip(0..).position(|(&found, wanted)| found != wanted) {
            let found = format!("x{}", wide[gap]);
            return Err(ReadError::unexpected(columns, &found, format!("x{gap}: every column from x0 on, once")));
        }
        match forms {
            [true, ..] => Ok(Form::Dense),
            [_, true, _] if has("feature_signs") => match note(table, ENCODING_KEY)? {
                Some(encoding) => Ok(Form::Encoded(encoding)),
                None => {
                    let problem = "feature_signs needs this key: {\"offset\", \"scale\", \"signs_per_node\"}";
                    Err(ReadError::format(Place::part(table.path(), ENCODING_KEY), problem))
                }
            },
            [_, true, _] if has("feature_values") => Ok(Form::Sparse),
            [_, true, _] => Err(ReadError::format(columns, "feature_columns without feature_values or feature_signs")),
            [.., true] => Ok(Form::Wide(wide.len())),
            _ => Ok(Form::None),
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Form::None | Form::Wide(_) => &[],
            Form::Dense => &["features"],
            Form::Sparse => &["feature_columns", "feature_values"],
            Form::Encoded(_) => &["feature_columns", "feature_signs"],
        }
    }
}

/// Features during reading.
struct Rows {
    form: Form,
    width: Option<usize>,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    signs: Vec<bool>,
}

impl Rows {
    fn new(form: Form, notes: &Notes) -> Rows {
        let width = match form {
            Form::Wide(width) => Some(width),
            _ => notes.features.map(|width| width as usize),
        };
        Rows { form, width, offsets: vec![0], columns: Vec::new(), values: Vec::new(), signs: Vec::new() }
    }

    fn add(&mut self, batch: &Batch<'_>, numbered: &[String]) -> Result<(), ReadError> {
        match self.form {
            Form::None => Ok(()),
            Form::Dense => self.add_dense(batch),
            Form::Wide(_) => self.add_wide(batch, numbered),
            Form::Sparse => self.add_lists(batch, "feature_values"),
            Form::Encoded(_) => self.add_lists(batch, "feature_signs"),
        }
    }

    fn add_dense(&mut self, batch: &Batch<'_>) -> Result<(), ReadError> {
        const COLUMN: &str = "features";
        let lists = Lists::of(batch, COLUMN)?;
        let items = floats(lists.items(), || batch.part(COLUMN))?;
        for row in 0..batch.rows() {
            let place = || batch.cell(row, COLUMN);
            let range = lists.range(row).ok_or_else(|| ReadError::unexpected(place(), "", "a list of numbers"))?;
            let width = *self.width.get_or_insert(range.len());
            if range.len() != width {
                let (found, declared) = (range.len() as u64, width as u64);
                return Err(ReadError::WrongCount { place: place(), what: "features", found, declared });
            }
            for item in range {
                self.values.push(finite(&items, item, place)?);
            }
        }
        Ok(())
    }

    fn add_wide(&mut self, batch: &Batch<'_>, numbered: &[String]) -> Result<(), ReadError> {
        let start = self.values.len();
        self.values.resize(start + batch.rows() * numbered.len(), 0.0);
        for (place, column) in numbered.iter().enumerate() {
            let items = floats(batch.column(column)?, || batch.part(column))?;
            for row in 0..batch.rows() {
                self.values[start + row * numbered.len() + place] = finite(&items, row, || batch.cell(row, column))?;
            }
        }
        Ok(())
    }

    /// Two lists per row, of equal length: columns, and values or signs.
    fn add_lists(&mut self, batch: &Batch<'_>, second: &str) -> Result<(), ReadError> {
        const COLUMNS: &str = "feature_columns";
        let (columns, values) = (Lists::of(batch, COLUMNS)?, Lists::of(batch, second)?);
        let numbers = columns.numbers(|| batch.part(COLUMNS))?;
        let items = floats(values.items(), || batch.part(second))?;
        for row in 0..batch.rows() {
            let (which, what) = (columns.range(row).unwrap_or(0..0), values.range(row).unwrap_or(0..0));
            let place = || batch.cell(row, second);
            if which.len() != what.len() {
                let (found, declared) = (what.len() as u64, which.len() as u64);
                return Err(ReadError::WrongCount { place: place(), what: "features", found, declared });
            }
            for (which, what) in which.zip(what) {
                let column = match numbers.get(which) {
                    Some(Cell::Number(number)) if number < MOST_FEATURES => number as u32,
                    cell => {
                        let found = cell.map_or_else(String::new, Cell::shown);
                        let expected = "the number of a feature column";
                        return Err(ReadError::unexpected(batch.cell(row, COLUMNS), &found, expected));
                    }
                };
                let value = finite(&items, what, place)?;
                self.columns.push(column);
                match self.form {
                    Form::Encoded(_) => self.signs.push(value > 0.0),
                    _ => self.values.push(value),
                }
            }
            self.offsets.push(self.columns.len());
        }
        Ok(())
    }

    fn finish(mut self, table: &Table, rows: usize, order: Option<&[u32]>) -> Result<Option<Features>, ReadError> {
        if let Some(order) = order {
            self.reorder(order);
        }
        let largest = self.columns.iter().max().map_or(0, |&column| column as usize + 1);
        let width = self.width.unwrap_or(largest);
        let path = table.path();
        Ok(Some(match self.form {
            Form::None => return Ok(None),
            Form::Dense | Form::Wide(_) => {
                Features::Dense(Matrix::from_values(rows, width, self.values).map_err(ReadError::misfit(path))?)
            }
            Form::Sparse => {
                let parts = Sparse::from_parts(self.offsets, self.columns, self.values, width);
                Features::Sparse(parts.map_err(ReadError::misfit(path))?)
            }
            Form::Encoded(encoding) => {
                let (offset, scale) = (encoding.offset as f32, encoding.scale as f32);
                let per_row = encoding.signs_per_node;
                if !(offset.is_finite() && scale.is_finite()) {
                    let problem = "offset and scale must be finite";
                    return Err(ReadError::format(Place::part(path, ENCODING_KEY), problem));
                }
                if let Some(row) = self.offsets.windows(2).position(|pair| pair[1] - pair[0] != per_row) {
                    return Err(ReadError::WrongCount {
                        place: Place::part(path, format!("row {row}, column feature_signs")),
                        what: "signs",
                        found: (self.offsets[row + 1] - self.offsets[row]) as u64,
                        declared: per_row as u64,
                    });
                }
                let reports = Encoded::from_reports((rows, width, per_row), (offset, scale), self.columns, self.signs);
                Features::Encoded(reports.map_err(ReadError::misfit(path))?)
            }
        }))
    }

    fn reorder(&mut self, order: &[u32]) {
        let rows = order.len();
        match self.form {
            Form::None => {}
            Form::Dense | Form::Wide(_) => {
                let width = self.values.len().checked_div(rows).unwrap_or(0);
                let row = |row: &u32| &self.values[*row as usize * width..][..width];
                self.values = order.iter().flat_map(row).copied().collect();
            }
            Form::Sparse | Form::Encoded(_) => {
                let range = |&row: &u32| self.offsets[row as usize]..self.offsets[row as usize + 1];
                let places: Vec<usize> = order.iter().flat_map(range).collect();
                let mut offsets = vec![0];
                let mut end = 0;
                offsets.extend(order.iter().map(range).map(|range| {
                    end += range.len();
                    end
                }));
                self.columns = places.iter().map(|&place| self.columns[place]).collect();
                match self.form {
                    Form::Encoded(_) => self.signs = places.iter().map(|&place| self.signs[place]).collect(),
                    _ => self.values = places.iter().map(|&place| self.values[place]).collect(),
                }
                self.offsets = offsets;
            }
        }
    }
}
