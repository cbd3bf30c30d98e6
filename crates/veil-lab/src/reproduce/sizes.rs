//! How large the graphs of the papers are: any graph may be called `cora`, and figures of another one say nothing.

use std::collections::BTreeMap;

use serde::Serialize;
use veil_graph::{Dataset, Labels};

use super::{CompareError, Published, PublishedError};

/// As `experiments/published/sizes.csv` has them, with their sources; edges are undirected, without self loops.
const SIZES: &str = include_str!("../../../../experiments/published/sizes.csv");

/// How large a graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Nodes.
    pub nodes: u64,
    /// Undirected edges.
    pub edges: u64,
    /// Classes.
    pub classes: u64,
}

impl Size {
    /// The published one of the data of this name, if there is one.
    ///
    /// # Errors
    /// Never, for the table that is shipped: a test reads it.
    pub fn published(name: &str) -> Result<Option<Size>, CompareError> {
        let table = Published::parse(SIZES)?;
        let Some(row) = table.find(&BTreeMap::from([("dataset", name.to_owned())]))? else { return Ok(None) };
        let number = |column: &str| -> Result<u64, PublishedError> {
            Ok(table.number(row, column)?.map_or(0, |(number, _)| number as u64))
        };
        Ok(Some(Size { nodes: number("nodes")?, edges: number("edges")?, classes: number("classes")? }))
    }

    /// Of these data.
    pub fn of(data: &Dataset) -> Size {
        let classes = data.labels().map_or(0, Labels::classes);
        Size { nodes: data.nodes() as u64, edges: data.graph().edges() as u64, classes: u64::from(classes) }
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::generate::Community;

    use super::*;

    #[test]
    fn another_graph_of_the_same_name_is_another_size() {
        let data = Community::citation().with_nodes(300).check().unwrap().generate(1);
        let cora = Size { nodes: 2708, edges: 5278, classes: 7 };
        assert_eq!((Size::published("cora"), Size::published("mine")), (Ok(Some(cora)), Ok(None)));
        assert_eq!((Size::of(&data).nodes, Size::of(&data).classes), (300, 7));
    }
}
