//! Candidates for a removed neighbour, and their ids.

use veil_graph::NodeId;

use super::{Node, Profile, Space};
use crate::protocol::Measure;

/// The `most` vectors of `among` most similar to `target`, best first. Ties keep the order of
/// `among`, which all callers sort.
pub fn closest<'a>(
    space: &Space,
    measure: Measure,
    target: &Profile,
    among: impl IntoIterator<Item = &'a Profile>,
    most: usize,
) -> Vec<&'a Profile> {
    let mut scored: Vec<(f64, usize, &Profile)> = among
        .into_iter()
        .enumerate()
        .map(|(place, vector)| (space.likeness(measure, target, vector), place, vector))
        .collect();
    let best_first = |a: &(f64, usize, &Profile), b: &(f64, usize, &Profile)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if most < scored.len() {
        scored.select_nth_unstable_by(most, best_first);
        scored.truncate(most);
    }
    scored.sort_unstable_by(best_first);
    scored.into_iter().map(|(.., vector)| vector).collect()
}

/// A pending question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'a> {
    /// The neighbour that is asked.
    pub neighbour: NodeId,
    /// The vector whose owner is asked for.
    pub vector: &'a Profile,
}

/// The result of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The report: a set, ascending. It is smaller than the true list if two neighbours have the
    /// same replacement.
    pub report: Vec<NodeId>,
    /// The number of neighbours without a replacement.
    pub unresolved: u64,
}

/// Algorithm 2, lines 27–43, and Algorithm 3, lines 36–45: each removed neighbour gives way to the
/// first of its candidates that has a name. For a candidate all neighbours are asked, ascending,
/// until one names a node that is neither the asking one nor its neighbour. If no candidate has a
/// name, the removed neighbour stays.
///
/// `answer` returns the answer of a neighbour or fails if it is not known yet: a simulation never
/// fails; a device fails with the [`Question`] to send and starts again when the answer has
/// arrived.
///
/// # Errors
/// The first error of `answer`.
pub fn replace<'a, E>(
    node: &Node<'_>,
    removed: &[(NodeId, Vec<&'a Profile>)],
    mut answer: impl FnMut(NodeId, &'a Profile) -> Result<Option<NodeId>, E>,
) -> Result<Outcome, E> {
    let mut report: Vec<NodeId> =
        node.known.names().filter(|name| removed.iter().all(|(other, _)| other != name)).collect();
    let mut unresolved = 0;
    for (neighbour, candidates) in removed {
        let found = find(node, candidates, &mut answer)?;
        unresolved += u64::from(found.is_none());
        report.push(found.unwrap_or(*neighbour));
    }
    report.sort_unstable();
    report.dedup();
    Ok(Outcome { report, unresolved })
}

/// The name of the first candidate that has one.
fn find<'a, E>(
    node: &Node<'_>,
    candidates: &[&'a Profile],
    answer: &mut impl FnMut(NodeId, &'a Profile) -> Result<Option<NodeId>, E>,
) -> Result<Option<NodeId>, E> {
    for &vector in candidates {
        for neighbour in node.known.names() {
            let said = answer(neighbour, vector)?;
            if let Some(name) = said.filter(|&name| name != node.me && !node.known.is_neighbour(name)) {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}
