//! A first stage without features: it starts from the frequencies of the released labels.
//!
//! The first network reads nothing, so it answers how frequent each class is, and its most likely
//! classes would be one cluster. Instead, a node with a released label is in that cluster, and
//! every other node in one that is drawn from the frequencies of the released labels: in
//! expectation these add the same mixture to every row, which the next network can subtract. Both
//! are made of released labels and of public randomness, never of edges, so the guarantee of the
//! counts is untouched.

use veil_graph::random::Random;
use veil_graph::{Dataset, Features, Labels, Matrix};

use crate::error::LearnError;

/// What the first network reads of nodes without features.
pub(super) fn nothing(nodes: u32) -> Features {
    Features::Dense(Matrix::zeros(nodes as usize, 1))
}

/// The cluster of every node.
pub(super) fn clusters(data: &Dataset, seed: u64) -> Result<Vec<u32>, LearnError> {
    let labels = data.labels().ok_or(LearnError::NoLabels)?;
    let known: Vec<u32> = labels.iter().flatten().collect();
    if known.is_empty() {
        // Nothing distinguishes the nodes of a graph without labels and features.
        return Err(LearnError::NoFeatures);
    }
    let mut random = Random::new(seed, "clusters of nodes without a label");
    Ok(Labels::iter(labels).map(|label| label.unwrap_or_else(|| known[random.below(known.len())])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veil_graph::{Direction, Dropped, Graph};

    #[test]
    fn labelled_nodes_are_in_their_class_and_others_as_frequent_as_the_labels() {
        let nodes = 4000;
        let graph = Graph::empty(nodes, Direction::Undirected);
        let label = |node| if node < 40 { Some(u32::from(node % 4 == 0)) } else { None };
        let labels = Labels::new(3, (0..nodes).map(label)).unwrap();
        let data = Dataset::new("bare", graph, Dropped::default()).with_labels(labels).unwrap();
        let clusters = clusters(&data, 1).unwrap();
        assert!((0..40).all(|node| Some(clusters[node as usize]) == label(node)));
        let drawn = clusters[40..].iter().filter(|&&cluster| cluster == 1).count() as f64 / 3960.0;
        // A quarter, within five standard deviations.
        assert!((drawn - 0.25).abs() < 5.0 * (0.25f64 * 0.75 / 3960.0).sqrt(), "{drawn}");
        assert!(clusters.iter().all(|&cluster| cluster < 2));
        assert_eq!(clusters, super::clusters(&data, 1).unwrap());
    }
}
