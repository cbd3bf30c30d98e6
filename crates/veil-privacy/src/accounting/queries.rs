//! Many answers, each on a fresh Poisson sample.

use super::error::{AccountingError, delta};
use super::finite;
use super::logs::{LnFactorials, ln_1p_exp, ln_mixed};
use super::query::{Query, Response};
use super::spending::{MARGIN, Proof, Spending};
use super::{conversion, sampling};
use crate::budget::Delta;

/// Integer orders are tried up to this one.
pub const LARGEST_ORDER: u32 = 512;
/// The largest number of answers that are composed exactly.
pub const MOST_EXACT: u64 = 10_000;
/// Below this the probabilities of exact compositions are too small for floats.
const SMALLEST_EXACT_DELTA: f64 = 1e-200;

/// Many answers of one kind, each on its own sample; checked.
///
/// ```
/// use veil_privacy::accounting::{Queries, Query};
/// let label = Query::RandomisedResponse { classes: 10, epsilon: 2.0 };
/// let spent = Queries::new(label, 0.1, 300)?.spending(1e-5)?;
/// assert!((16.3..16.4).contains(&spent.epsilon), "{spent:?}");
/// # Ok::<(), veil_privacy::accounting::AccountingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queries {
    query: Query,
    gamma: f64,
    count: u64,
}

impl Queries {
    /// `count` answers. Each record is in each sample with probability `gamma`, drawn
    /// independently.
    ///
    /// # Errors
    /// A shift, scale or loss that is not positive and finite, too few classes or steps, γ outside
    /// (0, 1], no queries.
    pub fn new(query: Query, gamma: f64, count: u64) -> Result<Queries, AccountingError> {
        let query = query.check()?;
        if !(gamma > 0.0 && gamma <= 1.0) {
            return Err(AccountingError::Gamma { given: gamma });
        }
        if count == 0 {
            return Err(AccountingError::NoQueries);
        }
        Ok(Queries { query, gamma, count })
    }

    /// The loss of one answer.
    pub fn query(&self) -> Query {
        self.query
    }

    /// The sampling rate γ.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The number of answers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The Rényi divergence of all answers at `order`, both for adding and for removing a record.
    ///
    /// Real orders above 1 without sampling, and of randomised response with it; else integers from
    /// 2 on. `None` otherwise.
    pub fn renyi(&self, order: f64) -> Option<f64> {
        let count = self.count as f64;
        if self.gamma >= 1.0 {
            return (order > 1.0 && order.is_finite())
                .then(|| count * ln_1p_exp(self.query.ln_excess(order)) / (order - 1.0));
        }
        if let Some(pairs) = self.query.finite(self.gamma) {
            return (order > 1.0 && order.is_finite()).then(|| count * either(&pairs, order) / (order - 1.0));
        }
        let whole = order as u32;
        if whole < 2 || f64::from(whole) != order {
            return None;
        }
        let excesses: Vec<f64> = (2..=whole).map(|l| self.query.ln_excess(f64::from(l))).collect();
        let factorials = LnFactorials::up_to(whole as usize);
        Some(count * sampling::binomial(whole, self.gamma, &excesses, &factorials) / (order - 1.0))
    }

    /// The smallest ε that is proven for `delta`, rounded up.
    ///
    /// # Errors
    /// A δ outside (0, 1).
    pub fn spending(&self, delta_wanted: f64) -> Result<Spending, AccountingError> {
        let wanted = delta(delta_wanted)?;
        let mut best = self.by_renyi(wanted);
        for other in [self.by_composition(wanted), self.by_sum()].into_iter().flatten() {
            if other.epsilon < best.epsilon {
                best = other;
            }
        }
        Ok(best)
    }

    /// The smallest ε that is proven for a δ that may be 0: then pure losses add up.
    ///
    /// # Errors
    /// A δ of 0 for answers that have no pure loss, or of 1.
    pub fn spending_at(&self, wanted: Delta) -> Result<Spending, AccountingError> {
        let pure = self.by_sum().filter(|_| wanted.is_zero());
        pure.map_or_else(|| self.spending(wanted.as_f64()), Ok)
    }

    /// By Rényi divergences at the best order.
    fn by_renyi(&self, delta: f64) -> Spending {
        let finite = self.query.finite(self.gamma);
        let (order, epsilon) = if self.gamma >= 1.0 {
            self.best_real_order(delta, |order| ln_1p_exp(self.query.ln_excess(order)))
        } else if let Some(pairs) = finite {
            self.best_real_order(delta, |order| either(&pairs, order))
        } else {
            self.sampled_moments(LARGEST_ORDER)
                .map(|(order, ln_moment)| (order, self.converted(order, ln_moment, delta)))
                .fold((2.0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
        };
        let proof = if self.gamma >= 1.0 { Proof::Renyi } else { Proof::SampledRenyi };
        Spending { epsilon, order: Some(order), proof }
    }

    /// ln E of one answer on a sample, at the integers from 2 to `largest`.
    pub(super) fn sampled_moments(&self, largest: u32) -> impl Iterator<Item = (f64, f64)> {
        let excesses: Vec<f64> = (2..=largest).map(|l| self.query.ln_excess(f64::from(l))).collect();
        let factorials = LnFactorials::up_to(largest as usize);
        let gamma = self.gamma;
        (2..=largest).map(move |order| (f64::from(order), sampling::binomial(order, gamma, &excesses, &factorials)))
    }

    /// A valley of ε over α − 1, on a coarse grid and then by golden section. Every order is valid,
    /// so a poor choice costs tightness only.
    fn best_real_order(&self, delta: f64, ln_moment: impl Fn(f64) -> f64) -> (f64, f64) {
        const GRID: i32 = 120;
        let order_at = |place: f64| 1.0 + libm::exp2(place);
        let epsilon_at = |place: f64| {
            let order = order_at(place);
            self.converted(order, ln_moment(order), delta)
        };
        // Places are logarithms of α − 1, from 2⁻²⁰ to 2²⁰ in thirds.
        let places = (0..=GRID).map(|at| f64::from(at - GRID / 2) / 3.0);
        let (place, coarse) = places
            .map(|place| (place, epsilon_at(place)))
            .fold((0.0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best });
        let ratio = (5_f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (place - 1.0 / 3.0, place + 1.0 / 3.0);
        let inner = |low: f64, high: f64| (high - ratio * (high - low), low + ratio * (high - low));
        let (mut left, mut right) = inner(low, high);
        let (mut at_left, mut at_right) = (epsilon_at(left), epsilon_at(right));
        for _ in 0..30 {
            if at_left <= at_right {
                (high, right, at_right) = (right, left, at_left);
                left = inner(low, high).0;
                at_left = epsilon_at(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = inner(low, high).1;
                at_right = epsilon_at(right);
            }
        }
        let (fine_place, fine) = if at_left <= at_right { (left, at_left) } else { (right, at_right) };
        if fine < coarse { (order_at(fine_place), fine) } else { (order_at(place), coarse) }
    }

    /// ε of all answers, given ln E of one, rounded up.
    fn converted(&self, order: f64, ln_moment: f64, delta: f64) -> f64 {
        let divergence = self.count as f64 * ln_moment / (order - 1.0);
        // The classical ε is the sum of all positive terms, so the margin covers what cancels in
        // the tight one.
        conversion::tight(order, divergence, delta) + MARGIN * conversion::classical(order, divergence, delta)
    }

    /// By the exact composition of the randomised response that it is, or that dominates it.
    fn by_composition(&self, delta: f64) -> Option<Spending> {
        let Response { values, epsilon } = self.query.response()?;
        if self.count > MOST_EXACT || delta < SMALLEST_EXACT_DELTA {
            return None;
        }
        let count = self.count as usize;
        let factorials = LnFactorials::up_to(count);
        let pairs = finite::pairs(values, epsilon, self.gamma);
        let found =
            pairs.iter().map(|pair| pair.composed(count, delta * (1.0 - MARGIN), &factorials)).fold(0.0, f64::max);
        let itself = matches!(self.query, Query::RandomisedResponse { .. });
        let proof = if itself { Proof::ExactComposition } else { Proof::ExactCompositionOfPure };
        Some(Spending { epsilon: found * (1.0 + MARGIN), order: None, proof })
    }

    /// By adding up pure losses.
    fn by_sum(&self) -> Option<Spending> {
        let each = ln_mixed(self.gamma, self.query.pure()?);
        Some(Spending { epsilon: self.count as f64 * each * (1.0 + MARGIN), order: None, proof: Proof::Sum })
    }
}

/// ln E of the worse of two directions.
fn either(pairs: &[finite::Pair; 2], order: f64) -> f64 {
    pairs.iter().map(|pair| pair.ln_moment(order)).fold(0.0, f64::max)
}
