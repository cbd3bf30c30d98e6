//! The protocols of the thesis: a neighbour stays, or becomes one node determined by it.
//!
//! Their claim has δ ≥ ½, so one unlikely report proves nothing; a set of reports that is certain
//! with one list and impossible with the other does. With one neighbour u the report is {u} or
//! {r(u)}, where r(u) depends on u's list and released vectors, which are as in the data.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::{Dataset, Features, Graph, NodeId};
use veil_privacy::protocol::dummy_exchange::Moments;
use veil_privacy::protocol::exchange::{World, profiles};
use veil_privacy::protocol::{Exact, Protocol};
use veil_privacy::{Coins, Stream, Unit};

use super::carriers::{Carrier, draw, planted};
use super::words::{list_is, name, set};
use super::{Finding, Outcomes};
use crate::audit::exact::{Loss, Losses, between};
use crate::audit::{AuditError, Options, Promise, Witness};

/// The possible replacements of each carrier's only neighbour, with either list, for the dummies of
/// these coins.
pub(super) fn outcomes(
    protocol: &dyn Protocol,
    data: &Dataset,
    carriers: &[Carrier],
    coins: &Stream,
) -> Result<Vec<[Outcomes; 2]>, AuditError> {
    let Some(features) = data.features() else {
        return Err(AuditError::Missing { mechanism: protocol.name().to_owned(), what: "features" });
    };
    // All carriers have one list, then the other: no report depends on another carrier's list.
    let one = planted(data.graph(), carriers, Unit::EdgeSet, |_, carrier| Some(carrier.one))?;
    let other = planted(data.graph(), carriers, Unit::EdgeSet, |_, carrier| carrier.other)?;
    let one = in_world(protocol, &one, features, carriers, coins);
    let other = in_world(protocol, &other, features, carriers, coins);
    Ok(one.into_iter().zip(other).map(|(one, other)| [one, other]).collect())
}

/// The distributions of the carriers' reports, of one node each.
fn in_world(
    protocol: &dyn Protocol,
    graph: &Graph,
    features: &Features,
    carriers: &[Carrier],
    coins: &Stream,
) -> Vec<Outcomes> {
    let profiles = profiles(features);
    let world = World::new(graph, features, &profiles);
    let moments = Moments::of(features);
    let report = |carrier: &Carrier| {
        let (me, Some(&neighbour)) = (carrier.node, graph.neighbours(carrier.node).first()) else { return Vec::new() };
        match protocol.exact() {
            Exact::DummyExchange(it) => it.distribution(&world, &moments, coins, me, neighbour).unwrap_or_default(),
            Exact::ShuffledQuery(it) => {
                let reports = it.distribution(&world, me).unwrap_or_default();
                reports.into_iter().filter_map(|(report, chance)| Some((*report.first()?, chance))).collect()
            }
            _ => Vec::new(),
        }
    };
    carriers.par_iter().map(report).collect()
}

pub(super) fn compare(
    protocol: &dyn Protocol,
    data: &Dataset,
    promise: Promise,
    options: &Options,
) -> Result<Finding, AuditError> {
    let purpose = format!("audit/{}/pairs", protocol.name());
    let random = &mut Random::new(options.seed, &purpose);
    let carriers = draw(protocol, data.graph(), Unit::EdgeSet, options.pairs, random);
    let coins = Coins::reproducible(options.seed).for_scoring(&purpose);
    let outcomes = outcomes(protocol, data, &carriers, &coins)?;

    let mut losses = Losses::default();
    for [one, other] in &outcomes {
        let loss = between(one, other, promise.epsilon);
        // A report possible with one list only is allowed by δ ≥ ½, unless all reports are such.
        let epsilon = if apart(one, other) { f64::INFINITY } else { loss.epsilon.min(promise.epsilon) };
        losses.add(Loss { epsilon, ..loss });
    }
    // Only two lists without a common report exceed the claimed δ: they require δ = 1.
    let violated = carriers.iter().zip(&outcomes).filter(|(_, [one, other])| promise.delta < 1.0 && apart(one, other));
    // With other dummies two lists might have a common report: then it is no counterexample for an
    // adversary who does not know the dummies.
    let chance = |carrier: &Carrier, both: &[Outcomes; 2]| rank(data.graph(), carrier, both).0;
    let dummies = matches!(protocol.exact(), Exact::DummyExchange(_));
    let certain = violated.filter(|(carrier, both)| !dummies || !chance(carrier, both));
    let shown = certain.min_by_key(|(carrier, both)| rank(data.graph(), carrier, both));
    let witness = shown.map(|(carrier, both)| witness(data, carrier, both));

    let slots = 2 * outcomes.len();
    let unchanged = outcomes.iter().flatten().filter(|outcomes| outcomes.len() == 1).count();
    let share = (slots > 0).then(|| unchanged as f64 / slots as f64);
    let given = if dummies { ", given the dummies that were drawn" } else { "" };
    let compared = format!(
        "the reports of the lists {{u}} and {{w}} of {} nodes, u and w random others whose lists are as in the \
         data{given}",
        carriers.len()
    );
    Ok(Finding { exact: losses.finish(compared, false, share), witness })
}

/// Whether no node is possible with both lists.
fn apart(one: &Outcomes, other: &Outcomes) -> bool {
    one.iter().all(|(node, _)| other.iter().all(|(same, _)| same != node))
}

/// The order of counterexamples; the smallest is shown: first those that no dummy could change (a
/// replacement is always in the neighbour's list), then neighbours with replacements, then short
/// lists.
fn rank(graph: &Graph, carrier: &Carrier, both: &[Outcomes; 2]) -> (bool, bool, usize) {
    let lists =
        [Some(carrier.one), carrier.other].map(|neighbour| neighbour.map_or(&[][..], |node| graph.neighbours(node)));
    let meet = lists[0].iter().any(|node| carrier.other == Some(*node) || lists[1].contains(node))
        || lists[1].contains(&carrier.one);
    (meet, both.iter().any(|outcomes| outcomes.len() == 1), lists[0].len() + lists[1].len())
}

fn witness(data: &Dataset, carrier: &Carrier, [one, other]: &[Outcomes; 2]) -> Witness {
    let nodes = |outcomes: &Outcomes| outcomes.iter().map(|(node, _)| *node).collect::<Vec<NodeId>>();
    let becomes = |neighbour: NodeId, outcomes: &Outcomes| {
        let replacement = nodes(outcomes).into_iter().find(|&node| node != neighbour);
        let (neighbour, theirs) = (name(data, neighbour), set(data, data.graph().neighbours(neighbour)));
        match replacement {
            Some(node) => format!("{neighbour} (whose list is {theirs}) stays or becomes {}", name(data, node)),
            None => {
                format!("for {neighbour} (whose list is {theirs}) no replacement is found, so that it always stays")
            }
        }
    };
    let list = |neighbours: &[NodeId]| list_is(data, carrier.node, neighbours);
    let otherwise = carrier.other.map(|neighbour| becomes(neighbour, other)).unwrap_or_default();
    Witness {
        one: list(&[carrier.one]),
        other: list(carrier.other.as_slice()),
        output: format!("a report of one of {}", set(data, &nodes(one))),
        probability_one: 1.0,
        probability_other: 0.0,
        because: format!(
            "{}; {otherwise}: no report is possible with both, so that each tells which list it was (δ = 1 for any ε)",
            becomes(carrier.one, one)
        ),
    }
}
