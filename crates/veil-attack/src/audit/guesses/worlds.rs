//! Scores from two worlds: many independent executions of each.

use veil_graph::random::Random;

use super::super::bounds::{Errors, two_worlds, two_worlds_would_detect};
use super::super::{CERTAIN, Canaries, Promise, Setup};

/// What scores of independent executions in two adjacent worlds prove, one score for each
/// execution.
///
/// One half of the executions chooses the threshold, and whether scores above or below it mean
/// "inside"; the other half decides. All of these are guessed: `right` says how many the threshold
/// tells rightly. Which executions are in which half depends on their number alone, by an order
/// that has nothing to do with the one in which they come: lists may be sorted. A score that is no
/// number is called outside.
pub fn judge_worlds(inside: &[f64], outside: &[f64], promise: Promise) -> Canaries {
    let (choosing_in, deciding_in) = halves(inside);
    let (choosing_out, deciding_out) = halves(outside);
    let split = Split::choose(choosing_in, choosing_out, promise.delta);
    let count = |scores: &[f64], says: bool| scores.iter().filter(|&&score| split.says_inside(score) == says).count();
    let (missed, false_alarms) = (count(&deciding_in, false), count(&deciding_out, true));
    let errors = Errors {
        inside: deciding_in.len() as u64,
        missed: missed as u64,
        outside: deciding_out.len() as u64,
        false_alarms: false_alarms as u64,
    };
    let executions = deciding_in.len() + deciding_out.len();
    Canaries {
        setup: Setup::TwoWorlds,
        canaries: executions,
        guessed: executions,
        right: executions - missed - false_alarms,
        lower_bound_95: two_worlds(errors, promise.delta, 0.05),
        lower_bound_999: two_worlds(errors, promise.delta, 0.001),
        lower_bound_certain: two_worlds(errors, promise.delta, CERTAIN),
        would_detect: two_worlds_would_detect(errors.inside, errors.outside, promise, CERTAIN),
    }
}

/// Those that choose and those that decide: every other one, after a shuffle that is always the
/// same.
pub(super) fn halves(scores: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut scores = scores.to_vec();
    Random::new(0, "audit/two worlds").shuffle(&mut scores);
    let every_other = |from: usize| scores.iter().skip(from).step_by(2).copied().collect();
    (every_other(0), every_other(1))
}

/// Where an adversary says "inside".
#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    threshold: f64,
    /// Scores from the threshold on; else scores below.
    above: bool,
}

impl Split {
    fn says_inside(self, score: f64) -> bool {
        if self.above { score >= self.threshold } else { score < self.threshold }
    }

    /// The split that promises most. With Wilson's intervals (1927) instead of Clopper and
    /// Pearson's, which would have to be solved for at every threshold: a worse choice finds less,
    /// and is no less valid.
    fn choose(mut inside: Vec<f64>, mut outside: Vec<f64>, delta: f64) -> Split {
        for scores in [&mut inside, &mut outside] {
            scores.retain(|score| !score.is_nan());
            scores.sort_by(f64::total_cmp);
        }
        let (all_in, all_out) = (inside.len(), outside.len());
        let mut thresholds: Vec<f64> = inside.iter().chain(&outside).copied().collect();
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        let mut best = (f64::NEG_INFINITY, Split { threshold: 0.0, above: true });
        for threshold in thresholds {
            let below_in = inside.partition_point(|&score| score < threshold);
            let below_out = outside.partition_point(|&score| score < threshold);
            for (above, missed, false_alarms) in
                [(true, below_in, all_out - below_out), (false, all_in - below_in, below_out)]
            {
                let miss = wilson_upper(missed, all_in);
                let alarm = wilson_upper(false_alarms, all_out);
                let promises = ((1.0 - miss - delta) / alarm).max((1.0 - alarm - delta) / miss);
                if promises > best.0 {
                    best = (promises, Split { threshold, above });
                }
            }
        }
        best.1
    }
}

/// Exceeded with a probability of about 5·10⁻⁷, half of [`CERTAIN`].
fn wilson_upper(count: usize, of: usize) -> f64 {
    const DEVIATIONS: f64 = 4.892;
    let (count, of, square) = (count as f64, of as f64, DEVIATIONS * DEVIATIONS);
    if of == 0.0 {
        return 1.0;
    }
    (count + square / 2.0 + DEVIATIONS * (count * (of - count) / of + square / 4.0).sqrt()) / (of + square)
}
