//! Derived graphs: transposed, induced, joined; and the nodes within k hops.

use super::build::sort_rows;
use super::{Direction, Graph, GraphError, NodeId};

/// Marks a node that is not part of an induced subgraph.
const ABSENT: NodeId = NodeId::MAX;

impl Graph {
    /// The graph with every edge reversed. An undirected graph is its own transpose.
    pub fn transpose(&self) -> Graph {
        if self.direction == Direction::Undirected {
            return self.clone();
        }
        let mut offsets = vec![0usize; self.offsets.len()];
        for &target in &self.targets {
            offsets[target as usize + 1] += 1;
        }
        for node in 1..offsets.len() {
            offsets[node] += offsets[node - 1];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; self.targets.len()];
        // Sources are ascending, so every new row is sorted.
        for source in 0..self.nodes() {
            for &target in self.neighbours(source) {
                let place = &mut next[target as usize];
                targets[*place] = source;
                *place += 1;
            }
        }
        Graph { offsets, targets, direction: self.direction }
    }

    /// The subgraph of the listed nodes, which become 0, 1, … in the order of the list.
    ///
    /// # Errors
    /// If a node does not exist or is listed twice.
    pub fn induced(&self, nodes: &[NodeId]) -> Result<Graph, GraphError> {
        let mut new_name = vec![ABSENT; self.nodes() as usize];
        for (name, &node) in nodes.iter().enumerate() {
            let place = new_name.get_mut(node as usize).ok_or(GraphError::NoSuchNode { node, nodes: self.nodes() })?;
            if *place != ABSENT {
                return Err(GraphError::RepeatedNode { node });
            }
            *place = name as NodeId;
        }
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        offsets.push(0);
        let mut targets = Vec::new();
        for &node in nodes {
            let kept = self.neighbours(node).iter().map(|&target| new_name[target as usize]);
            targets.extend(kept.filter(|&name| name != ABSENT));
            offsets.push(targets.len());
        }
        Ok(sort_rows(offsets, targets, self.direction))
    }

    /// The nodes within `hops` steps from `seeds`, including the seeds, ascending.
    ///
    /// # Errors
    /// If a seed does not exist.
    pub fn within_hops(&self, seeds: &[NodeId], hops: usize) -> Result<Vec<NodeId>, GraphError> {
        let mut seen = vec![false; self.nodes() as usize];
        let mut reached = Vec::new();
        for &node in seeds {
            if node >= self.nodes() {
                return Err(GraphError::NoSuchNode { node, nodes: self.nodes() });
            }
            if !std::mem::replace(&mut seen[node as usize], true) {
                reached.push(node);
            }
        }
        let mut frontier = 0;
        for _ in 0..hops {
            let end = reached.len();
            for index in frontier..end {
                for &target in self.neighbours(reached[index]) {
                    if !std::mem::replace(&mut seen[target as usize], true) {
                        reached.push(target);
                    }
                }
            }
            frontier = end;
        }
        reached.sort_unstable();
        Ok(reached)
    }

    /// The graph with the edges of both, on the same nodes.
    ///
    /// # Errors
    /// If the numbers of nodes differ.
    pub fn union(&self, other: &Graph) -> Result<Graph, GraphError> {
        if self.nodes() != other.nodes() {
            return Err(GraphError::Mismatch {
                left: "a graph",
                left_nodes: self.nodes(),
                right: "a graph",
                right_nodes: other.nodes(),
            });
        }
        let direction = self.common_direction(other);
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        let mut targets = Vec::with_capacity(self.targets.len() + other.targets.len());
        for node in 0..self.nodes() {
            targets.extend_from_slice(self.neighbours(node));
            targets.extend_from_slice(other.neighbours(node));
            offsets.push(targets.len());
        }
        Ok(sort_rows(offsets, targets, direction))
    }

    /// Both graphs side by side: the nodes of `other` follow those of `self`, and no edge joins the
    /// two.
    ///
    /// # Errors
    /// If there are too many nodes.
    pub fn disjoint_union(&self, other: &Graph) -> Result<Graph, GraphError> {
        let nodes = u64::from(self.nodes()) + u64::from(other.nodes());
        if nodes >= u64::from(ABSENT) {
            return Err(GraphError::TooManyNodes { nodes });
        }
        let (first, entries) = (self.nodes(), self.entries());
        let offsets = self.offsets.iter().copied().chain(other.offsets[1..].iter().map(|offset| offset + entries));
        let targets = self.targets.iter().copied().chain(other.targets.iter().map(|target| target + first));
        Ok(Graph { offsets: offsets.collect(), targets: targets.collect(), direction: self.common_direction(other) })
    }

    /// The direction of a union: directed if one of them is, because an undirected graph stores
    /// both directions.
    fn common_direction(&self, other: &Graph) -> Direction {
        let both_undirected = self.direction == Direction::Undirected && other.direction == Direction::Undirected;
        if both_undirected { Direction::Undirected } else { Direction::Directed }
    }
}
