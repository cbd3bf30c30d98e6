use super::*;
use crate::protocol::exchange::Vector;
use crate::protocol::exchange::testing::{
    A, B, C, D, P, Q, R, S, V, assert_device_as_simulated, by_reference, crowd, figure, in_world, line, over_the_wire,
    places, question_by_question,
};
use crate::testing::{assert_binomial, edges, outcomes, stream, together};

fn protocol(epsilon: &str, most_dummies: u32, candidates: u32) -> DummyExchange {
    let epsilon = epsilon.parse().expect("epsilon");
    Params { epsilon, measure: Measure::Euclidean, most_dummies, candidates }.check().expect("parameters")
}

/// With a coin of four sides, of which so many say "replace".
fn flipping(flips: u128, most_dummies: u32) -> DummyExchange {
    DummyExchange { flip: Flip::small(flips, 4), ..protocol("1", most_dummies, 10) }
}

/// The thesis' example: who receives what, and b and d are removed.
#[test]
fn figure_3_1() {
    in_world(&figure(), &places(), |world| {
        let received = |from| match DummyExchange::forwarded(world.node(from).known, &[]) {
            Message::Forwarded(vectors) => vectors,
            other => panic!("{other:?}"),
        };
        // In the order of their places on the line.
        let vectors = |names: &[NodeId]| names.iter().map(|&name| world.node(name).mine).collect::<Vec<_>>();
        assert_eq!(received(A), vectors(&[V, P, Q, R]));
        assert_eq!(received(B), vectors(&[V, Q, S]));
        assert_eq!(received(C), vectors(&[V, R, S, D]));
        assert_eq!(received(D), vectors(&[V, C]));

        // Candidates are p (12), q (21), r (33), s (38), for b (20) and d (40).
        let protocol = protocol("1", 0, 2);
        let heard = [A, B, C, D].map(received).concat();
        let flipped = [false, true, false, true];
        let wanted = protocol.wanted(world.space(), &world.node(V), &flipped, heard);
        assert_eq!(wanted, [(B, vectors(&[Q, P])), (D, vectors(&[S, R]))]);
        let (outcome, traffic) = protocol.simulate(world, &Moments::of(&places()), &stream("figure"), V, &flipped);
        assert_eq!(outcome, Outcome { report: vec![A, C, Q, S], unresolved: 0 });
        // Vectors of 4 bytes: 4 of round 1 and 4 + 3 + 4 + 2 of round 2; then q of a, s of a and of
        // b, and two names.
        let bytes = 4 * (4 + 13 + 3 + 2);
        assert_eq!(traffic, Traffic { rounds: 2 + 6, messages: 4 + 4 + 6, bytes, unresolved: 0, collisions: 0 });
    });
}

/// Nothing flipped: 12 edges, and 74 = Σ degree² vectors in round 2.
#[test]
fn the_traffic_of_figure_3_1() {
    let coins = stream("traffic");
    let run = |most| flipping(0, most).run(&figure(), Some(&places()), &coins).expect("reports");
    let plain = run(0);
    assert!((0..9).all(|me| plain.lists.neighbours(me) == figure().neighbours(me)));
    let expected = Traffic { rounds: 2, messages: 24 + 24, bytes: 4 * (24 + 74), unresolved: 0, collisions: 0 };
    assert_eq!(plain.traffic, expected);

    // Dummies: ⌊degree/2⌋ or one more in each of a node's messages; Σ degree·⌊degree/2⌋ = 35 and 24
    // coins.
    let dummies = (run(5).traffic.bytes - expected.bytes) / 4;
    assert!((35 + 1..35 + 24).contains(&dummies), "{dummies}");
    let counted: usize = (0..9)
        .flat_map(|from| figure().neighbours(from).iter().map(move |&to| (from, to)).collect::<Vec<_>>())
        .map(|(from, to)| {
            let key = Key::draw(&mut coins.node(from));
            flipping(0, 5).dummies(&key, to, figure().neighbours(from).len()).count()
        })
        .sum();
    assert_eq!(dummies, counted as u64);
    assert_eq!(run(1).traffic.bytes - expected.bytes, 4 * (24 - leaves_without_dummy(&coins)));
}

/// Of Figure 3.1 only p has degree 1, and so perhaps no dummy at all.
fn leaves_without_dummy(coins: &Stream) -> u64 {
    u64::from(flipping(0, 1).dummies(&Key::draw(&mut coins.node(P)), A, 1).count() == 0)
}

/// What is only counted when nothing is replaced has the bytes of the message itself.
#[test]
fn dummies_that_are_not_made_are_counted() {
    let (graph, features) = crowd();
    let (moments, coins, protocol) = (Moments::of(&features), stream("unmade"), flipping(0, 5));
    in_world(&graph, &features, |world| {
        for me in 0..40 {
            let sent = graph.neighbours(me).iter().map(|&from| {
                let known = world.node(from).known;
                let dummies = protocol.dummies(&Key::draw(&mut coins.node(from)), me, known.degree());
                DummyExchange::forwarded(known, &dummies.make(world.space(), &moments)).bytes()
            });
            let bytes = world.first_round(me).bytes + sent.sum::<u64>();
            let kept = vec![false; graph.neighbours(me).len()];
            assert_eq!(protocol.simulate(world, &moments, &coins, me, &kept).1.bytes, bytes);
        }
    });
}

#[test]
fn moments_are_those_of_rectified_values() {
    let (_, encoded) = crowd();
    let values = (0..300).flat_map(|row| (0..30).map(move |column| (row, column)));
    let values = values.map(|(row, column)| encoded.value(row, column)).collect();
    let dense = Features::Dense(veil_graph::Matrix::from_values(300, 30, values).expect("a matrix"));
    let (a, b) = (Moments::of(&encoded), Moments::of(&dense));
    let near = |x: &[f32], y: &[f32]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-4);
    assert!(near(&a.mean, &b.mean) && near(&a.deviation, &b.deviation));
    assert_eq!(a.range, b.range);
    let plain = Moments::of(&line(&[1.0, 3.0, 8.0]));
    assert_eq!((plain.mean, plain.range), (vec![4.0], (1.0, 8.0)));
    assert!((plain.deviation[0] - (26.0_f32 / 3.0).sqrt()).abs() < 1e-6);
    let none = Moments::of(&line(&[]));
    assert_eq!((none.mean, none.deviation, none.range), (vec![0.0], vec![0.0], (0.0, 0.0)));
}

#[test]
fn dummies_are_drawn_for_each_receiver() {
    let features = line(&[-1.0, 2.0, 8.0]);
    let (space, moments) = (Space::of(&features), Moments::of(&features));
    let coins = stream("receivers");
    let protocol = protocol("1", 5, 10);
    let sent = |from, to, degree| protocol.dummies(&Key::draw(&mut coins.node(from)), to, degree);
    assert_eq!(sent(0, 1, 7).make(&space, &moments), sent(0, 1, 7).make(&space, &moments));
    assert_ne!(sent(0, 1, 9).make(&space, &moments), sent(0, 2, 9).make(&space, &moments));
    assert_ne!(sent(0, 1, 9).make(&space, &moments), sent(3, 1, 9).make(&space, &moments));
    for (degree, least, most) in [(0, 0, 1), (1, 0, 1), (2, 1, 2), (7, 3, 4), (9, 4, 5), (10, 5, 5), (1_000, 5, 5)] {
        let counts: Vec<usize> = (0..40).map(|to| sent(0, to, degree).count()).collect();
        assert_eq!((counts.iter().min(), counts.iter().max()), (Some(&least), Some(&most)), "degree {degree}");
    }
    // What draw gives a node is what the simulation takes for it.
    let drawn = protocol.draw(3, &mut coins.node(0));
    assert_eq!(protocol.dummies(&drawn.key, 1, 7).make(&space, &moments), sent(0, 1, 7).make(&space, &moments));
    assert_eq!(drawn.flipped.len(), 3);
}

/// Against the exact distribution of the sum of eight bytes, and clipped.
#[test]
fn dummies_have_the_stated_distribution() {
    let mut masses = vec![1.0_f64];
    for _ in 0..8 {
        let mut next = vec![0.0; masses.len() + 255];
        for (sum, mass) in masses.iter().enumerate() {
            next[sum..sum + 256].iter_mut().for_each(|cell| *cell += mass / 256.0);
        }
        masses = next;
    }
    let above = |least: usize| masses[least..].iter().sum::<f64>();
    // A normal's tail beyond one deviation is 0.1587.
    assert!((above(1_020 + 210) - 0.1587).abs() < 5e-3);

    let dimensions = 2_000;
    let space = Space { dimensions, offset: 0.0, scale: 1.0 };
    let moments = Moments {
        mean: vec![3.0; dimensions as usize],
        deviation: vec![2.0; dimensions as usize],
        range: (-1.0, 100.0),
    };
    let coins = stream("normal");
    let dummies = protocol("1", 5, 10).dummies(&Key::draw(&mut coins.node(0)), 1, 100).make(&space, &moments);
    let values: Vec<f32> = dummies
        .iter()
        .flat_map(|dummy| match dummy.vector() {
            Vector::Dense(values) => values.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(values.len(), 10_000);
    let hits = |test: &dyn Fn(f32) -> bool| values.iter().filter(|&&value| test(value)).count() as u64;
    assert_binomial(hits(&|value| value > 3.0), 10_000, above(1_021), 3, "above the mean");
    // One deviation is 209.02: sums of 1230 and more.
    assert_binomial(hits(&|value| value > 5.0), 10_000, above(1_230), 3, "above a deviation");
    // Two deviations are 418.04: sums of 601 and less are clipped, as many as those of 1439 and
    // more.
    assert_binomial(hits(&|value| value == -1.0), 10_000, above(1_439), 3, "clipped");
    assert_eq!(hits(&|value| value < -1.0), 0);
}

/// With one candidate to try, a dummy that comes first leaves a neighbour in its place.
#[test]
fn dummies_do_not_resolve() {
    let (graph, _) = crowd();
    let mut coins = stream("places").node(0);
    let features = line(&(0..300).map(|_| coins.below(1 << 20) as f32).collect::<Vec<_>>());
    let run = |most_dummies, candidates| {
        let protocol = DummyExchange { flip: Flip::small(4, 4), ..protocol("1", most_dummies, candidates) };
        protocol.run(&graph, Some(&features), &stream("resolve")).expect("reports").traffic.unresolved
    };
    let (without, with, more) = (run(0, 1), run(5, 1), run(5, 10));
    assert!(without < more && more < with, "{without} {more} {with}");
}

/// All flips of the real functions, given the dummies: slots are independent.
#[test]
fn the_distribution_is_that_of_all_coins() {
    let (crowd, features) = crowd();
    let nodes = (0..crowd.nodes()).filter(|&me| (1..5).contains(&crowd.neighbours(me).len())).take(12);
    let cases = [(figure(), places(), (0..9).collect::<Vec<NodeId>>()), (crowd.clone(), features, nodes.collect())];
    for (graph, features, nodes) in cases {
        let (moments, coins, protocol) = (Moments::of(&features), stream("exact"), flipping(1, 5));
        in_world(&graph, &features, |world| {
            for me in nodes {
                let slots = graph.neighbours(me).iter().map(|&neighbour| {
                    let slot = protocol.distribution(world, &moments, &coins, me, neighbour).expect("a neighbour");
                    assert!(slot.windows(2).all(|pair| pair[0].0 < pair[1].0));
                    slot
                });
                let expected = together(Vec::new(), slots, |report, &name| {
                    let mut report: Vec<NodeId> = [&report[..], &[name]].concat();
                    report.sort_unstable();
                    report.dedup();
                    report
                });
                let (masses, open) = outcomes(8, |scripted| {
                    let flipped = protocol.flip.draw(graph.neighbours(me).len(), scripted);
                    protocol.simulate(world, &moments, &coins, me, &flipped).0.report
                });
                assert!(open.is_zero());
                assert_eq!(masses, expected, "{me}");
            }
            assert_eq!(protocol.distribution(world, &moments, &coins, 0, 0), None);
        });
    }
}

#[test]
fn the_slots_of_figure_3_1() {
    let (features, coins) = (places(), stream("slots"));
    in_world(&figure(), &features, |world| {
        let (keep, flip) = (Fraction::new(3_u32, 4_u32).expect("some"), Fraction::new(1_u32, 4_u32).expect("some"));
        for (neighbour, replacement) in [(A, P), (B, Q), (C, R), (D, S)] {
            let slot = flipping(1, 5).distribution(world, &Moments::of(&features), &coins, V, neighbour);
            assert_eq!(slot, Some(vec![(neighbour, keep.clone()), (replacement, flip.clone())]));
        }
    });
}

/// The lists {u} and {w}: reports that never coincide, so δ = 1 whatever ε.
#[test]
fn refuted_by_two_lists_with_distinct_replacements() {
    let (features, coins) = (line(&[0.0, 1.0, 2.0, 3.0, 4.0]), stream("refuted"));
    let supports = [1, 3].map(|neighbour| {
        in_world(&edges(5, &[(0, neighbour), (1, 2), (3, 4)]), &features, |world| {
            let slot = protocol("0.1", 5, 10).distribution(world, &Moments::of(&features), &coins, 0, neighbour);
            slot.expect("a neighbour").into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        })
    });
    assert_eq!(supports, [[1, 2], [3, 4]]);
}

#[test]
fn a_device_reports_what_the_simulation_does() {
    let (features, coins, protocol) = (crowd().1, stream("device"), protocol("0.1", 5, 20));
    let moments = Moments::of(&features);
    assert_device_as_simulated(&protocol, &coins, |world, node| {
        let space = world.space();
        let forwarded = |from| {
            let known = world.node(from).known;
            let key = protocol.draw(known.degree(), &mut coins.node(from)).key;
            let dummies = protocol.dummies(&key, node.me, known.degree()).make(space, &moments);
            over_the_wire(space, &DummyExchange::forwarded(known, &dummies))
        };
        let second: Vec<Message<Profile>> = node.known.names().map(forwarded).collect();
        let heard = second.iter().flat_map(|message| match by_reference(message) {
            Message::Forwarded(vectors) => vectors,
            other => panic!("{other:?}"),
        });
        let flipped = protocol.draw(node.known.degree(), &mut coins.node(node.me)).flipped;
        let wanted = protocol.wanted(space, node, &flipped, heard.collect());
        question_by_question(world, node, &wanted).report
    });
}

#[test]
fn something_must_be_tried() {
    let epsilon = "1".parse().expect("epsilon");
    let none = Params { epsilon, measure: Measure::Cosine, most_dummies: 5, candidates: 0 };
    assert_eq!(none.check(), Err(ParamError::NoCandidates));
}

/// A dummy holds all values, and released vectors do so only if they are dense.
#[test]
fn dummies_are_told_from_all_but_dense_vectors() {
    let sparse = veil_graph::Sparse::from_triples(9, 3, &[(0, 1, 1.0), (4, 2, 0.5)]).expect("sparse");
    for (features, told) in [(crowd().1, true), (Features::Sparse(sparse), true), (places(), false)] {
        let key = Key::draw(&mut stream("told").node(0));
        let dummies = protocol("1", 5, 10).dummies(&key, 1, 4).make(&Space::of(&features), &Moments::of(&features));
        assert!(dummies.len() >= 2 && dummies.iter().all(|dummy| matches!(dummy.vector(), Vector::Dense(_))));
        let dense = (0..features.rows()).filter(|&row| matches!(Vector::released(&features, row), Vector::Dense(_)));
        assert_eq!(dense.count(), if told { 0 } else { features.rows() });
    }
}
