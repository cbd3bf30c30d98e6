//! The result of a protocol, and its simulation over all nodes.

use rayon::prelude::*;
use serde::Serialize;
use veil_graph::{Graph, GraphError, NodeId};

use super::ProtocolError;
use crate::coins::{NodeCoins, Stream};

/// The reports of all nodes, and the traffic of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Reports {
    /// Row v is the report of v, sorted; a set or a multiset, depending on the protocol.
    pub lists: Graph,
    /// The noisy degree that each node reports, in protocols that report one.
    pub degrees: Option<Vec<i64>>,
    /// The traffic between nodes. It depends on the true graph and is not part of the release.
    pub traffic: Traffic,
}

/// Messages between nodes, without the reports to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// The number of rounds of messages.
    pub rounds: u32,
    /// The number of messages.
    pub messages: u64,
    /// The size of these messages in bytes: 4 for an id, a value or a dimension. A sign is the
    /// highest bit of its dimension (dimensions are below 2²⁸). Framing is not counted.
    pub bytes: u64,
    /// The number of neighbours that were to be replaced but had no replacement.
    pub unresolved: u64,
    /// The number of neighbours for which the same node was drawn as for another: a report is a
    /// set.
    pub collisions: u64,
}

/// The number of coinciding draws in all reports.
pub(super) fn collisions(graph: &Graph, lists: &Graph) -> u64 {
    graph.entries() as u64 - lists.entries() as u64
}

impl std::iter::Sum for Traffic {
    /// The traffic of several nodes; rounds are shared.
    fn sum<I: Iterator<Item = Traffic>>(parts: I) -> Traffic {
        parts.fold(Traffic::default(), |a, b| Traffic {
            rounds: a.rounds.max(b.rounds),
            messages: a.messages + b.messages,
            bytes: a.bytes + b.bytes,
            unresolved: a.unresolved + b.unresolved,
            collisions: a.collisions + b.collisions,
        })
    }
}

/// The reports of a protocol without messages, each from a node's own list and coins.
///
/// # Errors
/// If the reports are no lists of nodes of the graph.
pub fn without_messages(
    graph: &Graph,
    coins: &Stream,
    report: impl Fn(NodeId, &[NodeId], &mut NodeCoins, &mut Vec<NodeId>) + Sync,
) -> Result<Reports, ProtocolError> {
    let report = |me, coins: &mut _, (): &mut (), out: &mut _| report(me, graph.neighbours(me), coins, out);
    let lists = every_node(graph.nodes(), coins, || (), report)?;
    Ok(Reports { lists, degrees: None, traffic: Traffic::default() })
}

/// The reports of some nodes: where each list ends, with what else was reported, and all lists.
type Batch<T> = (Vec<(usize, T)>, Vec<NodeId>);

/// The number of nodes per task.
const BATCH: usize = 512;

/// The lists of all nodes, in parallel, each with its own coins. `report` appends to the given list
/// and may use a scratch buffer (`begin` makes one per task).
pub(super) fn every_node<S>(
    nodes: u32,
    coins: &Stream,
    begin: impl Fn() -> S + Sync,
    report: impl Fn(NodeId, &mut NodeCoins, &mut S, &mut Vec<NodeId>) + Sync,
) -> Result<Graph, GraphError> {
    every_node_with(nodes, coins, begin, report).map(|(lists, _)| lists)
}

/// The same with what else each node reports: `report` returns it.
pub(super) fn every_node_with<S, T: Send>(
    nodes: u32,
    coins: &Stream,
    begin: impl Fn() -> S + Sync,
    report: impl Fn(NodeId, &mut NodeCoins, &mut S, &mut Vec<NodeId>) -> T + Sync,
) -> Result<(Graph, Vec<T>), GraphError> {
    let all: Vec<NodeId> = (0..nodes).collect();
    let batches: Vec<Batch<T>> = all
        .par_chunks(BATCH)
        .map(|batch| {
            let (mut ends, mut targets, mut scratch) = (Vec::with_capacity(batch.len()), Vec::new(), begin());
            for &node in batch {
                let further = report(node, &mut coins.node(node), &mut scratch, &mut targets);
                ends.push((targets.len(), further));
            }
            (ends, targets)
        })
        .collect();
    let mut offsets = Vec::with_capacity(nodes as usize + 1);
    offsets.push(0);
    let mut targets = Vec::with_capacity(batches.iter().map(|(_, targets)| targets.len()).sum());
    let mut all = Vec::with_capacity(nodes as usize);
    for (ends, batch) in batches {
        let before = targets.len();
        for (end, further) in ends {
            offsets.push(before + end);
            all.push(further);
        }
        targets.extend_from_slice(&batch);
    }
    Ok((Graph::from_rows(offsets, targets)?, all))
}
