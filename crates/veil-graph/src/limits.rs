//! Limits of declared sizes: what a number in a file or a parameter may make a program allocate.
//!
//! Those that several crates or readers share are here. A limit of one algorithm, whose reason is
//! that algorithm, is beside it.

/// The limit for nodes.
pub const MOST_NODES: u64 = 1 << 28;

/// The limit for feature columns that a data set stores entry by entry.
pub const MOST_FEATURES: u64 = 1 << 28;

/// The limit for columns that are only declared: of arrays, of a device's vector, and of a
/// network's input. A dense row of them takes 64 MiB.
pub const MOST_COLUMNS: usize = 1 << 24;

/// The limit for classes. One wrong label would otherwise declare billions of them.
pub const MOST_CLASSES: u64 = 1 << 20;

/// Classes that may be declared for any number of nodes: names of classes need no members.
const ALWAYS_NAMED: u32 = 1 << 12;

/// The limit for rounds that share one ε: each has a vector of counts, or a network, of its own.
pub const MOST_ROUNDS: u32 = 100;

/// The limit for the steps into which one is divided by a grid of messages: sums of them fit 64
/// bits at any node.
pub const MOST_STEPS: u32 = 1 << 20;

/// The limit for the layers of a network: each takes memory of its own, however small its matrix.
pub const MOST_LAYERS: usize = 1000;

/// The limit for the weights of a network: 4 GiB, of which training needs four times as much.
pub const MOST_WEIGHTS: u64 = 1 << 30;

/// Nodes that may always be declared: about 300 MB when read.
#[cfg(feature = "files")]
const ALWAYS_ALLOWED: u64 = 10_000_000;

/// Nodes per byte on disk beyond that. A named node takes at least two bytes; the factor leaves
/// room for compressed files.
#[cfg(feature = "files")]
const PER_BYTE: u64 = 4;

/// The number of nodes that files of this size may declare, so that a small file cannot force a
/// large allocation. Ten million nodes are always allowed, for isolated nodes.
#[cfg(feature = "files")]
pub(crate) fn most_nodes(bytes_on_disk: u64) -> u32 {
    bytes_on_disk.saturating_mul(PER_BYTE).clamp(ALWAYS_ALLOWED, MOST_NODES) as u32
}

/// The number of clusters that a graph of so many nodes justifies: one for each class, and one for
/// nodes without a label. There may be more classes than nodes, but not many more.
pub fn most_clusters(nodes: u32) -> u32 {
    nodes.clamp(ALWAYS_NAMED, MOST_CLASSES as u32) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_nodes_do_not_justify_many_clusters() {
        assert_eq!([3, 4096, 5000, u32::MAX].map(most_clusters), [4097, 4097, 5001, (1 << 20) + 1]);
    }
}
