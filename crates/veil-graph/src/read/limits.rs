//! How large a graph may be, given how much of it is really there.

/// More nodes than any reader accepts.
pub(crate) const MOST_NODES: u64 = 1 << 28;

/// More feature columns than any reader accepts.
pub(crate) const MOST_FEATURES: u64 = 1 << 28;

/// More classes than any reader accepts.
pub(crate) const MOST_CLASSES: u64 = 1 << 20;

/// Nodes that may be declared whatever the size of the files: about 300 MB when read.
const ALWAYS_ALLOWED: u64 = 10_000_000;

/// Nodes per byte on disk beyond that. A node that is named in a file takes two bytes or more; the
/// factor leaves room for packed files.
const PER_BYTE: u64 = 4;

/// How many nodes files of this size on disk may speak of: whoever declares more nodes than the files
/// could name must not make us allocate them. Ten million nodes are always allowed, so that isolated ones need no proof.
pub(crate) fn most_nodes(bytes_on_disk: u64) -> u32 {
    bytes_on_disk.saturating_mul(PER_BYTE).clamp(ALWAYS_ALLOWED, MOST_NODES) as u32
}
