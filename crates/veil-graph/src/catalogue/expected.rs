//! Comparison of a data set with its entry.

use crate::dataset::Dataset;

/// The counts of a data set: undirected edges without self loops and duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Number of nodes.
    pub nodes: u32,
    /// Number of edges.
    pub edges: usize,
    /// Number of feature columns.
    pub features: usize,
    /// Number of classes.
    pub classes: u32,
    /// Whether the counts were verified, or are as published.
    pub verified: bool,
}

/// One count that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of the count.
    pub what: &'static str,
    /// The number in the entry.
    pub expected: usize,
    /// The number in the data set.
    pub found: usize,
}

/// A data set whose counts differ from its entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} has {}{}", list(differences), if *verified { "" } else { " (as published; not counted by us)" })]
pub struct ExpectedError {
    /// The data set.
    pub name: String,
    /// The differing counts.
    pub differences: Vec<Difference>,
    /// Whether the counts of the entry were verified; if not, this is a warning.
    pub verified: bool,
}

fn list(differences: &[Difference]) -> String {
    let one = |difference: &Difference| {
        format!("{} {} instead of {}", difference.found, difference.what, difference.expected)
    };
    differences.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl Expected {
    /// Compares with a data set.
    ///
    /// # Errors
    /// If a count differs.
    pub fn check(&self, dataset: &Dataset) -> Result<(), ExpectedError> {
        let counts = [
            ("nodes", self.nodes as usize, dataset.nodes() as usize),
            ("edges", self.edges, dataset.graph().edges()),
            ("features", self.features, dataset.features().map_or(0, |features| features.columns())),
            ("classes", self.classes as usize, dataset.labels().map_or(0, |labels| labels.classes() as usize)),
        ];
        let differences: Vec<Difference> = counts
            .into_iter()
            .filter(|(_, expected, found)| expected != found)
            .map(|(what, expected, found)| Difference { what, expected, found })
            .collect();
        if differences.is_empty() {
            return Ok(());
        }
        Err(ExpectedError { name: dataset.name().to_owned(), differences, verified: self.verified })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, Dropped, Graph};

    #[test]
    fn every_difference_is_named() {
        let graph = Graph::from_edges(3, &[(0, 1)], Direction::Undirected).unwrap().graph;
        let dataset = Dataset::new("tiny", graph, Dropped::default());
        let right = Expected { nodes: 3, edges: 1, features: 0, classes: 0, verified: true };
        assert_eq!(right.check(&dataset), Ok(()));
        let error = Expected { nodes: 4, classes: 2, ..right }.check(&dataset).unwrap_err();
        assert_eq!(error.to_string(), "tiny has 3 nodes instead of 4, 0 classes instead of 2");
        let published = Expected { edges: 2, verified: false, ..right }.check(&dataset).unwrap_err();
        assert!(published.to_string().ends_with("(as published; not counted by us)"));
    }
}
