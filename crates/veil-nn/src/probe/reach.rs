//! Whom some nodes can hear, layer by layer.

use veil_graph::NodeId;

use crate::graph::Topology;
use crate::layers::Form;

/// The rows that must be evaluated so that some nodes have their last one.
///
/// A layer needs the rows that the next one needs, and whom those nodes hear. So one order serves all layers: each needs a beginning of it.
pub(super) struct Reach {
    order: Vec<NodeId>,
    /// 1 + the place of a node in the order; 0 if it is not there.
    places: Vec<u32>,
    /// How many rows go into each layer, then how many come out of the last.
    counts: Vec<usize>,
}

impl Reach {
    /// Of nobody yet, among so many nodes.
    pub fn new(nodes: usize) -> Reach {
        Reach { order: Vec::new(), places: vec![0; nodes], counts: Vec::new() }
    }

    /// Finds whom these nodes can hear; what was found before is forgotten.
    pub fn find<'a>(
        &mut self,
        nodes: impl Iterator<Item = NodeId>,
        layers: impl DoubleEndedIterator<Item = &'a Form>,
        topology: &Topology,
    ) {
        for node in self.order.drain(..) {
            self.places[node as usize] = 0;
        }
        nodes.for_each(|node| self.add(node));
        self.counts = vec![self.order.len()];
        for layer in layers.rev() {
            let messages = layer.messages(topology);
            for place in 0..self.order.len() {
                let heard = messages.map_or(&[][..], |messages| messages.received_by(self.order[place] as usize));
                heard.iter().for_each(|&node| self.add(node));
            }
            self.counts.push(self.order.len());
        }
        self.counts.reverse();
    }

    fn add(&mut self, node: NodeId) {
        let place = &mut self.places[node as usize];
        if *place == 0 {
            self.order.push(node);
            *place = self.order.len() as u32;
        }
    }

    /// The nodes whose rows go into a layer; after the last layer, those that were asked for.
    pub fn rows(&self, layer: usize) -> &[NodeId] {
        &self.order[..self.counts[layer]]
    }

    /// Where a node stands that is there.
    pub fn place(&self, node: NodeId) -> usize {
        self.places[node as usize] as usize - 1
    }

    /// Whether a node's features reach those who were asked for.
    pub fn contains(&self, node: NodeId) -> bool {
        self.places[node as usize] > 0
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::random::Random;

    use super::*;
    use crate::graph::Messages;
    use crate::layers::{Layer, Sage};

    #[test]
    fn every_layer_hears_one_step_further() {
        // 0 hears 1, 1 hears 2 and itself, 2 hears 3, nobody hears 4.
        let messages = Messages::from_lists(&[vec![1], vec![2, 1], vec![3], vec![], vec![0]]).unwrap();
        let topology = Topology::new(messages);
        let layer = Sage::new(1, 1, &mut Random::new(1, "weights")).form();
        let mut reach = Reach::new(5);
        for _ in 0..2 {
            reach.find([0, 0].into_iter(), [&layer, &layer].into_iter(), &topology);
            assert_eq!((reach.rows(0), reach.rows(1), reach.rows(2)), (&[0, 1, 2][..], &[0, 1][..], &[0][..]));
            assert_eq!((reach.place(2), reach.contains(2), reach.contains(3)), (2, true, false));
            reach.find([4, 2].into_iter(), [&layer].into_iter(), &topology);
            assert_eq!((reach.rows(0), reach.rows(1)), (&[4, 2, 0, 3][..], &[4, 2][..]));
        }
    }
}
