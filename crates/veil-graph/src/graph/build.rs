//! From an edge list to rows: count, place, sort each row, drop duplicates.
//!
//! Beyond the input this needs four bytes per entry and sixteen per node. Placing is sequential,
//! because it is bound by memory; sorting uses all cores. Without hash tables the result depends
//! only on the edges.

use rayon::prelude::*;

use super::{Direction, Graph, GraphError, NodeId};

/// What was dropped from an edge list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Dropped {
    /// Self loops.
    pub self_loops: usize,
    /// Duplicate edges. In an undirected graph (v, u) duplicates (u, v).
    pub duplicates: usize,
    /// Rows that say of a node what an earlier one says already. Graphs have none; readers of
    /// tables add them.
    #[serde(default)]
    pub rows: usize,
    /// Entries of a matrix that are stored though their value is 0. They are edges, as any entry
    /// is: only the value is dropped. Graphs have none; readers of matrices add them.
    #[serde(default)]
    pub zeros: usize,
}

/// A graph, and what was dropped from its edge list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// The graph.
    pub graph: Graph,
    /// What was dropped.
    pub dropped: Dropped,
}

impl Graph {
    /// Builds the graph of an edge list.
    ///
    /// # Errors
    /// If an edge has a node that is not below `nodes`.
    pub fn from_edges(nodes: u32, edges: &[(NodeId, NodeId)], direction: Direction) -> Result<Built, GraphError> {
        let undirected = direction == Direction::Undirected;
        let mut offsets = vec![0usize; nodes as usize + 1];
        let mut loops: Vec<NodeId> = Vec::new();
        for (position, &(source, target)) in edges.iter().enumerate() {
            let largest = source.max(target);
            if largest >= nodes {
                return Err(GraphError::NodeOutOfRange { position, node: largest, nodes });
            }
            if source == target {
                loops.push(source);
                continue;
            }
            offsets[source as usize] += 1;
            if undirected {
                offsets[target as usize] += 1;
            }
        }

        // Each offset becomes the *end* of its row; placing an entry moves it one to the left. In
        // the end it is the start, so no second array of cursors is needed.
        let mut total = 0;
        for offset in &mut offsets {
            total += *offset;
            *offset = total;
        }
        let mut targets = vec![0 as NodeId; total];
        for &(source, target) in edges {
            if source == target {
                continue;
            }
            offsets[source as usize] -= 1;
            targets[offsets[source as usize]] = target;
            if undirected {
                offsets[target as usize] -= 1;
                targets[offsets[target as usize]] = source;
            }
        }

        let graph = sort_rows(offsets, targets, direction);
        loops.sort_unstable();
        loops.dedup();
        let duplicates = edges.len() - loops.len() - graph.edges();
        let dropped = Dropped { self_loops: loops.len(), duplicates, rows: 0, zeros: 0 };
        Ok(Built { graph, dropped })
    }

    /// A directed graph from reported rows: row v is `targets[offsets[v]..offsets[v + 1]]`. Rows
    /// are sorted; duplicates are kept, because a report may be a multiset.
    ///
    /// # Errors
    /// If the offsets are invalid, or a row contains a node that does not exist, or its own node.
    pub fn from_rows(offsets: Vec<usize>, mut targets: Vec<NodeId>) -> Result<Graph, GraphError> {
        let entries = targets.len();
        let nodes = offsets.len().saturating_sub(1) as u32;
        let ascending = offsets.is_sorted() && offsets.first() == Some(&0) && offsets.last() == Some(&entries);
        if !ascending {
            return Err(GraphError::BadOffsets { entries });
        }
        for node in 0..nodes {
            let row = &mut targets[offsets[node as usize]..offsets[node as usize + 1]];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            if let Some(&largest) = row.last().filter(|&&largest| largest >= nodes) {
                return Err(GraphError::NoSuchNode { node: largest, nodes });
            }
            if row.binary_search(&node).is_ok() {
                return Err(GraphError::SelfLoop { node });
            }
        }
        Ok(Graph { offsets, targets, direction: Direction::Directed })
    }

    /// A directed graph from (reporter, reported) pairs in any order.
    ///
    /// # Errors
    /// As [`from_rows`](Graph::from_rows).
    pub fn from_reports(nodes: u32, mut edges: Vec<(NodeId, NodeId)>) -> Result<Graph, GraphError> {
        edges.sort_unstable();
        let last = edges.last().map_or(0, |&(source, _)| source);
        if !edges.is_empty() && last >= nodes {
            return Err(GraphError::NoSuchNode { node: last, nodes });
        }
        let mut offsets = vec![0usize; nodes as usize + 1];
        edges.iter().for_each(|&(source, _)| offsets[source as usize + 1] += 1);
        for node in 1..offsets.len() {
            offsets[node] += offsets[node - 1];
        }
        Graph::from_rows(offsets, edges.into_iter().map(|(_, target)| target).collect())
    }
}

/// Rows that are sorted on one core.
struct Block<'a> {
    /// Offsets of these rows, from the start of the graph.
    offsets: &'a [usize],
    entries: &'a mut [NodeId],
}

/// Sorts each row, drops duplicates, and closes the gaps.
pub(super) fn sort_rows(mut offsets: Vec<usize>, mut targets: Vec<NodeId>, direction: Direction) -> Graph {
    let nodes = offsets.len() - 1;
    let wanted = (targets.len() / (4 * rayon::current_num_threads())).max(1 << 14);

    let mut blocks = Vec::new();
    let (mut first, mut rest) = (0, targets.as_mut_slice());
    while first < nodes {
        let end = offsets.partition_point(|&offset| offset < offsets[first] + wanted).clamp(first + 1, nodes);
        let (entries, others) = rest.split_at_mut(offsets[end] - offsets[first]);
        blocks.push(Block { offsets: &offsets[first..=end], entries });
        (first, rest) = (end, others);
    }

    // Each block moves its distinct entries to its front and returns the new lengths of its rows.
    let lengths: Vec<Vec<u32>> = blocks.into_par_iter().map(sort_block).collect();

    let (mut write, mut row) = (0, 0);
    for block in lengths {
        let (from, length) = (offsets[row], block.iter().map(|&length| length as usize).sum::<usize>());
        targets.copy_within(from..from + length, write);
        for length in block {
            offsets[row] = write;
            write += length as usize;
            row += 1;
        }
    }
    offsets[nodes] = write;
    targets.truncate(write);
    targets.shrink_to_fit();
    Graph { offsets, targets, direction }
}

fn sort_block(block: Block<'_>) -> Vec<u32> {
    let Block { offsets, entries } = block;
    let base = offsets[0];
    let mut write = 0;
    offsets
        .windows(2)
        .map(|row| {
            let (start, end) = (row[0] - base, row[1] - base);
            entries[start..end].sort_unstable();
            let row_start = write;
            for read in start..end {
                if write == row_start || entries[write - 1] != entries[read] {
                    entries[write] = entries[read];
                    write += 1;
                }
            }
            (write - row_start) as u32
        })
        .collect()
}
