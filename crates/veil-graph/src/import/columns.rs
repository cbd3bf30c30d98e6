//! From the values of columns to features.
//!
//! A number is one feature: itself, or scaled from a given range to 0 … 1. A boolean is 0 or 1. A
//! category is one of several features, a list any of them, a vector one for each place. Where
//! values may be missing, a further feature is 1 there and the others are 0.
//!
//! Two facts may follow from what is given alone, and then any release may state them: that every
//! feature lies in 0 … 1, and the number of features. Whatever one value could change is collected
//! instead: what a column holds if that is guessed, whether it is dropped, its categories, and
//! whether a value is missing, also if none is.

use std::path::Path;

use super::error::ImportError;
use super::plan::file_name;
use super::report::{ColumnReport, Report};
use super::request::{FeatureColumns, Kind, MissingValues, Request};
use super::values::{Cells, Guess, Values, guess};
use crate::features::{Features, Sparse};
use crate::limits::MOST_COLUMNS;
use crate::matrix::Matrix;
use crate::misfit::Misfit;
use crate::read::{Place, ReadError};

/// Categories that may be collected from a column, and items of lists, unless told otherwise.
const MOST_CATEGORIES: usize = 256;
const MOST_ITEMS: usize = 4096;

/// Features are stored sparse if at most one in so many is not zero.
const SPARSE: usize = 4;

/// The features of all columns so far.
#[derive(Default)]
pub(super) struct Encoder {
    triples: Vec<(u32, u32, f32)>,
    width: u32,
    /// Columns whose features may lie outside of 0 … 1 in other data.
    unbounded: Vec<String>,
    /// On what in the data the number of features depends.
    collected: Vec<String>,
}

/// Where a column's features begin, and what is wanted of it.
struct Column<'a> {
    cells: Cells<'a>,
    request: &'a Request,
    asked: bool,
}

impl Encoder {
    /// Says that the columns themselves were collected: other rows could have other columns.
    pub(super) fn found_columns(&mut self, file: &Path) {
        self.collected.push(format!("which columns the rows of {} have", file_name(file)));
        self.unbounded.push("others".to_owned());
    }

    /// Adds the features of a column, or says why it has none.
    pub(super) fn add(&mut self, cells: Cells<'_>, request: &Request, report: &mut Report) -> Result<(), ImportError> {
        let asked = matches!(request.features, FeatureColumns::These(_));
        let column = Column { cells, request, asked };
        let name = &cells.column.name;
        if let Err(error) = cells.column.has_text(&cells.table.path) {
            // Types belong to the file, whatever its rows are.
            return column.without("values of a type without a text", error, report);
        }
        let (kind, guessed) = match request.kind_of(name).or_else(|| column.implied()) {
            Some(kind) => (kind, false),
            None => match guess(cells) {
                Guess::Holds(kind) => (kind, true),
                Guess::Dates(row) => {
                    let (place, found) = (cells.table.place(row, cells.column), cells.column.texts.get(row).to_owned());
                    let error = ImportError::Date { place, column: name.clone(), found };
                    return self.drop(&column, "dates", error, report);
                }
                Guess::Other(row) => {
                    let (place, found) = (cells.table.place(row, cells.column), cells.column.texts.get(row));
                    let found = found.chars().take(40).collect();
                    let expected = "texts, numbers or lists of these".to_owned();
                    let error =
                        ImportError::BadCell { place, column: name.clone(), found, expected, kind: Kind::Category };
                    return self.drop(&column, "objects", error, report);
                }
                Guess::Nothing => {
                    let error = ImportError::NoValues { path: cells.table.path.clone(), column: name.clone() };
                    return self.drop(&column, "no values", error, report);
                }
            },
        };
        let values = Values::of(cells, kind)?;
        let missing = values.missing();
        let indicated = column.indicated(missing)?;
        let first = self.width;
        let becomes = match self.encode(&column, values, report) {
            Ok(becomes) => becomes,
            Err(error @ ImportError::TooManyCategories { .. }) => {
                return self.drop(&column, "too many different values", error, report);
            }
            Err(error) => return Err(error),
        };
        let mut becomes = vec![becomes];
        if indicated {
            self.indicate(cells);
            becomes.push("missing or not".to_owned());
        }
        if request.missing == MissingValues::Indicated {
            self.collected.push(format!("whether {name} has missing values"));
        }
        if guessed {
            report.guessed.push(format!("{name} holds {}", in_words(kind)));
            self.collected.push(format!("what {name} holds"));
            self.leave_unbounded(name);
        }
        if self.width as usize > MOST_COLUMNS {
            let what = "the number of features".to_owned();
            let place = Place::file(&cells.table.path);
            return Err(ReadError::TooLarge { place, what, limit: MOST_COLUMNS as u64 }.into());
        }
        report.columns.push(ColumnReport {
            column: name.clone(),
            file: file_name(&cells.table.path),
            becomes: becomes.join("; "),
            first_feature: Some(first),
            features: self.width - first,
            missing,
        });
        Ok(())
    }

    /// A column that its values keep from becoming features.
    fn drop(
        &mut self,
        column: &Column<'_>,
        why: &str,
        error: ImportError,
        report: &mut Report,
    ) -> Result<(), ImportError> {
        column.without(why, error, report)?;
        let name = &column.cells.column.name;
        self.collected.push(format!("whether {name} has features"));
        self.leave_unbounded(name);
        Ok(())
    }

    fn leave_unbounded(&mut self, name: &String) {
        if !self.unbounded.contains(name) {
            self.unbounded.push(name.clone());
        }
    }

    /// Adds the features of the values, and says what they are.
    fn encode(&mut self, column: &Column<'_>, values: Values, report: &mut Report) -> Result<String, ImportError> {
        let name = &column.cells.column.name;
        let first = self.width;
        match values {
            Values::Numbers(values) => {
                self.width += 1;
                let Some((low, high)) = column.request.range_of(name) else {
                    self.unbounded.push(name.clone());
                    self.extend(
                        values.iter().zip(0..).filter_map(|(value, node)| Some((node, first, (*value)? as f32))),
                    );
                    return Ok("a number, as it is".to_owned());
                };
                for (node, value) in (0..).zip(&values) {
                    let Some(value) = *value else { continue };
                    if !(low..=high).contains(&value) {
                        return Err(column.outside(node as usize, low, high));
                    }
                    self.triples.push((node, first, ((value - low) / (high - low)) as f32));
                }
                Ok(format!("a number, from {low} … {high} to 0 … 1"))
            }
            Values::Booleans(values) => {
                self.width += 1;
                let set = |(value, node): (&Option<bool>, u32)| Some((node, first, f32::from(u8::from((*value)?))));
                self.extend(values.iter().zip(0..).filter_map(set));
                Ok("0 or 1".to_owned())
            }
            Values::Categories(codes, names) => {
                let codes = codes.into_iter().map(|code| code.map(|code| vec![code])).collect();
                let number = self.one_hot(column, codes, &names, MOST_CATEGORIES)?;
                Ok(format!("one of {number} categories"))
            }
            Values::Lists(lists, names, missing) => {
                let number = self.one_hot(column, lists, &names, MOST_ITEMS)?;
                if missing > 0 {
                    report.dropped.push(format!("{missing} missing items in the lists of {name}"));
                }
                Ok(format!("any of {number} items"))
            }
            Values::Vectors(vectors, width) => {
                self.width = self.width.saturating_add(u32::try_from(width).unwrap_or(u32::MAX));
                self.unbounded.push(name.clone());
                self.collected.push(format!("the length of {name}"));
                for (node, vector) in (0..).zip(&vectors) {
                    let values = vector.iter().flatten().zip(first..);
                    self.triples.extend(values.map(|(&value, feature)| (node, feature, value as f32)));
                }
                Ok(format!("{width} numbers, as they are"))
            }
        }
    }

    /// A feature for each category, those that are given or those that were found. Returns their
    /// number.
    fn one_hot(
        &mut self,
        column: &Column<'_>,
        codes: Vec<Option<Vec<u32>>>,
        found: &[String],
        most: usize,
    ) -> Result<usize, ImportError> {
        let (cells, name) = (column.cells, &column.cells.column.name);
        let given = column.request.categories_of(name);
        let place_of: Vec<Option<u32>> = match given {
            None => (0..).take(found.len()).map(Some).collect(),
            Some(given) => {
                let place = |name: &str| given.iter().position(|it| it == name).map(|place| place as u32);
                found.iter().map(|name| place(name).or_else(|| place("*"))).collect()
            }
        };
        let number = given.map_or(found.len(), <[String]>::len);
        if given.is_none() {
            let limit = column.request.most_categories.unwrap_or(most);
            if number > limit {
                let (path, column) = (cells.table.path.clone(), name.clone());
                let rows = cells.present().count();
                return Err(ImportError::TooManyCategories { path, column, found: number, rows, limit });
            }
            self.collected.push(format!("the categories of {name}"));
        }
        for (node, codes) in (0..).zip(codes) {
            let mut set = Vec::new();
            for code in codes.into_iter().flatten() {
                match place_of[code as usize] {
                    Some(place) => set.push(place),
                    None => return Err(column.not_given(node as usize, &found[code as usize])),
                }
            }
            set.sort_unstable();
            set.dedup();
            let first = self.width;
            self.triples.extend(set.into_iter().map(|place| (node, first + place, 1.0)));
        }
        self.width = self.width.saturating_add(u32::try_from(number).unwrap_or(u32::MAX));
        Ok(number)
    }

    fn extend(&mut self, triples: impl Iterator<Item = (u32, u32, f32)>) {
        self.triples.extend(triples.filter(|(.., value)| *value != 0.0));
    }

    /// A feature that is 1 where the value is missing.
    fn indicate(&mut self, cells: Cells<'_>) {
        let is_missing = |row: &Option<usize>| row.is_none_or(|row| cells.is_missing(cells.column.texts.get(row)));
        let (feature, nodes) = (self.width, (0..).zip(cells.rows));
        self.triples.extend(nodes.filter(|(_, row)| is_missing(row)).map(|(node, _)| (node, feature, 1.0)));
        self.width += 1;
    }

    /// The features of so many nodes; whether they lie in 0 … 1 and whether their number is given,
    /// whatever the data.
    pub(super) fn finish(
        self,
        nodes: u32,
        path: &Path,
        report: &mut Report,
    ) -> Result<Option<(Features, bool, bool)>, ImportError> {
        if self.width == 0 {
            if !self.collected.is_empty() {
                report.collected.push(format!("that there are no features ({})", self.collected.join("; ")));
            }
            return Ok(None);
        }
        let (bounded, given) = (self.unbounded.is_empty(), self.collected.is_empty());
        if bounded {
            report.given.push("the range of the features, 0 to 1".to_owned());
        } else {
            report.collected.push(format!("the ranges of the features (columns {})", self.unbounded.join(", ")));
        }
        if given {
            report.given.push(format!("the number of features, {}", self.width));
        } else {
            report.collected.push(format!("the number of features ({})", self.collected.join("; ")));
        }
        let cells = (nodes as usize).saturating_mul(self.width as usize);
        let misfit = |source: Misfit| ImportError::Inconsistent { path: path.to_owned(), source };
        let features = if self.triples.len().saturating_mul(SPARSE) <= cells {
            let sparse = Sparse::from_triples(nodes as usize, self.width as usize, &self.triples);
            Features::Sparse(sparse.map_err(|source| misfit(source.into()))?)
        } else {
            let mut matrix = Matrix::zeros(nodes as usize, self.width as usize);
            for (node, feature, value) in self.triples {
                matrix.row_mut(node as usize)[feature as usize] = value;
            }
            Features::Dense(matrix)
        };
        Ok(Some((features, bounded, given)))
    }
}

impl Column<'_> {
    /// What a column holds if a range or categories are given for it.
    fn implied(&self) -> Option<Kind> {
        let name = &self.cells.column.name;
        if self.request.range_of(name).is_some() {
            return Some(Kind::Number);
        }
        self.request.categories_of(name)?;
        // Of categories that are given, neither number nor range depends on this.
        let list = matches!(guess(self.cells), Guess::Holds(Kind::List | Kind::Vector));
        Some(if list { Kind::List } else { Kind::Category })
    }

    /// Whether missing values get a feature of their own.
    fn indicated(&self, missing: usize) -> Result<bool, ImportError> {
        let Cells { table, column, rows, .. } = self.cells;
        let always = match &self.request.missing {
            MissingValues::Indicated => return Ok(missing > 0),
            MissingValues::IndicatedIn(columns) => columns.contains(&column.name),
            MissingValues::Refused => false,
        };
        if !always && missing > 0 {
            let (path, column) = (table.path.clone(), column.name.clone());
            return Err(ImportError::Missing { path, column, missing, rows: rows.len() });
        }
        Ok(always)
    }

    /// A column that cannot become features: an error if it was asked for, otherwise it is dropped.
    fn without(&self, why: &str, error: ImportError, report: &mut Report) -> Result<(), ImportError> {
        if self.asked {
            return Err(error);
        }
        let Cells { table, column, .. } = self.cells;
        report.dropped.push(format!("column {} of {}: {why}", column.name, file_name(&table.path)));
        Ok(())
    }

    /// The place of the value of a node.
    fn place(&self, node: usize) -> (Place, String) {
        let Cells { table, column, rows, .. } = self.cells;
        let row = rows.get(node).copied().flatten().unwrap_or(0);
        (table.place(row, column), column.texts.get(row).chars().take(60).collect())
    }

    fn outside(&self, node: usize, low: f64, high: f64) -> ImportError {
        let (place, found) = self.place(node);
        ImportError::OutOfRange { place, column: self.cells.column.name.clone(), found, low, high }
    }

    fn not_given(&self, node: usize, found: &str) -> ImportError {
        let (place, _) = self.place(node);
        let found = found.chars().take(60).collect();
        ImportError::NotGiven { place, column: self.cells.column.name.clone(), found, what: "categories" }
    }
}

fn in_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "numbers",
        Kind::Boolean => "true and false",
        Kind::Category => "categories",
        Kind::List => "lists",
        Kind::Vector => "lists of numbers of equal length",
    }
}
