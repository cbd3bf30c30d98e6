use super::*;
use crate::budget::Delta;
use crate::guarantee::{Status, Unit};
use crate::protocol::exchange::testing::{
    A, B, C, D, P, Q, R, S, V, assert_in_view, assert_same_on_any_threads, by_reference, crowd, figure, first_inbox,
    graph, in_world, known, line, over_the_wire, places, question_by_question, two_sides,
};
use crate::testing::{assert_binomial, outcomes, stream};

fn protocol(epsilon: &str) -> ShuffledQuery {
    Params { epsilon: epsilon.parse().expect("epsilon"), measure: Measure::Euclidean }.check().expect("parameters")
}

/// With a coin of four sides, one of which says "replace".
fn small() -> ShuffledQuery {
    ShuffledQuery { flip: Flip::small(1, 4), ..protocol("1") }
}

fn fraction(numerator: u32, denominator: u32) -> Fraction {
    Fraction::new(numerator, denominator).expect("not zero")
}

/// The thesis' example: b and d are removed, a and c stay.
#[test]
fn figure_3_1() {
    in_world(&figure(), &places(), |world| {
        let drawn = Drawn { removed: vec![D, B], retained: vec![A, C], retained_first: true };
        let vector = |name| world.node(name).mine;
        let queries = ShuffledQuery::queries(&world.node(V), &drawn);
        assert_eq!(queries, Message::Queries { first: vec![vector(A), vector(C)], second: vec![vector(D), vector(B)] });

        // a, b and c answer two questions each about a, c and d, b; d has only c besides v and does
        // not.
        let protocol = protocol("1");
        let answer = |name| protocol.answer(world.space(), &world.node(name), V, &queries);
        let all = |names: [NodeId; 2]| Some(names.map(vector).to_vec());
        let answers = [
            Message::Answers { first: all([P, R]), second: all([R, Q]) },
            Message::Answers { first: all([Q, S]), second: all([S, Q]) },
            Message::Answers { first: all([R, R]), second: all([D, R]) },
        ];
        assert_eq!([A, B, C].map(answer), answers.clone().map(Some));
        assert_eq!(answer(D), None);

        // The pool for b and d is {q, r, s}: b (20) becomes q (21), and d (40) becomes s (38).
        let wanted = protocol.wanted(world.space(), &world.node(V), &drawn, &answers);
        assert_eq!(wanted, [(B, vec![vector(Q)]), (D, vec![vector(S)])]);
        let (outcome, traffic) = protocol.simulate(world, V, &drawn);
        assert_eq!(outcome, Outcome { report: vec![A, C, Q, S], unresolved: 0 });
        // Vectors of 4 bytes: 4 of round 1, 4 in each of 4 queries, 4 in each of 3 answers; then q
        // of a, s of a and of b, and two names.
        let bytes = 4 * (4 + 16 + 12 + 3 + 2);
        assert_eq!(traffic, Traffic { rounds: 3 + 6, messages: 4 + 4 + 3 + 6, bytes, unresolved: 0, collisions: 0 });
    });
}

/// A node with too few neighbours for one set may answer the other.
#[test]
fn a_set_is_answered_for_itself() {
    in_world(&figure(), &places(), |world| {
        let drawn = Drawn { removed: vec![D], retained: vec![B, A, C], retained_first: false };
        let queries = ShuffledQuery::queries(&world.node(V), &drawn);
        let answer = |name| protocol("1").answer(world.space(), &world.node(name), V, &queries);
        let c = world.node(C).mine;
        assert_eq!(answer(D), Some(Message::Answers { first: Some(vec![c]), second: None }));
        assert!(matches!(answer(B), Some(Message::Answers { first: Some(_), second: None })));
        assert!(matches!(answer(A), Some(Message::Answers { first: Some(_), second: Some(_) })));
        assert_eq!(protocol("1").answer(world.space(), &world.node(A), V, &Message::Name(None)), None);
    });
}

/// Every set R by hand. Who replaces d depends on who else is flipped; with all four nobody can
/// answer; c and d may both become r.
#[test]
fn the_distribution_on_figure_3_1() {
    let by_hand: [(&[NodeId], u32); 15] = [
        // Nothing flipped (3⁴), or all.
        (&[A, B, C, D], 81 + 1),
        (&[B, C, D, P], 27),
        (&[A, C, D, Q], 27),
        (&[A, B, D, R], 27),
        (&[A, B, C, S], 27),
        (&[C, D, P, Q], 9),
        (&[B, D, P, R], 9),
        (&[B, C, P, S], 9),
        (&[A, D, Q, R], 9),
        (&[A, C, Q, S], 9),
        (&[A, B, R, S], 9),
        (&[D, P, Q, R], 3),
        (&[C, P, Q, R], 3),
        (&[B, P, R], 3),
        (&[A, Q, R], 3),
    ];
    let expected: BTreeMap<Vec<NodeId>, Fraction> =
        by_hand.iter().map(|&(report, mass)| (report.to_vec(), fraction(mass, 256))).collect();
    in_world(&figure(), &places(), |world| {
        assert_eq!(small().distribution(world, V), Some(expected));
    });
}

/// All coins, flips and orders, of the real functions.
#[test]
fn the_distribution_is_that_of_all_coins() {
    let (crowd, features) = crowd();
    let nodes = (0..crowd.nodes()).filter(|&me| (1..4).contains(&crowd.neighbours(me).len())).take(12);
    let cases = [(figure(), places(), (0..9).collect::<Vec<NodeId>>()), (crowd.clone(), features, nodes.collect())];
    for (graph, features, nodes) in cases {
        in_world(&graph, &features, |world| {
            for me in nodes {
                let draw = |coins: &mut _| {
                    let drawn = small().draw_with(world.node(me).known.names(), coins);
                    small().simulate(world, me, &drawn).0.report
                };
                let (masses, open) = outcomes(20, draw);
                assert!(open.is_zero());
                assert_eq!(small().distribution(world, me), Some(masses), "{me}");
            }
        });
    }
}

#[test]
fn sets_are_shuffled_evenly() {
    let (masses, _) = outcomes(20, |coins| {
        let drawn = small().draw_with([1, 2, 3].into_iter(), coins);
        (drawn.retained_first, drawn.removed, drawn.retained)
    });
    // {} and {1, 2, 3}: two times six orders. {1} and {2, 3}: two times two.
    assert_eq!(masses[&(true, vec![], vec![3, 1, 2])], fraction(27, 64 * 12));
    assert_eq!(masses[&(false, vec![1], vec![3, 2])], fraction(9, 64 * 4));
    assert_eq!(masses.len(), 2 * (6 + 3 * 2 + 3 * 2 + 6));
}

/// The lists {u} and {w}: reports that never coincide, so δ = 1 whatever ε.
#[test]
fn refuted_by_two_lists_with_distinct_replacements() {
    let features = line(&[0.0, 1.0, 2.0, 3.0, 4.0]);
    let supports = [1, 3].map(|neighbour| {
        in_world(&graph(5, &[(0, neighbour), (1, 2), (3, 4)]), &features, |world| {
            protocol("0.1").distribution(world, 0).expect("few neighbours").into_keys().collect::<Vec<_>>()
        })
    });
    assert_eq!(supports, [[[1], [2]], [[3], [4]]]);
}

#[test]
fn a_clique_is_reported_as_it_is() {
    let edges: Vec<(NodeId, NodeId)> = (0..5).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let (clique, features) = (graph(5, &edges), line(&[1.0, 2.0, 3.0, 4.0, 5.0]));
    let always = ShuffledQuery { flip: Flip::small(4, 4), ..protocol("1") };
    let reports = always.run(&clique, Some(&features), &stream("clique")).expect("reports");
    assert!((0..5).all(|me| reports.lists.neighbours(me) == clique.neighbours(me)));
    assert_eq!(reports.traffic.unresolved, 20);
}

#[test]
fn small_graphs() {
    let always = ShuffledQuery { flip: Flip::small(4, 4), ..protocol("1") };
    let run =
        |graph: &Graph, features: &Features| always.run(graph, Some(features), &stream("small")).expect("reports");
    let none = run(&graph(0, &[]), &line(&[]));
    assert_eq!((none.lists.nodes(), none.traffic), (0, Traffic::default()));
    let alone = run(&graph(2, &[]), &line(&[1.0, 2.0]));
    assert_eq!((alone.lists.entries(), alone.traffic), (0, Traffic::default()));
    // Two nodes: each asks about the other, who knows nobody else and can answer only the empty
    // set. 2 vectors of round 1, 2 of queries, 2 empty answers.
    let pair = run(&graph(2, &[(0, 1)]), &line(&[1.0, 2.0]));
    assert_eq!((pair.lists.neighbours(0), pair.lists.neighbours(1)), (&[1][..], &[0][..]));
    assert_eq!(pair.traffic, Traffic { rounds: 3, messages: 6, bytes: 16, unresolved: 2, collisions: 0 });
    // A star: each leaf takes the leaf most like the centre (3), itself and the centre left out;
    // the centre's leaves know nobody.
    let star = run(&graph(4, &[(3, 0), (3, 1), (3, 2)]), &line(&[1.0, 2.0, 4.5, 4.0]));
    let rows: Vec<&[NodeId]> = (0..4).map(|me| star.lists.neighbours(me)).collect();
    assert_eq!(rows, [&[2][..], &[2], &[1], &[0, 1, 2]]);
    assert_eq!(star.traffic.unresolved, 3);
}

#[test]
fn reports_name_only_whom_a_node_can_know() {
    let (graph, features) = crowd();
    for measure in [Measure::Cosine, Measure::Euclidean] {
        let protocol = Params { epsilon: "0.1".parse().expect("epsilon"), measure }.check().expect("parameters");
        let reports = protocol.run(&graph, Some(&features), &stream("view")).expect("reports");
        let mut moved = 0;
        for me in 0..graph.nodes() {
            assert_in_view(&graph, me, reports.lists.neighbours(me));
            moved += usize::from(reports.lists.neighbours(me) != graph.neighbours(me));
        }
        assert!(moved > 20, "{moved} lists were changed");
    }
}

#[test]
fn the_same_on_any_number_of_threads() {
    let (graph, features) = crowd();
    assert_same_on_any_threads(|| protocol("1").run(&graph, Some(&features), &stream("threads")));
}

/// 3,000 paths x–u–y. x reports y instead of u with probability 1/(1+e), and y reports x; u finds
/// nobody.
#[test]
fn run_flips_at_the_stated_rate() {
    let paths = 3_000_u32;
    let edges: Vec<(NodeId, NodeId)> = (0..paths).flat_map(|i| [(3 * i, 3 * i + 1), (3 * i + 1, 3 * i + 2)]).collect();
    let graph = graph(3 * paths, &edges);
    let features = line(&(0..3 * paths).map(|node| node as f32).collect::<Vec<_>>());
    let reports = protocol("1").run(&graph, Some(&features), &stream("paths")).expect("reports");
    let rows = || (0..paths).map(|i| [0, 1, 2].map(|end| reports.lists.neighbours(3 * i + end)));
    let p = protocol("1").flip.probability().to_f64();
    let replaced = rows().zip(0..).map(|(rows, i)| [rows[0] == [3 * i + 2], rows[2] == [3 * i]]);
    let replaced = replaced.flatten().filter(|&replaced| replaced).count() as u64;
    assert_binomial(replaced, 2 * u64::from(paths), p, 2, "ends");
    assert_binomial(reports.traffic.unresolved, 2 * u64::from(paths), p, 2, "middles");
    assert!(rows().zip(0..).all(|(rows, i)| rows[1] == [3 * i, 3 * i + 2]));
}

#[test]
fn what_is_claimed() {
    let guarantees = protocol("1").guarantees();
    let [guarantee] = guarantees.as_slice() else { panic!("one unit") };
    assert_eq!((guarantee.unit, guarantee.status), (Unit::EdgeSet, Status::Refuted));
    assert_eq!(guarantee.delta, "0.73105857863000488".parse::<Delta>().expect("delta"));
    assert_eq!(guarantee.parameters.to_string(), "epsilon=1;measure=euclidean");
    let infinite = Params { epsilon: Epsilon::INFINITE, measure: Measure::Cosine };
    assert_eq!(infinite.check(), Err(ParamError::NotPrivatised));
}

/// One node's part on messages as lines of JSON is what the simulation does for it.
#[test]
fn a_device_reports_what_the_simulation_does() {
    let (graph, features) = crowd();
    let (coins, protocol) = (stream("device"), protocol("0.1"));
    let reports = protocol.run(&graph, Some(&features), &coins).expect("reports");
    in_world(&graph, &features, |world| {
        let space = world.space();
        // Nodes with few neighbours: a device that begins again with each answer does all its work
        // once per question.
        let few = (0..graph.nodes()).filter(|&me| graph.neighbours(me).len() < 4);
        let moved = few.clone().filter(|&me| reports.lists.neighbours(me) != graph.neighbours(me));
        for me in few.take(5).chain(moved.take(5)) {
            let inbox = first_inbox(world, me);
            let known = known(&inbox);
            let node = Node { me, mine: world.node(me).mine, known: &known };
            let drawn = protocol.draw(known.names(), &mut coins.node(me));
            let queries = ShuffledQuery::queries(&node, &drawn);
            let answers: Vec<Message<Profile>> = known
                .names()
                .filter_map(|to| {
                    let received = over_the_wire(space, &queries);
                    let answer = protocol.answer(space, &world.node(to), me, &by_reference(&received))?;
                    Some(over_the_wire(space, &answer))
                })
                .collect();
            let answers: Vec<Message<&Profile>> = answers.iter().map(by_reference).collect();
            let wanted = protocol.wanted(space, &node, &drawn, &answers);
            assert_eq!(question_by_question(world, &node, &wanted).report, reports.lists.neighbours(me), "{me}");
        }
    });
}

#[test]
fn features_of_other_nodes_are_refused() {
    let found = protocol("1").run(&figure(), Some(&line(&[0.0; 8])), &stream("few"));
    assert_eq!(found, Err(ProtocolError::Nodes { what: "features", nodes: 9, found: 8 }));
}

/// Everyone is to be replaced. The four are, all by the same node, so that each reports one of
/// three entries; the three ask for four, and their neighbours have two others each: nobody
/// answers.
#[test]
fn entries_that_coincide_are_counted() {
    let (graph, features) = two_sides();
    let protocol = ShuffledQuery { flip: Flip::small(4, 4), ..protocol("1") };
    let Reports { lists, traffic } = protocol.run(&graph, Some(&features), &stream("sides")).expect("reports");
    let reports: Vec<&[NodeId]> = (0..7).map(|me| lists.neighbours(me)).collect();
    let all = [0, 1, 2, 3].as_slice();
    assert_eq!(reports, [[3].as_slice(), &[3], &[3], &[2], all, all, all]);
    assert_eq!((traffic.collisions, traffic.unresolved), (4 * 2, 3 * 4));
}
