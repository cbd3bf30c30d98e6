//! What holds of both protocols.

use veil_graph::{Features, Graph, NodeId};

use super::Flip;
use super::testing::{crowd, figure, line, two_sides};
use crate::budget::{Delta, Epsilon};
use crate::guarantee::{Status, Unit};
use crate::mechanism::ParamError;
use crate::protocol::{Measure, Protocol, ProtocolError, Reports, Traffic, dummy_exchange, shuffled_query};
use crate::testing::{assert_binomial, assert_same_on_any_threads, clique, edges, stream};

fn dummies(epsilon: Epsilon, measure: Measure) -> Result<dummy_exchange::DummyExchange, ParamError> {
    dummy_exchange::Params { epsilon, measure, most_dummies: 5, candidates: 100 }.check()
}

fn queries(epsilon: Epsilon, measure: Measure) -> Result<shuffled_query::ShuffledQuery, ParamError> {
    shuffled_query::Params { epsilon, measure }.check()
}

fn both(epsilon: &str, measure: Measure) -> [Box<dyn Protocol>; 2] {
    let epsilon = epsilon.parse().expect("epsilon");
    [Box::new(dummies(epsilon, measure).expect("parameters")), Box::new(queries(epsilon, measure).expect("parameters"))]
}

/// Both with a coin that always says "replace".
fn always(most_dummies: u32) -> [Box<dyn Protocol>; 2] {
    let (epsilon, measure) = ("1".parse().expect("epsilon"), Measure::Euclidean);
    let dummies = dummy_exchange::Params { epsilon, measure, most_dummies, candidates: 10 }.check();
    let (mut dummies, mut queries) = (dummies.expect("parameters"), queries(epsilon, measure).expect("parameters"));
    (dummies.flip, queries.flip) = (Flip::small(4, 4), Flip::small(4, 4));
    [Box::new(dummies), Box::new(queries)]
}

fn run(protocol: &dyn Protocol, graph: &Graph, features: &Features) -> Reports {
    protocol.run(graph, Some(features), &stream("both")).expect("reports")
}

fn rows(reports: &Reports) -> Vec<&[NodeId]> {
    (0..reports.lists.nodes()).map(|me| reports.lists.neighbours(me)).collect()
}

#[test]
fn a_clique_is_reported_as_it_is() {
    for protocol in [0, 5].into_iter().flat_map(always) {
        let reports = run(&*protocol, &clique(5), &line(&[1.0, 2.0, 3.0, 4.0, 5.0]));
        assert!((0..5).all(|me| reports.lists.neighbours(me) == clique(5).neighbours(me)));
        assert_eq!(reports.traffic.unresolved, 20);
    }
}

#[test]
fn small_graphs() {
    // Two nodes. With dummies each hears only of itself. With queries each asks about the other,
    // who knows nobody else and can answer only the empty set: 2 vectors of round 1, 2 of queries,
    // 2 empty answers.
    for (protocol, (rounds, messages)) in always(0).into_iter().zip([(2, 4), (3, 6)]) {
        let run = |graph: &Graph, features: &Features| run(&*protocol, graph, features);
        let none = run(&edges(0, &[]), &line(&[]));
        assert_eq!((none.lists.nodes(), none.traffic), (0, Traffic::default()));
        let alone = run(&edges(2, &[]), &line(&[1.0, 2.0]));
        assert_eq!((alone.lists.entries(), alone.traffic), (0, Traffic::default()));
        let pair = run(&edges(2, &[(0, 1)]), &line(&[1.0, 2.0]));
        assert_eq!(rows(&pair), [[1], [0]]);
        assert_eq!(pair.traffic, Traffic { rounds, messages, bytes: 16, unresolved: 2, collisions: 0 });
        // A star: each leaf takes the other leaf most like the centre (3), whose own leaves know
        // nobody else.
        let star = run(&edges(4, &[(3, 0), (3, 1), (3, 2)]), &line(&[1.0, 2.0, 4.5, 4.0]));
        assert_eq!(rows(&star), [&[2][..], &[2], &[1], &[0, 1, 2]]);
        assert_eq!(star.traffic.unresolved, 3);
    }
}

/// Reports are sets, and each of their nodes is at most two hops away and not the node itself.
#[test]
fn reports_name_only_whom_a_node_can_know() {
    let (graph, features) = crowd();
    for protocol in [Measure::Cosine, Measure::Euclidean].into_iter().flat_map(|measure| both("0.1", measure)) {
        let reports = run(&*protocol, &graph, &features);
        let mut moved = 0;
        for (me, report) in (0..).zip(rows(&reports)) {
            assert!(report.is_sorted_by(|a, b| a < b), "{me}: {report:?}");
            let near = graph.neighbours(me);
            for name in report {
                let known = near.contains(name) || near.iter().any(|&other| graph.neighbours(other).contains(name));
                assert!(known && *name != me, "{me} cannot know {name}");
            }
            moved += usize::from(report != near);
        }
        assert!(moved > 20, "{moved} lists were changed");
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let (graph, features) = crowd();
    for protocol in both("1", Measure::Euclidean) {
        assert_same_on_any_threads(|| run(&*protocol, &graph, &features));
    }
}

/// 3,000 paths x–u–y. x reports y instead of u with probability 1/(1+e), and y reports x; u finds
/// nobody.
#[test]
fn run_flips_at_the_stated_rate() {
    let paths = 3_000_u32;
    let pairs: Vec<(NodeId, NodeId)> = (0..paths).flat_map(|i| [(3 * i, 3 * i + 1), (3 * i + 1, 3 * i + 2)]).collect();
    let features = line(&(0..3 * paths).map(|node| node as f32).collect::<Vec<_>>());
    let p = Flip::new("1".parse().expect("epsilon")).expect("finite").probability().to_f64();
    for protocol in both("1", Measure::Euclidean) {
        let reports = run(&*protocol, &edges(3 * paths, &pairs), &features);
        let rows = || (0..paths).map(|i| (i, [0, 1, 2].map(|end| reports.lists.neighbours(3 * i + end))));
        let replaced = rows().flat_map(|(i, rows)| [rows[0] == [3 * i + 2], rows[2] == [3 * i]]);
        let replaced = replaced.filter(|&replaced| replaced).count() as u64;
        assert_binomial(replaced, 2 * u64::from(paths), p, 4, "ends");
        assert_binomial(reports.traffic.unresolved, 2 * u64::from(paths), p, 4, "middles");
        assert!(rows().all(|(i, rows)| rows[1] == [3 * i, 3 * i + 2]));
    }
}

#[test]
fn what_is_claimed() {
    let expected = [
        ("epsilon=1;measure=euclidean;max-dummies=5;candidates=100", "encoded reports and from raw sparse features"),
        ("epsilon=1;measure=euclidean", "divided into replaced and kept ones"),
    ];
    for (protocol, (parameters, not_protected)) in both("1", Measure::Euclidean).into_iter().zip(expected) {
        let guarantees = protocol.guarantees();
        let [guarantee] = guarantees.as_slice() else { panic!("one unit") };
        assert_eq!((guarantee.unit, guarantee.status), (Unit::EdgeSet, Status::Refuted));
        assert_eq!(guarantee.delta, "0.73105857863000488".parse::<Delta>().expect("delta"));
        assert_eq!(guarantee.parameters.to_string(), parameters);
        assert!(guarantee.not_protected.iter().any(|it| it.contains(not_protected)));
    }
    assert_eq!(dummies(Epsilon::INFINITE, Measure::Cosine), Err(ParamError::NotPrivatised));
    assert_eq!(queries(Epsilon::INFINITE, Measure::Cosine), Err(ParamError::NotPrivatised));
}

#[test]
fn features_of_other_nodes_are_refused() {
    for protocol in both("1", Measure::Euclidean) {
        let found = protocol.run(&figure(), Some(&line(&[0.0; 8])), &stream("few"));
        assert_eq!(found, Err(ProtocolError::Nodes { what: "features", nodes: 9, found: 8 }));
    }
}

/// Everyone is to be replaced. With dummies all are, by the same node: each of the four reports one
/// of three entries, each of the three one of four. With queries the four are likewise; the three
/// ask for four, and their neighbours have two others each: nobody answers.
#[test]
fn entries_that_coincide_are_counted() {
    let ((graph, features), [dummies, queries]) = (two_sides(), always(0));
    let reports = run(&*dummies, &graph, &features);
    assert_eq!(rows(&reports), [[3], [3], [3], [2], [5], [4], [4]]);
    assert_eq!((reports.traffic.collisions, reports.traffic.unresolved), (4 * 2 + 3 * 3, 0));
    let (reports, all) = (run(&*queries, &graph, &features), [0, 1, 2, 3].as_slice());
    assert_eq!(rows(&reports), [[3].as_slice(), &[3], &[3], &[2], all, all, all]);
    assert_eq!((reports.traffic.collisions, reports.traffic.unresolved), (4 * 2, 3 * 4));
}
