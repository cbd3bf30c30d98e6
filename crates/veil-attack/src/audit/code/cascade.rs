//! Cascades: in one batch, in three of which each depends on the rows before it, and for callers
//! that try what must be refused. Graphs that grow are in [`growth`].

use veil_graph::{Dataset, NodeId};
use veil_privacy::protocol::Cascade;
use veil_privacy::protocol::cascade::{Heard, Messages, NAME, Order, Params};
use veil_privacy::release::{EdgePlan, Options, Privatised, Question, ReleaseError, Rounds, Transcript};
use veil_privacy::{Delta, Unit};

use super::growth;
use super::world::{self, Refusal, data, release};
use super::{Enumerated, Pair, Promised, Reach, chosen, compare, together};
use crate::audit::{AuditError, Witness};

/// The ε of one step of the grid: noise has few likely values.
pub(super) const STEP: u32 = 4;

/// One release of small graphs.
struct Case {
    compared: &'static str,
    /// The order.
    sequence: &'static [NodeId],
    senders: usize,
    batches: u32,
    /// The messages before the first batch.
    public: &'static [&'static [u32]],
    steps: u32,
    paired: bool,
    caller: Caller,
    /// How far its tree is explored, for ε and for 2ε.
    least: [f64; 2],
    changes: &'static [Change],
}

/// What a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// What the protocol says.
    Honest,
    /// Long messages and, after the first batch, the reversed order; what the protocol says where
    /// these are refused.
    Hostile,
}

/// Two adjacent inputs.
pub(super) struct Change {
    /// All other edges.
    pub others: &'static [(NodeId, NodeId)],
    /// The edge that is there or not, the later end last.
    pub edge: (NodeId, NodeId),
    /// The neighbour of the later end in the place of the earlier one.
    pub instead: Option<NodeId>,
}

const CASES: [Case; 5] = [
    Case {
        compared: "one batch of two nodes",
        sequence: &[1, 0],
        senders: 0,
        batches: 1,
        public: &[&[1, 0], &[0, 1]],
        steps: 1,
        paired: false,
        caller: Caller::Honest,
        least: [1e-11, 1e-13],
        changes: &[Change { others: &[], edge: (1, 0), instead: None }],
    },
    Case {
        compared: "three batches of one node each, with messages from the rows before",
        sequence: &[2, 0, 1],
        senders: 0,
        batches: 3,
        public: &[&[1, 0], &[0, 1], &[0, 1]],
        steps: 1,
        paired: false,
        caller: Caller::Honest,
        least: [1e-8, 1e-9],
        changes: &[
            Change { others: &[(0, 2)], edge: (0, 1), instead: Some(2) },
            Change { others: &[(0, 1)], edge: (2, 0), instead: None },
        ],
    },
    Case {
        compared: "the same with pairs, on a grid of two steps",
        sequence: &[2, 0, 1],
        senders: 0,
        batches: 3,
        public: &[&[1, 1], &[0, 2], &[2, 0]],
        steps: 2,
        paired: true,
        caller: Caller::Honest,
        least: [1e-11, 1e-13],
        changes: &[
            Change { others: &[(0, 2)], edge: (0, 1), instead: Some(2) },
            Change { others: &[(0, 1)], edge: (2, 0), instead: None },
        ],
    },
    Case {
        compared: "two batches after a sender, for a caller that tries long messages and then another order",
        sequence: &[0, 1, 2],
        senders: 1,
        batches: 2,
        public: &[&[1, 0], &[0, 1], &[1, 0]],
        steps: 1,
        paired: true,
        caller: Caller::Hostile,
        least: [1e-11, 1e-13],
        changes: &[
            Change { others: &[], edge: (0, 1), instead: None },
            Change { others: &[(0, 1)], edge: (1, 2), instead: None },
            Change { others: &[], edge: (1, 2), instead: Some(0) },
        ],
    },
    Case {
        compared: "one row in pairs, of which the exact row would choose others",
        sequence: &[0, 1, 2, 3],
        senders: 3,
        batches: 1,
        public: &[&[2, 0, 0], &[0, 0, 2], &[0, 0, 1], &[0, 0, 0]],
        steps: 2,
        paired: true,
        caller: Caller::Honest,
        least: [1e-11, 1e-13],
        changes: &[Change { others: &[(0, 3), (1, 3)], edge: (2, 3), instead: None }],
    },
];

/// The promise about `unit` of a cascade made for the unit `protected`. An edge is a relationship
/// where each user computes their own row.
pub(in crate::audit) fn rows(
    protected: Unit,
    heard: Heard,
    unit: Unit,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let cases = CASES.iter().filter_map(|case| one(case, (protected, heard), unit).transpose());
    // What counts every edge twice cannot be extended.
    let grown = (heard == Heard::Earlier).then(|| growth::rows(protected, unit).transpose()).flatten();
    together(cases.chain(grown))
}

fn one(
    case: &Case,
    (protected, heard): (Unit, Heard),
    unit: Unit,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let Case { batches, steps, paired, .. } = *case;
    let classes = case.public.first().map_or(0, |message| message.len());
    let params = Params {
        epsilon: chosen(STEP * steps),
        unit: protected,
        classes: classes as u32,
        batches,
        steps,
        paired,
        heard,
    };
    let cascade = params.check()?;
    let promised = promised(&cascade, unit).ok_or(AuditError::NoGuarantee { subject: NAME })?;
    let mut pairs = Vec::new();
    for change in case.changes {
        pairs.extend(change.inputs(case.sequence.len(), unit)?);
    }
    if pairs.is_empty() {
        return Ok(None);
    }
    let order = Order::new(case.sequence.to_vec(), case.senders, batches)?;
    let reversed = Order::new(case.sequence.iter().rev().copied().collect(), case.senders, batches)?;
    let ask = |rounds: &mut Rounds<'_>, released: &mut Privatised, order: &Order, messages: &Messages| {
        rounds.ask(released, Question::Batch { order, messages })
    };
    let caller = |rounds: &mut Rounds<'_>, released: &mut Privatised| -> Result<(), ReleaseError> {
        let messages = next_messages(case.public, steps, released.cascade(), 1)?;
        if case.caller == Caller::Hostile {
            let later = released.cascade().is_some_and(|it| it.order().is_some());
            if later && ask(rounds, released, &reversed, &messages).is_ok() {
                return Ok(());
            }
            let long = next_messages(case.public, steps, released.cascade(), 2)?;
            if ask(rounds, released, &order, &long).is_ok() {
                return Ok(());
            }
        }
        ask(rounds, released, &order, &messages)
    };
    let options = Options { edges: EdgePlan::Cascade(cascade), ..Options::default() };
    let twice = unit == Unit::EdgeSet || (unit == Unit::Edge && heard == Heard::All);
    let least = case.least[usize::from(twice)];
    let found = compare(case.compared, &pairs, promised, Reach::Least(least), |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &caller)?).into())
    })?;
    Ok(Some(found))
}

/// The promise about a unit; about an edge in lists of users, that about a relationship.
pub(super) fn promised(cascade: &Cascade, unit: Unit) -> Option<Promised> {
    let guarantees = cascade.guarantees();
    let once = || guarantees.first().filter(|_| unit == Unit::Edge).and_then(|first| first.per_relationship);
    let about = Promised::about(unit, &guarantees);
    about.or_else(|| once().map(|epsilon| Promised { epsilon, delta: Delta::ZERO }))
}

/// The messages of the next batch: a node that has a row sends what the row says, the others what
/// is public, `times` as long as it may be.
pub(super) fn next_messages(
    public: &[&[u32]],
    steps: u32,
    released: Option<&Transcript>,
    times: u32,
) -> Result<Messages, ReleaseError> {
    let mut values: Vec<Vec<u32>> = public.iter().map(|message| message.to_vec()).collect();
    let rows = released.into_iter().flat_map(|it| {
        let batches = (0..).zip(it.batches());
        batches
            .flat_map(|(batch, rows)| it.order().into_iter().flat_map(move |order| order.batch(batch)).zip(rows.iter()))
    });
    for (&node, row) in rows {
        // A pair is the difference of its classes.
        let difference = row.first().unwrap_or(&0) - row.get(1).unwrap_or(&0);
        let first = match difference.signum() {
            0 => steps / 2,
            sign => steps * u32::from(sign > 0),
        };
        if let Some(message @ [_, _, ..]) = values.get_mut(node as usize).map(Vec::as_mut_slice) {
            (message[0], message[1]) = (first, steps - first);
        }
    }
    let classes = values.first().map_or(0, Vec::len);
    let values = values.concat().into_iter().map(|it| it * times).collect();
    Ok(Messages::new(classes, steps * times, values)?)
}

impl Change {
    /// The two inputs, if there is such a change.
    pub(super) fn inputs(&self, nodes: usize, unit: Unit) -> Result<Option<Pair>, AuditError> {
        let nodes = nodes as u32;
        let (earlier, later) = self.edge;
        if unit == Unit::Edge {
            let more = [self.others, &[self.edge]].concat();
            let input = |edges: &[(NodeId, NodeId)]| -> Result<(String, Dataset), AuditError> {
                Ok((format!("the edges {edges:?}"), data(world::edges(nodes, edges)?)))
            };
            return Ok(Some(pair(input(&more)?, input(self.others)?)));
        }
        let graph = world::edges(nodes, self.others)?;
        let input = |further: Option<NodeId>| -> Result<(String, Dataset), AuditError> {
            let mut lists: Vec<Vec<NodeId>> = (0..nodes).map(|node| graph.neighbours(node).to_vec()).collect();
            lists[later as usize].extend(further);
            let words = format!("the lists {lists:?}");
            let lists: Vec<&[NodeId]> = lists.iter().map(Vec::as_slice).collect();
            Ok((words, data(world::lists(&lists)?)))
        };
        match (unit, self.instead) {
            (Unit::EdgeSet, None) => Ok(None),
            (Unit::EdgeSet, instead) => Ok(Some(pair(input(Some(earlier))?, input(instead)?))),
            _ => Ok(Some(pair(input(Some(earlier))?, input(None)?))),
        }
    }
}

fn pair(one: (String, Dataset), other: (String, Dataset)) -> Pair {
    Pair::new((&one.0, one.1), (&other.0, other.1))
}
