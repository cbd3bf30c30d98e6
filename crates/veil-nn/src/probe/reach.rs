//! The nodes that influence some nodes, layer by layer.

use veil_graph::NodeId;

use crate::graph::Topology;
use crate::layers::Form;

/// The rows to evaluate for the last layer's rows of some nodes.
///
/// A layer needs the rows that the next layer needs, and those of their neighbours. So one order
/// serves all layers: each needs a prefix of it.
pub(super) struct Reach {
    order: Vec<NodeId>,
    /// 1 + the index of a node in the order; 0 if absent.
    places: Vec<u32>,
    /// The number of input rows of each layer, then the number of output rows of the last.
    counts: Vec<usize>,
}

impl Reach {
    /// An empty reach in a graph of this size.
    pub fn new(nodes: usize) -> Reach {
        Reach { order: Vec::new(), places: vec![0; nodes], counts: Vec::new() }
    }

    /// Finds the nodes that influence `nodes`, discarding earlier results.
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
                let senders = messages.map_or(&[][..], |messages| messages.received_by(self.order[place] as usize));
                senders.iter().for_each(|&node| self.add(node));
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

    /// The nodes whose rows are input of a layer; after the last layer, the queried nodes.
    pub fn rows(&self, layer: usize) -> &[NodeId] {
        &self.order[..self.counts[layer]]
    }

    /// The index of a node that is contained.
    pub fn place(&self, node: NodeId) -> usize {
        self.places[node as usize] as usize - 1
    }

    /// Whether a node's features influence the queried nodes.
    pub fn contains(&self, node: NodeId) -> bool {
        self.places[node as usize] > 0
    }
}

#[cfg(test)]
mod tests {
    use veil_graph::random::Random;

    use super::*;
    use crate::graph::Messages;
    use crate::layers::{Layer, Linear};

    #[test]
    fn every_layer_reaches_one_hop_further() {
        // 0 receives from 1, 1 from 2 and itself, 2 from 3, none from 4.
        let messages = Messages::from_lists(&[vec![1], vec![2, 1], vec![3], vec![], vec![0]]).unwrap();
        let topology = Topology::new(messages);
        let layer = Linear::sage(1, 1, &mut Random::new(1, "weights")).form();
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
