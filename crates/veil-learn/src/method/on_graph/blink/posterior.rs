//! How likely pairs are edges, given the reports of their two ends.
//!
//! A pair without a report has the smallest log-odds that its two β allow, β_i + β_j − 2ε_a. So in
//! the order of β, the pairs of a node that are above a threshold although nobody reports them come
//! first, and a reported pair among them is above it all the more. Everything below visits reported
//! pairs, and silent pairs above the threshold, and no others.

use rayon::prelude::*;
use veil_graph::{Direction, Graph, NodeId};
use veil_privacy::registry::MAX_EDGES;

use super::Estimated;
use super::beta::BetaModel;
use crate::error::LearnError;

/// Nodes per task.
const BATCH: usize = 256;

/// The posterior of every pair.
pub(super) struct Posterior<'a> {
    /// Row v is what v reports.
    lists: &'a Graph,
    /// Row v are the nodes that report v.
    reverse: Graph,
    prior: &'a BetaModel,
    /// 2ε_a: what two reports say.
    both: f64,
    /// Nodes by falling β.
    order: Vec<NodeId>,
    /// Every β that occurs, falling, with the number of nodes so far.
    steps: Vec<(f64, f64)>,
}

impl<'a> Posterior<'a> {
    /// Given the reported lists, the prior, and ε_a.
    pub fn new(lists: &'a Graph, prior: &'a BetaModel, evidence: f64) -> Posterior<'a> {
        let mut order: Vec<NodeId> = (0..lists.nodes()).collect();
        order.sort_by(|&a, &b| prior.of(b as usize).total_cmp(&prior.of(a as usize)).then(a.cmp(&b)));
        let mut steps: Vec<(f64, f64)> = prior.sizes().collect();
        steps.sort_by(|a, b| b.0.total_cmp(&a.0));
        steps.iter_mut().fold(0.0, |before, step| {
            step.1 += before;
            step.1
        });
        Posterior { lists, reverse: lists.transpose(), prior, both: 2.0 * evidence, order, steps }
    }

    /// Every pair that is more likely an edge than not.
    pub fn hard(&self) -> Result<Estimated, LearnError> {
        // The smallest number above 0.
        Ok(Estimated { graph: self.at_least(f64::from_bits(1))?, weights: None })
    }

    /// As many of the likeliest pairs as edges are expected, each with its posterior.
    pub fn hybrid(&self) -> Result<Estimated, LearnError> {
        let expected = self.expected().floor();
        // The largest threshold that leaves so many pairs, by bisection over all numbers.
        let (mut low, mut high) = (key(-f64::MAX), key(f64::MAX));
        while low < high {
            let middle = low + (high - low) / 2 + (high - low) % 2;
            if self.count(number(middle)) >= expected { low = middle } else { high = middle - 1 }
        }
        let graph = if expected < 1.0 { self.at_least(f64::INFINITY)? } else { self.at_least(number(low))? };
        let nodes: Vec<NodeId> = (0..graph.nodes()).collect();
        let weight = |&me: &NodeId| -> Vec<f32> {
            let of = |&node: &NodeId| chance(self.odds(me, node, self.reports(me, node))) as f32;
            // A pair that is an edge by less than any float is one all the same.
            graph.neighbours(me).iter().map(|node| of(node).max(f32::MIN_POSITIVE)).collect()
        };
        let weights = nodes.par_iter().with_min_len(BATCH).map(weight).collect::<Vec<_>>().concat();
        Ok(Estimated { graph, weights: Some(weights) })
    }

    /// The log-odds of a pair of which so many ends report the other. The same for both ends, to
    /// the last bit.
    fn odds(&self, one: NodeId, other: NodeId, reports: u32) -> f64 {
        shifted(self.prior.of(one as usize) + self.prior.of(other as usize), reports, self.both)
    }

    fn reports(&self, one: NodeId, other: NodeId) -> u32 {
        u32::from(self.lists.has_edge(one, other)) + u32::from(self.lists.has_edge(other, one))
    }

    /// Every pair whose log-odds are at least this.
    fn at_least(&self, least: f64) -> Result<Graph, LearnError> {
        let silent = self.silent(least) / 2.0;
        if silent > MAX_EDGES as f64 {
            return Err(LearnError::TooManyPairs { pairs: silent as u64, limit: MAX_EDGES });
        }
        let row = |me: NodeId, out: &mut Vec<(NodeId, NodeId)>| {
            let (named, naming) = (self.lists.neighbours(me), self.reverse.neighbours(me));
            each_reported(named, naming, |node, reports| {
                if node > me && self.odds(me, node, reports) >= least {
                    out.push((me, node));
                }
            });
            let reported = |node: &NodeId| named.binary_search(node).is_ok() || naming.binary_search(node).is_ok();
            let above = self.order.iter().take_while(|&&node| self.odds(me, node, 0) >= least);
            out.extend(above.filter(|&node| *node > me && !reported(node)).map(|&node| (me, node)));
        };
        let pairs = self.of_all(|me| {
            let mut out = Vec::new();
            row(me, &mut out);
            out
        });
        Ok(Graph::from_edges(self.lists.nodes(), &pairs.concat(), Direction::Undirected)?.graph)
    }

    /// How many ordered pairs would be at least this, if nobody reported anybody.
    fn silent(&self, least: f64) -> f64 {
        let of = |&(beta, nodes): &(f64, f64)| {
            let above = self.steps.partition_point(|step| shifted(beta + step.0, 0, self.both) >= least);
            let others = above.checked_sub(1).map_or(0.0, |last| self.steps[last].1);
            // Without the node itself.
            nodes * (others - f64::from(u8::from(shifted(beta + beta, 0, self.both) >= least)))
        };
        self.prior.sizes().map(|group| of(&group)).sum()
    }

    /// How many ordered pairs have log-odds of at least this: whole numbers, so the sum is exact.
    fn count(&self, least: f64) -> f64 {
        let more = |me: NodeId| {
            let mut more = 0_u64;
            each_reported(self.lists.neighbours(me), self.reverse.neighbours(me), |node, reports| {
                more += u64::from(self.odds(me, node, reports) >= least && self.odds(me, node, 0) < least);
            });
            more
        };
        self.silent(least) + self.of_all(more).into_iter().sum::<u64>() as f64
    }

    /// Σ q over all ordered pairs: that of silent pairs by their β, and what reports add to it.
    fn expected(&self) -> f64 {
        let groups: Vec<(f64, f64)> = self.prior.sizes().collect();
        let silent = |&(beta, nodes): &(f64, f64)| -> f64 {
            let of = |other: &(f64, f64)| other.1 * chance(shifted(beta + other.0, 0, self.both));
            nodes * (groups.iter().map(of).sum::<f64>() - chance(shifted(beta + beta, 0, self.both)))
        };
        let more = |me: NodeId| {
            let mut more = 0.0;
            each_reported(self.lists.neighbours(me), self.reverse.neighbours(me), |node, reports| {
                more += chance(self.odds(me, node, reports)) - chance(self.odds(me, node, 0));
            });
            more
        };
        // Each sum is added up in one order, on any number of threads.
        let silent: Vec<f64> = groups.par_iter().with_min_len(16).map(silent).collect();
        silent.into_iter().sum::<f64>() + self.of_all(more).into_iter().sum::<f64>()
    }

    /// Something about every node, in their order.
    fn of_all<T: Send>(&self, of: impl Fn(NodeId) -> T + Send + Sync) -> Vec<T> {
        (0..self.lists.nodes()).into_par_iter().with_min_len(BATCH).map(of).collect()
    }
}

/// Log-odds with what so many reports of 1, out of two, say.
fn shifted(prior: f64, reports: u32, both: f64) -> f64 {
    match reports {
        0 => prior - both,
        1 => prior,
        _ => prior + both,
    }
}

/// The probability with these log-odds.
fn chance(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// Whole numbers in the order of finite numbers.
fn key(number: f64) -> i128 {
    let bits = i128::from(number.abs().to_bits());
    if number.is_sign_negative() { -bits } else { bits }
}

/// The number with this key.
fn number(key: i128) -> f64 {
    let size = f64::from_bits(u64::try_from(key.unsigned_abs()).unwrap_or(0));
    if key < 0 { -size } else { size }
}

/// Every node in either of two ascending lists without repetitions, and in how many of them.
fn each_reported(one: &[NodeId], other: &[NodeId], mut found: impl FnMut(NodeId, u32)) {
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    loop {
        match (one.peek(), other.peek()) {
            (Some(&&a), Some(&&b)) => {
                found(a.min(b), 1 + u32::from(a == b));
                one.next_if(|&&node| node <= b);
                other.next_if(|&&node| node <= a);
            }
            (Some(&&a), None) => {
                found(a, 1);
                one.next();
            }
            (None, Some(&&b)) => {
                found(b, 1);
                other.next();
            }
            (None, None) => return,
        }
    }
}
