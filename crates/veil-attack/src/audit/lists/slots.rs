//! GraphPrivatizer: the possible replacements of a neighbour.
//!
//! u becomes itself or one of S(u), which depends on u's own list without v, not on v's list. So
//! the slot of u in any list of v is the whole report of the list {u}, and the figures are exact
//! for lists of one neighbour. In longer lists another neighbour may hide an exchange: there they
//! are upper bounds.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::{Dataset, NodeId};
use veil_privacy::protocol::GraphPrivatizer;
use veil_privacy::protocol::graph_privatizer::{Answer, Qualifying, Thresholds};

use super::pairs::{Exchange, entry, exchanges};
use super::words::{list_is, name, set};
use super::{Finding, Outcomes};
use crate::audit::exact::{Loss, Losses, between};
use crate::audit::{AuditError, Options, Promise, TOLERANCE, Witness};

/// The answers of all nodes.
pub(super) struct Slots<'a> {
    protocol: &'a GraphPrivatizer,
    lists: Qualifying<'a>,
    thresholds: Thresholds,
}

impl<'a> Slots<'a> {
    pub(super) fn new(protocol: &'a GraphPrivatizer, data: &'a Dataset) -> Result<Slots<'a>, AuditError> {
        let graph = data.graph();
        let lists = protocol.qualifying_of_all(graph, data.features())?;
        let longest = (0..graph.nodes()).map(|node| lists.of(node).len()).max().unwrap_or(0);
        Ok(Slots { protocol, lists, thresholds: protocol.thresholds(longest) })
    }

    fn answer(&self, neighbour: NodeId, asker: NodeId) -> Answer<'_> {
        self.protocol.answer(neighbour, self.lists.of(neighbour), asker)
    }

    /// P[u → ·] in the report of `asker`.
    pub(super) fn outcomes(&self, neighbour: NodeId, asker: NodeId) -> Outcomes {
        self.thresholds.distribution(&self.answer(neighbour, asker))
    }
}

pub(super) fn compare(
    protocol: &GraphPrivatizer,
    data: &Dataset,
    promise: Promise,
    options: &Options,
) -> Result<Finding, AuditError> {
    let graph = data.graph();
    let slots = Slots::new(protocol, data)?;
    let pairs = exchanges(graph, options.pairs, &mut Random::new(options.seed, "audit/graph-privatizer/pairs"));
    let both = |pair: &Exchange| [pair.neighbour, pair.instead].map(|neighbour| slots.outcomes(neighbour, pair.node));
    let compared: Vec<(Loss, Rank)> = pairs
        .par_iter()
        .map(|pair| {
            let [one, other] = both(pair);
            (between(&one, &other, promise.epsilon), Rank::of(data, pair, &one, &other))
        })
        .collect();

    let mut losses = Losses::default();
    compared.iter().for_each(|&(loss, _)| losses.add(loss));
    let violated = compared.iter().zip(&pairs).filter(|((loss, _), _)| loss.epsilon > promise.epsilon + TOLERANCE);
    let witness = violated.min_by_key(|((_, rank), _)| *rank).and_then(|(_, pair)| {
        let [one, other] = both(pair);
        witness(data, pair, &one, &other)
    });

    let entries = (0..graph.entries()).map(|place| entry(graph, place));
    let unchanged = entries.filter(|&(node, neighbour)| slots.answer(neighbour, node).is_empty()).count();
    let share = (graph.entries() > 0).then(|| unchanged as f64 / graph.entries() as f64);
    let what = format!(
        "the reports of the lists {{u}} and {{w}} of a node v, for {} pairs of an entry u of v's list and a node w outside \
         of it, all other lists as in the data; where v has further neighbours these are upper bounds",
        pairs.len()
    );
    Ok(Finding { exact: losses.finish(what, false, share), witness })
}

/// The order of counterexamples; the smallest is shown. Without a common report first; then with
/// candidates, which are no corner case; then nodes with this one neighbour in the data; then short
/// lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    common: bool,
    without_candidates: bool,
    several: bool,
    length: usize,
}

impl Rank {
    fn of(data: &Dataset, pair: &Exchange, one: &Outcomes, other: &Outcomes) -> Rank {
        let graph = data.graph();
        Rank {
            common: meet(one, other),
            without_candidates: one.len() == 1 || other.len() == 1,
            several: graph.degree(pair.node) != 1,
            length: graph.degree(pair.neighbour) + graph.degree(pair.instead),
        }
    }
}

/// Whether a node is possible with both.
fn meet(one: &Outcomes, other: &Outcomes) -> bool {
    let mut nodes: Vec<NodeId> = one.iter().map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    other.iter().any(|(node, _)| nodes.binary_search(node).is_ok())
}

/// Two lists of one neighbour and an outcome that distinguishes them with certainty, if there is
/// one.
pub(super) fn witness(data: &Dataset, pair: &Exchange, one: &Outcomes, other: &Outcomes) -> Option<Witness> {
    let nodes = |outcomes: &Outcomes| outcomes.iter().map(|(node, _)| *node).collect::<Vec<NodeId>>();
    let becomes = |neighbour, outcomes: &Outcomes| {
        let (asker, neighbour, possible) = (name(data, pair.node), name(data, neighbour), nodes(outcomes));
        match &possible[..] {
            [_, candidates @ ..] if !candidates.is_empty() => {
                format!("{neighbour} stays or becomes one of its candidates {}", set(data, candidates))
            }
            _ => format!("{neighbour} has no candidate but perhaps {asker}, and is always reported as itself"),
        }
    };
    let mut because = format!("{}; {}", becomes(pair.neighbour, one), becomes(pair.instead, other));
    let lists = [pair.neighbour, pair.instead].map(|neighbour| list_is(data, pair.node, &[neighbour]));
    let (possible, otherwise) = (nodes(one), nodes(other));
    if !meet(one, other) {
        because += ": no report is possible with both, so that each tells which list it was (δ = 1 for any ε)";
        let output = format!("a report of one of {}", set(data, &possible));
        let [one, other] = lists;
        return Some(Witness { one, other, output, probability_one: 1.0, probability_other: 0.0, because });
    }

    // Equal sets are randomised response, within ε: here some node is in only one of them.
    let only = |these: &Outcomes, those: &[NodeId]| {
        let found = these.iter().find(|(node, _)| !those.contains(node));
        found.map(|(node, chance)| (*node, chance.to_f64()))
    };
    let [first, second] = lists;
    let (one, other, (node, probability_one)) = match only(one, &otherwise) {
        Some(found) => (first, second, found),
        None => (second, first, only(other, &possible)?),
    };
    because += &format!(": {} is possible with one list only", name(data, node));
    let output = format!("the report {}", set(data, &[node]));
    Some(Witness { one, other, output, probability_one, probability_other: 0.0, because })
}
