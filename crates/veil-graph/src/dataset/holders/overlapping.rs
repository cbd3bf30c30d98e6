//! Overlapping parts, as in the published code of PrivGNN.
//!
//! That code intends to draw public nodes from the non-private ones, and test nodes from the rest.
//! But it looks numbers up in a set of tensors, which compare by identity, so no number is ever
//! found: both draws are from *all* nodes. A node that is drawn twice becomes two nodes of the
//! public graph, of which the second has all edges. Table 1 of the paper shows it: 37,171 edges
//! among 6,000 public nodes of Amazon Computers, where 6,000 different nodes would have 47,000, and
//! 5,346 different ones (the mean of two draws of 3,000 from 13,752) 37,200.

use super::{Apart, Dataset, DatasetError, Holder, Holders};
use crate::graph::{Graph, NodeId};
use crate::ids::NodeNames;
use crate::random::Random;
use crate::split::{Part, Split};

/// The overlap of the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Public nodes that are also private.
    pub with_private: usize,
    /// Public test nodes that are also public training nodes.
    pub of_public: usize,
}

impl Dataset {
    /// Partitions a data set as the published code of PrivGNN does: the private nodes of `holders`,
    /// and as many public training and test nodes as `holders` has, drawn from all nodes. Public
    /// nodes lose their names, because a node may occur twice.
    ///
    /// Only to explain published figures: this discloses private nodes.
    ///
    /// # Errors
    /// If there is not one holder per node.
    pub fn apart_overlapping(&self, holders: &Holders, seed: u64) -> Result<(Apart, Overlap), DatasetError> {
        let drawn = |holder: Holder, purpose: &str| {
            let mut order: Vec<NodeId> = (0..self.nodes()).collect();
            Random::new(seed, purpose).shuffle(&mut order);
            order.truncate(holders.of.iter().filter(|&&other| other == holder).count());
            order
        };
        let train = drawn(Holder::PublicTrain, "overlapping: train");
        let test = drawn(Holder::PublicTest, "overlapping: test");
        let Apart { private, .. } = self.apart(holders)?;
        let nodes: Vec<NodeId> = train.iter().chain(&test).copied().collect();
        let public = self.repeated(&nodes, train.len())?;
        let mut copies = vec![[false; 2]; self.nodes() as usize];
        train.iter().for_each(|&node| copies[node as usize][0] = true);
        test.iter().for_each(|&node| copies[node as usize][1] = true);
        let held = |node: NodeId| holders.of[node as usize] == Holder::Private;
        let overlap = Overlap {
            with_private: nodes.iter().filter(|&&node| held(node)).count(),
            of_public: copies.iter().filter(|copies| **copies == [true; 2]).count(),
        };
        let public_too = |node: NodeId| copies[node as usize] != [false; 2];
        let outside_too = |node: NodeId| !held(node) && !public_too(node);
        let left: Vec<NodeId> = (0..self.nodes()).filter(|&node| outside_too(node)).collect();
        let outside = if left.is_empty() { None } else { Some(self.selected(&left, None)?) };
        let outside = outside.map(|outside| Dataset { name: format!("{}-outside", self.name), ..outside });
        let together = |&(one, other): &(NodeId, NodeId)| {
            (held(one) && held(other))
                || (public_too(one) && public_too(other))
                || (outside_too(one) && outside_too(other))
        };
        let edges_dropped = self.graph.iter_edges().filter(|edge| !together(edge)).count();
        Ok((Apart { private, public, outside, edges_dropped }, overlap))
    }

    /// These nodes in this order, the first `train` for training and the others for testing. The
    /// last copy of a node has its edges.
    fn repeated(&self, nodes: &[NodeId], train: usize) -> Result<Dataset, DatasetError> {
        let mut place = vec![None; self.nodes() as usize];
        for (copy, &node) in (0..).zip(nodes) {
            place[node as usize] = Some(copy);
        }
        let mut edges: Vec<(NodeId, NodeId)> = Vec::new();
        for (source, copy) in (0..self.nodes()).zip(&place) {
            let targets = self.graph.neighbours(source).iter().filter_map(|&target| place[target as usize]);
            edges.extend(copy.iter().flat_map(|&copy| targets.clone().map(move |target| (copy, target))));
        }
        let graph = Graph::from_edges(nodes.len() as u32, &edges, self.graph.direction())?.graph;
        let parts = (0..nodes.len()).map(|place| if place < train { Part::Train } else { Part::Test });
        Ok(Dataset {
            name: format!("{}-public", self.name),
            names: NodeNames::Range(graph.nodes()),
            graph,
            edges_withheld: self.edges_withheld,
            dropped: Default::default(),
            features: self.features.as_ref().map(|features| features.selected(nodes)),
            feature_range: self.feature_range,
            labels: self.labels.as_ref().map(|labels| labels.selected(nodes)),
            split: Some(Split::new(parts.collect())),
            // Labels decided which nodes these are.
            declared: super::super::Declared { nodes: false, ..self.declared },
            public: Vec::new(),
        })
    }
}
