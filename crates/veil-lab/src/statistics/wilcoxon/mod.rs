//! Are two cases different? Wilcoxon's signed-rank test (1945) of paired figures.
//!
//! The differences are ranked by size; under the null hypothesis, differences symmetric around zero, every rank is
//! positive or negative with chance one half, so the sum of the positive ranks has a known distribution.
//!
//! **Zeros** are dropped before ranking, which is Wilcoxon's own rule: the test then speaks of the pairs that differ.
//! **Ties** share the mean of their ranks. Two differences are tied, and one is zero, if they are so up to rounding:
//! 0.8 − 0.7 and 0.9 − 0.8 are a tenth each, though their last bits differ.
//!
//! **Exact** up to 50 differences that are not zero, with ties too: all 2ⁿ patterns of signs are counted. Beyond that a
//! normal approximation with the variance corrected for ties and without continuity correction, as
//! `scipy.stats.wilcoxon` does. That one leaves exactness earlier where there are ties or zeros: at 14 pairs.

mod exact;
mod ranks;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::error::{StatisticsError, finite};
use ranks::Ranks;

/// Up to so many differences [`wilcoxon`] counts all patterns of signs. Every count is then exact in a double.
const EXACT_UP_TO: usize = 50;

/// What is held against the null hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alternative {
    /// The first differ from the second.
    TwoSided,
    /// The first are less than the second.
    Less,
    /// The first are greater than the second.
    Greater,
}

/// How a p-value is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All patterns of signs are counted. Time grows with the cube of the number of differences.
    Exact,
    /// A normal distribution with the same mean and variance.
    Normal {
        /// Whether the sum of ranks, which moves in steps, is moved half a step towards the mean.
        continuity: bool,
    },
}

/// What the test found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignedRank {
    /// The sum of the ranks where the first is greater; two-sided, the smaller of this sum and the sum where it is
    /// less.
    pub statistic: f64,
    /// How likely a statistic as extreme is if the null hypothesis holds.
    pub p_value: f64,
    /// How the p-value was found.
    pub method: Method,
    /// The differences that were ranked.
    pub differences: usize,
    /// The pairs that were dropped because they are equal.
    pub zeros: usize,
}

/// Tests whether paired figures differ: exactly if there are at most 50 differences that are not zero, else by a normal
/// approximation without continuity correction. Pairs that are all equal have a p-value of 1.
///
/// ```
/// use veil_lab::statistics::{Alternative, Method, wilcoxon};
/// let ours = [0.75, 0.76, 0.74, 0.77, 0.78];
/// let theirs = [0.71, 0.73, 0.72, 0.70, 0.73];
/// let test = wilcoxon(&ours, &theirs, Alternative::TwoSided)?;
/// // All five are greater: 2 of 2⁵ patterns are as extreme.
/// assert_eq!((test.statistic, test.p_value, test.method), (0.0, 0.0625, Method::Exact));
/// # Ok::<(), veil_lab::statistics::StatisticsError>(())
/// ```
pub fn wilcoxon(first: &[f64], second: &[f64], alternative: Alternative) -> Result<SignedRank, StatisticsError> {
    let ranks = ranked(first, second)?;
    let small = ranks.count() <= EXACT_UP_TO;
    let method = if small { Method::Exact } else { Method::Normal { continuity: false } };
    Ok(test(&ranks, alternative, method))
}

/// The same with a method of one's choice.
pub fn wilcoxon_by(
    first: &[f64],
    second: &[f64],
    alternative: Alternative,
    method: Method,
) -> Result<SignedRank, StatisticsError> {
    Ok(test(&ranked(first, second)?, alternative, method))
}

fn ranked(first: &[f64], second: &[f64]) -> Result<Ranks, StatisticsError> {
    if first.len() != second.len() {
        return Err(StatisticsError::Lengths { left: first.len(), right: second.len() });
    }
    if first.is_empty() {
        return Err(StatisticsError::Empty);
    }
    finite(first)?;
    finite(second)?;
    Ok(Ranks::new(first, second))
}

fn test(ranks: &Ranks, alternative: Alternative, method: Method) -> SignedRank {
    let (plus, minus) = (ranks.plus(), ranks.total() - ranks.plus());
    // With all signs turned the sum of positive ranks is the sum of negative ones, so both have the same distribution
    // and an upper tail is a lower tail of the other.
    let (statistic, tail) = match alternative {
        Alternative::TwoSided => (plus.min(minus), plus.min(minus)),
        Alternative::Less => (plus, plus),
        Alternative::Greater => (plus, minus),
    };
    let one_sided = match method {
        Method::Exact => exact::lower_tail(ranks.doubled(), tail),
        Method::Normal { continuity } => normal(ranks, tail, continuity),
    };
    let p_value = if alternative == Alternative::TwoSided { (2.0 * one_sided).min(1.0) } else { one_sided };
    SignedRank {
        // Ranks are doubled so that mid-ranks are whole.
        statistic: statistic as f64 / 2.0,
        p_value,
        method,
        differences: ranks.count(),
        zeros: ranks.zeros(),
    }
}

/// The chance of a doubled sum of ranks no larger than `tail`, taken as normal.
fn normal(ranks: &Ranks, tail: u64, continuity: bool) -> f64 {
    let variance = ranks.variance();
    if variance == 0.0 {
        // No differences: the sum is always 0.
        return 1.0;
    }
    let distance = tail as f64 / 2.0 - ranks.total() as f64 / 4.0 + if continuity { 0.5 } else { 0.0 };
    0.5 * libm::erfc(-distance / variance.sqrt() / std::f64::consts::SQRT_2)
}
