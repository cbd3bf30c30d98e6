use num_bigint::BigUint;
use serde_json::Value;
use veil_privacy::Fraction;

use super::binomial::{Chance, ln_at_least, ln_mass, lowest};
use super::one_run::p_value;
use super::*;
use crate::audit::Promise;

const FIXTURE: &str = include_str!("../../../tests/fixtures/auditing.json");

fn promise(epsilon: f64, delta: f64) -> Promise {
    Promise { epsilon, delta }
}

fn at_least(k: u64, n: u64, chance: Chance) -> f64 {
    ln_at_least(k, n, chance).exp()
}

/// P[Binomial(n, share/16) ≥ k] for every k, in whole numbers.
fn exact_tails(n: u32, share: u32) -> Vec<f64> {
    let mut choose = BigUint::from(1_u32);
    let mut masses = Vec::new();
    for k in 0..=n {
        masses.push(&choose * BigUint::from(share).pow(k) * BigUint::from(16 - share).pow(n - k));
        choose = choose * (n - k) / (k + 1);
    }
    let all = BigUint::from(16_u32).pow(n);
    let mut tail = BigUint::ZERO;
    let mut tails: Vec<f64> = masses
        .iter()
        .rev()
        .map(|mass| {
            tail += mass;
            Fraction::new(tail.clone(), all.clone()).unwrap().to_f64()
        })
        .collect();
    tails.reverse();
    tails
}

#[test]
fn tails_are_those_of_whole_numbers() {
    for n in [1, 2, 7, 15, 16, 40, 150] {
        for share in [1, 4, 8, 11, 15] {
            let chance = Chance::of(f64::from(share) / 16.0);
            let tails = exact_tails(n, share);
            for (k, tail) in tails.iter().enumerate() {
                let found = at_least(k as u64, n.into(), chance);
                assert!((found / tail - 1.0).abs() < 1e-12, "{k} of {n} at {share}/16: {found} is not {tail}");
                let mass = tail - tails.get(k + 1).unwrap_or(&0.0);
                let found = ln_mass(k as u64, n.into(), chance).exp();
                assert!((found - mass).abs() < 1e-14 + 1e-11 * mass, "mass of {k} of {n} at {share}/16");
            }
            assert_eq!(at_least(u64::from(n) + 1, n.into(), chance), 0.0);
        }
    }
}

#[test]
fn tails_of_a_million_trials() {
    // Summed in 60 digits by mpmath.
    let known = [
        (502_500, 1_000_000, 0.5, -15.059_864_197_583_32),
        (510_000, 1_000_000, 0.5, -203.910_438_669_205),
        (518_500, 1_000_000, 0.5, -689.149_807_612_132_2),
        (499_000, 1_000_000, 0.5, -0.022957690591797957),
        (732_000, 1_000_000, 0.7310585786300049, -4.080_875_695_363_94),
        (10, 1_000_000, 1e-6, -16.009_946_218_349_72),
        (100, 1_000_000, 1e-6, -364.734_277_858_756_6),
        (1, 1_000_000, 1e-9, -6.908_255_236_815_721),
        (999_998, 1_000_000, 0.9999990463256836, -0.074_702_599_082_637_75),
        (1_000_000, 1_000_000, 0.9999990463256836, -0.953_674_771_153_89),
        (300_000, 1_000_000, 0.2999, -0.881_907_015_338_491_5),
        (98_201, 100_000, 0.98, -13.080_016_045_649_95),
        (40, 1000, 0.001, -112.047_894_925_679_33),
    ];
    for (k, n, p, logarithm) in known {
        let found = ln_at_least(k, n, Chance::of(p));
        // An error of the logarithm is a relative one of the tail; and a tail close to 1 has a
        // small logarithm.
        let most = 1e-12_f64.max(2e-15 * f64::abs(logarithm));
        assert!((found - logarithm).abs() < most, "{k} of {n} at {p}: {found} is not {logarithm}");
    }
}

#[test]
fn certain_and_impossible_things() {
    let (never, always) = (Chance::of(0.0), Chance::of_logit(f64::INFINITY));
    assert_eq!((at_least(0, 5, never), at_least(1, 5, never)), (1.0, 0.0));
    assert_eq!((at_least(5, 5, always), at_least(6, 5, always)), (1.0, 0.0));
    assert_eq!((ln_mass(5, 5, always), ln_mass(4, 5, always)), (0.0, f64::NEG_INFINITY));
    assert_eq!((at_least(0, 0, never), at_least(1, 0, always)), (1.0, 0.0));
    // Both sides keep all their digits.
    let far = Chance::of_logit(100.0);
    assert!((far.no() / (-100.0_f64).exp() - 1.0).abs() < 1e-14 && far.yes() == 1.0);
}

#[test]
fn the_lowest_chance_is_where_the_tail_is_beta() {
    for n in [1_u64, 2, 10, 999, 10_000, 1_000_000] {
        for k in [1, 2, n / 10, n / 2, n / 2 + n / 50, n - n / 100, n - 1, n] {
            if k == 0 || k > n {
                continue;
            }
            for beta in [1e-12, 1e-6, 0.05, 0.5, 0.95] {
                let x = lowest(k, n, beta);
                let tail = ln_at_least(k, n, Chance::of_logit(x));
                assert!((tail - f64::ln(beta)).abs() < 1e-8, "{k} of {n} at {beta}: {x} gives {}", tail.exp());
            }
        }
        assert_eq!(lowest(0, n, 0.05), f64::NEG_INFINITY);
    }
}

#[test]
fn right_guesses_by_hand() {
    // All of r are right with probability q^r.
    for (guesses, beta) in [(1, 0.05), (10, 0.05), (1000, 1e-6), (1_000_000, 0.001)] {
        let q = f64::powf(beta, 1.0 / guesses as f64);
        let by_hand = f64::max(0.0, (q / -(f64::ln(beta) / guesses as f64).exp_m1()).ln());
        let found = one_run(guesses, guesses, guesses, 0.0, beta);
        assert!((found - by_hand).abs() < 1e-9, "{guesses}: {found} is not {by_hand}");
    }
    assert_eq!(one_run(0, 0, 100, 0.0, 0.05), 0.0);
    assert_eq!(one_run(0, 0, 100, 1e-5, 0.05), 0.0);
    assert_eq!(one_run(500, 1000, 1000, 0.0, 0.05), 0.0);
    assert_eq!(one_run(0, 1000, 1000, 0.0, 0.05), 0.0);
    // One guess proves nothing at 95 %.
    assert_eq!(one_run(1, 1, 1, 0.0, 0.05), 0.0);
}

#[test]
fn more_right_guesses_prove_more_and_a_delta_less() {
    let mut last = 0.0;
    for right in (500..=1000).step_by(20) {
        let pure = one_run(right, 1000, 2000, 0.0, 0.001);
        assert!(pure > last || pure == 0.0);
        last = pure;
        let mut less = pure;
        for delta in [1e-12, 1e-8, 1e-6, 1e-5, 1e-3] {
            let found = one_run(right, 1000, 2000, delta, 0.001);
            assert!(found <= less, "{right}: {found} at {delta}, {less} before");
            less = found;
        }
        assert_eq!(one_run(right, 1000, 2000, 1e-3, 0.001), 0.0, "2mδ is 4: anything could be");
    }
}

#[test]
fn the_largest_mean_is_that_of_a_sum_over_all_lengths() {
    for (right, guesses, canaries, epsilon, delta) in [
        (90, 100, 200, 1.0, 1e-4),
        (60, 100, 100, 0.0, 1e-3),
        (700, 1000, 1000, 0.5, 1e-5),
        (20, 100, 100, 1.0, 1e-3),
        (1, 4, 8, 0.3, 0.01),
        // So far out that masses vanish.
        (3000, 3000, 3000, 0.1, 1e-5),
    ] {
        let chance = Chance::of_logit(epsilon);
        let mut sum = 0.0;
        let means = (1..=right).map(|i| {
            sum += ln_mass(right - i, guesses, chance).exp();
            sum / i as f64
        });
        let alpha = means.fold(0.0, f64::max);
        let by_hand = at_least(right, guesses, chance) + 2.0 * canaries as f64 * delta * alpha;
        let found = p_value(right, guesses, canaries, promise(epsilon, delta));
        assert!(alpha > 0.0 && (found / by_hand.min(1.0) - 1.0).abs() < 1e-10, "{right}: {found} is not {by_hand}");
    }
}

#[test]
fn no_mechanism_that_keeps_epsilon_and_delta_exceeds_its_p_value() {
    for (canaries, epsilon, delta) in [(50, 1.0, 0.001), (200, 0.5, 1e-4), (1000, 2.0, 1e-5), (40, 0.0, 0.02)] {
        let q = Chance::of_logit(epsilon).yes();
        for right in 0..=canaries {
            let most = p_value(right, canaries, canaries, promise(epsilon, delta)) * (1.0 + 1e-12);
            // Each coin is told with probability δ, else randomised response.
            let each = at_least(right, canaries, Chance::of(delta + (1.0 - delta) * q));
            // All coins are told together with probability δ: a canary's two worlds are still (ε,
            // δ) apart.
            let together = delta + (1.0 - delta) * at_least(right, canaries, Chance::of(q));
            assert!(each <= most && together <= most, "{right} of {canaries}: {each}, {together}, {most}");
        }
    }
}

#[test]
fn what_would_be_found_is_found_in_95_of_100_cases() {
    for (guesses, claimed, delta, beta) in
        [(1000, 1.0, 0.0, 1e-6), (200, 0.1, 0.0, 0.05), (10_000, 2.0, 0.0, 1e-6), (1000, 1.0, 1e-8, 1e-6)]
    {
        let x = would_detect(guesses, guesses, promise(claimed, delta), beta).unwrap();
        let power = |x: f64| {
            let least = (0..=guesses).find(|&right| one_run(right, guesses, guesses, delta, beta) > claimed).unwrap();
            at_least(least, guesses, Chance::of_logit(x))
        };
        assert!(x > claimed && (power(x) - 0.95).abs() < 1e-9, "{guesses}: {x}, {}", power(x));
    }
    // 10 guesses have probability 2⁻¹⁰ at ε = 0.
    assert_eq!(would_detect(10, 10, promise(0.0, 0.0), 1e-6), None);
    assert!(would_detect(10, 10, promise(0.0, 0.0), 0.001).is_some());
    assert_eq!(would_detect(0, 10, promise(0.0, 0.0), 0.05), None);
    assert_eq!(would_detect(1000, 1000, promise(f64::INFINITY, 0.0), 0.05), None);
    // With δ = 10⁻⁶ all coins of 1,000 canaries may be told with probability 2·10⁻³/270: too often
    // for this β.
    assert_eq!(would_detect(1000, 1000, promise(1.0, 1e-6), 1e-6), None);
    // Nothing is found beyond this ε, however good the guesses are.
    assert_eq!(would_detect(1000, 1000, promise(5.0, 0.0), 1e-6), None);
}

#[test]
fn two_worlds_by_hand() {
    // No error in n executions: the rates are at most 1 − (β/2)^(1/n).
    let none = Errors { inside: 100, missed: 0, outside: 100, false_alarms: 0 };
    let hit = 0.025_f64.powf(0.01);
    assert!((two_worlds(none, 0.0, 0.05) - (hit / (1.0 - hit)).ln()).abs() < 1e-12);
    assert!((two_worlds(none, 0.2, 0.05) - ((hit - 0.2) / (1.0 - hit)).ln()).abs() < 1e-12);
    assert_eq!(two_worlds(none, 1.0, 0.05), 0.0);
    // Only one of the two ratios is large, whichever world it is.
    let rarely = Errors { inside: 1000, missed: 900, outside: 1000, false_alarms: 0 };
    let mirrored = Errors { inside: 1000, missed: 0, outside: 1000, false_alarms: 900 };
    assert!(two_worlds(rarely, 0.0, 0.05) > 2.0);
    assert_eq!(two_worlds(rarely, 0.0, 0.05), two_worlds(mirrored, 0.0, 0.05));
    for (missed, false_alarms) in [(50, 50), (100, 0), (0, 100), (70, 60)] {
        assert_eq!(two_worlds(Errors { inside: 100, missed, outside: 100, false_alarms }, 0.0, 0.05), 0.0);
    }
    assert_eq!(two_worlds(Errors { inside: 0, missed: 0, outside: 100, false_alarms: 0 }, 0.0, 0.05), 0.0);
}

#[test]
fn two_worlds_find_what_they_say_in_95_of_100_cases() {
    let (inside, outside) = (150, 100);
    for (claimed, delta, beta) in [(0.5, 0.0, 1e-6), (1.0, 0.01, 0.05)] {
        let x = two_worlds_would_detect(inside, outside, promise(claimed, delta), beta).unwrap();
        let power = |x: f64| -> f64 {
            let mass = |errors, of| ln_mass(errors, of, Chance::of_logit(-x)).exp();
            let found = |missed, false_alarms| {
                two_worlds(Errors { inside, missed, outside, false_alarms }, delta, beta) > claimed
            };
            let few = |errors: &u64| mass(*errors, inside) > 1e-9;
            let missed = (0..=inside).filter(few);
            missed
                .map(|missed| {
                    let alarms = (0..=outside).take_while(|&alarms| found(missed, alarms));
                    mass(missed, inside) * alarms.map(|alarms| mass(alarms, outside)).sum::<f64>()
                })
                .sum()
        };
        assert!(power(x) >= 0.95 && power(0.8 * x) < 0.95, "{x}: {}, {}", power(x), power(0.8 * x));
    }
    assert_eq!(two_worlds_would_detect(10, 10, promise(3.0, 0.0), 1e-6), None);
    assert_eq!(two_worlds_would_detect(0, 0, promise(0.0, 0.0), 0.05), None);
    assert_eq!(two_worlds_would_detect(9, 9, promise(f64::INFINITY, 0.0), 0.05), None);
}

/// jax_privacy on the same counts (scripts/fixtures/auditing.py).
#[test]
fn both_auditors_say_the_same() {
    let fixture: Value = serde_json::from_str(FIXTURE).unwrap();
    let rows = |name: &str| fixture[name].as_array().unwrap().clone();
    let count = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
    let mut compared = 0;
    for row in rows("one_run") {
        let (right, guesses, canaries) = (count(&row, "right"), count(&row, "guesses"), count(&row, "canaries"));
        let found = one_run(right, guesses, canaries, number(&row, "delta"), number(&row, "beta"));
        assert!((found - number(&row, "value")).abs() < 1e-6, "{found}: {row}");
        compared += 1;
    }
    for row in rows("two_worlds") {
        let errors = Errors {
            inside: count(&row, "inside"),
            missed: count(&row, "missed"),
            outside: count(&row, "outside"),
            false_alarms: count(&row, "false_alarms"),
        };
        let found = two_worlds(errors, number(&row, "delta"), number(&row, "beta"));
        assert!((found - number(&row, "value")).abs() < 1e-6, "{found}: {row}");
        compared += 1;
    }
    assert_eq!(compared, 300);
}
