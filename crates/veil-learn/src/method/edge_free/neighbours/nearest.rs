//! The nearest of the nodes that were seen so far.

use veil_graph::NodeId;

/// Neighbours of each node.
pub(crate) const NEIGHBOURS: usize = 15;

/// Up to [`NEIGHBOURS`] nodes, the most similar first, the smaller id first among equals. Nobody is
/// similar without a positive similarity, so the result does not depend on the order of offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest([(f32, NodeId); NEIGHBOURS]);

impl Nearest {
    pub const NONE: Nearest = Nearest([(0.0, NodeId::MAX); NEIGHBOURS]);

    /// Takes this node in, if it is among the nearest; it must not be among them yet.
    #[inline]
    pub fn offer(&mut self, similarity: f32, node: NodeId) {
        let before = |other: &(f32, NodeId)| other.0 > similarity || (other.0 == similarity && other.1 < node);
        if similarity.is_nan() || before(&self.0[NEIGHBOURS - 1]) {
            return;
        }
        let place = self.0.partition_point(before);
        if place < NEIGHBOURS && similarity > 0.0 {
            self.0.copy_within(place..NEIGHBOURS - 1, place + 1);
            self.0[place] = (similarity, node);
        }
    }

    /// As [`offer`](Nearest::offer), where the node may be among them already.
    pub fn offer_again(&mut self, similarity: f32, node: NodeId) {
        if similarity >= self.least() && self.0.iter().all(|&(_, other)| other != node) {
            self.offer(similarity, node);
        }
    }

    /// The similarity that has to be reached.
    #[inline]
    pub fn least(&self) -> f32 {
        self.0[NEIGHBOURS - 1].0
    }

    /// Similarities and nodes.
    pub fn iter(&self) -> impl Iterator<Item = (f32, NodeId)> + '_ {
        self.0.iter().copied().take_while(|&(similarity, _)| similarity > 0.0)
    }
}
