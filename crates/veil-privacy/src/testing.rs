//! What the tests of several modules share: an independent e^x, binomial bounds, thread splits.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use rayon::prelude::*;

use crate::coins::{Coins, Context, Stream, Uniform};
use crate::exact::Fraction;

/// The ε at which every mechanism's exact loss is checked.
pub(crate) const EPSILONS: [&str; 11] = ["0.01", "0.1", "0.5", "1", "2", "3", "4", "8", "16", "37", "50"];

/// A partial sum of the series of e^(numerator/denominator): a lower bound by less than 2⁻¹⁵⁰ of it
/// for x ≤ 120, and shares no code with `exact::exp_bounds`. By Horner's rule on whole numbers: no
/// rounding at all.
pub(crate) fn exp_lower(numerator: u64, denominator: u64) -> Fraction {
    let common = numerator.gcd(&denominator);
    let (n, d) = (BigUint::from(numerator / common), BigUint::from(denominator / common));
    let terms = 120 + 5 * (numerator / denominator);
    // 1 + x/1·(1 + x/2·(1 + …)) = top/bottom
    let (mut top, mut bottom) = (BigUint::one(), BigUint::one());
    for i in (1..=terms).rev() {
        let step = &d * i;
        top = &bottom * &step + &n * &top;
        bottom *= step;
    }
    Fraction::reduced(top, bottom)
}

/// Coins for tests: a fixed key, so that a statistical test passes always or never.
pub(crate) fn stream(purpose: &str) -> Stream {
    Coins::reproducible(20_170_817).stream(&Context {
        release: [7; 16],
        redemption: 0,
        mechanism: "test",
        parameters: purpose,
        inputs: [0; 32],
        data: [0; 32],
        round: 0,
        query: 0,
    })
}

/// Asserts that `hits` of `trials` are compatible with probability `p`, in a family of `tests` such
/// assertions that wrongly fails with probability ≤ 10⁻⁶ (over the choice of the key).
///
/// Chernoff's bound, valid for any number of trials: P[hits/trials at least as far out as q on q's
/// side] ≤ exp(−trials·KL(q‖p)). Two sides and `tests` assertions: trials·KL ≤ ln(2·tests/10⁻⁶).
pub(crate) fn assert_binomial(hits: u64, trials: u64, p: f64, tests: u64, what: &str) {
    let q = hits as f64 / trials as f64;
    let part = |q: f64, p: f64| if q == 0.0 { 0.0 } else { q * (q / p).ln() };
    let exponent = trials as f64 * (part(q, p) + part(1.0 - q, 1.0 - p));
    let allowed = (2.0 * tests as f64 / 1e-6).ln();
    assert!(exponent <= allowed, "{what}: {hits} of {trials} at p = {p} (exponent {exponent:.1} > {allowed:.1})");
}

/// The reports of 1,000 nodes are the same on 1, 2 and 7 threads and for several splits into
/// batches.
pub(crate) fn assert_same_for_any_split<T: PartialEq + std::fmt::Debug + Send>(report: impl Fn(u32) -> T + Sync) {
    let expected: Vec<T> = (0..1000).map(&report).collect();
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        for batch in [1_usize, 64, 333, 1000] {
            let nodes: Vec<u32> = (0..1000).collect();
            let reports: Vec<T> = pool.install(|| {
                nodes.par_chunks(batch).flat_map_iter(|chunk| chunk.iter().map(|&node| report(node))).collect()
            });
            assert!(reports == expected, "{threads} threads, batches of {batch}");
        }
    }
    // And in another order.
    let mut backwards: Vec<T> = (0..1000).rev().map(&report).collect();
    backwards.reverse();
    assert!(backwards == expected, "backwards");
}

/// Coins that follow a script, to walk the tree of all outcomes.
pub(crate) struct Scripted {
    /// (choice, out of how many)
    script: Vec<(u128, u128)>,
    position: usize,
    deepest: usize,
    open: bool,
}

impl Uniform for Scripted {
    fn below(&mut self, n: u128) -> u128 {
        if n <= 1 {
            return 0;
        }
        self.position += 1;
        if let Some(&(choice, _)) = self.script.get(self.position - 1) {
            return choice;
        }
        // The last choice first: in our samplers it ends every loop, so that too deep a path still
        // comes to an end.
        if self.script.len() < self.deepest {
            self.script.push((n - 1, n));
        } else {
            self.open = true;
        }
        n - 1
    }
}

/// The exact mass of every outcome of `draw` over all coin outcomes up to `deepest` choices, and
/// the mass of the paths that are longer.
pub(crate) fn outcomes<T: Ord>(deepest: usize, draw: impl Fn(&mut Scripted) -> T) -> (BTreeMap<T, Fraction>, Fraction) {
    // Paths with the same number of equally likely siblings are counted, not added as fractions:
    // much faster.
    let mut counts: BTreeMap<Option<T>, BTreeMap<u128, u64>> = BTreeMap::new();
    let mut coins = Scripted { script: Vec::new(), position: 0, deepest, open: false };
    loop {
        coins.position = 0;
        coins.open = false;
        let outcome = draw(&mut coins);
        let siblings = coins.script.iter().map(|&(_, n)| n).product();
        let outcome = (!coins.open).then_some(outcome);
        *counts.entry(outcome).or_default().entry(siblings).or_default() += 1;
        // The next path: lower the last choice that can be lowered.
        while coins.script.last().is_some_and(|&(choice, _)| choice == 0) {
            coins.script.pop();
        }
        match coins.script.last_mut() {
            Some((choice, _)) => *choice -= 1,
            None => break,
        }
    }
    let mut open = Fraction::zero();
    let mut masses = BTreeMap::new();
    for (outcome, paths) in counts {
        let mass = paths.into_iter().filter_map(|(siblings, count)| Fraction::new(count, siblings)).sum();
        match outcome {
            Some(outcome) => drop(masses.insert(outcome, mass)),
            None => open = mass,
        }
    }
    (masses, open)
}
