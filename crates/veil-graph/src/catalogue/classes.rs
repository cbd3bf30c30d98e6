//! A data set reduced to its largest classes, as the papers use LastFM.

use crate::dataset::{Dataset, DatasetError, Declared};
use crate::graph::NodeId;
use crate::labels::{LabelError, Labels};
use crate::misfit::Misfit;

/// The part of a data set in its `count` largest classes; ties go to the first.
///
/// Nodes keep their names and their order; classes keep their order and are renumbered.
///
/// # Errors
/// If the data set has no labels, or fewer classes.
pub fn largest_classes(dataset: &Dataset, count: u32) -> Result<Dataset, Misfit> {
    let nodes = dataset.nodes();
    let labels = dataset.labels().ok_or(DatasetError::WrongSize { what: "labels", nodes, found: 0 })?;
    let mut classes: Vec<u32> = (0..labels.classes()).collect();
    if count > labels.classes() {
        return Err(LabelError::NoSuchClass { node: 0, label: count - 1, classes: labels.classes() }.into());
    }
    let sizes = labels.class_sizes();
    classes.sort_by_key(|&class| std::cmp::Reverse(sizes[class as usize]));
    classes.truncate(count as usize);
    classes.sort_unstable();

    let new_class = |node: NodeId| labels.get(node).and_then(|label| classes.binary_search(&label).ok());
    let kept: Vec<NodeId> = (0..nodes).filter(|&node| new_class(node).is_some()).collect();

    let mut new_labels = Labels::new(count, kept.iter().map(|&node| new_class(node).map(|class| class as u32)))?;
    if let Some(names) = labels.names() {
        new_labels = new_labels.with_names(classes.iter().map(|&class| names[class as usize].clone()).collect())?;
    }
    let split = dataset.split().map(|split| split.selected(&kept));
    let part = dataset.selected(&kept, split)?.with_labels(new_labels)?;
    // Which nodes and classes there are now depends on the labels.
    let declared = Declared { nodes: false, classes: false, ..part.declared() };
    Ok(part.with_declared(declared))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Features, Sparse};
    use crate::graph::{Direction, Dropped, Graph};
    use crate::ids::NodeNames;
    use crate::split::{Part, Split};

    fn dataset() -> Dataset {
        let graph =
            Graph::from_edges(6, &[(0, 1), (1, 2), (2, 3), (4, 5), (0, 5)], Direction::Undirected).unwrap().graph;
        let labels = Labels::new(3, [Some(2), Some(0), Some(2), Some(1), None, Some(1)])
            .and_then(|labels| labels.with_names(["a", "b", "c"].map(String::from).to_vec()))
            .unwrap();
        let sparse = Sparse::from_triples(6, 9, &[(0, 8, 1.0), (3, 2, 0.5), (5, 1, 2.0), (1, 1, 1.0)]).unwrap();
        let parts = [Part::Train, Part::Val, Part::Test, Part::Train, Part::Train, Part::None];
        Dataset::new("tiny", graph, Dropped::default())
            .with_labels(labels)
            .and_then(|dataset| dataset.with_features(Features::Sparse(sparse)))
            .and_then(|dataset| dataset.with_split(Split::new(parts.to_vec())))
            .unwrap()
    }

    #[test]
    fn the_largest_classes_keep_their_data() {
        let part = largest_classes(&dataset(), 2).unwrap();
        assert_eq!(part.names(), &NodeNames::Numbers(vec![0, 2, 3, 5]));
        assert_eq!(part.graph().iter_edges().collect::<Vec<_>>(), [(0, 3), (1, 2)]);
        let labels = part.labels().unwrap();
        assert_eq!(labels.iter().collect::<Vec<_>>(), [Some(1), Some(1), Some(0), Some(0)]);
        assert_eq!(labels.names(), Some(["b", "c"].map(String::from).as_slice()));
        assert_eq!(part.split().unwrap().parts(), [Part::Train, Part::Test, Part::Train, Part::None]);
        let features = part.features().unwrap();
        assert_eq!((features.columns(), features.nonzeros()), (9, 3));
        assert_eq!((features.value(0, 8), features.value(2, 2), features.value(3, 1)), (1.0, 0.5, 2.0));
    }

    #[test]
    fn missing_labels_and_classes_are_errors() {
        assert!(matches!(largest_classes(&dataset(), 4), Err(Misfit::Label(LabelError::NoSuchClass { .. }))));
        let graph = Graph::empty(2, Direction::Undirected);
        let bare = Dataset::new("bare", graph, Dropped::default());
        assert!(matches!(largest_classes(&bare, 1), Err(Misfit::Dataset(DatasetError::WrongSize { .. }))));
    }
}
