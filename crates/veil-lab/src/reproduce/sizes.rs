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

/// The published size of the data of this name, if these are of another size.
///
/// # Errors
/// Never, for the table that is shipped: a test reads it.
pub fn other_size(name: &str, data: &Dataset) -> Result<Option<Size>, CompareError> {
    let table = Published::parse(SIZES)?;
    let Some(row) = table.find(&BTreeMap::from([("dataset", name.to_owned())]))? else { return Ok(None) };
    let number = |column: &str| -> Result<u64, PublishedError> {
        Ok(table.number(row, column)?.map_or(0, |(number, _)| number as u64))
    };
    let published = Size { nodes: number("nodes")?, edges: number("edges")?, classes: number("classes")? };
    Ok((published != Size::of(data)).then_some(published))
}

impl Size {
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
    fn another_graph_of_the_same_name_is_noticed() {
        let data = Community::citation().with_nodes(300).check().unwrap().generate(1);
        assert_eq!(other_size("cora", &data), Ok(Some(Size { nodes: 2708, edges: 5278, classes: 7 })));
        assert_eq!(other_size("mine", &data), Ok(None));
    }
}
