//! Copies of mechanisms with one mistake each, and their honest counterparts.

use veil_privacy::mechanism::{discrete_laplace, randomised_response};
use veil_privacy::protocol::degree_vectors;
use veil_privacy::{Coins, NodeCoins, Unit};

use super::{KEYS, assert_told_apart, epsilon, promise, run, verdict};
use crate::audit::guesses::judge_worlds;
use crate::audit::{Setup, Verdict};

fn laplace(text: &str, sensitivity: u64) -> discrete_laplace::DiscreteLaplace {
    discrete_laplace::Params { epsilon: epsilon(text), sensitivity }.check().unwrap()
}

/// A count of 0 or 1, ε = 1 claimed, noise for ε = 2. The likelihood ratio of what comes out is e^ε
/// above 0, and e^−ε else. 1,000 canaries.
#[test]
fn noise_scaled_by_half() {
    let score = |noise: discrete_laplace::DiscreteLaplace| {
        move |secret, coins: &mut NodeCoins| if noise.release_one(i64::from(secret), coins) > 0 { 1.0 } else { -1.0 }
    };
    assert_told_apart(1.0, 1000, 1.0, score(laplace("2", 1)), score(laplace("1", 1)));
}

/// A bit is kept with probability e²/(e²+1) + 0.05, 0.931 instead of 0.881. 5,000 canaries.
#[test]
fn keep_probability_too_high() {
    let response = randomised_response::Params { epsilon: epsilon("2"), values: 2 }.check().unwrap();
    let keep_below = ((response.keep().to_f64() + 0.05) * 2_f64.powi(64)) as u64;
    let sign = |report: bool| if report { 2.0 } else { -2.0 };
    assert_told_apart(
        2.0,
        5000,
        2.0,
        |secret, coins| sign((coins.next_u64() < keep_below) == secret),
        |secret, coins| sign(response.report(u32::from(secret), coins).unwrap() == 1),
    );
}

/// The same, and 20,000 executions instead of canaries, each in one of two worlds.
#[test]
fn keep_probability_too_high_in_two_worlds() {
    let response = randomised_response::Params { epsilon: epsilon("2"), values: 2 }.check().unwrap();
    for (more, expected) in [(0.05, Verdict::Violated), (0.0, Verdict::NothingFound)] {
        let keep_below = ((response.keep().to_f64() + more) * 2_f64.powi(64)) as u64;
        for key in KEYS {
            let report = |truth: bool, coins: &mut NodeCoins| f64::from((coins.next_u64() < keep_below) == truth);
            let executions = run(key, 20_000, report);
            let world = |inside: bool| -> Vec<f64> {
                executions
                    .iter()
                    .filter(|execution| execution.secret == inside)
                    .map(|execution| execution.score)
                    .collect()
            };
            let found = judge_worlds(&world(true), &world(false), promise(2.0));
            assert_eq!((verdict(2.0, found), found.setup), (expected, Setup::TwoWorlds), "key {key}: {found:?}");
        }
    }
}

/// One of 130 values; another one than the truth is drawn as a byte modulo 129, so that the last
/// two come half as often as the rest: at the last values the truth gives itself away by
/// e^ε·256/129. The adversary guesses where one of its two values comes out, once in 17 times:
/// 100,000 canaries.
#[test]
fn modulo_bias_of_a_byte() {
    const VALUES: u32 = 130;
    let response = randomised_response::Params { epsilon: epsilon("2"), values: VALUES }.check().unwrap();
    let flip_below = ((1.0 - response.keep().to_f64()) * 2_f64.powi(64)) as u64;
    let biased = |truth: u32, coins: &mut NodeCoins| {
        if coins.next_u64() >= flip_below {
            return truth;
        }
        let other = u32::from(coins.next_u64() as u8) % (VALUES - 1);
        other + u32::from(other >= truth)
    };
    let truth = |secret: bool| VALUES - 2 + u32::from(secret);
    let score = |report: u32| match report {
        report if report == truth(true) => 2.0,
        report if report == truth(false) => -2.0,
        _ => 0.0,
    };
    assert_told_apart(
        2.0,
        100_000,
        2.0,
        |secret, coins| score(biased(truth(secret), coins)),
        |secret, coins| score(response.report(truth(secret), coins).unwrap()),
    );
}

/// Two rounds of degree vectors with ε = 2 together; the neighbour changes its cluster in between.
/// With the same coins in both the noise cancels, and their difference is the truth: 1 and −1 if
/// there is a neighbour, else 0 and 0. 300 canaries.
#[test]
fn the_same_noise_in_two_rounds() {
    let params = degree_vectors::Params { epsilon: epsilon("2"), rounds: 2, unit: Unit::EdgeBit, clusters: 2 };
    let protocol = params.check().unwrap();
    let score = |coins_of_the_second: u32| {
        move |secret: bool, coins: &mut NodeCoins| {
            let list: &[u32] = if secret { &[1] } else { &[] };
            let user = Coins::reproducible(coins.next_u64()).for_scoring("two rounds");
            let report = |clusters: &[u32], round: u32| {
                protocol.report(list, clusters, &mut user.of_round(round).node(0)).unwrap()
            };
            let (one, two) = (report(&[0, 0], 0), report(&[0, 1], coins_of_the_second));
            ((one[0] - two[0]) - (one[1] - two[1]) - 1) as f64
        }
    };
    assert_told_apart(2.0, 300, 1.0, score(0), score(1));
}

/// The degrees of both ends of an edge, ε = 1 claimed. Noise for sensitivity 1 hides either end,
/// but the edge is counted at both: where both degrees say the same, the likelihood ratio is e².
/// 3,000 canaries.
#[test]
fn an_edge_counted_at_both_ends() {
    let score = |noise: discrete_laplace::DiscreteLaplace| {
        move |secret, coins: &mut NodeCoins| {
            let says = |degree: &i64| if *degree > 0 { 1.0 } else { -1.0 };
            noise.release(&[i64::from(secret); 2], coins).iter().map(says).sum()
        }
    };
    let right = degree_vectors::SENSITIVITY_TO_AN_EDGE;
    assert_told_apart(1.0, 3000, 2.0, score(laplace("1", 1)), score(laplace("1", right)));
}
