//! What the server gets in one round.

/// What every node sent in one round: one row of counts per node, one column per cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    clusters: usize,
    values: Vec<i64>,
}

impl Counts {
    /// From rows of `clusters` counts each, one after the other; a rest that fills no row is dropped.
    pub fn new(clusters: usize, mut values: Vec<i64>) -> Counts {
        values.truncate(values.len() / clusters.max(1) * clusters.max(1));
        Counts { clusters, values }
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// How many nodes sent something.
    pub fn nodes(&self) -> usize {
        self.values.len() / self.clusters.max(1)
    }

    /// What a node sent.
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
