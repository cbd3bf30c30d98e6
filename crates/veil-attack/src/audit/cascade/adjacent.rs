//! How far apart the true rows of adjacent inputs are.

use std::collections::BTreeSet;

use veil_graph::random::Random;
use veil_graph::{Dataset, Graph, NodeId};
use veil_privacy::protocol::Cascade;
use veil_privacy::protocol::cascade::{Messages, Order, Params};
use veil_privacy::{Coins, Epsilon, Unit};

use super::messages_of;
use crate::audit::adjacent::{Change, Side, as_listed, changed, direction, distance, drawn, small, smallest};
use crate::audit::{AuditError, Options};

/// The largest number of batches in a small graph.
const MOST_BATCHES: usize = 8;

/// What an adjacent input moves, over all batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    /// The number of rows.
    pub(super) rows: u64,
    /// Their L1 distance.
    pub(super) steps: u64,
}

/// What adjacent inputs move: the smallest pair that there is, and so many others, half of them
/// with lists of the data and half in small random graphs, all under random orders and messages.
pub(super) fn moves(
    mechanism: &Cascade,
    unit: Unit,
    data: &Dataset,
    options: &Options,
) -> Result<Vec<Moved>, AuditError> {
    let mut random = Random::new(options.seed, &format!("audit/cascade/adjacent/{unit}"));
    let graph = as_listed(data.graph(), direction(unit))?;
    let mut found = vec![most(mechanism, unit)?];
    for pair in 0..options.pairs {
        let (graph, changes) = if pair % 2 == 0 {
            isolated(&drawn(&graph, unit, &mut random))?
        } else {
            let graph = small(direction(unit), &mut random)?;
            let changes = drawn(&graph, unit, &mut random);
            (graph, changes)
        };
        found.push(under_any_order(mechanism, &graph, &changes, &mut random)?);
    }
    Ok(found)
}

/// Three nodes, of which the last has another neighbour; a message is the whole of a class.
fn most(mechanism: &Cascade, unit: Unit) -> Result<Moved, AuditError> {
    let (graph, changes) = smallest(unit)?;
    let order = Order::new(vec![1, 2, 0], 0, 1)?;
    let messages = messages_of(mechanism, &[0, 0, mechanism.params().classes - 1])?;
    moved(mechanism, &graph, &changes, &order, || Ok(messages.clone()))
}

/// The nodes whose lists change and those in their lists, with other names: the rows of all other
/// nodes read other lists.
fn isolated(changes: &[Change]) -> Result<(Graph, Vec<Change>), AuditError> {
    let listed = changes.iter().flat_map(|it| it.before.iter().chain(&it.after).chain([&it.node]));
    let nodes: Vec<NodeId> = listed.copied().collect::<BTreeSet<NodeId>>().into_iter().collect();
    let renamed = |node: &NodeId| nodes.binary_search(node).unwrap_or(0) as NodeId;
    let list = |list: &[NodeId]| list.iter().map(renamed).collect();
    let change = |it: &Change| Change { node: renamed(&it.node), before: list(&it.before), after: list(&it.after) };
    let graph = Graph::from_rows(vec![0; nodes.len() + 1], Vec::new())?;
    Ok((graph, changes.iter().map(change).collect()))
}

/// Over all batches, with random messages in each.
fn under_any_order(
    mechanism: &Cascade,
    graph: &Graph,
    changes: &[Change],
    random: &mut Random,
) -> Result<Moved, AuditError> {
    let nodes = graph.nodes() as usize;
    let mut sequence: Vec<NodeId> = (0..graph.nodes()).collect();
    random.shuffle(&mut sequence);
    let senders = random.below(nodes);
    let batches = 1 + random.below((nodes - senders).min(MOST_BATCHES)) as u32;
    let order = Order::new(sequence, senders, batches)?;
    moved(mechanism, graph, changes, &order, || any_messages(mechanism.params(), nodes, random))
}

/// Messages are functions of earlier batches, so they are the same on both sides of a change.
fn moved(
    mechanism: &Cascade,
    graph: &Graph,
    changes: &[Change],
    order: &Order,
    mut messages: impl FnMut() -> Result<Messages, AuditError>,
) -> Result<Moved, AuditError> {
    // The same code without noise.
    let exact = Params { epsilon: Epsilon::INFINITE, batches: order.batches(), ..*mechanism.params() }.check()?;
    let coins = Coins::reproducible(0).for_scoring("audit no noise");
    let (before, after) = (changed(graph, changes, Side::Before)?, changed(graph, changes, Side::After)?);
    let mut moved = Moved::default();
    for batch in 0..order.batches() {
        let messages = messages()?;
        let [before, after] = [&before, &after].map(|graph| exact.batch(graph, order, batch, &messages, &coins));
        for steps in before?.iter().zip(after?.iter()).map(|(before, after)| distance(before, after)) {
            moved.rows += u64::from(steps > 0);
            moved.steps += steps;
        }
    }
    Ok(moved)
}

/// Any messages: of every other node the whole of one class, of the others parts of several.
fn any_messages(params: &Params, nodes: usize, random: &mut Random) -> Result<Messages, AuditError> {
    let (classes, steps) = (params.classes as usize, params.steps);
    let mut values = vec![0; nodes * classes];
    for message in values.chunks_exact_mut(classes) {
        let mut left = steps;
        while left > 0 {
            let part = if random.below(2) == 0 { left } else { 1 + random.below(left as usize) as u32 };
            message[random.below(classes)] += part;
            left -= part;
            // Some sum to less than one.
            if random.below(8) == 0 {
                break;
            }
        }
    }
    Ok(Messages::new(classes, steps, values)?)
}
