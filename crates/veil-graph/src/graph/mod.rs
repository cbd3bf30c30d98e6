//! The graph: compressed sparse rows, 32-bit node numbers.
//!
//! `build` turns an edge list into rows; this file queries a graph; `transform` derives graphs.
//!
//! An undirected edge is stored in both rows, a directed one only in the row of its source. So
//! `neighbours(v)` in a directed graph are the targets of v's edges; for the sources see
//! [`Graph::transpose`].

mod build;
mod transform;

#[cfg(test)]
mod tests;

pub use build::{Built, Dropped};

/// The number of a node inside one data set: 0, 1, …, n−1.
pub type NodeId = u32;

/// Whether edges have a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// An edge is in the rows of both ends.
    Undirected,
    /// An edge is in the row of its source.
    Directed,
}

/// Why a graph cannot be built or transformed.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    #[error("edge {position} has unknown node {node}: the graph has {nodes} nodes")]
    NodeOutOfRange { position: usize, node: NodeId, nodes: u32 },
    #[error("unknown node {node}: the graph has {nodes} nodes")]
    NoSuchNode { node: NodeId, nodes: u32 },
    #[error("duplicate node {node}")]
    RepeatedNode { node: NodeId },
    #[error("the row offsets do not describe {entries} entries")]
    BadOffsets { entries: usize },
    #[error("the row of node {node} contains the node itself")]
    SelfLoop { node: NodeId },
    #[error("{nodes} nodes exceed the limit of a graph")]
    TooManyNodes { nodes: u64 },
    #[error("{left} with {left_nodes} nodes does not fit {right} with {right_nodes}")]
    Mismatch { left: &'static str, left_nodes: u32, right: &'static str, right_nodes: u32 },
}

/// A graph without self loops, with sorted rows. Edges repeat only in reported rows
/// ([`Graph::from_rows`]).
///
/// ```
/// use veil_graph::{Direction, Graph};
/// let built = Graph::from_edges(3, &[(0, 1), (1, 0), (2, 2)], Direction::Undirected)?;
/// assert_eq!(built.graph.edges(), 1);
/// assert_eq!(built.graph.neighbours(1), [0]);
/// assert_eq!((built.dropped.self_loops, built.dropped.duplicates), (1, 1));
/// # Ok::<(), veil_graph::GraphError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Row v is `targets[offsets[v]..offsets[v + 1]]`.
    offsets: Vec<usize>,
    targets: Vec<NodeId>,
    direction: Direction,
}

impl Graph {
    /// A graph without edges.
    pub fn empty(nodes: u32, direction: Direction) -> Graph {
        Graph { offsets: vec![0; nodes as usize + 1], targets: Vec::new(), direction }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// Whether edges have a direction.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The number of edges: an undirected edge counts once.
    pub fn edges(&self) -> usize {
        match self.direction {
            Direction::Undirected => self.targets.len() / 2,
            Direction::Directed => self.targets.len(),
        }
    }

    /// The number of stored (row, target) entries: an undirected edge counts twice.
    pub fn entries(&self) -> usize {
        self.targets.len()
    }

    /// The neighbours in the row of `node`, ascending.
    ///
    /// # Panics
    /// If the node does not exist.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        let node = node as usize;
        &self.targets[self.offsets[node]..self.offsets[node + 1]]
    }

    /// The length of the row of `node`.
    ///
    /// # Panics
    /// If the node does not exist.
    pub fn degree(&self, node: NodeId) -> usize {
        let node = node as usize;
        self.offsets[node + 1] - self.offsets[node]
    }

    /// Whether `target` is in the row of `source`.
    pub fn has_edge(&self, source: NodeId, target: NodeId) -> bool {
        source < self.nodes() && self.neighbours(source).binary_search(&target).is_ok()
    }

    /// Whether a row contains a node more than once.
    pub fn has_repetitions(&self) -> bool {
        (0..self.nodes()).any(|node| self.neighbours(node).windows(2).any(|pair| pair[0] == pair[1]))
    }

    /// Every edge once (repeated ones as often as they occur), in the order of rows; an undirected
    /// one as (smaller, larger).
    pub fn iter_edges(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let undirected = self.direction == Direction::Undirected;
        (0..self.nodes()).flat_map(move |source| {
            let row = self.neighbours(source);
            // Rows are sorted, so edges that were listed from their other end come first.
            let start = if undirected { row.partition_point(|&target| target < source) } else { 0 };
            row[start..].iter().map(move |&target| (source, target))
        })
    }

    /// The start of each row, and finally the number of entries.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The concatenated rows.
    pub fn targets(&self) -> &[NodeId] {
        &self.targets
    }
}
