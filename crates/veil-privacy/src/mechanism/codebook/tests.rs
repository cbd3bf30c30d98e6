use veil_graph::Matrix;

use super::centres::Sent;
use super::*;
use crate::coins::Coins;
use crate::coins::enumerate::{Extent, enumerate};
use crate::testing::{EPSILONS, assert_drawn_as, assert_same_for_any_split, bound, stream};

fn mechanism(epsilon: &str, groups: Option<u32>) -> Codebook {
    Params { epsilon: epsilon.parse().expect("epsilon"), dimensions: 5, classes: 3, groups }
        .check()
        .expect("parameters")
}

/// Vectors that could be special: nothing, one dimension, opposite ones, equal values, tiny, huge
/// and broken ones.
fn directions() -> Vec<Direction> {
    let rows: [&[(u32, f32)]; 10] = [
        &[],
        &[(0, 0.0)],
        &[(0, 1.0)],
        &[(0, -1.0)],
        &[(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)],
        &[(3, f32::MIN_POSITIVE / 8.0)],
        &[(2, f32::MAX), (4, f32::MIN)],
        &[(1, f32::NAN), (2, 1.0)],
        &[(1, f32::INFINITY)],
        &[(1, 0.3), (4, -0.7)],
    ];
    rows.map(Direction::of).to_vec()
}

/// The distribution of a codeword has two probabilities only, each as often for every vector, whose
/// ratio is at most a partial sum of the series of e^ε. So for any two vectors no codeword loses
/// more.
#[test]
fn exact_loss_is_at_most_epsilon() {
    for epsilon in EPSILONS {
        let bound = bound(epsilon);
        let others: &[Option<u32>] = if epsilon == "1" { &[Some(2), Some(16), Some(256)] } else { &[] };
        for &groups in others.iter().chain(&[None]) {
            let mechanism = mechanism(epsilon, groups);
            let rows: Vec<Vec<Fraction>> =
                directions().iter().map(|direction| mechanism.codewords(7, direction)).collect();
            for row in &rows {
                assert_eq!(row.iter().sum::<Fraction>(), Fraction::one(), "{epsilon}, {groups:?}");
                assert!(row.iter().all(|p| !p.is_zero()), "{epsilon}: every codeword can be sent");
                assert!(row.iter().zip(&rows[0]).all(|(p, q)| *p <= &bound * q && *q <= &bound * p), "{epsilon}");
                let size = mechanism.group_size() as usize;
                assert_eq!(row.iter().filter(|p| *p == row.iter().max().expect("some")).count(), size);
            }
        }
    }
}

/// The code itself, over all decisions of its coins: exactly that distribution.
#[test]
fn the_code_has_the_stated_distribution() {
    let (mechanism, all) = (mechanism("1.5", Some(8)), Extent { least: 0.0, margin: 1.0, executions: 10_000 });
    for direction in directions() {
        let found = enumerate(&all, |coins: Coins| {
            mechanism.codeword(3, &direction, &mut coins.for_scoring("codewords").node(3)).expect("a codeword")
        });
        let stated = mechanism.codewords(3, &direction);
        assert!(found.finished && found.doubts.none());
        assert_eq!(found.outputs.len(), stated.len());
        for (&codeword, chance) in &found.outputs {
            let expected = &stated[codeword as usize];
            assert!(chance.explored.at_least() <= *expected && *expected <= chance.explored.at_most());
        }
    }
}

#[test]
fn codewords_are_drawn_at_the_stated_rates() {
    let mechanism = mechanism("3", None);
    let direction = &directions()[4];
    let mut coins = stream("codewords").node(0);
    let expected = (0..).zip(mechanism.codewords(9, direction));
    assert_drawn_as(expected, 20_000, 256, || mechanism.codeword(9, direction, &mut coins).expect("a codeword"));
    assert_same_for_any_split(|node| {
        mechanism.codeword(node, direction, &mut stream("codewords").node(node)).expect("a codeword")
    });
}

/// A class is randomised response on a function of the vector, whatever the server publishes.
#[test]
fn any_centres_are_answered_by_randomised_response() {
    let mechanism = mechanism("1", None);
    let wild = vec![vec![i32::MIN; 257], vec![i32::MAX; 257], vec![0; 257]];
    for rows in [wild, vec![vec![0; 257]; 3]] {
        let centres = Centres::published(&mechanism, &rows).expect("centres");
        assert_eq!(centres.rows(), rows);
        for direction in directions() {
            let nearest = centres.nearest(&direction);
            let expected = (0..).zip(mechanism.classified().distribution(nearest).expect("a class"));
            let mut coins = stream("classes").node(1);
            assert_drawn_as(expected, 5000, 60, || mechanism.class(&direction, &centres, &mut coins).expect("a class"));
        }
    }
    for rows in [vec![vec![0; 257]; 2], vec![vec![0; 256]; 3], vec![Vec::new(); 3]] {
        assert_eq!(Centres::published(&mechanism, &rows), None);
    }
}

/// Three classes along three dimensions: centres are learned from codewords and noisy labels, and
/// nearly all others find their class.
#[test]
fn centres_are_found_from_codewords_and_noisy_labels() {
    let mechanism = mechanism("3", None);
    let labels = randomised_response::Params { epsilon: "2".parse().expect("epsilon"), values: 3 };
    let labels = labels.check().expect("parameters");
    let direction = |user: u32| Direction::of(&[(user % 3, 1.0), (3, 0.5), (4, (user % 7) as f32 / 14.0)]);
    let (words, said) = (stream("words"), stream("labels"));
    let sent: Vec<Sent> = (0..3000)
        .map(|user| {
            let codeword = mechanism.codeword(user, &direction(user), &mut words.node(user)).expect("a codeword");
            Sent { user, codeword, label: labels.report(user % 3, &mut said.node(user)).expect("a label") }
        })
        .collect();
    let centres = Centres::learn(&mechanism, &sent, Some(&labels));
    let right = (3000..4000).filter(|&user| centres.nearest(&direction(user)) == user % 3).count();
    assert!(right > 950, "{right} of 1000");
    // Nobody said anything: still centres, which say nothing.
    assert!(Centres::learn(&mechanism, &[], None).nearest(&direction(0)) < 3);
}

/// Another implementation must compute the same.
#[test]
fn directions_and_codewords_are_pinned() {
    let direction = Direction::of(&[(0, 1.0), (1432, -0.25)]);
    assert_eq!(direction.coordinates()[..4], PINNED_DIRECTION);
    assert_eq!(direction::codeword(5, 200)[0], PINNED_CODEWORD);
    let book = direction::codebook(5);
    assert!((0..CODEWORDS).all(|place| direction::codeword(5, place) == book[place as usize]));
    // Only the direction counts, and zeros say nothing.
    assert_eq!(Direction::of(&[(0, 8.0), (7, 0.0), (1432, -2.0)]), direction);
    let matrix = Matrix::from_values(1, 3, vec![0.0, 4.0, -4.0]).expect("a matrix");
    assert_eq!(direction_of(&Features::Dense(matrix), 0), Direction::of(&[(1, 1.0), (2, -1.0)]));
}

const PINNED_DIRECTION: [i32; 4] = [-12288, -12288, -20480, -12288];
const PINNED_CODEWORD: u64 = 2_244_047_708_434_290_565;

#[test]
fn parameters_are_checked() {
    let params = |epsilon: &str, dimensions, classes, groups| {
        Params { epsilon: epsilon.parse().expect("epsilon"), dimensions, classes, groups }.check()
    };
    assert_eq!(params("1", 0, 3, None), Err(ParamError::NoDimensions));
    assert_eq!(params("1", 3, 0, None), Err(ParamError::NoValues));
    assert_eq!(params("inf", 3, 3, None), Err(ParamError::NotPrivatised));
    for groups in [0, 1, 3, 512] {
        assert_eq!(params("1", 3, 3, Some(groups)), Err(ParamError::BadGroups { groups, codewords: 256 }));
    }
    let chosen = ["0.1", "1", "3", "8"].map(|epsilon| mechanism(epsilon, None).group.values());
    assert_eq!(chosen, [2, 4, 8, 256]);
}
