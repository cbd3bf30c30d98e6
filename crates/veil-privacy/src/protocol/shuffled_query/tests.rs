use super::*;
use crate::protocol::exchange::testing::{
    A, B, C, D, P, Q, R, S, V, assert_device_as_simulated, by_reference, crowd, figure, in_world, line, over_the_wire,
    places, question_by_question,
};
use crate::testing::{edges, outcomes, stream};

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
        in_world(&edges(5, &[(0, neighbour), (1, 2), (3, 4)]), &features, |world| {
            protocol("0.1").distribution(world, 0).expect("few neighbours").into_keys().collect::<Vec<_>>()
        })
    });
    assert_eq!(supports, [[[1], [2]], [[3], [4]]]);
}

#[test]
fn a_device_reports_what_the_simulation_does() {
    let (coins, protocol) = (stream("device"), protocol("0.1"));
    assert_device_as_simulated(&protocol, &coins, |world, node| {
        let space = world.space();
        let drawn = protocol.draw(node.known.names(), &mut coins.node(node.me));
        let queries = over_the_wire(space, &ShuffledQuery::queries(node, &drawn));
        let answer = |to| {
            let answer = protocol.answer(space, &world.node(to), node.me, &by_reference(&queries))?;
            Some(over_the_wire(space, &answer))
        };
        let answers: Vec<Message<Profile>> = node.known.names().filter_map(answer).collect();
        let answers: Vec<Message<&Profile>> = answers.iter().map(by_reference).collect();
        let wanted = protocol.wanted(space, node, &drawn, &answers);
        question_by_question(world, node, &wanted).report
    });
}
