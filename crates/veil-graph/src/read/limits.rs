//! Limits of declared sizes: what a number in a file may make a reader allocate.

/// The limit for nodes.
pub const MOST_NODES: u64 = 1 << 28;

/// The limit for feature columns.
pub const MOST_FEATURES: u64 = 1 << 28;

/// The limit for classes.
pub const MOST_CLASSES: u64 = 1 << 20;

/// Nodes that may always be declared: about 300 MB when read.
const ALWAYS_ALLOWED: u64 = 10_000_000;

/// Nodes per byte on disk beyond that. A named node takes at least two bytes; the factor leaves
/// room for compressed files.
const PER_BYTE: u64 = 4;

/// The number of nodes that files of this size may declare, so that a small file cannot force a
/// large allocation. Ten million nodes are always allowed, for isolated nodes.
pub(crate) fn most_nodes(bytes_on_disk: u64) -> u32 {
    bytes_on_disk.saturating_mul(PER_BYTE).clamp(ALWAYS_ALLOWED, MOST_NODES) as u32
}
