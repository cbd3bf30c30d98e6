//! What the tests of several modules share: an independent e^x, binomial bounds, thread splits,
//! graphs.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use rayon::prelude::*;
use veil_graph::{Direction, Graph, NodeId};

use crate::budget::Epsilon;
use crate::coins::{Coins, Context, NodeCoins, Stream, Uniform};
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

/// [`exp_lower`] of an ε, as it is written.
pub(crate) fn bound(epsilon: &str) -> Fraction {
    let (numerator, denominator) = epsilon.parse::<Epsilon>().expect("epsilon").as_rational().expect("finite");
    exp_lower(numerator, denominator)
}

/// Asserts at every ε that the two values of a bit have distributions whose probabilities differ by
/// a factor of e^ε at most, and that the truth is likelier.
pub(crate) fn assert_bits_lose_epsilon(distribution: impl Fn(&str, bool) -> [Fraction; 2]) {
    for epsilon in EPSILONS {
        let (bound, zero, one) = (bound(epsilon), distribution(epsilon, false), distribution(epsilon, true));
        for (p, q) in zero.iter().zip(&one) {
            assert!(*p <= &bound * q && *q <= &bound * p, "{epsilon}");
        }
        assert_eq!(zero.iter().sum::<Fraction>(), Fraction::one());
        assert_eq!(one.iter().sum::<Fraction>(), Fraction::one());
        assert!(zero[0] > zero[1] && one[1] > one[0], "{epsilon}: the truth must be likelier");
    }
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

/// The exact distribution of what independent draws add up to.
pub(crate) fn together<R: Ord, T>(
    start: R,
    draws: impl IntoIterator<Item = Vec<(T, Fraction)>>,
    add: impl Fn(&R, &T) -> R,
) -> BTreeMap<R, Fraction> {
    draws.into_iter().fold(BTreeMap::from([(start, Fraction::one())]), |all, draw| {
        let mut longer = BTreeMap::new();
        for ((sum, p), (drawn, q)) in all.iter().flat_map(|sum| draw.iter().map(move |drawn| (sum, drawn))) {
            let mass = longer.entry(add(sum, drawn)).or_insert_with(Fraction::zero);
            *mass = &*mass + &(p * q);
        }
        longer
    })
}

/// Asserts that outcomes are drawn at their exact rates, in a family of `tests` of these, and no
/// others are drawn.
pub(crate) fn assert_drawn_as<T: Ord + std::fmt::Debug>(
    expected: impl IntoIterator<Item = (T, Fraction)>,
    trials: u64,
    tests: u64,
    mut draw: impl FnMut() -> T,
) {
    let mut seen: BTreeMap<T, u64> = BTreeMap::new();
    (0..trials).for_each(|_| *seen.entry(draw()).or_default() += 1);
    for (outcome, p) in expected {
        let hits = seen.remove(&outcome).unwrap_or(0);
        assert_binomial(hits, trials, p.to_f64(), tests, &format!("{outcome:?}"));
    }
    assert!(seen.is_empty(), "outcomes that cannot be: {seen:?}");
}

/// Asserts of the distributions of all reports, one for each input, that between adjacent inputs no
/// probability changes by more than the bound.
pub(crate) fn assert_adjacent_within<I: std::fmt::Debug, T: Ord + std::fmt::Debug>(
    all: &[(I, BTreeMap<T, Fraction>)],
    bound: &Fraction,
    adjacent: impl Fn(&I, &I) -> bool,
) {
    for (a, from) in all {
        assert_eq!(from.values().sum::<Fraction>(), Fraction::one());
        for (b, to) in all.iter().filter(|(b, _)| adjacent(a, b)) {
            for (report, p) in from {
                assert!(*p <= bound * &to[report], "{a:?} and {b:?} at {report:?}");
            }
        }
    }
}

/// Asserts that noise moves 100 to 96 … 104 at the stated rates, in a family of `tests` of these.
pub(crate) fn assert_noise_rates(
    what: &str,
    tests: u64,
    release: impl Fn(i64, &mut NodeCoins) -> i64,
    probability: impl Fn(i64) -> f64,
) {
    let (trials, mut coins, mut cells) = (40_000_u64, stream(what).node(0), [0_u64; 9]);
    for _ in 0..trials {
        let noisy = release(100, &mut coins);
        if let Some(cell) = usize::try_from(noisy - 96).ok().and_then(|cell| cells.get_mut(cell)) {
            *cell += 1;
        }
    }
    for (k, hits) in (96..).zip(cells) {
        assert_binomial(hits, trials, probability(k), 9 * tests, what);
    }
}

/// The undirected graph of these edges.
pub(crate) fn edges(nodes: u32, edges: &[(NodeId, NodeId)]) -> Graph {
    Graph::from_edges(nodes, edges, Direction::Undirected).expect("nodes in range").graph
}

/// Node 0 and its neighbours, who have no other.
pub(crate) fn star(nodes: u32) -> Graph {
    edges(nodes, &(1..nodes).map(|leaf| (0, leaf)).collect::<Vec<_>>())
}

/// Everybody knows everybody.
pub(crate) fn clique(nodes: u32) -> Graph {
    edges(nodes, &(0..nodes).flat_map(|a| (0..a).map(move |b| (a, b))).collect::<Vec<_>>())
}

/// Each node between two others.
pub(crate) fn ring(nodes: u32) -> Graph {
    edges(nodes, &(0..nodes).map(|a| (a, (a + 1) % nodes)).collect::<Vec<_>>())
}

/// The same result on 1, 2 and 7 threads.
pub(crate) fn assert_same_on_any_threads<T: PartialEq + Send>(run: impl Fn() -> T + Sync) {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
        pool.install(&run)
    };
    let one = on(1);
    assert!(on(2) == one, "2 threads");
    assert!(on(7) == one, "7 threads");
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
