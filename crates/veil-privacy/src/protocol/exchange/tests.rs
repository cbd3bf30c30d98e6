use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use veil_graph::{Features, Matrix, Sparse};

use super::testing::{A, B, C, D, P, Q, R, S, V, crowd, figure, in_world, line, places};
use super::*;
use crate::protocol::Measure;

const SPACE: Space = Space { dimensions: 4, offset: 0.5, scale: 3.0 };

fn profile(vector: Vector) -> Profile {
    SPACE.receive(vector).expect("a vector")
}

/// The rectified values, one by one.
fn values(vector: &Vector) -> Vec<f64> {
    let mut values = vec![if matches!(vector, Vector::Signs(_)) { 0.5 } else { 0.0 }; 4];
    match vector {
        Vector::Signs(signs) => signs.iter().for_each(|&(at, up)| values[at as usize] += if up { 3.0 } else { -3.0 }),
        Vector::Sparse(pairs) => pairs.iter().for_each(|&(at, value)| values[at as usize] = value.into()),
        Vector::Dense(all) => values = all.iter().map(|&value| value.into()).collect(),
    }
    values
}

#[test]
fn likeness_is_that_of_rectified_values() {
    let vectors = [
        Vector::Signs(vec![(0, true)]),
        Vector::Signs(vec![(0, false), (3, true)]),
        Vector::Signs(vec![]),
        Vector::Sparse(vec![(1, 2.0), (3, -1.0)]),
        Vector::Sparse(vec![]),
        Vector::Dense(vec![1.0, 2.0, 3.0, -4.0]),
        Vector::Dense(vec![0.25, 0.0, 0.0, 8.0]),
    ];
    for left in &vectors {
        for right in &vectors {
            let (x, y) = (values(left), values(right));
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
            let norms = (dot(&x, &x) * dot(&y, &y)).sqrt();
            let cosine = if norms == 0.0 { 0.0 } else { dot(&x, &y) / norms };
            let distance: f64 = x.iter().zip(&y).map(|(a, b)| (a - b) * (a - b)).sum();
            let (left, right) = (profile(left.clone()), profile(right.clone()));
            assert!((SPACE.likeness(Measure::Cosine, &left, &right) - cosine).abs() < 1e-12);
            assert!((SPACE.likeness(Measure::Euclidean, &left, &right) + distance).abs() < 1e-9);
        }
    }
}

#[test]
fn released_vectors_are_those_of_the_features() {
    let (_, encoded) = crowd();
    let sparse = Features::Sparse(Sparse::from_triples(2, 3, &[(0, 2, 1.5), (1, 0, -1.0)]).expect("sparse"));
    let dense = Features::Dense(Matrix::from_values(2, 3, vec![1.0, 0.0, 2.0, 3.0, 4.0, 5.0]).expect("dense"));
    for features in [encoded, sparse, dense] {
        let (space, profiles) = (Space::of(&features), profiles(&features));
        assert_eq!(profiles.len(), features.rows());
        for (i, left) in profiles.iter().enumerate() {
            assert_eq!(Vector::released_bytes(&features, i), left.vector().bytes());
            for (j, right) in profiles.iter().enumerate().take(20) {
                let expected = features.dot(i, j) / (features.norm(i) * features.norm(j));
                assert!((space.likeness(Measure::Cosine, left, right) - expected).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn what_is_no_vector_is_refused() {
    let refused = |vector| SPACE.receive(vector).expect_err("refused");
    assert_eq!(refused(Vector::Dense(vec![0.0; 3])), VectorError::Length { dimensions: 4, found: 3 });
    assert_eq!(refused(Vector::Dense(vec![f32::NAN; 4])), VectorError::NotFinite);
    assert_eq!(refused(Vector::Sparse(vec![(1, f32::INFINITY)])), VectorError::NotFinite);
    assert_eq!(refused(Vector::Signs(vec![(4, true)])), VectorError::Dimension { dimensions: 4, found: 4 });
    assert_eq!(refused(Vector::Sparse(vec![(2, 1.0), (2, 1.0)])), VectorError::Dimension { dimensions: 4, found: 2 });
    assert_eq!(
        refused(Vector::Signs(vec![(u32::MAX, true)])),
        VectorError::Dimension { dimensions: 4, found: u32::MAX }
    );
}

#[test]
fn messages_survive_json() {
    let signs = Vector::Signs(vec![(3, true), (7, false)]);
    let dense = Vector::Dense(vec![0.1, -2.5e-8, f32::MAX]);
    let messages = [
        (Message::Mine(signs.clone()), r#"{"mine":{"signs":[[3,true],[7,false]]}}"#),
        (Message::Forwarded(vec![signs.clone(), dense.clone()]), ""),
        (Message::Queries { first: vec![dense], second: vec![] }, ""),
        (Message::Answers { first: None, second: Some(vec![signs.clone()]) }, ""),
        (Message::Whose(Vector::Sparse(vec![(1, 0.3)])), r#"{"whose":{"sparse":[[1,0.3]]}}"#),
        (Message::Name(Some(4)), r#"{"name":4}"#),
        (Message::Name(None), r#"{"name":null}"#),
    ];
    for (message, expected) in messages {
        let json = serde_json::to_string(&message).expect("json");
        assert!(expected.is_empty() || json == expected, "{json}");
        assert_eq!(serde_json::from_str::<Message>(&json).expect("a message"), message);
    }
}

/// Of neighbours with equal vectors the smallest number is named, and equal strangers are one
/// candidate.
#[test]
fn equal_vectors_are_one() {
    let (one, two) = (profile(Vector::Signs(vec![(0, true)])), profile(Vector::Signs(vec![(1, true)])));
    let (three, four) = (profile(Vector::Signs(vec![(2, true)])), profile(Vector::Signs(vec![(3, true)])));
    let known = Known::new([(9, &one), (4, &two), (6, &one)]);
    assert_eq!((known.name_of(&one), known.name_of(&two), known.name_of(&three)), (Some(6), Some(4), None));
    assert_eq!(known.names().collect::<Vec<_>>(), [4, 6, 9]);
    assert_eq!(known.by_vector().map(|(name, _)| name).collect::<Vec<_>>(), [6, 9, 4]);
    let node = Node { me: 1, mine: &three, known: &known };
    let stranger = four.clone();
    assert_eq!(node.candidates(vec![&four, &one, &stranger, &three, &two]), [&four]);
}

#[test]
fn the_closest_come_first_and_ties_in_the_order_given() {
    let features = line(&[0.0, 5.0, 1.0, -1.0, 2.0, -2.0]);
    let (space, profiles) = (Space::of(&features), profiles(&features));
    let mut sorted: Vec<&Profile> = profiles[1..].iter().collect();
    sorted.sort();
    let places = |most| {
        let found = closest(&space, Measure::Euclidean, &profiles[0], sorted.iter().copied(), most);
        found.iter().map(|vector| profiles.iter().position(|other| other == *vector).expect("one")).collect::<Vec<_>>()
    };
    assert_eq!(places(9), [3, 2, 5, 4, 1]);
    assert_eq!(places(3), [3, 2, 5]);
    assert_eq!(places(0), [0; 0]);
}

/// A device that asks one question at a time and begins again with each answer ends as the
/// simulation does.
#[test]
fn questions_one_by_one() {
    in_world(&figure(), &places(), |world| {
        let (node, vector) = (world.node(V), |name| world.node(name).mine);
        // Nobody knows 99; v's own vector, known to all, is no replacement.
        let nobody = world.space().receive(Vector::Dense(vec![99.0])).expect("a vector");
        let wanted = [(B, vec![&nobody, vector(V), vector(Q)]), (D, vec![vector(S)]), (C, vec![&nobody])];
        let mut told = Vec::new();
        let outcome = loop {
            let answer = |neighbour, vector| {
                let question = Question { neighbour, vector };
                told.iter().find(|(asked, _)| *asked == question).map(|&(_, name)| name).ok_or(question)
            };
            match replace(&node, &wanted, answer) {
                Ok(outcome) => break outcome,
                Err(question) => {
                    told.push((question, world.node(question.neighbour).known.name_of(question.vector)));
                }
            }
        };
        // Four times nobody's, four times v's own, q from a, s from a and b; c's only candidate was
        // asked about already.
        let asked: Vec<_> = told.iter().map(|(question, name)| (question.neighbour, *name)).collect();
        let none = [A, B, C, D].map(|neighbour| (neighbour, None));
        let own = [A, B, C, D].map(|neighbour| (neighbour, Some(V)));
        assert_eq!(asked, [&none[..], &own, &[(A, Some(Q)), (A, None), (B, Some(S))]].concat());
        assert_eq!(outcome, Outcome { report: vec![A, C, Q, S], unresolved: 1 });

        let (simulated, traffic) = world.resolve(&node, &wanted, 0, std::iter::empty());
        assert_eq!(simulated, outcome);
        // 4 vectors of round 1; 11 vectors of 4 bytes, and 6 names.
        assert_eq!((traffic.messages, traffic.bytes, traffic.rounds), (4 + 22, 4 * (4 + 11 + 6), 22));
    });
}

#[test]
fn two_neighbours_may_give_way_to_the_same_node() {
    in_world(&figure(), &places(), |world| {
        let r = world.node(R).mine;
        let (outcome, _) = world.resolve(&world.node(V), &[(C, vec![r]), (D, vec![r])], 0, std::iter::empty());
        assert_eq!(outcome, Outcome { report: vec![A, B, R], unresolved: 0 });
    });
}

#[test]
fn after_round_one_everyone_knows_its_neighbours_vectors() {
    in_world(&figure(), &places(), |world| {
        assert_eq!(world.node(V).known.names().collect::<Vec<_>>(), [A, B, C, D]);
        assert_eq!(world.node(D).known.vector_of(C), Some(world.node(C).mine));
        assert_eq!(world.node(P).known.vector_of(V), None);
        let traffic = world.first_round(V);
        assert_eq!((traffic.messages, traffic.bytes), (4, 16));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(4), ..ProptestConfig::default() })]

    /// The order of vectors is one: sorting is the same from any beginning, and equal means the
    /// same content.
    #[test]
    fn vectors_have_one_order(mut all in prop::collection::vec(any_vector(), 0..12), at in any::<Index>()) {
        let mut other = all.clone();
        if !other.is_empty() {
            let middle = at.index(other.len());
            other.rotate_left(middle);
        }
        all.sort();
        other.sort();
        let text = |vectors: &[Vector]| vectors.iter().map(|vector| format!("{vector:?}")).collect::<Vec<_>>();
        prop_assert_eq!(text(&all), text(&other));
    }
}

fn any_vector() -> impl Strategy<Value = Vector> {
    prop_oneof![
        prop::collection::vec((0_u32..3, any::<bool>()), 0..3).prop_map(Vector::Signs),
        prop::collection::vec((0_u32..3, -1_i8..2), 0..3)
            .prop_map(|pairs| Vector::Sparse(pairs.into_iter().map(|(at, value)| (at, value.into())).collect())),
        prop::collection::vec(-1_i8..2, 0..3)
            .prop_map(|values| Vector::Dense(values.into_iter().map(f32::from).collect())),
    ]
}
