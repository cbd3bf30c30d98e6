//! Adjacent inputs, and how far apart their true counts are.

use veil_graph::random::Random;
use veil_graph::{Dataset, Graph, NodeId};
use veil_privacy::protocol::degree_vectors::Params;
use veil_privacy::protocol::{DegreeVectors, ProtocolError};
use veil_privacy::{Coins, Epsilon, Stream, Unit};

use crate::audit::adjacent::{Change, Side, as_listed, changed, direction, distance, drawn, small, smallest};
use crate::audit::{AuditError, Options};

/// L1 distances of the true counts of adjacent inputs: of the smallest pair that there is, and of
/// so many others, half of them in the data and half in small random graphs under random clusters.
pub(super) fn distances(
    mechanism: &DegreeVectors,
    unit: Unit,
    data: &Dataset,
    clusters: &[u32],
    options: &Options,
) -> Result<Vec<u64>, AuditError> {
    let (number, rounds) = (mechanism.clusters(), mechanism.rounds());
    // The same code without noise.
    let exact = Params { epsilon: Epsilon::INFINITE, rounds, unit: mechanism.unit(), clusters: number }.check()?;
    let coins = Coins::reproducible(options.seed).for_scoring("audit no noise");
    let mut random = Random::new(options.seed, &format!("audit/adjacent/{unit}"));
    let graph = as_listed(data.graph(), direction(unit))?;

    let (first, changes) = smallest(unit)?;
    let mut found = vec![in_whole_graphs(&exact, &first, &changes, &[0, 0, number - 1], &coins)?];
    for pair in 0..options.pairs {
        let distance = if pair % 2 == 0 {
            in_lists(&exact, &drawn(&graph, unit, &mut random), clusters, &coins)?
        } else {
            let graph = small(direction(unit), &mut random)?;
            let clusters: Vec<u32> = (0..graph.nodes()).map(|_| random.below(number as usize) as u32).collect();
            in_whole_graphs(&exact, &graph, &drawn(&graph, unit, &mut random), &clusters, &coins)?
        };
        found.push(distance);
    }
    Ok(found)
}

/// By the reports of the nodes whose lists change: no other node's report reads these lists.
fn in_lists(exact: &DegreeVectors, changes: &[Change], clusters: &[u32], coins: &Stream) -> Result<u64, ProtocolError> {
    let mut sum = 0;
    for change in changes {
        let counts = |list: &[NodeId]| exact.report(list, clusters, &mut coins.node(change.node));
        sum += distance(&counts(&change.before)?, &counts(&change.after)?);
    }
    Ok(sum)
}

/// By the reports of all nodes.
fn in_whole_graphs(
    exact: &DegreeVectors,
    graph: &Graph,
    changes: &[Change],
    clusters: &[u32],
    coins: &Stream,
) -> Result<u64, AuditError> {
    let counts =
        |side: Side| -> Result<_, AuditError> { Ok(exact.round(&changed(graph, changes, side)?, clusters, coins)?) };
    let (before, after) = (counts(Side::Before)?, counts(Side::After)?);
    Ok(distance(before.values(), after.values()))
}
