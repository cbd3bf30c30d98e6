//! Known names of columns: of the two ends of an edge, and of the id of a node.

/// Pairs of names for the two ends of an edge.
pub(crate) const ENDS: [[&str; 2]; 13] = [
    ["src", "dst"],
    ["source", "target"],
    ["source", "destination"],
    ["from", "to"],
    ["fromnodeid", "tonodeid"],
    ["id_1", "id_2"],
    ["id1", "id2"],
    ["node_1", "node_2"],
    ["node1", "node2"],
    ["u", "v"],
    ["head", "tail"],
    ["start", "end"],
    ["user_1", "user_2"],
];

/// Names for the id of a node.
#[cfg(feature = "import")]
pub(crate) const IDS: [&str; 8] = ["id", "node", "node_id", "nodeid", "user", "user_id", "userid", "uid"];
