//! Nodes with labels.

use veil_graph::NodeId;

use crate::tensor::Tensor;

/// Some of the nodes, each with a label, in the order of the nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets {
    pairs: Vec<(NodeId, u32)>,
    nodes: usize,
    classes: usize,
}

/// Why targets are invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetsError {
    #[error("no targets")]
    Empty,
    #[error("unknown node {node}: there are {nodes} nodes")]
    NoSuchNode { node: NodeId, nodes: usize },
    #[error("node {node} has label {class}, but there are {classes} classes")]
    NoSuchClass { node: NodeId, class: u32, classes: usize },
    #[error("duplicate label of node {node}")]
    Repeated { node: NodeId },
}

impl Targets {
    /// These nodes with these labels, in any order.
    ///
    /// # Errors
    /// If there are none, a node occurs twice, or a node or class does not exist.
    pub fn new(mut pairs: Vec<(NodeId, u32)>, nodes: usize, classes: usize) -> Result<Targets, TargetsError> {
        if pairs.is_empty() {
            return Err(TargetsError::Empty);
        }
        pairs.sort_unstable();
        for &(node, class) in &pairs {
            if node as usize >= nodes {
                return Err(TargetsError::NoSuchNode { node, nodes });
            }
            if class as usize >= classes {
                return Err(TargetsError::NoSuchClass { node, class, classes });
            }
        }
        match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(TargetsError::Repeated { node: pair[0].0 }),
            None => Ok(Targets { pairs, nodes, classes }),
        }
    }

    /// Nodes with their labels.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.pairs.iter().copied()
    }

    /// The number of targets: at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The number of nodes of the graph.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The number of targets whose largest logit is that of their label; ties go to the smallest
    /// class.
    ///
    /// # Panics
    /// If there is not one row per node and one column per class.
    pub fn correct(&self, logits: &Tensor) -> usize {
        self.assert_shape(logits);
        self.iter().filter(|&(node, class)| is_argmax(logits.row(node as usize), class as usize)).count()
    }

    /// The share of targets whose largest logit is that of their label.
    ///
    /// # Panics
    /// If there is not one row per node and one column per class.
    pub fn accuracy(&self, logits: &Tensor) -> f64 {
        self.correct(logits) as f64 / self.len() as f64
    }

    pub(super) fn contains(&self, node: NodeId) -> bool {
        self.pairs.binary_search_by_key(&node, |pair| pair.0).is_ok()
    }

    /// The same nodes with other labels below [`classes`](Targets::classes).
    pub(super) fn relabelled(&self, label: impl Fn(NodeId) -> usize) -> Targets {
        let pairs = self.iter().map(|(node, _)| (node, label(node) as u32)).collect();
        Targets { pairs, ..*self }
    }

    pub(super) fn assert_shape(&self, logits: &Tensor) {
        let shape = (logits.rows(), logits.columns());
        assert_eq!(shape, (self.nodes, self.classes), "one row of logits per node, one column per class");
    }
}

/// The index of the largest number: the first among equals, and 0 if all are NaN.
pub(crate) fn argmax(row: &[f32]) -> usize {
    let mut best = (0, f32::NAN);
    for (index, &value) in row.iter().enumerate() {
        if value > best.1 || (best.1.is_nan() && !value.is_nan()) {
            best = (index, value);
        }
    }
    best.0
}

/// Whether [`argmax`] is this class. Branch-free, because the position of the largest is
/// unpredictable.
fn is_argmax(row: &[f32], class: usize) -> bool {
    let own = row[class];
    if own.is_nan() {
        return argmax(row) == class;
    }
    let (before, after) = row.split_at(class);
    let beaten = before.iter().fold(false, |beaten, &value| beaten | (value >= own));
    !after.iter().fold(beaten, |beaten, &value| beaten | (value > own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_targets_are_refused() {
        let error = |pairs: &[(u32, u32)]| Targets::new(pairs.to_vec(), 3, 2).unwrap_err();
        assert_eq!(error(&[]), TargetsError::Empty);
        assert_eq!(error(&[(1, 0), (3, 0)]), TargetsError::NoSuchNode { node: 3, nodes: 3 });
        assert_eq!(error(&[(2, 2)]), TargetsError::NoSuchClass { node: 2, class: 2, classes: 2 });
        assert_eq!(error(&[(1, 0), (0, 1), (1, 1)]), TargetsError::Repeated { node: 1 });
        assert_eq!(error(&[(2, 2)]).to_string(), "node 2 has label 2, but there are 2 classes");
    }

    #[test]
    fn order_does_not_matter() {
        let pairs = |pairs: &[(u32, u32)]| Targets::new(pairs.to_vec(), 3, 2).unwrap();
        assert_eq!(pairs(&[(2, 0), (0, 1)]), pairs(&[(0, 1), (2, 0)]));
    }

    #[test]
    fn the_smallest_class_among_equals_is_the_answer_and_nan_never_is() {
        assert_eq!(argmax(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(argmax(&[f32::NAN, -5.0, f32::NAN, -4.0]), 3);
        assert_eq!(argmax(&[f32::NEG_INFINITY, f32::NEG_INFINITY]), 0);
        assert_eq!(argmax(&[f32::NAN, f32::NAN]), 0);
    }

    #[test]
    fn one_class_is_the_largest_class() {
        let numbers = [f32::NAN, f32::NEG_INFINITY, -1.0, 0.0, 2.0, f32::INFINITY];
        for code in 0..numbers.len().pow(4) {
            let row = [0, 1, 2, 3].map(|place| numbers[code / numbers.len().pow(place) % numbers.len()]);
            for class in 0..4 {
                assert_eq!(is_argmax(&row, class), argmax(&row) == class, "{row:?} {class}");
            }
        }
    }

    #[test]
    fn only_chosen_nodes_are_counted() {
        let logits = Tensor::from_rows(&[[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [0.0, 1.0]]);
        let targets = Targets::new(vec![(0, 1), (1, 1), (2, 0)], 4, 2).unwrap();
        assert_eq!(targets.correct(&logits), 2);
        assert_eq!(targets.accuracy(&logits), 2.0 / 3.0);
    }
}
