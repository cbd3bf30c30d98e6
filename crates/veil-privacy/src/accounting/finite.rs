//! Randomised response on a sample: three kinds of outcomes, so every quantity is a finite sum.
//!
//! k-ary randomised response keeps the truth with probability p = e^ε·q and sends each other value
//! with q. Let one world's truth be y and the other's z. On a sample the world with the record
//! answers by (1−γ)Q + γP, the other by Q. An answer y has the ratio 1−γ+γe^ε, an answer z
//! 1−γ+γe^−ε, any other 1. What an exact sampler rounds (the flip is never less likely than stated)
//! is a further randomised response on the answer, hence post-processing.
//!
//! **Pure losses.** Whatever has pure loss ε is dominated by the case k = 2 (Kairouz, Oh and
//! Viswanath 2015).
//!
//! **Composition.** A pair that dominates a mechanism for removing (or adding) a record dominates
//! it on a Poisson sample when mixed as above, and products of such pairs dominate adaptive
//! compositions (Zhu, Dong and Wang 2022, Theorems 11 and 10). So δ(ε) of n answers is the
//! multinomial sum over how many of them are y, z and others, computed exactly.

use libm::{exp, expm1, log, log1p};

use super::logs::{LnFactorials, ln_mixed, ln_sum_exp};

/// The share of δ that is neglected. Spendings are rounded up by far more.
const LEFT_OUT: f64 = 1e-12;
/// More than the rounding errors of the sums below: divergences err upwards.
const ROUNDING: f64 = 1e-14;

/// One kind of outcome: how likely it is in the first world, and the logarithm of how much likelier
/// than in the second.
#[derive(Clone, Copy)]
struct Outcome {
    ln_probability: f64,
    loss: f64,
}

/// The dominating pair for removing (or adding) a record.
pub struct Pair {
    /// The answers y and z.
    telling: [Outcome; 2],
    /// Any other answer, whose loss is 0; −∞ if there is none.
    ln_other: f64,
}

/// The pairs for removing and for adding a record: k values, loss ε, on a sample of share γ.
pub fn pairs(values: u32, epsilon: f64, gamma: f64) -> [Pair; 2] {
    let ln_keep = -log1p(f64::from(values - 1) * exp(-epsilon));
    let ln_flip = ln_keep - epsilon;
    let ln_other = log(f64::from(values - 2)) + ln_flip;
    let (y, z) = (ln_mixed(gamma, epsilon), ln_mixed(gamma, -epsilon));
    let with = [Outcome { ln_probability: ln_flip + y, loss: y }, Outcome { ln_probability: ln_keep + z, loss: z }];
    let without = [Outcome { ln_probability: ln_flip, loss: -y }, Outcome { ln_probability: ln_keep, loss: -z }];
    [Pair { telling: with, ln_other }, Pair { telling: without, ln_other }]
}

impl Pair {
    /// (α−1) times the Rényi divergence of one answer, at any real order α > 1.
    pub fn ln_moment(&self, order: f64) -> f64 {
        let powers = self.telling.map(|outcome| (order - 1.0) * outcome.loss);
        if powers.iter().any(|&power| power > 600.0) {
            let terms = [0, 1].map(|at| self.telling[at].ln_probability + powers[at]);
            return ln_sum_exp(&[terms[0], terms[1], self.ln_other]);
        }
        // The probabilities add up to 1: the moment less 1 is the sum of these.
        let parts = [0, 1].map(|at| exp(self.telling[at].ln_probability) * expm1(powers[at]));
        let rounded_up = parts.map(|part| part + ROUNDING * part.abs());
        log1p((rounded_up[0] + rounded_up[1]).max(0.0))
    }

    /// The smallest ε ≥ 0 for which `count` answers have δ(ε) ≤ `delta`.
    pub fn composed(&self, count: usize, delta: f64, factorials: &LnFactorials) -> f64 {
        let mut outcomes = self.outcomes(count, delta, factorials);
        outcomes.sort_unstable_by(|a, b| b.loss.total_cmp(&a.loss));
        // δ(ε) = Σ max(0, P − e^ε·Q) is followed from the largest loss down. `scaled` is e^ε·ΣQ
        // over the losses passed. Between two losses δ grows by what e^ε·ΣQ falls: only positive
        // terms are added.
        let (mut reached, mut scaled, mut at) = (0.0_f64, 0.0_f64, f64::INFINITY);
        let end = Outcome { ln_probability: f64::NEG_INFINITY, loss: 0.0 };
        for next in outcomes.into_iter().chain([end]) {
            if scaled > 0.0 {
                let gain = scaled * -expm1(next.loss - at);
                if reached + gain > delta {
                    return at + log1p(-(delta - reached) / scaled);
                }
                reached += gain;
                scaled *= exp(next.loss - at);
            }
            scaled += exp(next.ln_probability);
            at = next.loss;
        }
        0.0
    }

    /// How many of the answers are y and z: every combination of positive loss that is likely
    /// enough to matter.
    fn outcomes(&self, count: usize, delta: f64, factorials: &LnFactorials) -> Vec<Outcome> {
        let [y, z] = self.telling;
        // There are at most (n+1)² combinations.
        let negligible = log(delta * LEFT_OUT) - 2.0 * log((count + 1) as f64);
        let ln_not_y = ln_sum_exp(&[z.ln_probability, self.ln_other]);
        let mut found = Vec::new();
        for of_y in 0..=count {
            let left = count - of_y;
            let ln_row = factorials.choose(count, of_y) + of_y as f64 * y.ln_probability;
            if ln_row + left as f64 * ln_not_y < negligible {
                continue;
            }
            // Without other answers what is not y is z.
            let fewest = if self.ln_other == f64::NEG_INFINITY { left } else { 0 };
            for of_z in fewest..=left {
                let others = left - of_z;
                let ln_others = if others == 0 { 0.0 } else { others as f64 * self.ln_other };
                let ln_probability =
                    ln_row + factorials.choose(left, of_z) + of_z as f64 * z.ln_probability + ln_others;
                let loss = of_y as f64 * y.loss + of_z as f64 * z.loss;
                if ln_probability >= negligible && loss > 0.0 {
                    found.push(Outcome { ln_probability, loss });
                }
            }
        }
        found
    }
}
