use std::num::{NonZeroU64, NonZeroU128};

use super::*;
use crate::exact::Fraction;
use crate::testing::{assert_binomial, outcomes, stream};

fn non_zero(n: u128) -> NonZeroU128 {
    NonZeroU128::new(n).expect("not zero")
}

fn scale(sensitivity: u64, numerator: u64, denominator: u64) -> LaplaceScale {
    let part = |n| NonZeroU64::new(n).expect("not zero");
    LaplaceScale::new(part(sensitivity), part(numerator), part(denominator))
}

#[test]
fn thresholds_at_the_ends_are_certain() {
    let mut coins = stream("threshold").node(0);
    assert!((0..1000).all(|_| bernoulli_threshold(&mut coins, 1 << 64)));
    assert!((0..1000).all(|_| !bernoulli_threshold(&mut coins, 0)));
    let trials = 100_000;
    let hits = (0..trials).filter(|_| bernoulli_threshold(&mut coins, (1 << 64) / 10)).count();
    assert_binomial(hits as u64, trials, 0.1, 1, "a tenth");
}

/// All coin outcomes up to 12 choices deep: the mass that ended in `true` and what is still open
/// enclose e^−x.
#[test]
fn exp_minus_has_its_exact_probability() {
    for (n, d) in [(0, 1), (1, 2), (2, 3), (1, 5), (1, 1), (3, 2), (7, 3), (4, 1)] {
        let (masses, open) = outcomes(12, |coins| bernoulli::exp_minus(coins, n, non_zero(d)));
        let (low, open) = (masses.get(&true).map_or(0.0, Fraction::to_f64), open.to_f64());
        let expected = (-(n as f64) / d as f64).exp();
        assert!(open < 1e-3, "{n}/{d}: {open}");
        assert!(low <= expected + 1e-14 && expected <= low + open + 1e-14, "{n}/{d}: {low} + {open}");
    }
    // For γ ≤ 1 alternate terms of the series close in: here the open mass is below 10⁻⁶.
    let (_, open) = outcomes(14, |coins| bernoulli::exp_minus(coins, 1, non_zero(2)));
    assert!(open.to_f64() < 1e-6);
}

#[test]
fn exp_minus_at_the_stated_rates() {
    let trials = 50_000;
    for (v, (n, d)) in
        [(1_u128, 1_000_000_000_u128), (1, 3), (5, 2), (10, 1), (1 << 100, 3 << 100)].into_iter().enumerate()
    {
        let mut coins = stream("exp").node(v as u32);
        let hits = (0..trials).filter(|_| bernoulli_exp_minus(&mut coins, n, non_zero(d))).count();
        assert_binomial(hits as u64, trials, (-(n as f64 / d as f64)).exp(), 5, "e^-x");
    }
    // No loop over ⌊x⌋: it fails at once.
    assert!(!bernoulli_exp_minus(&mut stream("exp").node(9), u128::MAX, NonZeroU128::MIN));
}

#[test]
fn scales_are_reduced_and_never_overflow() {
    let one = scale(1, 1_000_000_000, 1_000_000_000);
    assert_eq!((one.numerator(), one.denominator()), (1, 1));
    let fraction = scale(2, 500_000_000, 1_000_000_000);
    assert_eq!((fraction.numerator(), fraction.denominator()), (4, 1));
    let widest = scale(u64::MAX, 1, u64::MAX);
    assert_eq!(widest.numerator(), u128::from(u64::MAX) * u128::from(u64::MAX));
}

/// All coin outcomes of one round of the rejection loop. It is accepted at k with probability
/// ½·A·(1−q)·q^|k|, where q = e^(−s/t) and A = (1−e⁻¹)/(t(1−e^(−1/t))) is the chance that the
/// remainder is accepted; repeated until accepted, that is (1−q)/(1+q)·q^|k|.
#[test]
fn laplace_has_its_exact_probabilities() {
    // Scales 1, 2, 3, 2/3 and 1/2.
    for (t, s) in [(1_u64, 1_u64), (2, 1), (3, 1), (2, 3), (1, 2)] {
        let (masses, open) = outcomes(20, |coins| laplace::attempt(coins, scale(t, s, 1)));
        let open = open.to_f64();
        assert!(open < 1e-3, "{t}/{s}: {open}");
        let (t, s) = (t as f64, s as f64);
        let q = (-s / t).exp();
        let remainder = (1.0 - (-1_f64).exp()) / (t * (1.0 - (-1.0 / t).exp()));
        for k in -6_i128..=6 {
            let low = masses.get(&Some(k)).map_or(0.0, Fraction::to_f64);
            let expected = 0.5 * remainder * (1.0 - q) * q.powi(k.unsigned_abs() as i32);
            let enclosed = low <= expected + 1e-14 && expected <= low + open + 1e-14;
            assert!(enclosed, "{t}/{s}, {k}: {low} + {open}, expected {expected}");
            if k != 0 {
                assert_eq!(masses.get(&Some(k)), masses.get(&Some(-k)), "{t}/{s}, {k}");
            }
        }
    }
}

#[test]
fn laplace_at_the_stated_rates() {
    let trials = 40_000_u64;
    let scales = [(1, 100, 1000), (1, 1_000_000_000, 1_000_000_000), (3, 7, 10), (1, 16, 1)];
    for (v, (sensitivity, n, d)) in scales.into_iter().enumerate() {
        let mut coins = stream("laplace").node(v as u32);
        let mut cells = [0_u64; 8];
        for _ in 0..trials {
            let k = discrete_laplace(&mut coins, scale(sensitivity, n, d));
            // −2…3 by themselves; the two tails together.
            let cell = match k {
                -2..=3 => usize::try_from(k + 2).expect("small"),
                4.. => 6,
                _ => 7,
            };
            cells[cell] += 1;
        }
        let q = (-(n as f64) / (d as f64 * sensitivity as f64)).exp();
        let centre = (1.0 - q) / (1.0 + q);
        for (cell, &hits) in cells.iter().enumerate() {
            let p = match cell {
                6 => q.powi(4) / (1.0 + q),
                7 => q.powi(3) / (1.0 + q),
                cell => centre * q.powi((cell as i32 - 2).abs()),
            };
            assert_binomial(hits, trials, p, 32, "laplace");
        }
    }
}

/// Every subset has exactly the mass 1 / C(d, m).
#[test]
fn subsets_are_exactly_equally_likely() {
    for (m, d, subsets) in
        [(1, 5, 5_u32), (2, 4, 6), (2, 5, 10), (3, 6, 20), (4, 5, 5), (5, 5, 1), (9, 3, 1), (0, 3, 1)]
    {
        let (masses, open) = outcomes(10, |coins| subset::choose_with(coins, m, d));
        assert!(open.is_zero());
        assert_eq!(masses.len(), subsets as usize, "{m} of {d}");
        for (chosen, mass) in masses {
            assert!(chosen.is_sorted() && chosen.len() == m.min(d) as usize);
            assert_eq!(Some(mass), Fraction::new(1_u32, subsets), "{chosen:?}");
        }
    }
}

#[test]
fn subsets_do_not_depend_on_how_they_are_kept() {
    // 65 of … : a list would be used at 64, marks up to 64·65, a tree above. Compare with Floyd on
    // a plain set.
    for (m, d) in [(64, 1000), (65, 1000), (65, 100_000), (300, 4_000_000_000), (65, 66), (999, 1000)] {
        let chosen = choose(&mut stream("subsets").node(m), m, d);
        let mut coins = stream("subsets").node(m);
        let mut expected = std::collections::BTreeSet::new();
        for last in d - m..d {
            let candidate = coins.below(u64::from(last) + 1) as u32;
            if !expected.insert(candidate) {
                expected.insert(last);
            }
        }
        assert_eq!(chosen, expected.into_iter().collect::<Vec<_>>(), "{m} of {d}");
        assert_eq!(chosen.len(), m as usize);
    }
}

#[test]
fn members_at_the_stated_rates() {
    let (trials, d, m) = (20_000_u64, 100, 70);
    let stream = stream("members");
    let mut cells = [0_u64; 100];
    for v in 0..trials {
        for member in choose(&mut stream.node(v as u32), m, d) {
            cells[member as usize] += 1;
        }
    }
    for hits in cells {
        assert_binomial(hits, trials, 0.7, 100, "member");
    }
}

/// All coin outcomes: among the integers below the width, each with its share of e^(−k/scale).
#[test]
fn truncated_geometric_has_its_exact_probabilities() {
    for (t, s, width) in [(4_u64, 1_u64, 3_u64), (3, 1, 2), (5, 2, 2), (7, 1, 1)] {
        let (masses, open) = outcomes(11, |coins| laplace::truncated_with(coins, scale(t, s, 1), width));
        let (open, weight) = (open.to_f64(), |k: u64| (-(k as f64) * s as f64 / t as f64).exp());
        assert!(open < 0.02, "{t}/{s}: {open}");
        let all: f64 = (0..width).map(weight).sum();
        for k in 0..width {
            let (low, expected) = (masses.get(&k).map_or(0.0, Fraction::to_f64), weight(k) / all);
            assert!(low <= expected + 1e-14 && expected <= low + open + 1e-14, "{t}/{s}, {k}: {low} + {open}");
        }
        assert!(masses.keys().all(|&k| k < width));
    }
}

fn variance(numerator: u64, denominator: u64) -> Variance {
    let part = |n| NonZeroU64::new(n).expect("not zero");
    Variance::new(part(numerator), part(denominator)).expect("small enough")
}

/// All coin outcomes. Laplace noise of scale t ends at k with probability ∝ e^(−|k|/t) (as above)
/// and is then accepted with e^(−(|k| − σ²/t)²/2σ²): altogether ∝ e^(−k²/2σ²).
#[test]
fn gaussian_has_its_exact_probabilities() {
    for (p, q) in [(1_u64, 4_u64), (1, 2), (1, 1), (2, 1)] {
        let squared = p as f64 / q as f64;
        let t = squared.sqrt().floor() + 1.0;
        for k in 0..5_u8 {
            // Deeper trees are needed for what is hardly ever accepted.
            if (f64::from(k) - squared / t).powi(2) / (2.0 * squared) > 3.0 {
                continue;
            }
            let (masses, open) = outcomes(12, |coins| gaussian::accepted(coins, u128::from(k), variance(p, q)));
            let (low, open) = (masses.get(&true).map_or(0.0, Fraction::to_f64), open.to_f64());
            let expected = (-(f64::from(k) - squared / t).powi(2) / (2.0 * squared)).exp();
            assert!(open < 1e-2, "{p}/{q}, {k}: {open}");
            assert!(low <= expected + 1e-14 && expected <= low + open + 1e-14, "{p}/{q}, {k}: {low} + {open}");
            let (both, gauss) = (expected * (-f64::from(k) / t).exp(), (-f64::from(k).powi(2) / (2.0 * squared)).exp());
            assert!((both / gauss - (-squared / (2.0 * t * t)).exp()).abs() < 1e-12, "the same share of each");
        }
    }
    // A whole round of the loop: no sign is more likely than the other.
    let (masses, _) = outcomes(12, |coins| gaussian::attempt(coins, variance(1, 1)));
    assert!((1..=2).all(|k| masses.contains_key(&Some(k)) && masses.get(&Some(k)) == masses.get(&Some(-k))));
}

/// Where 128 bits do not suffice it goes on in wider numbers, and where they do both ways agree.
#[test]
fn gaussian_exponents_are_exact() {
    use gaussian::Exponent;
    let mut wider = 0;
    for (p, q) in
        [(1, 1), (3, 7), (20_971_520, 3), (Variance::LARGEST, 1), (Variance::LARGEST, 12_345), (5, Variance::LARGEST)]
    {
        for k in [0_u128, 1, 2, 1000, 1 << 31, 1 << 33, 1 << 36, 1 << 64, i128::MAX as u128] {
            let (variance, wide) = (variance(p, q), Exponent::wide(k, variance(p, q)));
            match Exponent::narrow(k, variance) {
                Some(narrow) => assert_eq!(narrow, wide, "{p}/{q}, {k}"),
                None => wider += 1,
            }
            let squared = variance.to_f64();
            let t = squared.sqrt().floor() + 1.0;
            let expected = (k as f64 - squared / t).powi(2) / (2.0 * squared);
            let found = wide.whole as f64 + wide.rest as f64 / wide.below.get() as f64;
            let cut = wide.whole == u128::MAX && expected > 1e38;
            assert!(cut || (found - expected).abs() <= 1e-6 * expected + 1e-6, "{p}/{q}, {k}: {found}, {expected}");
        }
    }
    assert!(wider > 5);
}

#[test]
fn gaussian_at_the_stated_rates() {
    let trials = 40_000_u64;
    for (v, (p, q)) in [(1, 3), (1, 1), (9, 2), (1 << 62, (1 << 62) / 7)].into_iter().enumerate() {
        let mut coins = stream("gaussian").node(v as u32);
        let mut cells = [0_u64; 8];
        for _ in 0..trials {
            // −2…3 by themselves; the two tails together.
            let cell = match discrete_gaussian(&mut coins, variance(p, q)) {
                k @ -2..=3 => usize::try_from(k + 2).expect("small"),
                4.. => 6,
                _ => 7,
            };
            cells[cell] += 1;
        }
        let weight = |k: i32| (-f64::from(k * k) / (2.0 * p as f64 / q as f64)).exp();
        let all: f64 = (-60..=60).map(weight).sum();
        for (cell, &hits) in cells.iter().enumerate() {
            let p = match cell {
                6 => (4..=60).map(weight).sum::<f64>(),
                7 => (3..=60).map(weight).sum::<f64>(),
                cell => weight(cell as i32 - 2),
            };
            assert_binomial(hits, trials, (p / all).max(1e-300), 32, "gaussian");
        }
    }
}

#[test]
fn gaussian_with_the_largest_variance() {
    let part = |n| NonZeroU64::new(n).expect("not zero");
    assert_eq!(Variance::new(part(Variance::LARGEST + 1), part(1)), None);
    assert_eq!(Variance::new(part(1), part(Variance::LARGEST + 1)), None);
    let trials = 20_000_u64;
    let mut coins = stream("wide").node(0);
    let sigma = 2_f64.powi(31);
    let within = |far: f64| {
        let mut coins = stream("wide").node(far as u32);
        (0..trials)
            .filter(|_| {
                (discrete_gaussian(&mut coins, variance(Variance::LARGEST, 1)).unsigned_abs() as f64) < far * sigma
            })
            .count() as u64
    };
    assert_binomial(within(1.0), trials, libm::erf(1.0 / 2_f64.sqrt()), 2, "one deviation");
    assert_binomial(within(2.0), trials, libm::erf(2.0 / 2_f64.sqrt()), 2, "two deviations");
    // The tiniest one is never anything but 0: e^(−2⁶¹) for 1.
    assert!((0..100).all(|_| discrete_gaussian(&mut coins, variance(1, Variance::LARGEST)) == 0));
}
