//! Arithmetic with logarithms, the same bits on every machine.

use libm::{exp, expm1, log, log1p};

/// ln(e^x − 1) for x ≥ 0.
pub fn ln_expm1(x: f64) -> f64 {
    // Beyond 40 the one is less than half a unit in the last place of x.
    if x > 40.0 { x } else { log(expm1(x)) }
}

/// ln(1 + e^x).
pub fn ln_1p_exp(x: f64) -> f64 {
    if x > 40.0 { x } else { log1p(exp(x)) }
}

/// ln(1 − γ + γ·e^x): the loss of an answer on a sample, x being its loss on all records.
pub fn ln_mixed(gamma: f64, x: f64) -> f64 {
    if gamma >= 1.0 {
        x
    } else if x > 40.0 {
        log(gamma) + x + log1p((1.0 - gamma) / gamma * exp(-x))
    } else if x < -1.0 && gamma > 0.5 {
        // Here the sum is far from 1 and may be close to 0.
        log(1.0 - gamma + gamma * exp(x))
    } else {
        log1p(gamma * expm1(x))
    }
}

/// ln Σ e^term; −∞ of nothing.
pub fn ln_sum_exp(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + log(terms.iter().map(|term| exp(term - largest)).sum::<f64>())
}

/// ln k! for k up to a number.
pub struct LnFactorials(Vec<f64>);

impl LnFactorials {
    /// Sums of logarithms, with what each addition loses carried on (Kahan), so that the error
    /// stays at a rounding of the result: below 10⁻¹⁰ up to 20,000!.
    pub fn up_to(n: usize) -> LnFactorials {
        let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
        let mut table = Vec::with_capacity(n + 1);
        table.push(0.0);
        for k in 1..=n {
            let term = log(k as f64) - lost;
            let next = sum + term;
            lost = (next - sum) - term;
            sum = next;
            table.push(sum);
        }
        LnFactorials(table)
    }

    /// ln k!.
    pub fn of(&self, k: usize) -> f64 {
        self.0[k]
    }

    /// ln (n over k).
    pub fn choose(&self, n: usize, k: usize) -> f64 {
        self.of(n) - self.of(k) - self.of(n - k)
    }
}
