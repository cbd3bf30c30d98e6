//! End to end: canaries in the neighbour lists, a release, a training, and LinkTeller on the
//! resulting model.
//!
//! The answers of a model are post-processing of the release, so a guarantee about edges holds for
//! them too: guesses of a canary's coin from the model are bounded by that ε. Such guesses are
//! worse than those from the release itself, and find less. But they need no knowledge of the
//! mechanism, and they test every step on the way.
//!
//! A canary joins the list of one node, which keeps its other neighbours: one of two nodes
//! (edge-set), or one node or none (edge-bit). For guarantees about edges it is an edge between two
//! nodes or none. The coin is guessed from the influence of the one node on the other.

use veil_graph::random::Random;
use veil_graph::{Dataset, Direction, Graph, Labels, NodeId};
use veil_learn::pipeline::{Terms, experiment};
use veil_learn::run::Weights;
use veil_learn::{Settings, Surface, method};
use veil_privacy::release::EdgePlan;
use veil_privacy::{Declarations, Guarantee, Unit};

use super::guesses::{Canary, Rule, judge};
use super::{Audit, AuditError, Claim, Options};
use crate::attack::EdgeRating;
use crate::linkteller::Influence;

/// Shares of the canaries that are guessed: those with the highest and the lowest scores.
const GUESSED: [f64; 4] = [0.02, 0.05, 0.2, 0.5];

/// Defaults of the training: the same for all methods, on unchanged features and labels.
const TRAINING: [(&str, &str); 4] =
    [("recipe", "graph-privatizer"), ("epsilon-features", "inf"), ("epsilon-labels", "inf"), ("scale", "minmax")];

/// A node whose list is changed, and the two choices of its coin.
struct Planted {
    carrier: NodeId,
    /// In its list if `secret`; otherwise the other one, if there is one.
    one: NodeId,
    other: Option<NodeId>,
    secret: bool,
}

/// Audits the guarantee of a method about edges through a model that is trained with these
/// settings.
///
/// # Errors
/// If nothing is promised about edges, there are too few nodes, or the model cannot be trained or
/// queried.
pub fn audit(
    entry: &method::Entry,
    settings: &Settings,
    data: &Dataset,
    options: &Options,
) -> Result<Audit, AuditError> {
    let defaults = TRAINING.into_iter().filter(|(name, _)| entry.reads(name)).map(|(name, word)| (name, word.into()));
    let settings = Settings::from_iter(defaults).overridden_by(settings);
    let plan = entry.configure(&settings)?.edges(data.nodes(), data.labels().map_or(0, Labels::classes))?;
    let guarantee = promise(&plan, entry.name)?;
    let planted = plant(data.graph(), guarantee.unit, options).ok_or_else(|| AuditError::TooSmall {
        mechanism: guarantee.mechanism.clone(),
        nodes: data.nodes() as usize,
        least: 5,
    })?;
    let changed = data.clone().with_graph(with_canaries(data.graph(), &planted, guarantee.unit)?)?;
    // Canaries are in no release.
    let terms = Terms { declared: Declarations::ALL, ..Terms::default() };
    let run = experiment(entry.name, &settings, changed, terms, options.seed)?.run;
    let model = run.deployed(Surface::Pipeline, Weights::Chosen)?;
    let influences = |of: &dyn Fn(&Planted) -> NodeId| {
        let pairs: Vec<(NodeId, NodeId)> = planted.iter().map(|it| (of(it), it.carrier)).collect();
        Influence::Exact.rate(&model, &pairs)
    };
    let ones = influences(&|it| it.one)?;
    let others = influences(&|it| it.other.unwrap_or(it.one))?;
    let score = |(it, (one, other)): (&Planted, (&f64, &f64))| Canary {
        secret: it.secret,
        score: if it.other.is_some() { one - other } else { *one },
    };
    let canaries: Vec<Canary> = planted.iter().zip(ones.iter().zip(&others)).map(score).collect();
    let rule = Rule::Extremes(GUESSED.iter().map(|share| (share * canaries.len() as f64) as usize).collect());
    let claim = Claim::from(&guarantee);
    let judged = judge(&canaries, &rule, claim.claimed);
    Ok(Audit::new(claim, None, Some(judged), None))
}

/// The first guarantee about edges.
fn promise(plan: &EdgePlan, subject: &'static str) -> Result<Guarantee, AuditError> {
    let guarantees = match plan {
        EdgePlan::Lists(protocol) => protocol.guarantees(),
        EdgePlan::Graph(central) => central.guarantees(),
        EdgePlan::Raw | EdgePlan::Withheld => Vec::new(),
        // Figures reach a model as inputs of their own, in which LinkTeller finds no edge.
        _ => return Err(AuditError::NoInfluence { subject }),
    };
    guarantees.into_iter().next().ok_or(AuditError::NoGuarantee { subject })
}

/// Carriers are at most half of the nodes; their canaries are among the others and not in their
/// lists. `None` if there are too few nodes.
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
        // An edge has two ends: each belongs to one canary.
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

/// A random node that fits; most do.
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
    // An entry lives in one list only, so edges have a direction.
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

    /// A short training on edges that are released so, everything else unchanged.
    fn audited(name: &str, epsilon: &str, data: &Dataset, seed: u64) -> Result<Audit, AuditError> {
        let subject = crate::audit::find(name).expect("a subject");
        let settings =
            subject.at(epsilon.parse().ok(), &Settings::from_iter([("epochs", 40.into())])).expect("settings");
        subject.audit_end_to_end(&settings, data, &options(seed))
    }

    /// A canary is in the list of its carrier if its coin fell so, in no other list, and nothing
    /// else changes.
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
        assert!(matches!(audited("graph-privatizer", "0.1", &tiny, 1), Err(AuditError::TooSmall { .. })));
    }

    #[test]
    fn a_claim_that_is_far_from_true_is_found_in_the_model() {
        let found = audited("graph-privatizer", "0.1", &crate::testing::citation(2000, 4), 1).expect("an audit");
        assert_eq!(found.verdict, Verdict::Violated, "{found:?}");
    }

    /// What is proven is never found violated, whatever the seed.
    #[test]
    fn a_proven_promise_survives_in_the_model() {
        for (name, epsilon) in [("edge-flip", "2"), ("neighbour-krr", "2"), ("lapgraph", "1")] {
            for seed in 0..4 {
                let found = audited(name, epsilon, &data(), seed).expect("an audit");
                assert_eq!(found.verdict, Verdict::NothingFound, "{found:?}");
            }
        }
    }
}
