//! Canaries after a run, and which of them are guessed.
//!
//! A guess is by the sign of a canary's score, the logarithm of the likelihood ratio where that is known. Guessing only where the score is
//! far from 0 makes guesses better and fewer. Which rule decides that is fixed before the run; if several are tried, each gets its share of the error.

use super::bounds;
use super::{CERTAIN, Canaries, Method, Promise};

/// A canary after the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canary {
    /// How its coin fell.
    pub secret: bool,
    /// What the adversary makes of the output: above 0 speaks for `true`, below for `false`, 0 (and NaN) says nothing.
    pub score: f64,
}

/// Which canaries are guessed.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Those whose score is at least so far from 0.
    AtLeast(f64),
    /// The so many highest, as `true`, and the so many lowest, as `false`: for each number in turn, and the best counts. For scores that are no likelihood ratios.
    Extremes(Vec<usize>),
}

/// What the guesses of one run prove about its promise.
pub fn judge(canaries: &[Canary], rule: &Rule, promise: Promise) -> Canaries {
    let (guesses, tried) = match rule {
        Rule::AtLeast(least) => {
            let far = canaries.iter().filter(|canary| canary.score != 0.0 && canary.score.abs() >= *least);
            let right = far.clone().filter(|canary| (canary.score > 0.0) == canary.secret).count();
            (vec![(right, far.count())], 1.0)
        }
        Rule::Extremes(numbers) => {
            let mut sorted: Vec<Canary> = canaries.iter().copied().filter(|canary| !canary.score.is_nan()).collect();
            // Ties go by nothing that the adversary does not see: they are in the order of the canaries.
            sorted.sort_by(|a, b| a.score.total_cmp(&b.score));
            let guesses = numbers.iter().map(|&number| {
                let number = number.min(sorted.len() / 2);
                let low = sorted[..number].iter().filter(|canary| !canary.secret).count();
                let high = sorted[sorted.len() - number..].iter().filter(|canary| canary.secret).count();
                (low + high, 2 * number)
            });
            (guesses.collect(), numbers.len() as f64)
        }
    };
    let bound = |(right, guessed): (usize, usize), beta: f64| {
        bounds::one_run(right as u64, guessed as u64, canaries.len() as u64, promise.delta, beta / tried)
    };
    let best = |beta| guesses.iter().map(|&guess| bound(guess, beta)).fold(0.0, f64::max);
    let shown = guesses.iter().copied().max_by(|&a, &b| bound(a, CERTAIN).total_cmp(&bound(b, CERTAIN)));
    let (right, guessed) = shown.unwrap_or_default();
    Canaries {
        method: Method::OneRun,
        canaries: canaries.len(),
        guessed,
        right,
        lower_bound_95: best(0.05),
        lower_bound_999: best(0.001),
        lower_bound_certain: best(CERTAIN),
        would_detect: bounds::would_detect(guessed as u64, canaries.len() as u64, promise, CERTAIN / tried),
    }
}
