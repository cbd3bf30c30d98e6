//! What a protocol gives, and how it is gathered.

use rayon::prelude::*;
use serde::Serialize;
use veil_graph::{Graph, GraphError, NodeId};

use super::ProtocolError;
use crate::coins::{NodeCoins, Stream};

/// One list per node, and what it took to get there.
#[derive(Clone, Debug, PartialEq)]
pub struct Reports {
    /// Row v is what v reported: sorted, a set or a multiset as the protocol says.
    pub lists: Graph,
    /// What nodes sent to each other on the way. It follows from the true graph, so it is not part of the release.
    pub traffic: Traffic,
}

/// Messages between nodes, the reports to the server not counted, and what became of the reports on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Traffic {
    /// How many times all nodes sent something.
    pub rounds: u32,
    /// How many messages they sent.
    pub messages: u64,
    /// How many bytes these messages hold: 4 for a name, a value or a dimension. A sign is the highest bit of its
    /// dimension, so it takes none (dimensions are below 2²⁸). What frames a message on a wire is not counted.
    pub bytes: u64,
    /// Neighbours that were to be replaced and were not, because no replacement could be found.
    pub unresolved: u64,
    /// Neighbours for which the same node was drawn as for another one: a report is a set, and so much smaller.
    pub collisions: u64,
}

/// How many entries coincided in all reports: one was drawn for each neighbour, and a report holds each once.
pub(super) fn collisions(graph: &Graph, lists: &Graph) -> u64 {
    graph.entries() as u64 - lists.entries() as u64
}

impl std::iter::Sum for Traffic {
    /// What several nodes sent; rounds are shared.
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

/// The reports of nodes that send each other nothing: each from its own list and coins.
pub(super) fn without_messages(
    graph: &Graph,
    coins: &Stream,
    report: impl Fn(NodeId, &[NodeId], &mut NodeCoins, &mut Vec<NodeId>) + Sync,
) -> Result<Reports, ProtocolError> {
    let report = |me, coins: &mut _, (): &mut (), out: &mut _| report(me, graph.neighbours(me), coins, out);
    let lists = every_node(graph.nodes(), coins, || (), report)?;
    Ok(Reports { lists, traffic: Traffic::default() })
}

/// How many nodes one task takes.
const BATCH: usize = 512;

/// Asks every node for its list, in parallel, each with its own coins. `report` appends to the list it is given and
/// may use a scratch of its own (`begin` makes one per task).
pub(super) fn every_node<S>(
    nodes: u32,
    coins: &Stream,
    begin: impl Fn() -> S + Sync,
    report: impl Fn(NodeId, &mut NodeCoins, &mut S, &mut Vec<NodeId>) + Sync,
) -> Result<Graph, GraphError> {
    let all: Vec<NodeId> = (0..nodes).collect();
    let batches: Vec<(Vec<usize>, Vec<NodeId>)> = all
        .par_chunks(BATCH)
        .map(|batch| {
            let (mut ends, mut targets, mut scratch) = (Vec::with_capacity(batch.len()), Vec::new(), begin());
            for &node in batch {
                report(node, &mut coins.node(node), &mut scratch, &mut targets);
                ends.push(targets.len());
            }
            (ends, targets)
        })
        .collect();
    let mut offsets = Vec::with_capacity(nodes as usize + 1);
    offsets.push(0);
    let mut targets = Vec::with_capacity(batches.iter().map(|(_, targets)| targets.len()).sum());
    for (ends, batch) in batches {
        let before = targets.len();
        offsets.extend(ends.into_iter().map(|end| before + end));
        targets.extend_from_slice(&batch);
    }
    Graph::from_rows(offsets, targets)
}
