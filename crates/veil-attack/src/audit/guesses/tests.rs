use veil_graph::random::Random;

use super::*;
use crate::audit::bounds::{Errors, one_run, two_worlds};

const PURE: Promise = Promise { epsilon: 1.0, delta: 0.0 };

fn canaries(listed: &[(bool, f64)]) -> Vec<Canary> {
    listed.iter().map(|&(secret, score)| Canary { secret, score }).collect()
}

/// How many were guessed, and how many rightly.
fn counts(listed: &[(bool, f64)], rule: Rule) -> (usize, usize) {
    let found = judge(&canaries(listed), &rule, PURE);
    assert_eq!(found.canaries, listed.len());
    (found.guessed, found.right)
}

#[test]
fn only_what_is_far_from_zero_is_guessed() {
    let listed = [(true, 2.0), (false, 2.0), (true, -1.0), (false, -1.0), (true, 0.5), (true, 0.0), (false, f64::NAN)];
    assert_eq!(counts(&listed, Rule::AtLeast(1.0)), (4, 2));
    // A score of 0 is no guess, whatever the rule.
    assert_eq!(counts(&listed, Rule::AtLeast(0.0)), (5, 3));
    assert_eq!(counts(&listed, Rule::AtLeast(f64::INFINITY)), (0, 0));
    let certain = [(true, f64::INFINITY), (false, f64::NEG_INFINITY), (true, 3.0)];
    assert_eq!(counts(&certain, Rule::AtLeast(f64::INFINITY)), (2, 2));
}

#[test]
fn extremes_are_the_ends_of_the_scores() {
    let listed = [(true, 9.0), (false, 8.0), (true, 5.0), (false, 4.0), (false, 2.0), (true, 1.0)];
    assert_eq!(counts(&listed, Rule::Extremes(vec![1])), (2, 1));
    assert_eq!(counts(&listed, Rule::Extremes(vec![2])), (4, 2));
    // Never more than all, each once.
    for many in [3, 4, 100, usize::MAX] {
        assert_eq!(counts(&listed, Rule::Extremes(vec![many])), (6, 4));
    }
    // The one in the middle of an odd number is in neither half.
    assert_eq!(counts(&listed[..5], Rule::Extremes(vec![9])), (4, 3));
    assert_eq!(counts(&[], Rule::Extremes(vec![5])), (0, 0));
    assert_eq!(counts(&listed, Rule::Extremes(vec![])), (0, 0));
    assert_eq!(
        counts(&[(true, f64::NAN), (true, 1.0), (false, f64::NAN), (false, 0.0)], Rule::Extremes(vec![2])),
        (2, 2)
    );
}

#[test]
fn the_order_of_canaries_tells_nothing() {
    // 0 for everybody, those that are in last: to guess by the place would be right always.
    let tied: Vec<(bool, f64)> = (0..100).map(|place| (place >= 50, if place % 2 == 0 { 0.0 } else { -0.0 })).collect();
    assert_eq!(counts(&tied, Rule::Extremes(vec![50])), (0, 0));
    // Groups of equals are guessed as a whole: below 3 the zeros (3 of 4 right) fit, the ones do
    // not.
    let groups = [
        (false, 0.0),
        (false, 0.0),
        (false, 0.0),
        (true, 0.0),
        (false, 1.0),
        (false, 1.0),
        (true, 1.0),
        (true, 1.0),
        (true, 1.0),
        (true, 2.0),
    ];
    for number in [1, 2, 3] {
        assert_eq!(counts(&groups, Rule::Extremes(vec![number])), (1, 1));
    }
    for number in [4, 5, 6] {
        assert_eq!(counts(&groups, Rule::Extremes(vec![number])), (5, 4));
    }
    // And in any order it is the same.
    let mut random = Random::new(1, "test");
    let mut drawn: Vec<(bool, f64)> = (0..500).map(|_| (random.below(2) == 0, random.below(40) as f64)).collect();
    let rule = || Rule::Extremes(vec![10, 100, 250]);
    let before = judge(&canaries(&drawn), &rule(), PURE);
    for _ in 0..20 {
        random.shuffle(&mut drawn);
        assert_eq!(judge(&canaries(&drawn), &rule(), PURE), before);
    }
}

#[test]
fn every_rule_that_is_tried_costs_its_share() {
    // 100 sure ones at both ends, and nothing in between.
    let mut random = Random::new(2, "test");
    let listed: Vec<(bool, f64)> = (0..2000)
        .map(|place| match place {
            0..100 => (false, -10.0 - f64::from(place)),
            100..200 => (true, 10.0 + f64::from(place)),
            _ => (random.below(2) == 0, random.unit()),
        })
        .collect();
    let found = judge(&canaries(&listed), &Rule::Extremes(vec![1000, 100, 10]), PURE);
    assert_eq!((found.guessed, found.right), (200, 200));
    assert_eq!(found.lower_bound_95, one_run(200, 200, 2000, 0.0, 0.05 / 3.0));
    assert_eq!(found.lower_bound_certain, one_run(200, 200, 2000, 0.0, CERTAIN / 3.0));
    // The number of guesses is the output's: half of the error each.
    let with_delta = Promise { epsilon: 1.0, delta: 1e-9 };
    let found = judge(&canaries(&listed), &Rule::AtLeast(2.0), with_delta);
    assert_eq!(found.lower_bound_999, one_run(200, 200, 2000, 1e-9, 0.0005));
    assert!(found.lower_bound_certain > 1.0 && found.would_detect.is_some());
}

#[test]
fn scores_of_canaries_of_one_run() {
    let mut random = Random::new(3, "test");
    // A tenth of those that are in stand out.
    let inside: Vec<f64> = (0..5000).map(|place| random.unit() + f64::from(u8::from(place % 10 == 0))).collect();
    let outside: Vec<f64> = (0..5000).map(|_| random.unit()).collect();
    let found = judge_canaries_of_one_run(&inside, &outside, PURE);
    assert_eq!((found.setup, found.canaries), (Setup::OneRun, 10_000));
    // Of the hundredth at either end those above are right, those below half of the time: of the
    // tenth no more are.
    assert_eq!(found.guessed, 1000);
    assert!(found.lower_bound_certain > 0.5, "{found:?}");
    // And of scores that know nothing, in the order of the secrets, nothing is proven.
    let nothing = judge_canaries_of_one_run(&outside[..2500], &outside[2500..], PURE);
    assert_eq!(nothing.lower_bound_certain, 0.0);
    assert_eq!(judge_canaries_of_one_run(&[], &[], PURE).guessed, 0);
}

#[test]
fn two_worlds_are_told_apart_by_what_the_other_half_chose() {
    let mut random = Random::new(4, "test");
    let mut draw = |from: f64| (0..20_000).map(|_| from + random.unit()).collect::<Vec<f64>>();
    let (low, high) = (draw(0.0), draw(0.9));
    // Nine tenths of either world are impossible in the other.
    for (inside, outside) in [(&low, &high), (&high, &low)] {
        let found = judge_worlds(inside, outside, PURE);
        assert_eq!((found.setup, found.canaries, found.guessed), (Setup::TwoWorlds, 20_000, 20_000));
        assert!(found.right > 17_900 && found.lower_bound_certain > 5.5, "{found:?}");
        assert!(found.would_detect.unwrap() > 1.0);
    }
    // By hand: randomised response that is right 750 times of 1,000, in both halves.
    let bits = |ones: usize| (0..2000).map(|place| f64::from(u8::from(place < ones))).collect::<Vec<f64>>();
    let found = judge_worlds(&bits(1500), &bits(500), PURE);
    let errors = 2000 - found.right as u64;
    assert!(errors.abs_diff(500) < 60, "{found:?}");
    let even = Errors { inside: 1000, missed: errors / 2, outside: 1000, false_alarms: errors - errors / 2 };
    assert!((found.lower_bound_95 - two_worlds(even, 0.0, 0.05)).abs() < 0.2);
}

#[test]
fn worlds_that_are_the_same_are_rarely_told_apart() {
    let mut found = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed, "test/same worlds");
        let mut draw = || (0..200).map(|_| random.unit()).collect::<Vec<f64>>();
        let judged = judge_worlds(&draw(), &draw(), PURE);
        assert_eq!(judged.lower_bound_certain, 0.0);
        found += u32::from(judged.lower_bound_95 > 0.0);
    }
    assert!(found <= 15, "{found} of 300 at 95 %");
}

#[test]
fn halves_do_not_follow_the_order_of_the_scores() {
    // Of a sorted list every other one would be the same half twice.
    let sorted: Vec<f64> = (0..1000).map(f64::from).collect();
    let (choosing, deciding) = worlds::halves(&sorted);
    let even = choosing.iter().filter(|&&score| score % 2.0 == 0.0).count();
    assert!(even.abs_diff(250) < 50, "{even} of 500");
    let mut all = [choosing, deciding].concat();
    all.sort_by(f64::total_cmp);
    assert_eq!(all, sorted);
}

#[test]
fn few_or_odd_scores_prove_nothing() {
    for (inside, outside) in [(vec![], vec![]), (vec![1.0], vec![0.0]), (vec![f64::NAN; 50], vec![f64::NAN; 50])] {
        let found = judge_worlds(&inside, &outside, PURE);
        assert_eq!((found.lower_bound_95, found.would_detect), (0.0, None), "{inside:?}");
    }
    // NaN is an outcome like any other: where it speaks for outside, it counts.
    let found = judge_worlds(&[1.0; 100], &[f64::NAN; 100], PURE);
    assert_eq!((found.right, found.canaries), (100, 100));
    assert!(found.lower_bound_95 > 2.0);
}
