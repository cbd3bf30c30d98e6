//! Canaries after a run, and which of them are guessed.
//!
//! A guess is by the sign of a canary's score, the logarithm of the likelihood ratio where that is
//! known. Guessing only where the score is far from 0 makes guesses better and fewer. Which rule
//! decides that is fixed before the run; if several are tried, each gets its share of the error.
//!
//! **Which judge is valid.** [`judge`] and [`judge_canaries_of_one_run`] need one execution and a
//! fair coin for each canary, tossed independently of the others; what the execution does with the
//! canaries together does not matter. [`judge_worlds`] needs executions that are independent of
//! each other, each in one of two adjacent worlds, and no coins. Scores of canaries that shared an
//! execution are not independent, so [`judge_worlds`] proves nothing about them. And if exactly
//! half of the canaries were chosen to be in, their coins depend on each other: then neither is
//! proven. Pairs of which a coin chooses one are fine: each pair is one canary.

#[cfg(test)]
mod tests;
mod worlds;

use super::bounds;
use super::{CERTAIN, Canaries, Promise, Setup};

pub use worlds::judge_worlds;

/// A canary after the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canary {
    /// How its coin fell.
    pub secret: bool,
    /// What the adversary makes of the output: above 0 speaks for `true`, below for `false`, 0 (and
    /// NaN) says nothing.
    pub score: f64,
}

/// Which canaries are guessed.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Those whose score is at least so far from 0.
    AtLeast(f64),
    /// The so many highest, as `true`, and the so many lowest, as `false`: for each number in turn,
    /// and the best counts. For scores that are no likelihood ratios.
    ///
    /// Of canaries with the same score all are guessed or none: nothing but the score may choose
    /// between them, and the order in which they come may know the secrets. So there may be fewer
    /// guesses than the number says. No canary is in both halves.
    Extremes(Vec<usize>),
}

/// What the guesses of one run prove about its promise.
///
/// How many are guessed depends on the output. With δ = 0 that does not matter; else it can at most
/// double the error, so each bound is taken at half of it (see [`bounds`]).
pub fn judge(canaries: &[Canary], rule: &Rule, promise: Promise) -> Canaries {
    let guesses = match rule {
        Rule::AtLeast(least) => vec![far_from_zero(canaries, *least)],
        Rule::Extremes(numbers) => extremes(canaries, numbers),
    };
    let shares = guesses.len().max(1) as f64 * if promise.delta > 0.0 { 2.0 } else { 1.0 };
    let planted = canaries.len() as u64;
    let bound = |guess: &Guesses, beta| bounds::one_run(guess.right, guess.made, planted, promise.delta, beta / shares);
    let best = |beta| guesses.iter().map(|guess| bound(guess, beta)).fold(0.0, f64::max);
    // Shown is what proves most, in doubt at the lower confidence.
    let proof = |guess: &Guesses| (bound(guess, CERTAIN), bound(guess, 0.05));
    let shown = guesses.iter().max_by(|a, b| {
        let (a, b) = (proof(a), proof(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let shown = shown.copied().unwrap_or_default();
    Canaries {
        setup: Setup::OneRun,
        canaries: canaries.len(),
        guessed: shown.made as usize,
        right: shown.right as usize,
        lower_bound_95: best(0.05),
        lower_bound_999: best(0.001),
        lower_bound_certain: best(CERTAIN),
        would_detect: bounds::would_detect(shown.made, planted, promise, CERTAIN / shares),
    }
}

/// The same for scores of someone else's mechanism: those of the canaries that a coin put in, and
/// of those that it left out. A high score speaks for being in, and no score in itself says
/// anything: all are guessed, or the tenth or the hundredth that stands out most.
pub fn judge_canaries_of_one_run(inside: &[f64], outside: &[f64], promise: Promise) -> Canaries {
    let of = |secret: bool| move |&score: &f64| Canary { secret, score };
    let canaries: Vec<Canary> = inside.iter().map(of(true)).chain(outside.iter().map(of(false))).collect();
    let half = canaries.len() / 2;
    judge(&canaries, &Rule::Extremes(vec![half, half.div_ceil(10), half.div_ceil(100)]), promise)
}

#[derive(Clone, Copy, Default)]
struct Guesses {
    right: u64,
    made: u64,
}

fn far_from_zero(canaries: &[Canary], least: f64) -> Guesses {
    let mut guesses = Guesses::default();
    for canary in canaries.iter().filter(|canary| canary.score != 0.0 && canary.score.abs() >= least) {
        guesses.made += 1;
        guesses.right += u64::from((canary.score > 0.0) == canary.secret);
    }
    guesses
}

fn extremes(canaries: &[Canary], numbers: &[usize]) -> Vec<Guesses> {
    let mut sorted: Vec<Canary> = canaries.iter().copied().filter(|canary| !canary.score.is_nan()).collect();
    sorted.sort_by(|a, b| a.score.total_cmp(&b.score));
    // Whether one can cut before this place: not between equals (to which 0 and −0 belong).
    let parts = |place: usize| place == 0 || place == sorted.len() || sorted[place - 1].score < sorted[place].score;
    let guess = |&number: &usize| {
        let number = number.min(sorted.len() / 2);
        let low = (0..=number).rev().find(|&place| parts(place)).unwrap_or(0);
        let high = (sorted.len() - number..=sorted.len()).find(|&place| parts(place)).unwrap_or(sorted.len());
        let right = sorted[..low].iter().filter(|canary| !canary.secret).count()
            + sorted[high..].iter().filter(|canary| canary.secret).count();
        Guesses { right: right as u64, made: (low + sorted.len() - high) as u64 }
    };
    numbers.iter().map(guess).collect()
}
