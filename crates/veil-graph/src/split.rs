//! The split into training, validation and test nodes.

use std::fmt;

use crate::graph::NodeId;
use crate::ids::NodeNames;
use crate::labels::Labels;
use crate::random::Random;

/// The use of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Its label is used for training.
    Train,
    /// Its label is used to select models.
    Val,
    /// Its label is used only for scoring.
    Test,
    /// Its edges and features are used, its label is not.
    None,
}

impl Part {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Val => "val",
            Part::Test => "test",
            Part::None => "none",
        }
    }

    /// The part of this name.
    pub fn from_name(name: &str) -> Option<Part> {
        [Part::Train, Part::Val, Part::Test, Part::None].into_iter().find(|part| part.name() == name)
    }
}

/// One part per node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    parts: Vec<Part>,
    from_labels: bool,
    together: bool,
}

/// Checked fractions of training, validation and test nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fractions {
    train: f64,
    val: f64,
    test: f64,
}

/// Why fractions are invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FractionsError {
    #[error("{fraction} is not a fraction between 0 and 1")]
    OutOfRange { fraction: f64 },
    #[error("the sum of the fractions is {sum}, above 1")]
    TooMuch { sum: f64 },
    #[error("{text:?} is not three fractions such as 0.5,0.25,0.25 (train,validation,test)")]
    NotThree { text: String },
}

impl fmt::Display for Fractions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.train, self.val, self.test)
    }
}

impl Fractions {
    /// Checked fractions. Remaining nodes are in no part.
    ///
    /// # Errors
    /// If one is outside [0, 1] or their sum exceeds 1.
    pub fn new(train: f64, val: f64, test: f64) -> Result<Fractions, FractionsError> {
        for fraction in [train, val, test] {
            if !(0.0..=1.0).contains(&fraction) {
                return Err(FractionsError::OutOfRange { fraction });
            }
        }
        let sum = train + val + test;
        if sum > 1.0 + 1e-9 {
            return Err(FractionsError::TooMuch { sum });
        }
        Ok(Fractions { train, val, test })
    }

    /// The shares of training, validation and test nodes.
    pub fn shares(self) -> [f64; 3] {
        [self.train, self.val, self.test]
    }

    /// The ends of train, val and test among `count` nodes.
    fn ends(self, count: usize) -> [(usize, Part); 3] {
        let end = |share: f64| ((share * count as f64).round() as usize).min(count);
        [
            (end(self.train), Part::Train),
            (end(self.train + self.val), Part::Val),
            (end(self.train + self.val + self.test), Part::Test),
        ]
    }
}

impl std::str::FromStr for Fractions {
    type Err = FractionsError;

    fn from_str(text: &str) -> Result<Fractions, FractionsError> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[train, val, test]) => Fractions::new(train, val, test),
            _ => Err(FractionsError::NotThree { text: text.to_owned() }),
        }
    }
}

impl Split {
    /// A split from the part of each node, which was given independently of the labels.
    pub fn new(parts: Vec<Part>) -> Split {
        Split { parts, from_labels: false, together: false }
    }

    /// The same split, marked as drawn with the labels in view (or not): a release of labels must
    /// then declare it public.
    #[must_use]
    pub fn drawn_from_labels(self, from_labels: bool) -> Split {
        Split { from_labels, ..self }
    }

    /// Whether it was drawn with the labels in view.
    pub fn is_from_labels(&self) -> bool {
        self.from_labels
    }

    /// The same split, marked as drawn over all nodes (or not).
    #[must_use]
    pub fn drawn_together(self, together: bool) -> Split {
        Split { together, ..self }
    }

    /// Whether the part of a node may depend on how many other nodes there are: a guarantee about
    /// adding or removing a whole node then does not cover it.
    pub fn is_drawn_together(&self) -> bool {
        self.together
    }

    /// The parts of these nodes.
    pub(crate) fn selected(&self, nodes: &[NodeId]) -> Split {
        let parts = nodes.iter().map(|&node| self.part(node)).collect();
        Split { parts, ..*self }
    }

    /// A random split with exactly these shares. It depends on the number of nodes and on nothing
    /// else: one node more or less is another split of all of them.
    pub fn random(nodes: u32, fractions: Fractions, seed: u64) -> Split {
        let mut order: Vec<NodeId> = (0..nodes).collect();
        Random::new(seed, "split").shuffle(&mut order);
        let mut parts = vec![Part::None; nodes as usize];
        assign(&mut parts, &order, fractions);
        Split { together: true, ..Split::new(parts) }
    }

    /// A random split with about these shares, in which each node draws its part by itself: it
    /// depends on its name, and not on other nodes.
    pub fn random_each(names: &NodeNames, fractions: Fractions, seed: u64) -> Split {
        let (train, val) = (fractions.train, fractions.train + fractions.val);
        let ends = [(train, Part::Train), (val, Part::Val), (val + fractions.test, Part::Test)];
        let part = |node: NodeId| {
            let drawn = Random::new(seed, &format!("part of {}", names.name(node))).unit();
            ends.into_iter().find(|&(end, _)| drawn < end).map_or(Part::None, |(_, part)| part)
        };
        Split::new((0..names.len() as NodeId).map(part).collect())
    }

    /// A random split with the same shares in every class; nodes without a label are in no part.
    ///
    /// It depends on labels, and says so: see [`is_from_labels`](Self::is_from_labels).
    pub fn stratified(labels: &Labels, fractions: Fractions, seed: u64) -> Split {
        let mut random = Random::new(seed, "stratified split");
        let mut by_class: Vec<Vec<NodeId>> = vec![Vec::new(); labels.classes() as usize];
        for (node, label) in labels.iter().enumerate() {
            if let Some(label) = label {
                by_class[label as usize].push(node as NodeId);
            }
        }
        let mut parts = vec![Part::None; labels.nodes()];
        for mut class in by_class {
            random.shuffle(&mut class);
            assign(&mut parts, &class, fractions);
        }
        Split { together: true, ..Split::new(parts).drawn_from_labels(true) }
    }

    /// The part of a node.
    pub fn part(&self, node: NodeId) -> Part {
        self.parts.get(node as usize).copied().unwrap_or(Part::None)
    }

    /// The parts in the order of the nodes.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The nodes of one part, ascending.
    pub fn nodes(&self, part: Part) -> impl Iterator<Item = NodeId> + '_ {
        self.parts.iter().zip(0..).filter(move |&(&of, _)| of == part).map(|(_, node)| node)
    }

    /// The number of nodes of a part.
    pub fn count(&self, part: Part) -> usize {
        self.parts.iter().filter(|&&of| of == part).count()
    }
}

fn assign(parts: &mut [Part], order: &[NodeId], fractions: Fractions) {
    let mut start = 0;
    for (end, part) in fractions.ends(order.len()) {
        for &node in &order[start..end.max(start)] {
            parts[node as usize] = part;
        }
        start = end.max(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_split_has_the_given_sizes_and_depends_on_its_seed() {
        let fractions: Fractions = "0.5,0.25,0.25".parse().unwrap();
        let split = Split::random(2708, fractions, 1);
        assert_eq!([Part::Train, Part::Val, Part::Test].map(|part| split.count(part)), [1354, 677, 677]);
        assert_eq!(split, Split::random(2708, fractions, 1));
        assert_ne!(split, Split::random(2708, fractions, 2));
    }

    /// Adding or removing a node leaves the parts of the others as they are, as the unit of a
    /// guarantee about whole nodes requires.
    #[test]
    fn a_part_that_each_node_draws_does_not_depend_on_other_nodes() {
        let fractions: Fractions = "0.5,0.2,0.1".parse().unwrap();
        let names =
            |all: &[u32]| NodeNames::from_texts(all.iter().map(|name| format!("user {name}")).collect()).unwrap();
        let all: Vec<u32> = (0..4000).collect();
        let split = Split::random_each(&names(&all), fractions, 1);
        let without = Split::random_each(&names(&[&all[..7], &all[8..]].concat()), fractions, 1);
        assert_eq!(without.parts(), [&split.parts()[..7], &split.parts()[8..]].concat());
        assert!(!split.is_drawn_together() && Split::random(9, fractions, 1).is_drawn_together());
        assert!(Split::random(9, fractions, 1).selected(&[1, 2]).is_drawn_together());
        // Within five standard deviations.
        for (part, share) in [(Part::Train, 0.5), (Part::Val, 0.2), (Part::Test, 0.1), (Part::None, 0.2)] {
            let (found, deviation) = (split.count(part) as f64, (4000.0_f64 * share * (1.0 - share)).sqrt());
            assert!((found - 4000.0 * share).abs() < 5.0 * deviation, "{part:?}: {found}");
        }
        assert_ne!(split, Split::random_each(&names(&all), fractions, 2));
    }

    #[test]
    fn a_stratified_split_has_the_shares_in_every_class_and_leaves_unlabelled_nodes_out() {
        let labels = Labels::new(2, (0..100).map(|node| (node >= 10).then_some(u32::from(node >= 70)))).unwrap();
        let split = Split::stratified(&labels, Fractions::new(0.5, 0.1, 0.2).unwrap(), 3);
        let rare = |part| split.nodes(part).filter(|&node| labels.get(node) == Some(1)).count();
        assert_eq!([Part::Train, Part::Val, Part::Test].map(rare), [15, 3, 6]);
        assert!((0..10).all(|node| split.part(node) == Part::None));
        assert!(split.is_from_labels() && split.selected(&[3, 50]).is_from_labels());
        assert!(!Split::random(9, Fractions::new(0.5, 0.1, 0.2).unwrap(), 3).is_from_labels());
    }

    #[test]
    fn invalid_fractions_are_refused() {
        assert!(matches!("0.5,0.5".parse::<Fractions>(), Err(FractionsError::NotThree { .. })));
        assert!(matches!("0.5,0.4,0.2".parse::<Fractions>(), Err(FractionsError::TooMuch { .. })));
        assert!(matches!("-0.5,0.4,0.2".parse::<Fractions>(), Err(FractionsError::OutOfRange { .. })));
        assert!(matches!("NaN,0.4,0.2".parse::<Fractions>(), Err(FractionsError::OutOfRange { .. })));
    }
}
