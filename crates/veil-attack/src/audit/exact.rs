//! How far apart two exact distributions are.
//!
//! For the outputs s of two adjacent inputs, ε∞ = max_s |log P(s)/Q(s)| and δ_ε = Σ_s max(0, P(s) −
//! e^ε·Q(s)), the larger of both directions. Probabilities are fractions; only logarithms and the
//! last sum are floats.

use std::collections::BTreeMap;

use veil_privacy::Fraction;

use super::{Exact, Quantiles};

/// What one pair of inputs loses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// ε∞; infinite if an output is possible with one input only.
    pub epsilon: f64,
    /// δ at the promised ε.
    pub delta: f64,
}

impl Loss {
    /// A loss of at most ε∞, of which the distribution is not computed: the δ that suffices at the
    /// promised ε, whatever it is.
    pub fn at_most(epsilon: f64, promised: f64) -> Loss {
        Loss { epsilon, delta: if epsilon <= promised { 0.0 } else { 1.0 - (promised - epsilon).exp() } }
    }
}

/// The loss between the outputs of two inputs. Outputs that are not listed are impossible; one that
/// is listed several times has the sum.
pub fn between<K: Ord>(one: &[(K, Fraction)], other: &[(K, Fraction)], epsilon: f64) -> Loss {
    let mut outputs: BTreeMap<&K, [Fraction; 2]> = BTreeMap::new();
    for (side, listed) in [one, other].into_iter().enumerate() {
        for (output, probability) in listed {
            let both = outputs.entry(output).or_insert_with(|| [Fraction::zero(), Fraction::zero()]);
            both[side] = &both[side] + probability;
        }
    }
    let mut loss = Loss { epsilon: 0.0, delta: 0.0 };
    let mut needed = [0.0, 0.0];
    for [p, q] in outputs.values() {
        if p.is_zero() && q.is_zero() {
            continue;
        }
        loss.epsilon = loss.epsilon.max(log_ratio(p, q).abs());
        let (p, q) = (p.to_f64(), q.to_f64());
        // e^ε may be beyond all numbers; nothing times it is nothing all the same.
        let allowed = |other: f64| if other == 0.0 { 0.0 } else { epsilon.exp() * other };
        needed[0] += (p - allowed(q)).max(0.0);
        needed[1] += (q - allowed(p)).max(0.0);
    }
    loss.delta = needed[0].max(needed[1]).min(1.0);
    loss
}

/// log P/Q, of which at most one is 0.
pub fn log_ratio(p: &Fraction, q: &Fraction) -> f64 {
    let ratio = Fraction::new(p.numerator() * q.denominator(), p.denominator() * q.numerator());
    ratio.map_or(f64::INFINITY, |ratio| ratio.to_f64().ln())
}

/// What ρ-zCDP allows an output to tell (Canonne, Kamath and Steinke 2020, Proposition 12): δ = min
/// over α of e^((α−1)(αρ−ε))/(α−1)·(1−1/α)^α. Discrete Gaussian noise of variance σ² on inputs at
/// an L2 distance of Δ₂ has ρ = Δ₂²/2σ², in any number of dimensions.
pub fn of_zcdp(rho: f64, epsilon: f64, delta: f64) -> Loss {
    let delta_at = |epsilon: f64| {
        let ln_delta = |order: f64| {
            let above = order - 1.0;
            above * (order * rho - epsilon) - above.ln() + order * (-1.0 / order).ln_1p()
        };
        // Unimodal in ln(α−1): golden sections.
        let (mut low, mut high) = (-20.0_f64, 20.0_f64);
        let golden = (5_f64.sqrt() - 1.0) / 2.0;
        for _ in 0..120 {
            let (left, right) = (high - golden * (high - low), low + golden * (high - low));
            if ln_delta(1.0 + left.exp()) < ln_delta(1.0 + right.exp()) { high = right } else { low = left }
        }
        ln_delta(1.0 + f64::midpoint(low, high).exp()).exp().min(1.0)
    };
    Loss { epsilon: smallest(delta, delta_at), delta: delta_at(epsilon) }
}

/// The smallest ε ≥ 0 at which δ suffices, by halving: δ falls with ε.
pub fn smallest(delta: f64, delta_at: impl Fn(f64) -> f64) -> f64 {
    if delta_at(0.0) <= delta {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while delta_at(high) > delta {
        (low, high) = (high, 2.0 * high);
        if high > 1e6 {
            return f64::INFINITY;
        }
    }
    while high - low > 1e-12 * f64::max(1.0, high) {
        let middle = f64::midpoint(low, high);
        if delta_at(middle) > delta { low = middle } else { high = middle }
    }
    low
}

/// Losses of many pairs, gathered.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    epsilon: f64,
    infinite: usize,
    deltas: Vec<f64>,
}

impl Losses {
    /// One more pair.
    pub fn add(&mut self, loss: Loss) {
        self.epsilon = self.epsilon.max(loss.epsilon);
        self.infinite += usize::from(loss.epsilon == f64::INFINITY);
        // The sum of no floats is −0, which would be printed as such.
        self.deltas.push(loss.delta + 0.0);
    }

    /// What they say together. `complete` if they stand for all adjacent pairs.
    pub fn finish(mut self, compared: String, complete: bool, share_unchanged: Option<f64>) -> Exact {
        self.deltas.sort_unstable_by(f64::total_cmp);
        let pairs = self.deltas.len();
        // The smallest δ that suffices for this share of the pairs.
        let quantile = |share: f64| {
            let place = (share * pairs as f64).ceil() as usize;
            self.deltas.get(place.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let delta_quantiles =
            Quantiles { median: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1.0) };
        Exact {
            compared,
            pairs,
            complete,
            epsilon: self.epsilon,
            delta: delta_quantiles.max,
            share_infinite: if pairs == 0 { 0.0 } else { self.infinite as f64 / pairs as f64 },
            delta_quantiles,
            share_unchanged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(numerator: u32, denominator: u32) -> Fraction {
        Fraction::new(numerator, denominator).expect("not zero")
    }

    #[test]
    fn losses_by_hand() {
        // Randomised response on a bit that tells the truth three times in four.
        let (one, other) = ([(0, part(3, 4)), (1, part(1, 4))], [(0, part(1, 4)), (1, part(3, 4))]);
        let loss = between(&one, &other, 2_f64.ln());
        assert!((loss.epsilon - 3_f64.ln()).abs() < 1e-15, "{loss:?}");
        // 3/4 − 2·1/4.
        assert!((loss.delta - 0.25).abs() < 1e-15, "{loss:?}");
        assert_eq!(between(&one, &one, 0.0), Loss { epsilon: 0.0, delta: 0.0 });
        // One output in common, in two parts.
        let far =
            between(&[(0, part(1, 2)), (1, part(1, 4)), (1, part(1, 4))], &[(1, part(1, 2)), (2, part(1, 2))], 1.0);
        assert_eq!(far.epsilon, f64::INFINITY);
        assert!((far.delta - 0.5).abs() < 1e-15);
    }

    #[test]
    fn quantiles_are_what_suffices_for_that_share() {
        let mut losses = Losses::default();
        for number in 1..=10 {
            losses.add(Loss { epsilon: if number > 8 { f64::INFINITY } else { 1.0 }, delta: f64::from(number) / 10.0 });
        }
        let exact = losses.finish(String::new(), true, None);
        assert_eq!(exact.delta_quantiles, Quantiles { median: 0.5, p90: 0.9, p99: 1.0, max: 1.0 });
        assert_eq!((exact.pairs, exact.share_infinite, exact.delta), (10, 0.2, 1.0));
        assert_eq!(Losses::default().finish(String::new(), true, None).share_infinite, 0.0);
        let mut losses = Losses::default();
        losses.add(Loss { epsilon: 1.0, delta: -0.0 });
        assert!(losses.finish(String::new(), true, None).delta.is_sign_positive());
    }
}
