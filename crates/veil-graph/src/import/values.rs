//! What the texts of a column hold.
//!
//! [`guess`] looks at every value that is there. All are true/false words: booleans. All are
//! numbers: numbers, unless one has a leading zero (a code, such as a postal code). All are dates:
//! no feature. All are lists in brackets: lists, or vectors if they are equally many numbers of
//! which some are written as fractions. Some hold `|` or `;`: lists. Otherwise categories.
//! [`Values::of`] reads them as one of these.

use std::collections::BTreeMap;

use super::error::ImportError;
use super::request::Kind;
use super::table::{Column, Form, Table};
use crate::ids::MISSING;

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
    /// Values that the owner lists: categories, items or classes. These are never missing.
    pub(super) listed: &'a [String],
}

impl<'a> Cells<'a> {
    /// The values that are there, with their rows.
    pub(super) fn present(self) -> impl Iterator<Item = (usize, &'a str)> {
        let text = move |&row: &usize| (row, self.column.texts.get(row));
        self.rows.iter().flatten().map(text).filter(move |(_, text)| !self.is_missing(text))
    }

    /// Whether a text stands for a missing value.
    pub(super) fn is_missing(self, text: &str) -> bool {
        text.is_empty() || MISSING.contains(&text) && !self.listed.iter().any(|listed| listed == text)
    }

    /// One value per node, read by `read`; missing ones are `None`.
    fn each<T>(
        self,
        mut read: impl FnMut(usize, &'a str) -> Result<T, ImportError>,
    ) -> Result<Vec<Option<T>>, ImportError> {
        let value = |row: &Option<usize>| match row.map(|row| (row, self.column.texts.get(row))) {
            Some((row, text)) if !self.is_missing(text) => read(row, text).map(Some),
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
        let list = inside(text).is_some();
        if text.starts_with('{') || list && items(text, ',').is_none() {
            return Guess::Other(row);
        }
        booleans = booleans && boolean(text).is_some();
        numbers = numbers && text.parse::<f64>().is_ok();
        dates = dates && is_date(text);
        brackets = brackets && list;
        code |= has_leading_zero(text);
        separated |= text.contains(['|', ';']);
    }
    let Some(first) = first else { return Guess::Nothing };
    if cells.column.form == Form::Vector {
        return Guess::Holds(Kind::Vector);
    }
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

/// Lists of equally many numbers, at least two, of which some are written as fractions. A missing
/// number keeps its place.
fn is_vector(cells: Cells<'_>) -> bool {
    let (mut width, mut fraction) = (None, false);
    for (_, text) in cells.present() {
        let items = items(text, ',').unwrap_or_default();
        if *width.get_or_insert(items.len()) != items.len() || items.len() < 2 {
            return false;
        }
        for item in items.iter().filter(|item| !cells.is_missing(item)) {
            if item.parse::<f64>().is_err() {
                return false;
            }
            fraction |= item.contains(['.', 'e', 'E']);
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
/// between separators. Missing items in brackets keep their place. `None` if an item is itself a
/// list or an object.
fn items(text: &str, separator: char) -> Option<Vec<String>> {
    let Some(inside) = inside(text) else {
        let items = text.split(separator).map(str::trim).filter(|item| !item.is_empty());
        return Some(items.map(str::to_owned).collect());
    };
    if inside.trim().is_empty() {
        return Some(Vec::new());
    }
    let mut items = Vec::new();
    let (mut item, mut quote) = (String::new(), None);
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(_), '\\') => item.extend(characters.next().map(unescaped)),
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => item.push(character),
            (None, '[' | '{') if item.trim().is_empty() => return None,
            (None, '"' | '\'') if item.trim().is_empty() => {
                item.clear();
                quote = Some(character);
            }
            (None, ',') => items.push(std::mem::take(&mut item)),
            (None, _) => item.push(character),
        }
    }
    items.push(item);
    Some(items.into_iter().map(|item| item.trim().to_owned()).collect())
}

/// The character that stands behind a backslash.
fn unescaped(character: char) -> char {
    match character {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

/// The values of a column, one per node.
#[derive(Debug)]
pub(super) enum Values {
    Numbers(Vec<Option<f64>>),
    Booleans(Vec<Option<bool>>),
    /// Numbers of categories, and their names in order.
    Categories(Vec<Option<u32>>, Vec<String>),
    /// The same of lists, and how many items were missing.
    Lists(Vec<Option<Vec<u32>>>, Vec<String>, usize),
    Vectors(Vec<Option<Vec<f64>>>, usize),
}

impl Values {
    /// The values as this kind.
    pub(super) fn of(cells: Cells<'_>, kind: Kind) -> Result<Values, ImportError> {
        let finite = |text: &str| text.parse::<f64>().ok().filter(|number| (*number as f32).is_finite());
        let number = |row: usize, text: &str| finite(text).ok_or_else(|| cells.bad(row, text, "a finite number", kind));
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
                let mut missing = 0;
                let lists = cells.each(|row, text| {
                    let expected = "a list whose items are no lists or objects";
                    let items = items(text, separator).ok_or_else(|| cells.bad(row, text, expected, kind))?;
                    let there = items.iter().filter(|item| !cells.is_missing(item));
                    let codes: Vec<u32> = there.map(|item| names.code(item)).collect();
                    missing += items.len() - codes.len();
                    Ok(codes)
                })?;
                let (names, order) = names.sorted();
                let renumbered = |list: Vec<u32>| {
                    let mut list: Vec<u32> = list.into_iter().map(|code| order[code as usize]).collect();
                    list.sort_unstable();
                    list.dedup();
                    list
                };
                Values::Lists(lists.into_iter().map(|list| list.map(renumbered)).collect(), names, missing)
            }
            Kind::Vector => {
                let mut width = None;
                let vectors = cells.each(|row, text| {
                    let items = items(text, ',').unwrap_or_default();
                    let expected = *width.get_or_insert(items.len());
                    let flag = |item: &str| boolean(item).map(|flag| f64::from(u8::from(flag)));
                    let numbers: Option<Vec<f64>> =
                        items.iter().map(|item| finite(item).or_else(|| flag(item))).collect();
                    // A missing number must not move those behind it.
                    numbers.filter(|numbers| numbers.len() == expected && expected > 0).ok_or_else(|| {
                        let expected = format!("a list of {} finite numbers, none of them missing", expected.max(1));
                        cells.bad(row, text, &expected, kind)
                    })
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
            Values::Lists(values, ..) => count(values),
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
        let of = |text: &str, separator| items(text, separator).unwrap().join("/");
        assert_eq!(of("a| b |c", '|'), "a/b/c");
        assert_eq!(of("[1, 2,3]", '|'), "1/2/3");
        assert_eq!(of("['a, b', \"c\\\"d\", None,]", '|'), "a, b/c\"d/None/");
        assert_eq!((items("[[1], 2]", ','), items("[{}]", ','), items("[]", ',')), (None, None, Some(Vec::new())));
        assert_eq!(of("[a] and [b]", '|'), "a] and [b");
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
