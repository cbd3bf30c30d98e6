//! The pairs of nodes that an attack on edges rates.
//!
//! A balanced sample has as many edges as other pairs. The node samples are LinkTeller's (Wu et al.
//! 2022): some nodes and all pairs among them, so that edges are as rare as they are among those
//! nodes.
//!
//! A pair has a source and a target, because attacks do. A coin chooses the source, for edges and
//! for other pairs alike, so that the order reveals nothing about the edge.
//!
//! **Directed graphs.** A pair is an edge if either direction exists, and the degree of a node
//! counts its neighbours in either direction. An attack that follows the direction of messages then
//! sees about half of the one-way edges from their wrong end.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use veil_graph::random::Random;
use veil_graph::{Direction, Graph, NodeId};
use veil_privacy::words;

use crate::attack::AttackError;

/// The largest number of pairs: all pairs among 2,000 nodes, or a million edges and as many other
/// pairs.
pub const MOST_PAIRS: usize = 2_000_000;

words! {
    /// Sample of pairs.
    pub enum Sample: "sample of pairs" {
        /// Equally many edges and other pairs, each uniform without repetition. If there are fewer
        /// of either kind, both kinds are cut to that number.
        Balanced = "balanced",
        /// Uniform nodes, and all pairs among them.
        Unbalanced = "unbalanced",
        /// The nodes of lowest true degree, and all pairs among them. Equal degrees are in random
        /// order.
        LowDegree = "low-degree",
        /// The nodes of highest true degree, and all pairs among them. Equal degrees are in random
        /// order.
        HighDegree = "high-degree",
    }
}

impl Sample {
    /// Whether a sample of this size can be drawn from some graph.
    pub(crate) fn check(self, asked: usize) -> Result<(), AttackError> {
        let (what, least) = if self == Sample::Balanced { ("pairs", 1) } else { ("nodes", 2) };
        if asked < least { Err(AttackError::TooFew { what, asked, least }) } else { Ok(()) }
    }
}

/// Distinct pairs and whether each is an edge: at least one is, and at least one is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    list: Vec<(NodeId, NodeId)>,
    is_edge: Vec<bool>,
    nodes: usize,
}

impl Pairs {
    /// Draws pairs of nodes of the true graph, from this seed. The size is the number of edges, and
    /// of other pairs, in a balanced sample, and else the number of nodes: all, if there are fewer.
    /// A node sample keeps all its pairs in memory, 9 bytes each.
    ///
    /// # Errors
    /// If the sample would have no edge, nothing but edges, or more than [`MOST_PAIRS`] pairs.
    pub fn sample(truth: &Graph, sample: Sample, size: usize, seed: u64) -> Result<Pairs, AttackError> {
        sample.check(size)?;
        let linked = both_ways(truth);
        let count = match sample {
            Sample::Balanced => 2 * size.min(linked.entries() / 2),
            _ => pair_count(size.min(linked.nodes() as usize)),
        };
        if count > MOST_PAIRS {
            return Err(AttackError::TooMany { pairs: count, most: MOST_PAIRS });
        }
        let mut pairs = match sample {
            Sample::Balanced => balanced(&linked, size, seed)?,
            Sample::Unbalanced => among(&linked, choose(&linked, size, seed, |_| 0))?,
            Sample::LowDegree => among(&linked, choose(&linked, size, seed, |node| linked.degree(node)))?,
            Sample::HighDegree => among(&linked, choose(&linked, size, seed, |node| Reverse(linked.degree(node))))?,
        };
        let mut coins = Random::new(seed, "attack/orientation");
        for pair in &mut pairs.list {
            if coins.below(2) == 1 {
                *pair = (pair.1, pair.0);
            }
        }
        Ok(pairs)
    }

    /// The pairs, as (source, target).
    pub fn list(&self) -> &[(NodeId, NodeId)] {
        &self.list
    }

    /// For each pair, whether it is an edge.
    pub fn is_edge(&self) -> &[bool] {
        &self.is_edge
    }

    /// Number of nodes of the true graph.
    pub fn nodes(&self) -> usize {
        self.nodes
    }
}

/// The graph in which an edge in either direction is one in both: every edge is then two entries.
fn both_ways(truth: &Graph) -> Cow<'_, Graph> {
    match truth.direction() {
        Direction::Undirected => Cow::Borrowed(truth),
        Direction::Directed => match truth.union(&truth.transpose()) {
            Ok(linked) => Cow::Owned(linked),
            Err(_) => unreachable!("a graph and its transpose have the same nodes"),
        },
    }
}

fn balanced(linked: &Graph, pairs: usize, seed: u64) -> Result<Pairs, AttackError> {
    let nodes = linked.nodes() as usize;
    let (edges, all) = (linked.entries() / 2, pair_count(nodes));
    check(nodes, edges, all)?;
    let count = pairs.min(edges).min(all - edges);
    let mut list = pick(linked, true, distinct(count, edges, &mut Random::new(seed, "attack/edges")));
    list.extend(pick(linked, false, distinct(count, all - edges, &mut Random::new(seed, "attack/others"))));
    let is_edge = (0..list.len()).map(|position| position < count).collect();
    Ok(Pairs { list, is_edge, nodes })
}

/// The pairs (smaller, larger) with these ranks, in order of rows, among all edges or among all
/// other pairs. Ranks instead of rejected guesses: dense graphs cost no more than sparse ones, and
/// every set is equally likely.
fn pick(linked: &Graph, edges: bool, ranks: BTreeSet<usize>) -> Vec<(NodeId, NodeId)> {
    let mut picked = Vec::with_capacity(ranks.len());
    let mut ranks = ranks.into_iter().peekable();
    let mut start = 0;
    for node in 0..linked.nodes() {
        let row = linked.neighbours(node);
        let later = &row[row.partition_point(|&other| other < node)..];
        let size = if edges { later.len() } else { (linked.nodes() - 1 - node) as usize - later.len() };
        while let Some(rank) = ranks.next_if(|&rank| rank < start + size) {
            let other = if edges { later[rank - start] } else { nth_missing(node, later, rank - start) };
            picked.push((node, other));
        }
        start += size;
    }
    picked
}

/// The `rank`-th node after `node`, from 0, that an ascending list leaves out.
fn nth_missing(node: NodeId, list: &[NodeId], rank: usize) -> NodeId {
    let mut missing = node + 1 + rank as NodeId;
    for &listed in list {
        if listed > missing {
            break;
        }
        missing += 1;
    }
    missing
}

/// `count` different numbers below `bound`, every set equally likely: Floyd's algorithm (Bentley
/// and Floyd 1987).
fn distinct(count: usize, bound: usize, random: &mut Random) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    for largest in bound - count..bound {
        if !chosen.insert(random.below(largest + 1)) {
            chosen.insert(largest);
        }
    }
    chosen
}

/// The first nodes by a key, equal keys in random order; ascending.
fn choose<K: Ord>(linked: &Graph, count: usize, seed: u64, key: impl Fn(NodeId) -> K) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = (0..linked.nodes()).collect();
    Random::new(seed, "attack/nodes").shuffle(&mut nodes);
    nodes.sort_by_key(|&node| key(node));
    nodes.truncate(count);
    nodes.sort_unstable();
    nodes
}

/// All pairs among some nodes.
fn among(linked: &Graph, nodes: Vec<NodeId>) -> Result<Pairs, AttackError> {
    let count = pair_count(nodes.len());
    let (mut list, mut is_edge) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (position, &node) in nodes.iter().enumerate() {
        for &other in &nodes[position + 1..] {
            list.push((node, other));
            is_edge.push(linked.has_edge(node, other));
        }
    }
    check(nodes.len(), is_edge.iter().filter(|&&edge| edge).count(), count)?;
    Ok(Pairs { list, is_edge, nodes: linked.nodes() as usize })
}

fn check(nodes: usize, edges: usize, pairs: usize) -> Result<(), AttackError> {
    match edges {
        0 => Err(AttackError::NoEdge { nodes, pairs }),
        _ if edges == pairs => Err(AttackError::NoOther { nodes, pairs }),
        _ => Ok(()),
    }
}

/// Number of pairs among so many nodes.
fn pair_count(nodes: usize) -> usize {
    nodes * nodes.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests;
