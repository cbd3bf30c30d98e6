//! Protocols in which every node reports a list of nodes.
