mod checked;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use veil_graph::generate::Community;
use veil_graph::random::Random;
use veil_graph::{Dataset, Dropped, Features, Graph, Matrix, NodeId};
use veil_privacy::parameters::Settings;
use veil_privacy::protocol::graph_privatizer::{Reading, Strategy};
use veil_privacy::protocol::{
    Measure, Protocol, dummy_exchange, edge_flip, graph_privatizer, neighbour_krr, shuffled_query, two_hop_rr,
};
use veil_privacy::{Coins, Epsilon, Fraction, Status, Unit};

use super::canaries::plant;
use super::carriers::{draw, planted};
use super::pairs::{Exchange, entries, exchanges};
use super::removals::removals;
use super::*;
use crate::audit::exact::between;
use crate::audit::{Promise, TOLERANCE, Verdict};
use crate::testing::{on_any_pool, undirected};

const EPSILONS: [&str; 4] = ["0.1", "1", "4", "8"];

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn citations(nodes: u32) -> Dataset {
    Community { features: 120, topic_words: 30, ..Community::citation() }.with_nodes(nodes).check().unwrap().generate(7)
}

/// A graph with one feature per node.
fn small(nodes: u32, edges: &[(NodeId, NodeId)]) -> Dataset {
    let values = (0..nodes).map(|node| 1.0 + node as f32).collect();
    let features = Features::Dense(Matrix::from_values(nodes as usize, 1, values).unwrap());
    Dataset::new("small", undirected(nodes, edges), Dropped::default()).with_features(features).unwrap()
}

fn options(seed: u64) -> Options {
    Options { pairs: 2000, canaries: 1000, seed }
}

fn privatizer(
    text: &str,
    strategy: Strategy,
    alpha: f64,
    delta: f64,
    measure: Measure,
    reading: Reading,
) -> Arc<dyn Protocol> {
    let params =
        graph_privatizer::Params { epsilon: epsilon(text), strategy, alpha, threshold: delta, measure, reading };
    Arc::new(params.check().unwrap())
}

fn threshold(text: &str) -> Arc<dyn Protocol> {
    privatizer(text, Strategy::Threshold, 0.5, 0.0, Measure::Cosine, Reading::Paper)
}

fn two_hops(text: &str) -> Arc<dyn Protocol> {
    Arc::new(two_hop_rr::Params { epsilon: epsilon(text) }.check().unwrap())
}

fn dummies(text: &str) -> Arc<dyn Protocol> {
    let params =
        dummy_exchange::Params { epsilon: epsilon(text), measure: Measure::Cosine, most_dummies: 5, candidates: 5 };
    Arc::new(params.check().unwrap())
}

fn queries(text: &str) -> Arc<dyn Protocol> {
    let params = shuffled_query::Params { epsilon: epsilon(text), measure: Measure::Cosine };
    Arc::new(params.check().unwrap())
}

fn krr(text: &str, nodes: u32) -> Arc<dyn Protocol> {
    Arc::new(neighbour_krr::Params { epsilon: epsilon(text), nodes }.check().unwrap())
}

fn flips(text: &str, nodes: u32) -> Arc<dyn Protocol> {
    Arc::new(
        edge_flip::Params {
            epsilon: epsilon(text),
            nodes,
            max_edges: u64::MAX,
            heard: veil_privacy::protocol::cascade::Heard::All,
        }
        .check()
        .unwrap(),
    )
}

/// A pair of nodes is one bit: an edge that both ends list is audited too.
#[test]
fn bits_about_earlier_nodes_are_audited_as_edges() {
    let heard = veil_privacy::protocol::cascade::Heard::Earlier;
    let params = |text: &str| edge_flip::Params { epsilon: epsilon(text), nodes: 200, max_edges: u64::MAX, heard };
    let protocol = params("1").check().unwrap();
    let data = Community::citation().with_nodes(200).check().unwrap().generate(1);
    let options = Options { pairs: 10, canaries: 1000, seed: 1 };
    let audits = audit(&protocol, &data, &options).unwrap();
    let units: Vec<Unit> = audits.iter().map(|it| it.claim.unit).collect();
    assert_eq!(units, [Unit::EdgeBit, Unit::Edge, Unit::EdgeSet]);
    for audit in &audits {
        assert_ne!(audit.verdict, Verdict::Violated, "{audit:?}");
        assert!(audit.canaries.as_ref().is_some_and(|it| it.guessed > 25), "{audit:?}");
    }
    let build = |nodes| Ok(Arc::new(edge_flip::Params { nodes, ..params("1") }.check()?) as Arc<dyn Protocol>);
    let (found, _) = crate::audit::code::lists::lists(&build, Unit::Edge).unwrap().unwrap();
    assert_eq!(found.finding, crate::audit::Finding::Holds, "{found:?}");
}

/// All that are refuted, GraphPrivatizer in every variant.
fn refuted(text: &str) -> Vec<Arc<dyn Protocol>> {
    let mut all = vec![two_hops(text), dummies(text), queries(text)];
    for strategy in [Strategy::MostSimilar, Strategy::Threshold] {
        for reading in [Reading::Paper, Reading::Reference] {
            all.push(privatizer(text, strategy, 0.5, 0.0, Measure::Euclidean, reading));
            all.extend([0.0, 0.2].map(|delta| privatizer(text, strategy, 0.5, delta, Measure::Cosine, reading)));
        }
    }
    all
}

fn all(text: &str, nodes: u32) -> Vec<Arc<dyn Protocol>> {
    refuted(text).into_iter().chain(proven(text, nodes)).collect()
}

/// All of the registry that are proven.
fn proven(text: &str, nodes: u32) -> Vec<Arc<dyn Protocol>> {
    let entries = protocol::ENTRIES.iter().filter(|entry| entry.status == Status::Proven);
    entries.map(|entry| (entry.build)(epsilon(text), nodes, &Settings::default()).unwrap()).collect()
}

/// The promise does not allow these two probabilities.
fn assert_breaks(witness: &Witness, promise: Promise, what: &str) {
    let Witness { probability_one, probability_other, .. } = witness;
    let allowed = promise.epsilon.exp() * probability_other + promise.delta;
    assert!(*probability_one > allowed + TOLERANCE, "{what}: {witness:?}");
    assert!(witness.one != witness.other && !witness.output.is_empty() && !witness.because.is_empty(), "{witness:?}");
}

fn assert_refuted(data: &Dataset, options: &Options, protocols: impl Fn(&str) -> Vec<Arc<dyn Protocol>>) {
    for text in EPSILONS {
        for protocol in protocols(text) {
            let what = format!("{} {}", protocol.name(), protocol.parameters());
            for audit in audit(&*protocol, data, options).unwrap() {
                assert_eq!(audit.verdict, Verdict::Violated, "{what}");
                assert_eq!(audit.claim.status, Status::Refuted);
                let exact = audit.exact.unwrap();
                assert_eq!(exact.epsilon, f64::INFINITY, "{what}");
                assert!(!exact.complete && exact.pairs > 0);
                assert_breaks(&audit.witness.unwrap(), audit.claim.claimed, &what);
                assert_eq!(audit.canaries.map_or(0, |it| it.canaries) > 0, options.canaries > 0, "{what}");
            }
        }
    }
}

/// Exact losses within the promise, and no key with which guesses refute it.
fn assert_holds(data: &Dataset, keys: u64, epsilons: &[&str]) {
    for text in epsilons {
        for protocol in proven(text, data.nodes()) {
            for seed in 0..keys {
                let audits = audit(&*protocol, data, &options(seed)).unwrap();
                assert_eq!(audits.len(), protocol.guarantees().len());
                for audit in audits {
                    let what =
                        format!("{} {} {}, key {seed}", protocol.name(), protocol.parameters(), audit.claim.unit);
                    let exact = audit.exact.as_ref().unwrap();
                    let promised = audit.claim.claimed.epsilon;
                    assert!(exact.epsilon <= promised + TOLERANCE, "{what}: {}", exact.epsilon);
                    assert!(exact.epsilon > promised - 1e-9, "{what}: {}", exact.epsilon);
                    assert!(exact.delta < 1e-12 && exact.share_infinite == 0.0, "{what}");
                    assert_eq!(audit.verdict, Verdict::ProofHolds, "{what}");
                    assert!(!audit.is_unexpected() && audit.witness.is_none());
                    // A neighbour among many nodes is rarely kept at a small ε, and what is drawn
                    // instead says nothing.
                    let canaries = audit.canaries.unwrap();
                    assert_eq!(canaries.canaries, (data.nodes() as usize / 2).min(1000), "{what}");
                    assert!(
                        canaries.guessed > 0
                            || (matches!(protocol.exact(), protocol::Exact::Slots { .. }) && promised < 5.0),
                        "{what}"
                    );
                }
            }
        }
    }
}

/// What canaries say without exact distributions.
fn guesses_alone(audit: Audit) -> Audit {
    Audit::new(audit.claim, None, audit.canaries, None)
}

#[test]
fn what_is_refuted_is_violated_at_every_epsilon() {
    assert_refuted(&citations(200), &options(1), refuted);
}

#[test]
fn what_is_proven_holds_with_every_key() {
    assert_holds(&citations(120), 20, &EPSILONS);
}

#[test]
fn guesses_alone_refute_what_promises_little() {
    let data = citations(400);
    for protocol in refuted("0.1") {
        let audit = guesses_alone(audit(&*protocol, &data, &options(3)).unwrap().remove(0));
        let canaries = audit.canaries.unwrap();
        assert_eq!((canaries.canaries <= 200, audit.exact, audit.witness), (true, None, None));
        // The thesis allows a δ above ½, against which guesses are powerless.
        if audit.claim.claimed.delta == 0.0 {
            assert_eq!(audit.verdict, Verdict::Violated, "{}: {canaries:?}", protocol.parameters());
            assert!(canaries.lower_bound_95 > 1.0, "{canaries:?}");
        }
    }
}

#[test]
fn a_violation_that_can_be_checked_by_hand() {
    // 0 knows 1, who knows 2; 3 knows 4.
    let data = small(5, &[(0, 1), (1, 2), (3, 4)]);
    let audit = audit(&*threshold("1"), &data, &options(1)).unwrap().remove(0);
    let exact = audit.exact.unwrap();
    // Each of 6 entries with 2 or 3 strangers: 0, 2, 3 and 4 have one neighbour, 1 has two.
    assert_eq!(exact.pairs, 4 * 3 + 2 * 2);
    // Of 0, 2, 3 and 4, who know nobody but the one who asks, nothing else can come; 1 knows
    // another one.
    assert_eq!(exact.share_unchanged, Some(4.0 / 6.0));
    let witness = audit.witness.unwrap();
    assert_eq!(witness.one, "the list of 0 is {1}");
    assert_eq!(witness.other, "the list of 0 is {3}");
    assert_eq!(witness.output, "a report of one of {1, 2}");
    assert_eq!((witness.probability_one, witness.probability_other), (1.0, 0.0));
    assert!(witness.because.starts_with("1 stays or becomes one of its candidates {2}; 3 stays or becomes one of"));
}

#[test]
fn without_strangers_nothing_is_compared() {
    // Everybody knows everybody, so that there is nobody to exchange a neighbour for.
    let clique: Vec<(NodeId, NodeId)> = (0..4).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let data = small(4, &clique);
    let audit = audit(&*threshold("1"), &data, &options(1)).unwrap().remove(0);
    let exact = audit.exact.unwrap();
    assert_eq!((exact.pairs, exact.epsilon, audit.witness), (0, 0.0, None));
    assert_eq!(audit.verdict, Verdict::NothingFound);
}

#[test]
fn lists_with_reports_in_common_have_a_witness_too() {
    // 1 has the candidates 2 and 3, and 2 has 1, 3 and 4: all but 4 are possible with both, and 4
    // only with 2.
    let data = small(5, &[(0, 1), (1, 2), (1, 3), (2, 3), (2, 4)]);
    let pair = Exchange { node: 0, neighbour: 1, instead: 2 };
    let protocol = threshold("1");
    let protocol::Exact::GraphPrivatizer(protocol) = protocol.exact() else { unreachable!() };
    let slots = slots::Slots::new(protocol, &data).unwrap();
    let [one, other] = [1, 2].map(|neighbour| slots.outcomes(neighbour, 0));
    assert_eq!(between(&one, &other, 1.0).epsilon, f64::INFINITY);
    let witness = slots::witness(&data, &pair, &one, &other).unwrap();
    assert_eq!((witness.one.as_str(), witness.other.as_str()), ("the list of 0 is {2}", "the list of 0 is {1}"));
    assert_eq!(witness.output, "the report {4}");
    let e = 1_f64.exp();
    assert!((witness.probability_one - 1.0 / (e + 3.0)).abs() < 1e-12 && witness.probability_other == 0.0);
    let reversed = Exchange { node: 0, neighbour: 2, instead: 1 };
    let same = slots::witness(&data, &reversed, &other, &one).unwrap();
    assert_eq!((same.one, same.other, same.output), (witness.one, witness.other, witness.output));
    // What can become the same nodes is told apart by none of them.
    assert_eq!(slots::witness(&data, &pair, &one, &one), None);
}

/// The reports of a two-hop list, with their probabilities: by walking through all of them.
fn two_hop_reports(
    graph: &Graph,
    me: NodeId,
    list: &[NodeId],
    bits: &[[Fraction; 2]; 2],
) -> Vec<(Vec<NodeId>, Fraction)> {
    let further = list.iter().flat_map(|&neighbour| graph.neighbours(neighbour));
    let mut within: Vec<NodeId> = list.iter().chain(further).copied().filter(|&node| node != me).collect();
    within.sort_unstable();
    within.dedup();
    let mut reports = vec![(Vec::new(), Fraction::one())];
    for node in within {
        let [absent, named] = &bits[usize::from(list.contains(&node))];
        reports = reports
            .into_iter()
            .flat_map(|(report, chance): (Vec<NodeId>, Fraction)| {
                let with: Vec<NodeId> = report.iter().copied().chain([node]).collect();
                [(report, &chance * absent), (with, &chance * named)]
            })
            .collect();
    }
    reports
}

#[test]
fn removals_lose_what_walking_through_all_reports_says() {
    let graphs = [
        undirected(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 2)]),
        undirected(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]),
        undirected(5, &[(0, 1), (0, 2), (1, 2), (3, 4)]),
        undirected(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]),
        undirected(6, &[(0, 1), (0, 2), (1, 2), (1, 3), (1, 4), (2, 5)]),
    ];
    let mut kinds = BTreeMap::new();
    for graph in &graphs {
        for text in ["0.5", "2"] {
            let protocol = two_hop_rr::Params { epsilon: epsilon(text) }.check().unwrap();
            let bits = [false, true].map(|bit| protocol.distribution(bit));
            for removal in removals(graph, &(0..graph.entries()).collect::<Vec<_>>()) {
                let rest: Vec<NodeId> =
                    removal.list.iter().copied().filter(|&node| node != removal.neighbour).collect();
                let [one, other] = [removal.list, &rest].map(|list| two_hop_reports(graph, removal.node, list, &bits));
                let epsilon = epsilon(text).as_f64();
                let (expected, found) = (between(&one, &other, epsilon), removal.loss(&protocol, epsilon));
                assert!(expected.epsilon == found.epsilon, "{removal:?}: {expected:?}, {found:?}");
                assert!((expected.delta - found.delta).abs() < 1e-12, "{removal:?}: {expected:?}, {found:?}");
                *kinds.entry((removal.itself, removal.dropped.is_empty())).or_insert(0) += 1;
            }
        }
    }
    // Each kind was met: the neighbour dropped or not, others dropped or not.
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn an_edge_that_cannot_be_denied() {
    // 0 knows 1 and 2; only 1 knows 3.
    let data = small(4, &[(0, 1), (0, 2), (1, 2), (1, 3)]);
    let one = removals(data.graph(), &[0]).remove(0);
    assert_eq!((one.node, one.neighbour, one.itself, one.dropped), (0, 1, false, vec![3]));
    let audit = audit(&*two_hops("1"), &data, &options(1)).unwrap().remove(0);
    let witness = audit.witness.unwrap();
    assert_eq!((witness.one.as_str(), witness.other.as_str()), ("the list of 0 is {1, 2}", "the list of 0 is {2}"));
    assert_eq!(witness.output, "any report that names 3");
    let flip = 1.0 / (1.0 + 1_f64.exp());
    assert!(witness.probability_other == 0.0 && (witness.probability_one - flip).abs() < 1e-12);
    let because = "3 is in the list {0, 2, 3} of 1, and neither among {2} nor in the lists of these: without 1 it is \
                   more than two hops away and never reported";
    assert_eq!(witness.because, because);
}

#[test]
fn two_hops_of_a_clique_are_refuted_by_a_list_of_one() {
    let clique: Vec<(NodeId, NodeId)> = (0..4).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    for data in [small(4, &clique), small(4, &[])] {
        let audit = audit(&*two_hops("8"), &data, &options(1)).unwrap().remove(0);
        assert_eq!(audit.verdict, Verdict::Violated);
        let witness = audit.witness.unwrap();
        assert_eq!((witness.one.as_str(), witness.other.as_str()), ("the list of 0 is {1}", "the list of 0 is {}"));
        assert_breaks(&witness, audit.claim.claimed, "two hops");
    }
}

#[test]
fn scores_are_likelihood_ratios() {
    let data = citations(200);
    let promised = 1.5;
    let score = |protocol: &dyn Protocol, unit| {
        let guarantee = protocol.guarantees().into_iter().find(|guarantee| guarantee.unit == unit).unwrap();
        plant(protocol, &data, &Claim::from(&guarantee), &options(5)).unwrap()
    };
    let near = |score: f64, values: &[f64]| values.iter().any(|value| (score - value).abs() < 1e-9);
    for canary in score(&*krr("1.5", 200), Unit::EdgeSet) {
        assert!(near(canary.score, &[-promised, 0.0, promised]), "{canary:?}");
    }
    for canary in score(&*flips("1.5", 200), Unit::EdgeBit) {
        assert!(near(canary.score, &[-promised, promised]), "{canary:?}");
    }
    let both = score(&*flips("1.5", 200), Unit::EdgeSet);
    assert!(both.iter().all(|canary| near(canary.score, &[-2.0 * promised, 0.0, 2.0 * promised])));
    assert!(both.iter().any(|canary| canary.score == 0.0));
    // A tenth of ε is the degree's: it agrees with the bit or not.
    let degrees = (protocol::find("blink").unwrap().build)(epsilon("1.5"), 200, &Settings::default()).unwrap();
    let counted = score(&*degrees, Unit::EdgeBit);
    assert!(counted.iter().all(|canary| near(canary.score.abs(), &[promised, 0.8 * promised])), "{counted:?}");
    assert!(counted.iter().any(|canary| near(canary.score.abs(), &[0.8 * promised])));
    let both = score(&*degrees, Unit::EdgeSet);
    assert!(both.iter().all(|canary| near(canary.score.abs(), &[0.0, 1.8 * promised])), "{both:?}");
    // What is impossible with one list is never wrong, and every report is possible with the list
    // that it is of.
    for protocol in refuted("1.5") {
        let canaries = score(&*protocol, protocol.guarantees()[0].unit);
        for canary in &canaries {
            let wrong = canary.score.is_infinite() && (canary.score > 0.0) != canary.secret;
            assert!(!wrong && !canary.score.is_nan(), "{}: {canary:?}", protocol.parameters());
        }
        assert!(canaries.iter().any(|canary| canary.score.is_infinite()));
    }
}
