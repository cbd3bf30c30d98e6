//! Tails of the binomial distribution, to about twelve digits for up to millions of trials.
//!
//! A mass is computed by its distance from the mode (Loader 2000): factorials of millions are far
//! too large for their logarithms to be subtracted. A tail is a sum that starts at its largest
//! mass. Everything is a logarithm, and the same bits on every machine.

use libm::{exp, log, log1p};

/// A probability and its complement. Close to 1 a float says little about the complement, so both
/// are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    yes: f64,
    no: f64,
}

impl Chance {
    /// Of this probability.
    pub fn of(probability: f64) -> Chance {
        Chance { yes: probability, no: 1.0 - probability }
    }

    /// e^x/(1 + e^x): how often randomised response on a bit is right at ε = x.
    pub fn of_logit(x: f64) -> Chance {
        Chance { yes: 1.0 / (1.0 + exp(-x)), no: 1.0 / (1.0 + exp(x)) }
    }

    /// The probability.
    pub fn yes(self) -> f64 {
        self.yes
    }

    /// Its complement.
    pub fn no(self) -> f64 {
        self.no
    }

    fn turned(self) -> Chance {
        Chance { yes: self.no, no: self.yes }
    }

    fn ln_yes(self) -> f64 {
        if self.yes > 0.5 { log1p(-self.no) } else { log(self.yes) }
    }
}

/// ln P[Binomial(n, chance) = k].
///
/// # Panics
/// If k is above n.
pub fn ln_mass(k: u64, n: u64, chance: Chance) -> f64 {
    assert!(k <= n, "{k} of {n}");
    let power = |times: u64, chance: Chance| if times == 0 { 0.0 } else { times as f64 * chance.ln_yes() };
    if k == 0 || k == n || chance.yes == 0.0 || chance.no == 0.0 {
        return power(k, chance) + power(n - k, chance.turned());
    }
    let (yes, no, all) = (k as f64, (n - k) as f64, n as f64);
    let near = log(all / (yes * no) / std::f64::consts::TAU) / 2.0;
    let factorials = stirling_error(n) - stirling_error(k) - stirling_error(n - k);
    near + factorials - deviance(yes, all, chance.yes) - deviance(no, all, chance.no)
}

/// ln P[Binomial(n, chance) ≥ k].
pub fn ln_at_least(k: u64, n: u64, chance: Chance) -> f64 {
    if k == 0 || (chance.no == 0.0 && k <= n) {
        0.0
    } else if k > n || chance.yes == 0.0 {
        f64::NEG_INFINITY
    } else if k as f64 > n as f64 * chance.yes {
        upper_tail(k, n, chance)
    } else {
        // Below the mean the other tail is the small one: less than 1/2, so nothing is lost by
        // subtracting it.
        log1p(-exp(upper_tail(n - k + 1, n, chance.turned())))
    }
}

/// The tail from k on, where k is above the mean: each mass is smaller than the one before.
fn upper_tail(k: u64, n: u64, chance: Chance) -> f64 {
    let odds = chance.yes / chance.no;
    let (mut term, mut sum) = (1.0, 1.0);
    for i in k..n {
        term *= (n - i) as f64 / (i + 1) as f64 * odds;
        sum += term;
        // What follows is less than a geometric sum of this ratio, and the ratio falls.
        if term < sum * 1e-17 {
            break;
        }
    }
    ln_mass(k, n, chance) + log(sum)
}

/// The logit of the smallest probability that Clopper and Pearson (1934) do not exclude: with it, k
/// or more of n are seen with probability β. Minus infinity if nothing was seen. The largest one
/// for k of n is minus the smallest one for n − k of n.
///
/// By Newton's method in the logit x. There ln P(X ≥ k) is concave: its slope is E(X | X ≥ k) −
/// E(X), and the slope of that is Var(X | X ≥ k) − Var(X) ≤ 0. So from the left no step goes too
/// far, and p^k·(n over k) = β is on the left.
///
/// # Panics
/// If k is above n, or β is not between 0 and 1.
pub fn lowest(k: u64, n: u64, beta: f64) -> f64 {
    assert!(k <= n && beta > 0.0 && beta < 1.0, "{k} of {n} at {beta}");
    if k == 0 {
        return f64::NEG_INFINITY;
    }
    let aim = log(beta);
    let ln_choose = ln_mass(k, n, Chance::of(0.5)) + n as f64 * std::f64::consts::LN_2;
    let mut x = (aim - ln_choose) / k as f64;
    for _ in 0..200 {
        let chance = Chance::of_logit(x);
        let tail = ln_at_least(k, n, chance);
        let slope = k as f64 * chance.no * exp(ln_mass(k, n, chance) - tail);
        let step = (aim - tail) / slope;
        if step <= 1e-15 * x.abs().max(1.0) {
            break;
        }
        x += step;
    }
    x
}

/// ln n! − ln(√(2πn)·(n/e)^n), for n > 0.
fn stirling_error(n: u64) -> f64 {
    let x = n as f64;
    if n < 16 {
        // Exact: 15! is below 2⁵³.
        let factorial = (2..=n).product::<u64>() as f64;
        return log(factorial) - log(std::f64::consts::TAU * x) / 2.0 - x * log(x) + x;
    }
    // Stirling's series; the next term is below 10⁻¹⁶.
    let y = 1.0 / (x * x);
    (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x
}

/// x·ln(x/m) + m − x for m = n·p: how far x is from what was expected (Loader 2000, `bd0`).
fn deviance(x: f64, n: f64, p: f64) -> f64 {
    let m = n * p;
    // What the product lost by rounding counts where x − m is large.
    let difference = (x - m) - n.mul_add(p, -m);
    let share = difference / (x + m);
    if share.abs() > 0.5 {
        return x * log(x / m) - difference;
    }
    // ln(x/m) = 2·(share + share³/3 + …), without what cancels.
    let mut sum = difference * share;
    let mut power = 2.0 * x * share;
    for odd in (3..).step_by(2) {
        power *= share * share;
        let next = sum + power / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}
