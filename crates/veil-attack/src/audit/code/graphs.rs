//! Mechanisms that release a whole graph.

use std::sync::Arc;

use veil_graph::NodeId;
use veil_privacy::Unit;
use veil_privacy::central::{ExactGraph, GraphMechanism, lap_graph};
use veil_privacy::release::{EdgePlan, Options};

use super::world::{Refusal, data, edges, nobody, release};
use super::{Enumerated, Pair, Promised, Reach, chosen, compare};
use crate::audit::{AuditError, Witness};

/// Makes the mechanism for so many nodes.
pub(in crate::audit) type Build<'a> = &'a dyn Fn(u32) -> Result<Arc<dyn GraphMechanism>, AuditError>;

const NODES: u32 = 3;

/// One edge more or less among three nodes.
pub(in crate::audit) fn graphs(build: Build<'_>) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError> {
    const INPUTS: [&[(NodeId, NodeId)]; 4] = [&[], &[(0, 1)], &[(0, 1), (1, 2)], &[(0, 1), (0, 2), (1, 2)]];
    let given = build(NODES)?;
    let (mechanism, reach, compared): (Arc<dyn GraphMechanism>, Reach, &str) = match given.exact() {
        ExactGraph::Cells(_) => (given.clone(), Reach::All, "graphs of three nodes that differ in an edge"),
        ExactGraph::LapGraph(_) => {
            let params = lap_graph::Params { epsilon: chosen(6), epsilon_count: chosen(1), nodes: NODES };
            let compared = "graphs of three nodes that differ in an edge, with the noise of pairs on a grid of one step \
                            instead of 1,024, and with and without a matrix; bands below the first are not reached";
            (Arc::new(params.coarse()?), Reach::Least(1e-8), compared)
        }
    };
    let Some(promised) = Promised::about(Unit::Edge, &mechanism.guarantees()) else { return Ok(None) };
    let mut pairs = Vec::new();
    for both in INPUTS.windows(2) {
        let words = [both[0], both[1]].map(|list| format!("the edges {list:?}"));
        let world = |list| Ok::<_, AuditError>(data(edges(NODES, list)?));
        pairs.push(Pair::new((&words[0], world(both[0])?), (&words[1], world(both[1])?)));
    }
    let options = Options { edges: EdgePlan::Graph(mechanism), ..Options::default() };
    let found = compare(compared, &pairs, promised, reach, |data, coins| -> Result<_, Refusal> {
        Ok((&release(data, &options, coins, &nobody)?).into())
    })?;
    Ok(Some(found))
}
