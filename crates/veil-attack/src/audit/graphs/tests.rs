use veil_graph::Dropped;
use veil_graph::generate::Community;
use veil_privacy::central::{edge_rand, lap_graph};
use veil_privacy::protocol::ProtocolError;
use veil_privacy::{Epsilon, Status, Trust, Unit};

use super::*;
use crate::audit::{Promise, TOLERANCE, Verdict};
use crate::testing::on_any_pool;

const EPSILONS: [&str; 6] = ["0.1", "0.5", "1", "2", "4", "8"];

fn options(canaries: usize, seed: u64) -> Options {
    Options { pairs: 50, canaries, seed }
}

fn citations(nodes: u32) -> Dataset {
    Community::citation().with_nodes(nodes).check().unwrap().generate(1)
}

fn edge_rand(text: &str, nodes: u32) -> Box<dyn GraphMechanism> {
    let epsilon = text.parse().unwrap();
    Box::new(edge_rand::Params { epsilon, nodes, max_edges: 10_000_000 }.check().unwrap())
}

/// A hundredth of ε for the number of edges.
fn lap_graph(text: &str, nodes: u32) -> Box<dyn GraphMechanism> {
    Box::new(noisy(text, nodes))
}

fn noisy(text: &str, nodes: u32) -> LapGraph {
    let epsilon: Epsilon = text.parse().unwrap();
    let epsilon_count = epsilon.divided_by(100).unwrap();
    lap_graph::Params { epsilon, epsilon_count, nodes }.check().unwrap()
}

fn against(audit: &Audit, share: f64) -> Verdict {
    let Promise { epsilon, delta } = audit.claim.claimed;
    let claim = Claim { claimed: Promise { epsilon: epsilon * share, delta }, ..audit.claim.clone() };
    Audit::new(claim, None, audit.canaries, None).verdict
}

#[test]
fn one_edge_loses_epsilon_and_no_more() {
    let data = citations(80);
    for text in EPSILONS {
        for mechanism in [edge_rand(text, 80), lap_graph(text, 80)] {
            let audit = central(&*mechanism, &data, &options(100, 1)).unwrap();
            let (exact, promised) = (audit.exact.as_ref().unwrap(), text.parse::<Epsilon>().unwrap().as_f64());
            assert_eq!((audit.claim.unit, audit.claim.trust), (Unit::Edge, Trust::Central));
            assert_eq!((audit.verdict, audit.claim.status), (Verdict::ProofHolds, Status::Proven), "{audit:?}");
            assert!(exact.epsilon <= promised + TOLERANCE && exact.epsilon > promised - 1e-9, "{audit:?}");
            assert!(exact.complete && exact.delta < TOLERANCE && exact.share_infinite == 0.0, "{audit:?}");
        }
    }
}

/// The guesses alone: never at confidence 1 − 10⁻⁶, and at 95 % as often as a bound of 95 % may
/// (more than 9 of 20 has probability 10⁻⁸, and there are fewer than 30 such cases).
#[test]
fn never_violated_over_twenty_keys() {
    let data = citations(90);
    for text in EPSILONS {
        for mechanism in [edge_rand(text, 90), lap_graph(text, 90)] {
            let above = (0..20).filter(|&seed| {
                let audit = central(&*mechanism, &data, &options(500, seed)).unwrap();
                assert_eq!(
                    (audit.verdict, against(&audit, 1.0)),
                    (Verdict::ProofHolds, Verdict::NothingFound),
                    "{audit:?}"
                );
                audit.canaries.unwrap().lower_bound_95 > audit.claim.claimed.epsilon
            });
            assert!(above.count() <= 9, "{text}: {}", mechanism.name());
        }
    }
}

/// EdgeRand tells each of 1,000 pairs with e^ε/(1+e^ε) right; of LapGraph a third are guessed at ε
/// = 1.
#[test]
fn the_bounds_are_close_to_the_truth() {
    let data = citations(300);
    for (text, coins, noise) in [("1", 0.75, 0.5), ("2", 1.7, 1.3), ("4", 3.0, 2.7)] {
        for (mechanism, least) in [(edge_rand(text, 300), coins), (lap_graph(text, 300), noise)] {
            let audit = central(&*mechanism, &data, &options(1000, 3)).unwrap();
            let found = audit.canaries.unwrap();
            assert_eq!(found.canaries, 1000);
            assert!(found.lower_bound_95 > least, "{audit:?}");
            if text == "2" {
                assert_eq!(against(&audit, 0.5), Verdict::Violated, "{audit:?}");
            }
        }
    }
}

/// About half of the edges come out, so that a released pair tells as much as it can.
#[test]
fn edges_are_added_until_half_of_them_come_out() {
    let data = citations(300);
    for text in ["0.5", "1", "2", "4"] {
        let mechanism = noisy(text, 300);
        let plan = Plan::new(&data, &Evidence::of_noise(&mechanism), &options(500, 2)).unwrap();
        let coins = Coins::reproducible(1).for_scoring("half");
        let released = mechanism.run(&plan.graph, &coins).unwrap();
        let kept = released.iter_edges().filter(|&(a, b)| plan.graph.has_edge(a, b)).count();
        let share = kept as f64 / plan.graph.edges() as f64;
        assert!((0.4..0.6).contains(&share), "ε = {text}: {share}");
    }
}

#[test]
fn canaries_are_edges_or_not_and_the_rest_is_as_it_was() {
    let data = citations(200);
    let mechanism = edge_rand("1", 200);
    let ExactGraph::Cells(cells) = mechanism.exact() else { panic!("EdgeRand flips cells") };
    let plan = Plan::new(&data, &Evidence::of_coins(&cells), &options(400, 5)).unwrap();
    let planted: std::collections::BTreeMap<_, _> = plan.canaries.iter().copied().collect();
    assert_eq!(planted.len(), 400);
    assert!((150..250).contains(&planted.values().filter(|secret| **secret).count()));
    for b in 0..200 {
        for a in 0..b {
            let expected = planted.get(&(a, b)).copied().unwrap_or(data.graph().has_edge(a, b));
            assert_eq!(plan.graph.has_edge(a, b), expected, "{a}, {b}");
        }
    }
}

/// One edge more than noise is made for: the exact part adds it up.
#[test]
fn two_edges_lose_twice_as_much() {
    let graph = |edges: &[(NodeId, NodeId)]| Graph::from_edges(4, edges, Direction::Undirected).unwrap().graph;
    let part = |numerator: u32| Fraction::new(numerator, 10_u32).unwrap();
    let both = loss(&graph(&[(0, 1), (2, 3), (1, 2)]), &graph(&[(1, 2)]), &part(1), &part(9), 1.0);
    assert!((both.epsilon - 2.0).abs() < 1e-15 && both.delta > 0.5, "{both:?}");
    // An exchanged edge leaves the number as it is.
    let exchanged = loss(&graph(&[(0, 1)]), &graph(&[(1, 2)]), &part(1), &part(9), 2.0);
    assert!((exchanged.epsilon - 1.8).abs() < 1e-15 && exchanged.delta == 0.0, "{exchanged:?}");
}

#[test]
fn the_same_on_any_number_of_threads() {
    let data = citations(150);
    for mechanism in [edge_rand("1", 150), lap_graph("1", 150)] {
        on_any_pool(|| central(&*mechanism, &data, &options(300, 1)).unwrap());
    }
}

#[test]
fn what_cannot_run_says_why() {
    let other = central(&*edge_rand("1", 70), &citations(80), &options(5, 1));
    assert!(matches!(other, Err(AuditError::Protocol(ProtocolError::Nodes { nodes: 80, found: 70, .. }))));
    let few = edge_rand::Params { epsilon: "1".parse().unwrap(), nodes: 80, max_edges: 10 }.check().unwrap();
    let refused = central(&few, &citations(80), &options(5, 1));
    assert!(matches!(refused, Err(AuditError::Protocol(ProtocolError::TooManyEdges { limit: 10, .. }))), "{refused:?}");
    let alone = Dataset::new("alone", Graph::empty(1, Direction::Undirected), Dropped::default());
    let small = central(&*lap_graph("1", 1), &alone, &options(5, 1));
    assert!(matches!(small, Err(AuditError::TooSmall { nodes: 1, least: 2, .. })));
    // Two nodes have one pair.
    let two = Dataset::new("two", Graph::empty(2, Direction::Undirected), Dropped::default());
    assert_eq!(central(&*lap_graph("1", 2), &two, &options(5, 1)).unwrap().canaries.unwrap().canaries, 1);
}

/// Two worlds that differ in one coin differ in one edge, filler and all.
#[test]
fn a_coin_changes_one_edge() {
    let data = crate::testing::citation(60, 2);
    let evidence = Evidence::of_noise(&noisy("1", 60));
    let plans: Vec<Plan> =
        (0..40).map(|seed| Plan::new(&data, &evidence, &Options { pairs: 1, canaries: 30, seed }).unwrap()).collect();
    for (seed, plan) in (0..).zip(&plans) {
        // All that is no canary is the same whatever the coins are: with all of them taken out,
        // nothing tells how they fell.
        let filler = plan.graph.edges() - plan.canaries.iter().filter(|(_, secret)| *secret).count();
        let flipped = Plan::flipped(&data, &evidence, &Options { pairs: 1, canaries: 30, seed }).unwrap();
        let other = flipped.graph.edges() - flipped.canaries.iter().filter(|(_, secret)| *secret).count();
        assert_eq!(filler, other);
        assert!(plan.canaries.iter().zip(&flipped.canaries).all(|(one, two)| one.0 == two.0 && one.1 != two.1));
    }
}
