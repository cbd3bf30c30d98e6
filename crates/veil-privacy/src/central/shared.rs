//! Shared by both mechanisms: cells, rows and guarantees.

use std::borrow::Cow;

use rayon::prelude::*;
use veil_graph::{Direction, Graph, GraphError, NodeId};

use crate::budget::{Delta, Epsilon};
use crate::coins::{NodeCoins, Stream};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Trust, Unit};

/// The number of cells, below 2⁶³.
pub(super) fn cells(nodes: u32) -> u64 {
    let nodes = u64::from(nodes);
    // One of the two factors is even.
    nodes * nodes.saturating_sub(1) / 2
}

/// The number of cells in row `row`: the pairs {row, row+1}, {row, row+2}, …
pub(super) fn cells_of_row(nodes: u32, row: NodeId) -> u32 {
    nodes - 1 - row
}

/// The undirected graph: two nodes are adjacent if either lists the other. So one arc of a directed
/// graph changes at most one cell, as one edge of an undirected graph does.
pub(super) fn undirected(graph: &Graph) -> Result<Cow<'_, Graph>, GraphError> {
    if graph.direction() == Direction::Undirected {
        return Ok(Cow::Borrowed(graph));
    }
    let arcs: Vec<(NodeId, NodeId)> = graph.iter_edges().collect();
    Ok(Cow::Owned(Graph::from_edges(graph.nodes(), &arcs, Direction::Undirected)?.graph))
}

/// The cells of a row that are edges, ascending: cell 0 is the pair of `row` and the next node.
pub(super) fn ones_of_row(graph: &Graph, row: NodeId) -> impl Iterator<Item = u32> + '_ {
    let neighbours = graph.neighbours(row);
    let above = neighbours.partition_point(|&node| node <= row);
    neighbours[above..].iter().map(move |&node| node - row - 1)
}

/// The number of rows per task.
const BATCH: usize = 256;

/// The output of all rows, computed in parallel, each with its own coins, in the order of rows.
pub(super) fn every_row<T: Copy + Send>(
    nodes: u32,
    coins: &Stream,
    ask: impl Fn(NodeId, &mut NodeCoins, &mut Vec<T>) + Sync,
) -> Vec<T> {
    let rows: Vec<NodeId> = (0..nodes).collect();
    let batches: Vec<Vec<T>> = rows
        .par_chunks(BATCH)
        .map(|batch| {
            let mut answers = Vec::new();
            batch.iter().for_each(|&row| ask(row, &mut coins.node(row), &mut answers));
            answers
        })
        .collect();
    let mut all = Vec::with_capacity(batches.iter().map(Vec::len).sum());
    batches.into_iter().for_each(|batch| all.extend_from_slice(&batch));
    all
}

/// What no guarantee about an edge covers.
pub(crate) const SEVERAL_EDGES: &str = "all edges of a node together";

/// A central guarantee about edges; the mechanism adds its source and what else is not protected.
pub(crate) fn guarantee(epsilon: Epsilon, name: &str, parameters: ParameterList) -> Guarantee {
    Guarantee {
        unit: Unit::Edge,
        trust: Trust::Central,
        epsilon,
        delta: Delta::ZERO,
        status: Status::Proven,
        reproducible: false,
        per_relationship: None,
        mechanism: name.to_owned(),
        parameters,
        assumptions: vec![
            Assumption::PublicNodes,
            Assumption::TrustedOwner,
            Assumption::Coins,
            Assumption::UntunedParameters,
        ],
        not_protected: vec![
            "participation: which users are in the graph".to_owned(),
            format!("{SEVERAL_EDGES}: each edge is protected individually, so the loss of k edges is kε"),
        ],
        source: String::new(),
    }
}
