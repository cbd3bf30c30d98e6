//! The graph: compressed sparse rows, 32-bit node numbers.
//!
//! `build` turns an edge list into rows by counting and sorting, and counts what it drops; this file
//! answers questions about one graph; `transform` makes new graphs from old ones.
//!
//! An undirected edge is stored in both rows. A directed graph stores only the row of its source, so
//! `neighbours(v)` is then the list that `v` sends, not the one that it receives: see [`Graph::transpose`].

mod build;
mod transform;

#[cfg(test)]
mod tests;

pub use build::{Built, Dropped};

/// The number of a node inside one data set: 0, 1, …, n−1.
pub type NodeId = u32;

/// Whether an edge (u, v) is also an edge (v, u).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// An edge belongs to both ends.
    Undirected,
    /// An edge belongs to its source.
    Directed,
}

/// What can be wrong with a request to build or change a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge names a node that does not exist.
    #[error("edge {position} ends in node {node}, but the graph has {nodes} nodes")]
    NodeOutOfRange {
        /// Which edge of the list, counted from 0.
        position: usize,
        /// The node that it names.
        node: NodeId,
        /// How many nodes there are.
        nodes: u32,
    },
    /// A list of nodes names one that does not exist.
    #[error("node {node} is listed, but the graph has {nodes} nodes")]
    NoSuchNode {
        /// The node that is listed.
        node: NodeId,
        /// How many nodes there are.
        nodes: u32,
    },
    /// A list of nodes that must be distinct repeats one.
    #[error("node {node} is listed twice")]
    RepeatedNode {
        /// The repeated node.
        node: NodeId,
    },
    /// Offsets that do not start at 0, decrease, or do not end at the number of entries.
    #[error("the row offsets do not describe {entries} entries")]
    BadOffsets {
        /// How many entries there are.
        entries: usize,
    },
    /// A row names its own node.
    #[error("the row of node {node} names the node itself")]
    SelfLoop {
        /// The node.
        node: NodeId,
    },
    /// A renaming of nodes has the wrong length.
    #[error("a renaming of {nodes} nodes needs {nodes} names, and {given} are given")]
    WrongLength {
        /// How many names are needed.
        nodes: u32,
        /// How many there are.
        given: usize,
    },
    /// More nodes than there are numbers for.
    #[error("{nodes} nodes are more than a graph can have")]
    TooManyNodes {
        /// How many there would be.
        nodes: u64,
    },
    /// Two graphs that should share their nodes do not.
    #[error("{left} with {left_nodes} nodes does not fit {right} with {right_nodes}")]
    Mismatch {
        /// The first graph, in words.
        left: &'static str,
        /// Its number of nodes.
        left_nodes: u32,
        /// The second graph, in words.
        right: &'static str,
        /// Its number of nodes.
        right_nodes: u32,
    },
}

/// A graph without self loops, rows sorted. Edges repeat only where nodes reported them so ([`Graph::from_rows`]).
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
    /// A graph with nodes and no edges.
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
    /// If there is no such node, as indexing a slice does.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        let node = node as usize;
        &self.targets[self.offsets[node]..self.offsets[node + 1]]
    }

    /// The length of the row of `node`.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn degree(&self, node: NodeId) -> usize {
        let node = node as usize;
        self.offsets[node + 1] - self.offsets[node]
    }

    /// Whether `target` stands in the row of `source`.
    pub fn has_edge(&self, source: NodeId, target: NodeId) -> bool {
        source < self.nodes() && self.neighbours(source).binary_search(&target).is_ok()
    }

    /// Whether a row names a node more than once.
    pub fn has_repetitions(&self) -> bool {
        (0..self.nodes()).any(|node| self.neighbours(node).windows(2).any(|pair| pair[0] == pair[1]))
    }

    /// Every edge once (repetitions as often as they are there), in order of rows; an undirected one as (smaller, larger).
    pub fn iter_edges(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let undirected = self.direction == Direction::Undirected;
        (0..self.nodes()).flat_map(move |source| {
            let row = self.neighbours(source);
            // Rows are sorted, so the edges that were already listed from their other end come first.
            let start = if undirected { row.partition_point(|&target| target < source) } else { 0 };
            row[start..].iter().map(move |&target| (source, target))
        })
    }

    /// Where each row starts, and at the end the number of entries.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The rows, one after the other.
    pub fn targets(&self) -> &[NodeId] {
        &self.targets
    }
}
