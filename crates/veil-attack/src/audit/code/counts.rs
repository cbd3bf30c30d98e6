//! Degree vectors, in one round and in two of which the second depends on the first.

use veil_graph::{Dataset, Graph, GraphError, Part};
use veil_privacy::protocol::degree_vectors;
use veil_privacy::release::{EdgePlan, Options, Privatised, Question, ReleaseError, Rounds};
use veil_privacy::{Epsilon, Unit};

use super::world::{self, Refusal, data, labelled, release};
use super::{Enumerated, Pair, Promised, Reach, assumed, chosen, compare, together};
use crate::audit::{AuditError, Witness};

/// Asks for a round: with public clusters at first, then by the counts of the round before.
pub(super) fn adaptive(rounds: &mut Rounds<'_>, released: &mut Privatised) -> Result<(), ReleaseError> {
    let nodes = released.data().nodes();
    let clusters: Vec<u32> = match released.vectors().last() {
        None => (0..nodes).map(|node| node % 2).collect(),
        Some(counts) => (0..nodes as usize).map(|node| u32::from(counts.row(node).iter().sum::<i64>() > 0)).collect(),
    };
    rounds.ask(released, Question::Clusters(&clusters))
}

/// One release: its rounds, ε, and how far its tree is explored.
struct Case {
    rounds: u32,
    epsilon: Epsilon,
    reach: Reach,
}

/// The promise about `unit` of degree vectors made for the unit `protected`.
pub(in crate::audit) fn vectors(
    protected: Unit,
    unit: Unit,
    claimed: Epsilon,
) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    let noisy = |rounds, whole, least| Case { rounds, epsilon: chosen(whole), reach: Reach::Least(least) };
    // The more a step of the noise costs, the fewer values are likely; the more the promise allows,
    // the less likely executions have to be explored. Steps of 4, or of 8 where many counts move.
    let cases = match (protected, unit) {
        (Unit::EdgeSet, _) => [1, 2].map(|rounds| Case { rounds, epsilon: assumed(claimed), reach: Reach::All }),
        (Unit::EdgeBit, Unit::EdgeSet) => [noisy(1, 4, 1e-10), noisy(2, 16, 4.6e-15)],
        (Unit::EdgeBit, _) => [noisy(1, 4, 1e-13), noisy(2, 8, 5e-8)],
        _ => [noisy(1, 8, 1e-13), noisy(2, 16, 1e-9)],
    };
    together(cases.into_iter().map(|case| one(protected, unit, &case)))
}

fn one(protected: Unit, unit: Unit, case: &Case) -> Result<(Enumerated, Option<Witness>), AuditError> {
    let &Case { rounds, epsilon, reach } = case;
    let vectors = degree_vectors::Params { epsilon, rounds, unit: protected, clusters: 2 }.check()?;
    let promised = Promised::about(unit, &vectors.guarantees());
    let promised = promised.ok_or(AuditError::NoGuarantee { subject: degree_vectors::NAME })?;
    let (words, graphs): ([&str; 2], [Result<Graph, GraphError>; 2]) = match unit {
        Unit::EdgeSet => {
            (["node 0 lists 1", "node 0 lists 2"], [world::lists(&[&[1], &[0], &[]]), world::lists(&[&[2], &[0], &[]])])
        }
        Unit::EdgeBit => {
            (["node 0 lists 1", "node 0 lists nobody"], [world::lists(&[&[1], &[0]]), world::lists(&[&[], &[0]])])
        }
        _ => (["an edge between 0 and 1", "no edge"], [world::edges(2, &[(0, 1)]), world::edges(2, &[])]),
    };
    let [first, second] = graphs;
    let pairs = [Pair::new((words[0], world(first?)?), (words[1], world(second?)?))];
    // In the local model the first clusters are labels, here of all nodes but the last.
    let labels = (protected != Unit::Edge).then_some(Epsilon::INFINITE);
    let options = Options { epsilon_labels: labels, edges: EdgePlan::Vectors(vectors), ..Options::default() };
    let compared = match rounds {
        1 => "one round of counts in two clusters",
        _ => "two rounds, the second with clusters from the counts of the first",
    };
    compare(compared, &pairs, promised, reach, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &adaptive)?).into())
    })
}

/// All nodes have the one class; that of the last is not released.
fn world(graph: Graph) -> Result<Dataset, AuditError> {
    let nodes = graph.nodes() as usize;
    let mut parts = vec![Part::Train; nodes];
    parts[nodes - 1] = Part::Test;
    labelled(data(graph), 1, &vec![Some(0); nodes], &parts)
}
