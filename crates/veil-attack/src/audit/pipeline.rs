//! From end to end: canaries in the lists, a release, a training, and LinkTeller on the model that came of it.
//!
//! What a model says is post-processing of the release, so a promise about edges holds for it too: whoever tells from the model how a
//! canary's coin fell does so against that ε. Such guesses are worse than those from the release itself, and find less. But nothing of the
//! mechanism has to be known, and everything is tested that is done on the way.
//!
//! A canary joins the list of one node, which keeps its other neighbours: one of two nodes (edge-set), or one node or nobody
//! (edge-bit). Where an owner promises something about edges, it is an edge between two nodes or none. How the coin fell is guessed from
//! how much the one node moves the other's posterior.

use std::ops::ControlFlow;

use veil_graph::random::Random;
use veil_graph::{Dataset, Direction, Graph, NodeId};
use veil_learn::run::Weights;
use veil_learn::{Parameters, Run, Surface};
use veil_privacy::release::{EdgePlan, RangeChoice};
use veil_privacy::{Guarantee, Private, Unit};

use super::guesses::{Canary, Rule, judge};
use super::{Audit, AuditError, Claim, Options};
use crate::attack::Attack;
use crate::linkteller::Influence;

/// Shares of the canaries that are guessed: the highest and the lowest scores.
const GUESSED: [f64; 4] = [0.02, 0.05, 0.2, 0.5];

/// A node whose list is changed, and what its coin decides between.
struct Planted {
    carrier: NodeId,
    /// In its list if the coin fell so; else the other one, if there is one.
    one: NodeId,
    other: Option<NodeId>,
    secret: bool,
}

/// Audits what the edges of these data promise, through a model that is trained by these parameters.
///
/// # Errors
/// If nothing is promised about edges, there are too few nodes, or the model cannot be trained or asked.
pub fn audit(parameters: &Parameters, data: &Dataset, options: &Options) -> Result<Audit, AuditError> {
    let sealed = Private::seal(data.clone());
    let plan = parameters.edge_plan(&sealed).map_err(veil_learn::LearnError::from)?;
    let missing = || AuditError::Missing { mechanism: parameters.edges.to_string(), what: "edges with a promise" };
    let guarantee = promise(&plan).ok_or_else(missing)?;
    let planted = plant(data.graph(), guarantee.unit, options).ok_or_else(|| AuditError::TooSmall {
        mechanism: guarantee.mechanism.clone(),
        nodes: data.nodes() as usize,
        least: 5,
    })?;
    let changed = data.clone().with_graph(with_canaries(data.graph(), &planted, guarantee.unit)?)?;
    let words = ("public".to_owned(), "public".to_owned());
    let mut watch = |_: &_| ControlFlow::Continue(());
    let run = Run::unpublished(
        parameters.clone(),
        &Private::seal(changed),
        (RangeChoice::Public, words),
        options.seed,
        &mut watch,
    )?;
    let model = run.deployed(Surface::Pipeline, Weights::Chosen)?;
    let moves = |of: &dyn Fn(&Planted) -> NodeId| {
        let pairs: Vec<(NodeId, NodeId)> = planted.iter().map(|it| (of(it), it.carrier)).collect();
        Influence::Exact.rate(&model, &pairs)
    };
    let ones = moves(&|it| it.one)?;
    let others = moves(&|it| it.other.unwrap_or(it.one))?;
    let canaries: Vec<Canary> = planted
        .iter()
        .zip(ones.iter().zip(&others))
        .map(|(it, (one, other))| Canary {
            secret: it.secret,
            score: if it.other.is_some() { one - other } else { *one },
        })
        .collect();
    let rule = Rule::Extremes(GUESSED.iter().map(|share| (share * canaries.len() as f64) as usize).collect());
    let claim = Claim::from(&guarantee);
    let judged = judge(&canaries, &rule, claim.claimed);
    Ok(Audit::new(claim, None, Some(judged), None))
}

/// The first thing that is promised about edges.
fn promise(plan: &EdgePlan) -> Option<Guarantee> {
    let guarantees = match plan {
        EdgePlan::Lists(protocol) => protocol.guarantees(),
        EdgePlan::Graph(central) => central.guarantees(),
        EdgePlan::Vectors(vectors) => vectors.guarantees(),
        EdgePlan::Raw | EdgePlan::Withheld => return None,
    };
    guarantees.into_iter().next()
}

/// Carriers are at most half of the nodes; whom they may hear is among the others and not in their lists. `None` of too few.
fn plant(graph: &Graph, unit: Unit, options: &Options) -> Option<Vec<Planted>> {
    let mut nodes: Vec<NodeId> = (0..graph.nodes()).collect();
    let mut random = Random::new(options.seed, "audit/pipeline");
    random.shuffle(&mut nodes);
    let (carriers, targets) = nodes.split_at(nodes.len() / 2);
    if targets.len() < 3 {
        return None;
    }
    let count = carriers.len().min(options.canaries);
    let mut planted = Vec::with_capacity(count);
    for (place, &carrier) in carriers[..count].iter().enumerate() {
        let fits = |node: NodeId| !graph.has_edge(carrier, node) && !graph.has_edge(node, carrier);
        // An edge between two nodes has two ends: each is one canary's.
        let one = if unit == Unit::Edge {
            Some(targets[place]).filter(|&it| fits(it))
        } else {
            drawn(targets, &mut random, fits)
        };
        let Some(one) = one else { continue };
        let other = match unit {
            Unit::EdgeSet => match drawn(targets, &mut random, |node| fits(node) && node != one) {
                None => continue,
                found => found,
            },
            _ => None,
        };
        planted.push(Planted { carrier, one, other, secret: random.bits() & 1 == 1 });
    }
    Some(planted).filter(|planted| !planted.is_empty())
}

/// One of the nodes that fits; most do.
fn drawn(nodes: &[NodeId], random: &mut Random, fits: impl Fn(NodeId) -> bool) -> Option<NodeId> {
    (0..50).map(|_| nodes[random.below(nodes.len())]).find(|&node| fits(node))
}

fn with_canaries(graph: &Graph, planted: &[Planted], unit: Unit) -> Result<Graph, AuditError> {
    let chosen = |it: &Planted| if it.secret { Some(it.one) } else { it.other };
    let added = planted.iter().filter_map(|it| Some((it.carrier, chosen(it)?)));
    if unit == Unit::Edge {
        let edges: Vec<(NodeId, NodeId)> = graph.iter_edges().chain(added).collect();
        return Ok(Graph::from_edges(graph.nodes(), &edges, graph.direction())?.graph);
    }
    // Entries of lists, each in one list alone.
    let entries = (0..graph.nodes()).flat_map(|node| graph.neighbours(node).iter().map(move |&other| (node, other)));
    let entries: Vec<(NodeId, NodeId)> = entries.chain(added).collect();
    Ok(Graph::from_edges(graph.nodes(), &entries, Direction::Directed)?.graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Verdict;

    fn data() -> Dataset {
        crate::testing::citation(400, 3)
    }

    fn options(seed: u64) -> Options {
        Options { pairs: 0, canaries: 1000, seed }
    }

    /// A canary is in the list of its carrier if its coin fell so, in no other list, and nothing else changes.
    #[test]
    fn canaries_are_entries_of_one_list() {
        let (data, options) = (data(), options(1));
        for unit in [Unit::EdgeSet, Unit::EdgeBit, Unit::Edge] {
            let planted = plant(data.graph(), unit, &options).expect("enough nodes");
            let changed = with_canaries(data.graph(), &planted, unit).expect("a graph");
            let mut added = 0;
            for it in &planted {
                assert_eq!(changed.has_edge(it.carrier, it.one), it.secret);
                assert_eq!(changed.has_edge(it.one, it.carrier), it.secret && unit == Unit::Edge);
                if let Some(other) = it.other {
                    assert_eq!(changed.has_edge(it.carrier, other), !it.secret);
                }
                added += usize::from(it.secret || it.other.is_some());
            }
            let twice = if unit == Unit::Edge { 2 } else { 1 };
            assert_eq!(changed.entries(), data.graph().entries() + twice * added, "{unit}");
            assert!(planted.len() > 150);
        }
    }

    /// Four nodes have too few others for canaries.
    #[test]
    fn too_few_nodes_are_an_error() {
        let tiny = Dataset::new("tiny", Graph::empty(4, Direction::Undirected), Default::default());
        let parameters = crate::testing::trained("graph-privatizer", "0.1");
        assert!(matches!(audit(&parameters, &tiny, &options(1)), Err(AuditError::TooSmall { .. })));
    }

    #[test]
    fn a_claim_that_is_far_from_true_is_found_in_the_model() {
        let parameters = crate::testing::trained("graph-privatizer", "0.1");
        let found = audit(&parameters, &crate::testing::citation(2000, 4), &options(1)).expect("an audit");
        assert_eq!(found.verdict, Verdict::Violated, "{found:?}");
    }

    /// What is proven is never found violated, whatever the seed.
    #[test]
    fn a_proven_promise_survives_in_the_model() {
        for (edges, epsilon) in [("edge-flip", "2"), ("neighbour-krr", "2"), ("lapgraph", "1")] {
            for seed in 0..4 {
                let found = audit(&crate::testing::trained(edges, epsilon), &data(), &options(seed)).expect("an audit");
                assert_eq!(found.verdict, Verdict::NothingFound, "{found:?}");
            }
        }
    }
}
