//! Tables of published figures, and the sizes of the published graphs.

use std::collections::BTreeMap;

use serde::Serialize;
use veil_graph::{Dataset, Labels};

use super::{PUBLISHED, Values, file};

/// A table with a header, every cell as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Published {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A table of published figures that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("published table: {0}")]
pub struct PublishedError(String);

impl Published {
    /// Reads lines of cells, which hold no commas.
    pub fn parse(text: &str) -> Result<Published, PublishedError> {
        let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<String>>();
        let mut rows = text.lines().filter(|line| !line.trim().is_empty()).map(cells);
        let columns = rows.next().ok_or_else(|| PublishedError("no header".to_owned()))?;
        let rows: Vec<Vec<String>> = rows.collect();
        match rows.iter().find(|row| row.len() != columns.len()) {
            Some(row) => Err(PublishedError(format!("row {row:?} has not {} cells", columns.len()))),
            None => Ok(Published { columns, rows }),
        }
    }

    /// The first row in which these columns hold these values. Numbers are compared as numbers, and
    /// an empty cell equals every value.
    pub fn find(&self, wanted: &BTreeMap<String, String>) -> Result<Option<&[String]>, PublishedError> {
        let places: Vec<(usize, &String)> =
            wanted.iter().map(|(column, value)| Ok((self.place(column)?, value))).collect::<Result<_, _>>()?;
        let fits =
            |row: &&Vec<String>| places.iter().all(|&(place, value)| row[place].is_empty() || same(&row[place], value));
        Ok(self.rows.iter().find(fits).map(Vec::as_slice))
    }

    /// A number of a row and its digits after the point; `None` for an empty cell.
    pub fn number(&self, row: &[String], column: &str) -> Result<Option<(f64, u32)>, PublishedError> {
        let text = &row[self.place(column)?];
        if text.is_empty() {
            return Ok(None);
        }
        let number = text.parse().map_err(|_| PublishedError(format!("{text:?} in {column} is not a number")))?;
        Ok(Some((number, text.split_once('.').map_or(0, |(_, digits)| digits.len() as u32))))
    }

    fn place(&self, column: &str) -> Result<usize, PublishedError> {
        let place = self.columns.iter().position(|name| name == column);
        place.ok_or_else(|| PublishedError(format!("no column {column}")))
    }
}

/// Equal as numbers, else as text; ∞ is `inf`.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

/// The size of a graph. Any graph may be called `cora`; published figures hold for the published
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Nodes.
    pub nodes: u64,
    /// Undirected edges, without self loops.
    pub edges: u64,
    /// Classes.
    pub classes: u64,
}

impl Size {
    /// The published size of the data of this name, from `experiments/published/sizes.csv`.
    ///
    /// # Errors
    /// Never, for the table that is shipped: a test reads it.
    pub fn published(name: &str) -> Result<Option<Size>, PublishedError> {
        let table = Published::parse(file(PUBLISHED, "sizes"))?;
        let wanted = Values::from([("dataset".to_owned(), name.to_owned())]);
        let Some(row) = table.find(&wanted)? else { return Ok(None) };
        let number = |column| Ok(table.number(row, column)?.map_or(0, |(number, _)| number as u64));
        Ok(Some(Size { nodes: number("nodes")?, edges: number("edges")?, classes: number("classes")? }))
    }

    /// The size of these data.
    pub fn of(data: &Dataset) -> Size {
        let classes = data.labels().map_or(0, Labels::classes);
        Size { nodes: data.nodes() as u64, edges: data.graph().edges() as u64, classes: u64::from(classes) }
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::generate::Community;

    use super::*;

    fn row<'a>(table: &'a Published, wanted: &[(&str, &str)]) -> Option<&'a [String]> {
        let wanted = wanted.iter().map(|(column, value)| ((*column).to_owned(), (*value).to_owned())).collect();
        table.find(&wanted).unwrap()
    }

    #[test]
    fn malformed_tables_are_refused() {
        let problem = |text: &str| Published::parse(text).unwrap_err().to_string();
        assert_eq!(problem("\n"), "published table: no header");
        assert_eq!(problem("a,b\n1\n"), "published table: row [\"1\"] has not 2 cells");
        let table = Published::parse("a,b\n1.50,\nx,inf\n").unwrap();
        let found = row(&table, &[("a", "1.5")]).unwrap();
        assert_eq!((table.number(found, "a"), table.number(found, "b")), (Ok(Some((1.5, 2))), Ok(None)));
        assert_eq!(table.number(found, "c").unwrap_err().to_string(), "published table: no column c");
        let found = row(&table, &[("a", "x")]).unwrap();
        assert!(table.number(found, "a").unwrap_err().to_string().contains("is not a number"));
        assert_eq!(row(&table, &[("a", "2")]), None);
        // An empty cell holds for all.
        assert!(row(&table, &[("a", "1.5"), ("b", "7")]).is_some());
    }

    #[test]
    fn another_graph_of_the_same_name_has_another_size() {
        let data = Community::citation().with_nodes(300).check().unwrap().generate(1);
        let cora = Size { nodes: 2708, edges: 5278, classes: 7 };
        assert_eq!((Size::published("cora"), Size::published("mine")), (Ok(Some(cora)), Ok(None)));
        assert_eq!((Size::of(&data).nodes, Size::of(&data).classes), (300, 7));
    }
}
