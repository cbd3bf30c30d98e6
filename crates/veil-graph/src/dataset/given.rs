//! Facts that an owner gives independently of the data: the list of nodes, the number of classes.

use super::{Dataset, DatasetError, Declared};
use crate::graph::{Graph, NodeId};
use crate::ids::NodeNames;
use crate::labels::{LabelError, Labels};

impl Dataset {
    /// The data set with this list of nodes, one id per line (blank lines and `#` comments are
    /// skipped). Nodes without an edge are added where only edges named the nodes; data with
    /// features, labels or a split must have exactly these nodes.
    ///
    /// # Errors
    /// If a node of the data is not in the list, or the list does not fit.
    pub fn with_node_list(self, text: &str) -> Result<Dataset, DatasetError> {
        let listed = node_list(text)?;
        let place = |node: NodeId| {
            let name = self.names.name(node);
            listed.node(&name).ok_or_else(|| DatasetError::NotListed { node: name.into_owned() })
        };
        let places = (0..self.nodes()).map(place).collect::<Result<Vec<NodeId>, _>>()?;
        let declared = Declared { nodes: true, ..self.declared };
        if self.features.is_some() || self.labels.is_some() || self.split.is_some() {
            DatasetError::check("listed nodes", self.nodes(), listed.len())?;
            return Ok(Dataset { declared, ..self });
        }
        let edges = self.graph.iter_edges().map(|(one, other)| (places[one as usize], places[other as usize]));
        let edges: Vec<(NodeId, NodeId)> = edges.collect();
        let graph = Graph::from_edges(listed.len() as u32, &edges, self.graph.direction())?.graph;
        Ok(Dataset { graph, names: listed, declared, ..self })
    }

    /// The data set with this number of classes.
    ///
    /// # Errors
    /// If there are no labels, a label or a name of a further class, or too many classes.
    pub fn with_classes(self, classes: u32) -> Result<Dataset, DatasetError> {
        let labels = self.labels.as_ref().ok_or(DatasetError::NoLabels)?;
        let misfit = |error| match error {
            LabelError::TooManyClasses { .. } => DatasetError::Labels(error),
            _ => DatasetError::ClassesGiven { given: classes, found: labels.classes() },
        };
        let mut given = Labels::new(classes, labels.iter()).map_err(misfit)?;
        if let Some(names) = labels.names() {
            given = given.with_names(names.to_vec()).map_err(misfit)?;
        }
        // Names that were collected from the labels also decide which class has which number: they
        // are given with a table of classes, not with a number.
        let declared = Declared { classes: self.declared.classes || labels.names().is_none(), ..self.declared };
        Ok(Dataset { labels: Some(given), declared, ..self })
    }
}

/// The ids of a list in ascending order: numbers by value if all are numbers, else texts.
fn node_list(text: &str) -> Result<NodeNames, DatasetError> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut names: Vec<&str> = lines.collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(DatasetError::ListedTwice { node: twice[0].to_owned() });
    }
    if names.is_empty() || u32::try_from(names.len()).is_err() {
        return Err(DatasetError::NoNodeList { found: names.len() });
    }
    // Numbers only in their canonical form: a name must survive a round trip.
    let number = |name: &&str| name.parse::<u64>().ok().filter(|number| number.to_string() == **name);
    if let Some(mut numbers) = names.iter().map(number).collect::<Option<Vec<u64>>>() {
        numbers.sort_unstable();
        return Ok(NodeNames::from_ascending_numbers(numbers));
    }
    NodeNames::from_texts(names.into_iter().map(str::to_owned).collect())
        .map_err(|node| DatasetError::ListedTwice { node })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Direction, Dropped};

    fn bare() -> Dataset {
        let graph = Graph::from_edges(3, &[(0, 1), (1, 2)], Direction::Undirected).unwrap().graph;
        let names = NodeNames::from_ascending_numbers(vec![1, 5, 9]);
        Dataset::new("bare", graph, Dropped::default()).with_names(names).unwrap()
    }

    #[test]
    fn a_node_list_adds_the_nodes_that_no_edge_names() {
        let data = bare().with_node_list("# ids\n9\n5\n\n10\n0\n1\n").unwrap();
        assert_eq!((data.nodes(), data.graph().edges(), data.declared().nodes), (5, 2, true));
        let [one, five, nine] = ["1", "5", "9"].map(|name| data.names().node(name).unwrap());
        assert_eq!(
            (data.graph().neighbours(five), data.graph().degree(data.names().node("10").unwrap())),
            (&[one, nine][..], 0)
        );
        let texts = bare().with_node_list("b\n1\n5\n9\n").unwrap();
        assert_eq!((texts.nodes(), texts.names().node("b").is_some()), (4, true));
    }

    #[test]
    fn a_list_that_does_not_fit_is_refused() {
        let refused = |data: Dataset, text: &str| data.with_node_list(text).unwrap_err().to_string();
        assert_eq!(refused(bare(), "1\n5\n"), "node 9 is not in the list of nodes");
        assert_eq!(refused(bare(), "1\n5\n9\n5\n"), "node 5 is twice in the list of nodes");
        assert!(refused(bare(), "\n").contains("0 nodes"));
        let labelled = bare().with_labels(Labels::new(2, [Some(0), Some(1), None]).unwrap()).unwrap();
        assert!(refused(labelled.clone(), "1\n5\n9\n10\n").contains("4 listed nodes"));
        assert!(labelled.with_node_list("9\n5\n1").unwrap().declared().nodes);
    }

    #[test]
    fn classes_are_given_and_none_is_lost() {
        let labelled = bare().with_labels(Labels::new(2, [Some(0), Some(1), None]).unwrap()).unwrap();
        let given = labelled.clone().with_classes(5).unwrap();
        assert_eq!((given.labels().unwrap().classes(), given.declared().classes), (5, true));
        assert!(labelled.clone().with_classes(1).unwrap_err().to_string().contains("1 class"));
        assert!(matches!(bare().with_classes(3), Err(DatasetError::NoLabels)));
        let many = labelled.with_classes(u32::MAX).unwrap_err().to_string();
        assert_eq!(many, "4294967295 classes are too many: at most 1048576");
    }
}
