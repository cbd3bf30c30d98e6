//! The reports of one round.

/// The reports of all nodes in one round: one row of counts per node, one column per cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    clusters: usize,
    values: Vec<i64>,
}

impl Counts {
    /// From rows of `clusters` counts each; an incomplete last row is dropped.
    pub fn new(clusters: usize, mut values: Vec<i64>) -> Counts {
        values.truncate(values.len() / clusters.max(1) * clusters.max(1));
        Counts { clusters, values }
    }

    /// The number of clusters.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.values.len() / self.clusters.max(1)
    }

    /// The counts of a node.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn row(&self, node: usize) -> &[i64] {
        &self.values[node * self.clusters..(node + 1) * self.clusters]
    }

    /// All rows, one after the other.
    pub fn values(&self) -> &[i64] {
        &self.values
    }
}
