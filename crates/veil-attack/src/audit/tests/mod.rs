//! The auditor audited: it must come close to the truth of honest mechanisms, and find what is
//! wrong with broken ones.

mod broken;
mod floats;
mod honest;

use veil_graph::random::Random;
use veil_privacy::{Coins, Epsilon, NodeCoins, Status, Trust, Unit};

use super::guesses::{Canary, Rule, judge};
use super::{Audit, Canaries, Claim, Promise, Verdict};

/// The keys over which an honest mechanism must not be found guilty. Each is with probability 10⁻⁶
/// at most.
const KEYS: std::ops::Range<u64> = 0..20;

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

/// So many canaries through one execution: a coin each, and what an adversary makes of what the
/// mechanism gave for it.
fn run(key: u64, canaries: usize, mut score: impl FnMut(bool, &mut NodeCoins) -> f64) -> Vec<Canary> {
    let mut secrets = Random::new(key, "audit/test");
    let mut coins = Coins::reproducible(key).for_scoring("audit test").node(0);
    (0..canaries)
        .map(|_| {
            let secret = secrets.below(2) == 1;
            Canary { secret, score: score(secret, &mut coins) }
        })
        .collect()
}

/// The verdict about a claim of this ε, by guesses alone.
fn verdict(claimed: f64, found: Canaries) -> Verdict {
    let claim = Claim {
        mechanism: "test".into(),
        parameters: String::new(),
        unit: Unit::EdgeBit,
        trust: Trust::Local,
        claimed: promise(claimed),
        status: Status::Claimed,
    };
    Audit::new(claim, None, Some(found), None).verdict
}

fn promise(epsilon: f64) -> Promise {
    Promise { epsilon, delta: 0.0 }
}

/// The broken one is found guilty with every key, and the honest one, by the same adversary, with
/// none.
fn assert_told_apart(
    claimed: f64,
    canaries: usize,
    least: f64,
    mut broken: impl FnMut(bool, &mut NodeCoins) -> f64,
    mut honest: impl FnMut(bool, &mut NodeCoins) -> f64,
) {
    for key in KEYS {
        let judged = |canaries: &[Canary]| judge(canaries, &Rule::AtLeast(least), promise(claimed));
        let found = judged(&run(key, canaries, &mut broken));
        assert_eq!(verdict(claimed, found), Verdict::Violated, "broken, key {key}: {found:?}");
        let found = judged(&run(key, canaries, &mut honest));
        assert_eq!(verdict(claimed, found), Verdict::NothingFound, "honest, key {key}: {found:?}");
        assert!(found.guessed > 0, "{found:?}");
    }
}
