//! Cascades of graphs that grow: a release, and a second one that extends it.

use veil_graph::{Dataset, Graph, NodeId};
use veil_privacy::protocol::cascade::{Heard, NAME, Order, Params};
use veil_privacy::protocol::{Cascade, ProtocolError};
use veil_privacy::release::{EdgePlan, Options, Question, ReleaseError};
use veil_privacy::{Coins, Private, Truth, Unit};

use super::cascade::{Change, STEP, next_messages, promised};
use super::output::Written;
use super::world::{self, Refusal, data, release};
use super::{Enumerated, Reach, chosen, compare, together};
use crate::audit::{AuditError, Witness};

/// Releases of a small graph before and after nodes were added.
struct Growth {
    compared: &'static str,
    /// The order of the first release.
    sequence: &'static [NodeId],
    /// The new nodes, in their order.
    new: &'static [NodeId],
    /// Edges between earlier nodes that are there only later.
    late: &'static [(NodeId, NodeId)],
    /// The messages before any row.
    public: &'static [&'static [u32]],
    /// How far its tree is explored, for ε and for 2ε.
    least: [f64; 2],
    changes: &'static [Change],
}

const CASES: [Growth; 2] = [
    Growth {
        compared: "a node that is added to two, for a caller that tries to release their rows again",
        sequence: &[1, 0],
        new: &[2],
        late: &[],
        public: &[&[1, 0], &[0, 1], &[0, 1]],
        least: [1e-8, 1e-9],
        changes: &[
            Change { others: &[(0, 2)], edge: (1, 0), instead: None },
            Change { others: &[(0, 1)], edge: (0, 2), instead: Some(1) },
        ],
    },
    Growth {
        compared: "the same with an edge between the earlier nodes that is there only later",
        sequence: &[0, 1],
        new: &[2],
        late: &[(0, 1)],
        public: &[&[1, 0], &[0, 1], &[1, 0]],
        least: [1e-8, 1e-9],
        changes: &[
            Change { others: &[(0, 2)], edge: (0, 1), instead: None },
            Change { others: &[(0, 1)], edge: (1, 2), instead: None },
        ],
    },
];

/// The promise about `unit` of both releases together: that of one.
pub(in crate::audit) fn rows(protected: Unit, unit: Unit) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    together(CASES.iter().filter_map(|case| one(case, protected, unit).transpose()))
}

fn one(case: &Growth, protected: Unit, unit: Unit) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let (batches, paired, heard) = (1, false, Heard::Earlier);
    let params = Params { epsilon: chosen(STEP), unit: protected, classes: 2, batches, steps: 1, paired, heard };
    let cascade = params.check()?;
    let promised = promised(&cascade, unit).ok_or(AuditError::NoGuarantee { subject: NAME })?;
    let mut pairs = Vec::new();
    for change in case.changes {
        pairs.extend(change.inputs(case.sequence.len() + case.new.len(), unit)?);
    }
    if pairs.is_empty() {
        return Ok(None);
    }
    let least = case.least[usize::from(unit == Unit::EdgeSet)];
    let both = |data: &Private<Dataset>, coins: Coins| case.both(cascade, data, coins);
    compare(case.compared, &pairs, promised, Reach::Least(least), both).map(Some)
}

impl Growth {
    /// Both releases: of the graph as it was earlier, and what extends it.
    fn both(&self, cascade: Cascade, later: &Private<Dataset>, coins: Coins) -> Result<Written, Refusal> {
        let next = coins.of_next_release().ok_or(ReleaseError::Nothing)?;
        let options = |edges| Options { edges, ..Options::default() };
        let earlier = Private::seal(data(self.earlier(later)?));
        let order = Order::new(self.sequence.to_vec(), 0, 1).map_err(ReleaseError::from)?;
        let first = release(&earlier, &options(EdgePlan::Cascade(cascade)), coins, &|rounds, released| {
            let messages = next_messages(&self.public[..self.sequence.len()], 1, released.cascade(), 1)?;
            rounds.ask(released, Question::Batch { order: &order, messages: &messages })
        })?;
        let extension = first.extension().ok_or(ReleaseError::NotExtendable)?;
        let edges = EdgePlan::Cascade(cascade).extending(extension)?;
        let sequence = [self.sequence, self.new].concat();
        let order = |senders: usize| Order::new(sequence.clone(), senders, 1).map_err(ReleaseError::from);
        let second = release(later, &options(edges), next, &|rounds, released| {
            let messages = next_messages(self.public, 1, first.cascade(), 1)?;
            // One that releases the rows of earlier nodes again.
            let again = order(0)?;
            if rounds.ask(released, Question::Batch { order: &again, messages: &messages }).is_ok() {
                return Ok(());
            }
            let order = order(self.sequence.len())?;
            rounds.ask(released, Question::Batch { order: &order, messages: &messages })
        })?;
        Ok(Written::from(&second).with(&first.figures().to_string()))
    }

    /// The lists of the earlier nodes, without what is there only later.
    fn earlier(&self, later: &Private<Dataset>) -> Result<Graph, ReleaseError> {
        let (graph, nodes) = (later.for_scoring(&Truth::for_scoring_only()).graph(), self.sequence.len() as NodeId);
        let late = |me: NodeId, other: NodeId| self.late.contains(&(me, other)) || self.late.contains(&(other, me));
        let list = |me: NodeId| -> Vec<NodeId> {
            graph.neighbours(me).iter().copied().filter(|&other| other < nodes && !late(me, other)).collect()
        };
        let all: Vec<Vec<NodeId>> = (0..nodes).map(list).collect();
        let all: Vec<&[NodeId]> = all.iter().map(Vec::as_slice).collect();
        Ok(world::lists(&all).map_err(ProtocolError::from)?)
    }
}
