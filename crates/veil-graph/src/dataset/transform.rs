//! Derived data sets: two side by side, or the part of one among some nodes.

use super::{Dataset, DatasetError, Declared};
use crate::graph::{Dropped, NodeId};
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::split::{Part, Split};

impl Dataset {
    /// Both data sets side by side: the nodes of `other` follow those of `self`, and no edge joins
    /// the two. So one can be trained on and the other validated on. Nodes are named by their new
    /// numbers.
    ///
    /// # Errors
    /// If only one has features, labels, a split or edges, or if features or classes do not fit.
    pub fn stacked(&self, other: &Dataset) -> Result<Dataset, DatasetError> {
        if self.edges_withheld != other.edges_withheld {
            return Err(DatasetError::OnlyOne { what: "its edges" });
        }
        let graph = self.graph.disjoint_union(&other.graph)?;
        let features = match both("features", &self.features, &other.features)? {
            Some((first, second)) => Some(first.stacked(second)?),
            None => None,
        };
        let labels = match both("labels", &self.labels, &other.labels)? {
            Some((first, second)) => Some(joined(first, second)?),
            None => None,
        };
        let split = both("a split", &self.split, &other.split)?.map(|(first, second)| {
            let either = first.is_from_labels() || second.is_from_labels();
            Split::new([first.parts(), second.parts()].concat()).drawn_from_labels(either)
        });
        let feature_range = self
            .feature_range
            .zip(other.feature_range)
            .map(|(first, second)| (first.0.min(second.0), first.1.max(second.1)));
        Ok(Dataset {
            name: format!("{} + {}", self.name, other.name),
            edges_withheld: self.edges_withheld,
            dropped: Dropped {
                self_loops: self.dropped.self_loops + other.dropped.self_loops,
                duplicates: self.dropped.duplicates + other.dropped.duplicates,
                rows: self.dropped.rows + other.dropped.rows,
                zeros: self.dropped.zeros + other.dropped.zeros,
            },
            names: NodeNames::Range(graph.nodes()),
            graph,
            features,
            feature_range,
            labels,
            split,
            declared: Declared {
                nodes: self.declared.nodes && other.declared.nodes,
                dimensions: self.declared.dimensions && other.declared.dimensions,
                classes: self.declared.classes && other.declared.classes,
            },
            public: self.public.iter().filter(|fact| other.public.contains(fact)).cloned().collect(),
        })
    }

    /// The data set restricted to the nodes of these parts of the split, with their order, names
    /// and data, and the edges among them. Rows that repeat a node, as reports may, name it once.
    ///
    /// # Errors
    /// If there is no split, or these parts are empty.
    pub fn among(&self, parts: &[Part]) -> Result<Dataset, DatasetError> {
        let split = self.split.as_ref().ok_or(DatasetError::NoSplit)?;
        let kept: Vec<NodeId> = (0..self.nodes()).filter(|&node| parts.contains(&split.part(node))).collect();
        if kept.is_empty() {
            return Err(DatasetError::NothingLeft);
        }
        let chosen = self.selected(&kept, Some(split.selected(&kept)))?;
        // A split that was drawn with the labels in view chooses nodes by their labels.
        let nodes = chosen.declared.nodes && !split.is_from_labels();
        let declared = Declared { nodes, ..chosen.declared };
        Ok(chosen.with_declared(declared))
    }

    /// The data set restricted to these nodes (ascending), with their names and data, the edges
    /// among them, and this split.
    pub(crate) fn selected(&self, kept: &[NodeId], split: Option<Split>) -> Result<Dataset, DatasetError> {
        Ok(Dataset {
            name: self.name.clone(),
            graph: self.graph.induced(kept)?,
            edges_withheld: self.edges_withheld,
            // Duplicates were counted over all nodes, so the count does not apply here.
            dropped: Dropped::default(),
            names: self.names.selected(kept),
            features: self.features.as_ref().map(|features| features.selected(kept)),
            feature_range: self.feature_range,
            labels: self.labels.as_ref().map(|labels| labels.selected(kept)),
            split,
            declared: self.declared,
            // Which nodes these are may depend on more than was declared public.
            public: Vec::new(),
        })
    }
}

/// Both, or neither.
fn both<'a, T>(
    what: &'static str,
    first: &'a Option<T>,
    second: &'a Option<T>,
) -> Result<Option<(&'a T, &'a T)>, DatasetError> {
    match (first, second) {
        (Some(first), Some(second)) => Ok(Some((first, second))),
        (None, None) => Ok(None),
        _ => Err(DatasetError::OnlyOne { what }),
    }
}

/// The labels of the first, then those of the second. Class names are kept if one has them.
fn joined(first: &Labels, second: &Labels) -> Result<Labels, DatasetError> {
    let misfit = DatasetError::OtherClasses { first: first.classes(), second: second.classes() };
    if first.classes() != second.classes() {
        return Err(misfit);
    }
    let names = match (first.names(), second.names()) {
        (Some(names), Some(others)) => {
            if let Some(class) = (0..names.len()).find(|&class| names[class] != others[class]) {
                let [first, second] = [names, others].map(|names| names[class].clone());
                return Err(DatasetError::OtherClassNames { class: class as u32, first, second });
            }
            Some(names)
        }
        (names, others) => names.or(others),
    };
    let labels = Labels::new(first.classes(), first.iter().chain(second.iter()));
    let labels = match names {
        Some(names) => labels.and_then(|labels| labels.with_names(names.to_vec())),
        None => labels,
    };
    labels.map_err(|_| misfit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Features, Sparse};
    use crate::graph::{Direction, Graph};

    /// A path 0–1–2–3, with all parts.
    fn example() -> Dataset {
        let built = Graph::from_edges(4, &[(0, 1), (1, 2), (2, 3), (3, 2)], Direction::Undirected).unwrap();
        let words = [(0, 0, 1.0), (1, 1, 2.0), (2, 2, 3.0), (3, 0, 4.0)];
        let labels = Labels::new(2, [Some(0), None, Some(1), Some(1)]).unwrap();
        Dataset::new("row", built.graph, built.dropped)
            .with_features(Features::Sparse(Sparse::from_triples(4, 3, &words).unwrap()))
            .unwrap()
            .with_feature_range(0.0, 4.0)
            .unwrap()
            .with_labels(labels.with_names(vec!["left".to_owned(), "right".to_owned()]).unwrap())
            .unwrap()
            .with_split(Split::new(vec![Part::Test, Part::Train, Part::Val, Part::Train]))
            .unwrap()
            .with_declared(Declared { nodes: true, dimensions: true, classes: false })
    }

    #[test]
    fn stacked_data_sets_lie_side_by_side() {
        let (first, second) = (example(), example().among(&[Part::Train, Part::Val]).unwrap());
        let stacked = first.stacked(&second.with_feature_range(-1.0, 1.0).unwrap()).unwrap();
        let edges: Vec<_> = stacked.graph().iter_edges().collect();
        assert_eq!(edges, [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6)]);
        let features = stacked.features().unwrap();
        assert_eq!([features.value(0, 0), features.value(4, 1), features.value(6, 0)], [1.0, 2.0, 4.0]);
        let labels = stacked.labels().unwrap();
        assert_eq!(labels.iter().collect::<Vec<_>>()[3..], [Some(1), None, Some(1), Some(1)]);
        assert_eq!(labels.names().unwrap(), ["left", "right"]);
        assert_eq!(stacked.split().unwrap().parts()[3..], [Part::Train, Part::Train, Part::Val, Part::Train]);
        assert_eq!(stacked.names(), &NodeNames::Range(7));
        assert_eq!(stacked.feature_range(), Some((-1.0, 4.0)));
        assert_eq!(stacked.declared(), Declared { nodes: true, dimensions: true, classes: false });
        assert_eq!((stacked.name(), stacked.dropped().duplicates), ("row + row", 1));
        // Selecting the first part again gives it back.
        let first_part = Split::new((0..7).map(|node| if node < 4 { Part::Train } else { Part::None }).collect());
        let again = stacked.with_split(first_part).unwrap().among(&[Part::Train]).unwrap();
        assert_eq!(
            (again.graph(), again.features(), again.labels()),
            (first.graph(), first.features(), first.labels())
        );
    }

    #[test]
    fn data_sets_that_do_not_fit_are_not_stacked() {
        let error = |change: fn(Dataset) -> Dataset| example().stacked(&change(example())).unwrap_err().to_string();
        let with_labels = |data: Dataset, names: Vec<&str>| {
            let labels = Labels::new(names.len() as u32, [None; 4]).unwrap();
            data.with_labels(labels.with_names(names.into_iter().map(str::to_owned).collect()).unwrap()).unwrap()
        };
        assert_eq!(error(|data| Dataset { labels: None, ..data }), "only one of the two data sets has labels");
        assert_eq!(error(|data| Dataset { split: None, ..data }), "only one of the two data sets has a split");
        assert_eq!(error(|data| Dataset { features: None, ..data }), "only one of the two data sets has features");
        assert_eq!(
            error(|data| Dataset { edges_withheld: true, ..data }),
            "only one of the two data sets has its edges"
        );
        let other = with_labels(example(), vec!["left", "middle", "right"]);
        assert_eq!(example().stacked(&other).unwrap_err(), DatasetError::OtherClasses { first: 2, second: 3 });
        let other = with_labels(example(), vec!["right", "left"]);
        let message = example().stacked(&other).unwrap_err().to_string();
        assert_eq!(message, "class 0 is \"left\" in the first data set and \"right\" in the second");
        let wide = Features::Sparse(Sparse::from_triples(4, 5, &[]).unwrap());
        let message = example().stacked(&example().with_features(wide).unwrap()).unwrap_err().to_string();
        assert_eq!(message, "cannot stack features with 3 columns and features with 5");
    }

    #[test]
    fn the_restricted_data_set_keeps_names_data_and_inner_edges() {
        let before = example().among(&[Part::Train, Part::Val]).unwrap();
        assert_eq!(before.graph().iter_edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
        assert_eq!([0, 1, 2].map(|node| before.names().name(node).into_owned()), ["1", "2", "3"]);
        assert_eq!(before.labels().unwrap().iter().collect::<Vec<_>>(), [None, Some(1), Some(1)]);
        assert_eq!(before.labels().unwrap().names().unwrap(), ["left", "right"]);
        assert_eq!(before.features().unwrap().value(2, 0), 4.0);
        assert_eq!(before.split().unwrap().parts(), [Part::Train, Part::Val, Part::Train]);
        assert_eq!((before.declared(), before.feature_range()), (example().declared(), Some((0.0, 4.0))));
        assert_eq!(before.dropped(), Dropped::default());
    }

    #[test]
    fn restriction_requires_a_split_and_nodes() {
        assert_eq!(example().among(&[Part::None]), Err(DatasetError::NothingLeft));
        assert_eq!(example().among(&[]), Err(DatasetError::NothingLeft));
        assert_eq!(Dataset { split: None, ..example() }.among(&[Part::Train]), Err(DatasetError::NoSplit));
    }
}
