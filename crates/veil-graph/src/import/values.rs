//! What the texts of a column hold.
//!
//! [`guess`] looks at every value that is there. All are true/false words: booleans. All are
//! numbers: numbers, unless one has a leading zero (a code, such as a postal code). All are dates:
//! no feature. All are in brackets: lists, or vectors if they are equally many numbers that are not
//! all whole. Some hold `|` or `;`: lists. Otherwise categories. [`Values::of`] reads them as one
//! of these.

use std::collections::BTreeMap;

use super::error::ImportError;
use super::request::Kind;
use super::table::{Column, Table};

/// How missing values are written, besides nothing at all.
const MISSING: [&str; 12] = ["NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "None", "\\N"];

/// Words for true and false.
const WORDS: [(&str, bool); 8] = [
    ("true", true),
    ("false", false),
    ("yes", true),
    ("no", false),
    ("t", true),
    ("f", false),
    ("y", true),
    ("n", false),
];

/// Separators of lists, the first that occurs. The comma only where a list is asked for.
const SEPARATORS: [char; 3] = ['|', ';', ','];

/// A column and the rows of its nodes; `None` for a node without a row.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    pub(super) table: &'a Table,
    pub(super) column: &'a Column,
    pub(super) rows: &'a [Option<usize>],
}

impl<'a> Cells<'a> {
    /// The values that are there, with their rows.
    pub(super) fn present(self) -> impl Iterator<Item = (usize, &'a str)> {
        let Cells { column, rows, .. } = self;
        let text = move |&row: &usize| (row, column.texts.get(row));
        rows.iter().flatten().map(text).filter(|(_, text)| !is_missing(text))
    }

    /// One value per node, read by `read`; missing ones are `None`.
    fn each<T>(
        self,
        mut read: impl FnMut(usize, &'a str) -> Result<T, ImportError>,
    ) -> Result<Vec<Option<T>>, ImportError> {
        let value = |row: &Option<usize>| match row.map(|row| (row, self.column.texts.get(row))) {
            Some((row, text)) if !is_missing(text) => read(row, text).map(Some),
            _ => Ok(None),
        };
        self.rows.iter().map(value).collect()
    }

    fn bad(self, row: usize, found: &str, expected: &str, kind: Kind) -> ImportError {
        ImportError::BadCell {
            place: self.table.place(row, self.column),
            column: self.column.name.clone(),
            found: found.chars().take(60).collect(),
            expected: expected.to_owned(),
            kind,
        }
    }
}

/// Whether a text stands for a missing value.
pub(super) fn is_missing(text: &str) -> bool {
    text.is_empty() || MISSING.contains(&text)
}

/// What a column seems to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guess {
    Holds(Kind),
    /// Dates, as in this row.
    Dates(usize),
    /// Objects or other types, as in this row.
    Other(usize),
    Nothing,
}

/// Looks at all values of a column.
pub(super) fn guess(cells: Cells<'_>) -> Guess {
    let (mut booleans, mut numbers, mut dates, mut brackets) = (true, true, true, true);
    let (mut code, mut separated, mut first) = (false, false, None::<usize>);
    for (row, text) in cells.present() {
        first = Some(first.map_or(row, |first| first.min(row)));
        if text.starts_with('{') {
            return Guess::Other(row);
        }
        booleans = booleans && boolean(text).is_some();
        numbers = numbers && text.parse::<f64>().is_ok();
        dates = dates && is_date(text);
        brackets = brackets && inside(text).is_some();
        code |= has_leading_zero(text);
        separated |= text.contains(['|', ';']);
    }
    let Some(first) = first else { return Guess::Nothing };
    if booleans {
        return Guess::Holds(Kind::Boolean);
    }
    if numbers {
        return Guess::Holds(if code { Kind::Category } else { Kind::Number });
    }
    if dates {
        return Guess::Dates(first);
    }
    if brackets {
        return Guess::Holds(if is_vector(cells) { Kind::Vector } else { Kind::List });
    }
    Guess::Holds(if separated { Kind::List } else { Kind::Category })
}

/// Lists of equally many numbers, at least two, which are not all whole.
fn is_vector(cells: Cells<'_>) -> bool {
    let (mut width, mut fraction) = (None, false);
    for (_, text) in cells.present() {
        let items = items(text, ',');
        if *width.get_or_insert(items.len()) != items.len() || items.len() < 2 {
            return false;
        }
        for item in &items {
            let Ok(number) = item.parse::<f64>() else { return false };
            fraction |= number.fract() != 0.0;
        }
    }
    fraction
}

fn boolean(text: &str) -> Option<bool> {
    WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|(_, value)| *value)
}

fn has_leading_zero(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0', next, ..] if next.is_ascii_digit())
}

/// 2024-05-31, 31.5.2024, 5/31/2024 and the like, with or without a time.
fn is_date(text: &str) -> bool {
    let day = text.split(['T', ' ']).next().unwrap_or("");
    ['-', '/', '.'].iter().any(|&separator| {
        let parts: Vec<&str> = day.split(separator).collect();
        let digits = |part: &&str, most: usize| {
            !part.is_empty() && part.len() <= most && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        match parts.as_slice() {
            [one, two, three] => {
                let year_first = one.len() == 4 && digits(one, 4) && digits(two, 2) && digits(three, 2);
                let year_last = digits(one, 2) && digits(two, 2) && three.len() == 4 && digits(three, 4);
                year_first || year_last
            }
            _ => false,
        }
    })
}

/// What is between brackets.
fn inside(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.strip_suffix(']')
}

/// The items of a list: those between brackets, separated by commas and perhaps in quotes, or those
/// between separators.
fn items(text: &str, separator: char) -> Vec<String> {
    let Some(inside) = inside(text) else {
        let items = text.split(separator).map(str::trim).filter(|item| !item.is_empty());
        return items.map(str::to_owned).collect();
    };
    let mut items = Vec::new();
    let (mut item, mut quote) = (String::new(), None);
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => item.extend(characters.next()),
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => item.push(character),
            (None, '"' | '\'') if item.trim().is_empty() => {
                item.clear();
                quote = Some(character);
            }
            (None, ',') => items.push(std::mem::take(&mut item)),
            (None, _) => item.push(character),
        }
    }
    items.push(item);
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !is_missing(item)).collect()
}

/// The values of a column, one per node.
#[derive(Debug)]
pub(super) enum Values {
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    /// Numbers of categories, and their names in order.
    Categories(Vec<Option<u32>>, Vec<String>),
    Lists(Vec<Option<Vec<u32>>>, Vec<String>),
    Vectors(Vec<Option<Vec<f64>>>, usize),
}

impl Values {
    /// The values as this kind.
    pub(super) fn of(cells: Cells<'_>, kind: Kind) -> Result<Values, ImportError> {
        let number = |row: usize, text: &str| {
            let found = text.parse::<f64>().ok().filter(|number| (*number as f32).is_finite());
            found.ok_or_else(|| cells.bad(row, text, "a finite number", kind))
        };
        Ok(match kind {
            Kind::Number => Values::Numbers(cells.each(number)?),
            Kind::Boolean => Values::Booleans(cells.each(|row, text| {
                let digit = [("1", true), ("0", false)].iter().find(|(digit, _)| *digit == text).map(|(_, it)| *it);
                boolean(text).or(digit).ok_or_else(|| cells.bad(row, text, "true or false", kind))
            })?),
            Kind::Category => {
                let mut names = Names::default();
                let codes = cells.each(|_, text| Ok(names.code(text)))?;
                let (names, order) = names.sorted();
                Values::Categories(codes.into_iter().map(|code| code.map(|code| order[code as usize])).collect(), names)
            }
            Kind::List => {
                let occurs = |separator: &&char| cells.present().any(|(_, text)| text.contains(**separator));
                let separator = SEPARATORS.iter().find(occurs).copied().unwrap_or(SEPARATORS[0]);
                let mut names = Names::default();
                let lists = cells.each(|_, text| {
                    Ok(items(text, separator).iter().map(|item| names.code(item)).collect::<Vec<u32>>())
                })?;
                let (names, order) = names.sorted();
                let renumbered = |list: Vec<u32>| {
                    let mut list: Vec<u32> = list.into_iter().map(|code| order[code as usize]).collect();
                    list.sort_unstable();
                    list.dedup();
                    list
                };
                Values::Lists(lists.into_iter().map(|list| list.map(renumbered)).collect(), names)
            }
            Kind::Vector => {
                let mut width = None;
                let vectors = cells.each(|row, text| {
                    let items = items(text, ',');
                    let expected = *width.get_or_insert(items.len());
                    if items.len() != expected || expected == 0 {
                        return Err(cells.bad(row, text, &format!("a list of {expected} numbers"), kind));
                    }
                    items.iter().map(|item| number(row, item)).collect::<Result<Vec<f64>, _>>()
                })?;
                Values::Vectors(vectors, width.unwrap_or(0))
            }
        })
    }

    /// How many values are missing.
    pub(super) fn missing(&self) -> usize {
        fn count<T>(values: &[Option<T>]) -> usize {
            values.iter().filter(|value| value.is_none()).count()
        }
        match self {
            Values::Numbers(values) => count(values),
            Values::Booleans(values) => count(values),
            Values::Categories(values, _) => count(values),
            Values::Lists(values, _) => count(values),
            Values::Vectors(values, _) => count(values),
        }
    }
}

/// Names by first occurrence. The map is never iterated before it is sorted.
#[derive(Default)]
struct Names {
    known: BTreeMap<String, u32>,
}

impl Names {
    fn code(&mut self, name: &str) -> u32 {
        if let Some(&code) = self.known.get(name) {
            return code;
        }
        let code = self.known.len() as u32;
        self.known.insert(name.to_owned(), code);
        code
    }

    /// The names in order (numbers by value), and the place of every code.
    fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let mut names: Vec<(String, u32)> = self.known.into_iter().collect();
        let number = |name: &str| name.parse::<f64>().ok().filter(|number| number.is_finite());
        if names.iter().all(|(name, _)| number(name).is_some()) {
            let value = |name: &str| number(name).unwrap_or(0.0);
            names.sort_by(|(one, _), (other, _)| value(one).total_cmp(&value(other)));
        }
        let mut order = vec![0; names.len()];
        for ((_, code), place) in names.iter().zip(0..) {
            order[*code as usize] = place;
        }
        (names.into_iter().map(|(name, _)| name).collect(), order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_as_they_are_written() {
        let of = |text: &str, separator| items(text, separator).join("/");
        assert_eq!(of("a| b |c", '|'), "a/b/c");
        assert_eq!(of("[1, 2,3]", '|'), "1/2/3");
        assert_eq!(of("['a, b', \"c\\\"d\", None]", '|'), "a, b/c\"d");
        assert_eq!((of("[]", '|'), of("alone", '|')), (String::new(), "alone".to_owned()));
    }

    #[test]
    fn dates_are_recognised() {
        for date in ["2024-05-31", "2024-05-31T10:00:00Z", "2024/5/3", "31.05.2024", "5/31/2024 10:00"] {
            assert!(is_date(date), "{date}");
        }
        for other in ["2024", "1.5.3", "10-20", "1.2.3.4", "a-b-c", "555-12-3456"] {
            assert!(!is_date(other), "{other}");
        }
    }
}
