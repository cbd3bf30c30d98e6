//! Tables of published figures.

use std::collections::BTreeMap;

/// A table with a header, every cell as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishedError {
    /// There is no header.
    #[error("the table of published figures has no header")]
    Empty,
    /// A row is longer or shorter than the header.
    #[error("line {line} of the published table has {found} cells, and its header {expected}")]
    Ragged {
        /// The line.
        line: usize,
        /// Its cells.
        found: usize,
        /// Those of the header.
        expected: usize,
    },
    /// A column that should be there.
    #[error("the published table has no column {column}")]
    NoColumn {
        /// The column.
        column: String,
    },
    /// A cell that should be a number.
    #[error("{text:?} in the column {column} of the published table is no number")]
    NoNumber {
        /// The column.
        column: String,
        /// The cell.
        text: String,
    },
}

impl Published {
    /// Reads lines of cells that hold no commas.
    ///
    /// # Errors
    /// If there is no header, or a row does not fit it.
    pub fn parse(text: &str) -> Result<Published, PublishedError> {
        let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<String>>();
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let columns = lines.next().map(|(_, line)| cells(line)).ok_or(PublishedError::Empty)?;
        let row = |(at, line): (usize, &str)| {
            let row = cells(line);
            let (found, expected) = (row.len(), columns.len());
            if found == expected { Ok(row) } else { Err(PublishedError::Ragged { line: at + 1, found, expected }) }
        };
        let rows = lines.map(row).collect::<Result<_, _>>()?;
        Ok(Published { columns, rows })
    }

    /// The first row in which these columns hold these values; numbers are compared as numbers, and an empty cell holds whatever is asked for.
    ///
    /// # Errors
    /// If there is no such column.
    pub fn find(&self, wanted: &BTreeMap<&str, String>) -> Result<Option<&[String]>, PublishedError> {
        let places: Vec<(usize, &String)> =
            wanted.iter().map(|(column, value)| Ok((self.place(column)?, value))).collect::<Result<_, _>>()?;
        let fits =
            |row: &&Vec<String>| places.iter().all(|&(place, value)| row[place].is_empty() || same(&row[place], value));
        Ok(self.rows.iter().find(fits).map(Vec::as_slice))
    }

    /// A number of a row, and with how many digits after the point it is written; `None` of an empty cell.
    ///
    /// # Errors
    /// If there is no such column, or the cell is no number.
    pub fn number(&self, row: &[String], column: &str) -> Result<Option<(f64, u32)>, PublishedError> {
        let text = &row[self.place(column)?];
        if text.is_empty() {
            return Ok(None);
        }
        let no_number = || PublishedError::NoNumber { column: column.to_owned(), text: text.clone() };
        let number: f64 = text.parse().map_err(|_| no_number())?;
        let decimals = text.split_once('.').map_or(0, |(_, digits)| digits.len() as u32);
        Ok(Some((number, decimals)))
    }

    fn place(&self, column: &str) -> Result<usize, PublishedError> {
        let place = self.columns.iter().position(|name| name == column);
        place.ok_or_else(|| PublishedError::NoColumn { column: column.to_owned() })
    }
}

/// Equal as numbers, else as text; ∞ is `inf`.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_are_none_are_refused() {
        assert_eq!(Published::parse("\n"), Err(PublishedError::Empty));
        assert_eq!(Published::parse("a,b\n1\n"), Err(PublishedError::Ragged { line: 2, found: 1, expected: 2 }));
        let table = Published::parse("a,b\n1.50,\nx,inf\n").unwrap();
        let row = table.find(&BTreeMap::from([("a", "1.5".to_owned())])).unwrap().unwrap();
        assert_eq!((table.number(row, "a"), table.number(row, "b")), (Ok(Some((1.5, 2))), Ok(None)));
        assert!(matches!(table.number(row, "c"), Err(PublishedError::NoColumn { .. })));
        let row = table.find(&BTreeMap::from([("a", "x".to_owned())])).unwrap().unwrap();
        assert!(matches!(table.number(row, "a"), Err(PublishedError::NoNumber { .. })));
        assert_eq!(table.find(&BTreeMap::from([("a", "2".to_owned())])).unwrap(), None);
        // What is left out holds for all.
        let row = table.find(&BTreeMap::from([("a", "1.5".to_owned()), ("b", "7".to_owned())])).unwrap();
        assert!(row.is_some());
    }
}
