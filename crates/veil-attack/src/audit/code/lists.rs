//! Protocols in which every node reports a list. Where a pair of nodes is in one list only, an edge
//! that both ends list is changed too.

use std::sync::Arc;

use veil_graph::{Dataset, NodeId};
use veil_privacy::protocol::{Exact, Protocol};
use veil_privacy::release::{EdgePlan, Options};
use veil_privacy::{Epsilon, Unit};

use super::world::{self, Refusal, data, featured, nobody, release};
use super::{Enumerated, Pair, Promised, Reach, compare, degrees};
use crate::audit::{AuditError, Witness};

/// Makes the protocol for so many nodes.
pub(in crate::audit) type Build<'a> = &'a dyn Fn(u32) -> Result<Arc<dyn Protocol>, AuditError>;

/// The lists of all nodes.
type Lists<'a> = &'a [&'a [NodeId]];

/// One list changed by the unit of the claim.
pub(in crate::audit) fn lists(
    build: Build<'_>,
    unit: Unit,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    if matches!(build(3)?.exact(), Exact::DegreeAndBits { .. }) {
        return degrees::lists(unit);
    }
    let inputs = inputs(&*build(3)?, unit);
    let Some(first) = inputs.first() else { return Ok(None) };
    let nodes = first.0.len() as u32;
    let protocol = build(nodes)?;
    let guarantees = protocol.guarantees();
    // An edge that both ends list, where only one of them has a bit about it.
    let once = guarantees.iter().find(|it| unit == Unit::Edge && it.per_relationship == Some(it.epsilon));
    let promised = once.map(Promised::of).or_else(|| Promised::about(unit, &guarantees));
    let Some(promised) = promised else { return Ok(None) };
    let mut pairs = Vec::new();
    for (one, other) in &inputs {
        let words = [one, other].map(|lists| format!("the lists {lists:?}"));
        pairs.push(Pair::new((&words[0], world(one)?), (&words[1], world(other)?)));
    }
    let features = protocol.compares_features().then_some(Epsilon::INFINITE);
    let options = Options { epsilon_features: features, edges: EdgePlan::Lists(protocol), ..Options::default() };
    let compared = format!("the reports of {nodes} nodes, one of which has another list");
    let found = compare(&compared, &pairs, promised, Reach::All, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &nobody)?).into())
    })?;
    Ok(Some(found))
}

/// Adjacent lists that show what can go wrong.
fn inputs(protocol: &dyn Protocol, unit: Unit) -> Vec<(Lists<'static>, Lists<'static>)> {
    match (protocol.exact(), unit) {
        // Independent draws: lists with one and with two neighbours.
        (Exact::Slots { .. }, _) => vec![
            (&[&[1, 2], &[0], &[], &[]], &[&[1, 3], &[0], &[], &[]]),
            (&[&[1], &[2], &[1], &[]], &[&[1], &[3], &[1], &[]]),
        ],
        (Exact::Bits(_), Unit::EdgeSet) => vec![(&[&[1], &[0], &[]], &[&[2], &[0], &[]])],
        (Exact::Bits(_), Unit::Edge) => vec![
            (&[&[1], &[0], &[]], &[&[], &[], &[]]),
            (&[&[1], &[0, 2], &[1]], &[&[1], &[0], &[]]),
            (&[&[1, 2], &[0, 2], &[0, 1]], &[&[1], &[0, 2], &[1]]),
        ],
        (Exact::Bits(_), _) => vec![
            (&[&[1], &[0], &[]], &[&[1, 2], &[0], &[]]),
            (&[&[1], &[0], &[]], &[&[], &[0], &[]]),
            (&[&[], &[0], &[1]], &[&[], &[0], &[]]),
        ],
        (Exact::TwoHopRr(_), _) => vec![(&[&[1], &[2], &[]], &[&[], &[2], &[]])],
        // Neighbours whose own neighbours are different ones.
        _ => vec![(&[&[1], &[3], &[4], &[1], &[2]], &[&[2], &[3], &[4], &[1], &[2]])],
    }
}

/// Nodes that are similar to their neighbours, more or less.
fn world(lists: Lists<'_>) -> Result<Dataset, AuditError> {
    const ROWS: [&[f32]; 5] =
        [&[1.0, 0.5, 0.25], &[1.0, 0.25, 0.5], &[0.25, 1.0, 0.5], &[1.0, 0.0, 0.5], &[0.0, 1.0, 0.25]];
    featured(data(world::lists(lists)?), &ROWS[..lists.len().min(ROWS.len())])
}
