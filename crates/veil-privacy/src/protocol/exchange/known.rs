//! The state of a node after round 1.

use veil_graph::NodeId;

use super::Profile;

/// A node's neighbours and their vectors: the thesis' `FeatureMap`, in both directions.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    /// Ascending by name.
    by_name: Vec<(NodeId, &'a Profile)>,
    /// Positions in `by_name`, ascending by vector, equal vectors by name.
    by_vector: Vec<u32>,
}

/// One node after round 1.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    /// The node.
    pub me: NodeId,
    /// Its own released vector.
    pub mine: &'a Profile,
    /// Its neighbours and their vectors.
    pub known: &'a Known<'a>,
}

impl<'a> Known<'a> {
    /// From the messages of round 1, in any order, one per neighbour.
    pub fn new(messages: impl IntoIterator<Item = (NodeId, &'a Profile)>) -> Known<'a> {
        let mut by_name: Vec<(NodeId, &Profile)> = messages.into_iter().collect();
        by_name.sort_unstable_by_key(|&(name, _)| name);
        let mut by_vector: Vec<u32> = (0..by_name.len() as u32).collect();
        by_vector.sort_unstable_by(|&a, &b| by_name[a as usize].1.cmp(by_name[b as usize].1).then(a.cmp(&b)));
        Known { by_name, by_vector }
    }

    /// The number of neighbours.
    pub fn degree(&self) -> usize {
        self.by_name.len()
    }

    /// The neighbours, ascending.
    pub fn names(&self) -> impl ExactSizeIterator<Item = NodeId> + '_ {
        self.by_name.iter().map(|&(name, _)| name)
    }

    /// The neighbours and their vectors, in the order of vectors, equal ones by name.
    pub fn by_vector(&self) -> impl ExactSizeIterator<Item = (NodeId, &'a Profile)> + '_ {
        self.by_vector.iter().map(|&at| self.by_name[at as usize])
    }

    /// Whether a node is a neighbour.
    pub fn is_neighbour(&self, name: NodeId) -> bool {
        self.vector_of(name).is_some()
    }

    /// The vector of a neighbour.
    pub fn vector_of(&self, name: NodeId) -> Option<&'a Profile> {
        let at = self.by_name.binary_search_by_key(&name, |&(name, _)| name).ok()?;
        Some(self.by_name[at].1)
    }

    /// `FeatureMap[vector]`: the sender. If several neighbours have equal vectors, the smallest id:
    /// the thesis overwrites the entry, so there too only one of them can be found.
    pub fn name_of(&self, vector: &Profile) -> Option<NodeId> {
        let at = self.by_vector.partition_point(|&at| self.by_name[at as usize].1 < vector);
        let &found = self.by_vector.get(at)?;
        let (name, known) = self.by_name[found as usize];
        (known == vector).then_some(name)
    }
}

impl<'a> Node<'a> {
    /// The distinct vectors among `received`, sorted, without the node's own and its neighbours'
    /// (Algorithm 2, line 21; Algorithm 3, line 35). Vectors have no ids: another node whose vector
    /// equals the node's own or a neighbour's is dropped too, and nodes with equal vectors become
    /// one.
    pub fn candidates(&self, mut received: Vec<&'a Profile>) -> Vec<&'a Profile> {
        received.sort_unstable();
        received.dedup();
        received.retain(|&vector| vector != self.mine && self.known.name_of(vector).is_none());
        received
    }
}
