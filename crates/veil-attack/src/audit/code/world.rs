//! Small inputs, of which every fact besides the difference is declared.

use veil_graph::read::Misfit;
use veil_graph::{Dataset, Declared, Direction, Features, Graph, GraphError, Labels, Matrix, NodeId, Part, Split};
use veil_privacy::release::{Options, Plan, Privatised, Release, ReleaseError, Rounds};
use veil_privacy::{Coins, Private, Request, RequestError};

use crate::audit::AuditError;

/// Why a small release failed: an output like any other.
#[derive(Debug, thiserror::Error)]
pub(in crate::audit) enum Refusal {
    #[error(transparent)]
    Release(#[from] ReleaseError),
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// The graph of these lists: an entry is in one list only.
pub(in crate::audit) fn lists(lists: &[&[NodeId]]) -> Result<Graph, GraphError> {
    let mut offsets = vec![0];
    offsets.extend(lists.iter().scan(0, |end, list| {
        *end += list.len();
        Some(*end)
    }));
    Graph::from_rows(offsets, lists.concat())
}

/// An undirected graph.
pub(in crate::audit) fn edges(nodes: u32, edges: &[(NodeId, NodeId)]) -> Result<Graph, GraphError> {
    Ok(Graph::from_edges(nodes, edges, Direction::Undirected)?.graph)
}

/// A data set that declares its facts.
pub(in crate::audit) fn data(graph: Graph) -> Dataset {
    let declared = Declared { nodes: true, dimensions: true, classes: true };
    Dataset::new("audit", graph, Default::default()).with_declared(declared)
}

/// With labels and a split.
pub(in crate::audit) fn labelled(
    data: Dataset,
    classes: u32,
    labels: &[Option<u32>],
    parts: &[Part],
) -> Result<Dataset, AuditError> {
    let labels = Labels::new(classes, labels.iter().copied()).map_err(refused)?;
    Ok(data.with_labels(labels)?.with_split(Split::new(parts.to_vec()))?)
}

/// With features, one row for each node.
pub(in crate::audit) fn featured(data: Dataset, rows: &[&[f32]]) -> Result<Dataset, AuditError> {
    let columns = rows.first().map_or(0, |row| row.len());
    let matrix = Matrix::from_values(rows.len(), columns, rows.concat()).map_err(refused)?;
    Ok(data.with_features(Features::Dense(matrix))?)
}

fn refused(error: impl Into<Misfit>) -> AuditError {
    AuditError::Code { problem: error.into().to_string() }
}

/// Who asks for the next round or batch, given what was released so far.
pub(in crate::audit) type Caller<'a> =
    &'a (dyn Fn(&mut Rounds<'_>, &mut Privatised) -> Result<(), ReleaseError> + Sync);

/// The caller of a release without rounds.
pub(in crate::audit) fn nobody(_: &mut Rounds<'_>, _: &mut Privatised) -> Result<(), ReleaseError> {
    Err(ReleaseError::NoRoundLeft { rounds: 0 })
}

/// A whole release, as an owner makes it: plan, permit, release and all rounds.
pub(in crate::audit) fn release(
    data: &Private<Dataset>,
    options: &Options,
    coins: Coins,
    caller: Caller<'_>,
) -> Result<Privatised, Refusal> {
    let plan = Plan::new(data, options.clone())?;
    let permit = Request::new(data, coins, plan.guarantees())?.unbooked();
    let Release { mut released, mut rounds, .. } = plan.release(data, permit)?;
    while rounds.left() > 0 {
        caller(&mut rounds, &mut released)?;
    }
    Ok(released)
}
