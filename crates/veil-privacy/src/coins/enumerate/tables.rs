//! What a primitive asks the coins, and the probability of every answer.

use std::num::NonZeroU64;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{CheckedSub, One, ToPrimitive, Zero};

use super::mass::{Mass, float, unit};
use crate::exact::{FRACTION_BITS, exp_bounds};
use crate::sampler::{LaplaceScale, Variance};

/// The largest number of equally likely answers that are told apart.
const MOST_ANSWERS: u128 = 1 << 12;

/// No answer less likely than this is listed, whatever is asked for.
const LEAST: f64 = 1e-30;

/// A question of a primitive. A noise draw is one question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// Whether one of so many equally likely outcomes is below a number: 1 or 0.
    Chance { below: u128, of: u128 },
    /// Whether an event of this probability, enclosed in units of 2⁻²⁵⁶, happens: 1 or 0.
    Event { low: BigUint, high: BigUint },
    /// Whether an event of probability e^−x happens: 1 or 0.
    ExpMinus { numerator: u128, denominator: u128 },
    /// A uniform number below this.
    Below(u128),
    /// A discrete Laplace number.
    Laplace(LaplaceScale),
    /// A geometric number, the same on one side.
    Geometric(LaplaceScale),
    /// The same among the numbers below a width.
    Truncated(LaplaceScale, u64),
    /// A discrete Gaussian number.
    Gaussian(Variance),
    /// Failures before the next success of threshold/2⁶⁴, at most `longest`.
    Skip { threshold: u64, longest: u32 },
}

/// Answers with their probabilities, the likeliest first.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) answers: Vec<Answer>,
}

/// One answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) value: i128,
    pub(super) mass: Mass,
    /// About its mass: decides what is explored, nothing else.
    pub(super) about: f64,
}

impl Table {
    /// All answers that are at least so likely; `None` if they are too many to be told apart.
    pub(super) fn new(question: &Question, least: f64) -> Option<Table> {
        let least = least.max(LEAST);
        let mut answers = match question {
            Question::Chance { below, of } => event(Mass::ratio(&(*below.min(of)).into(), &(*of).max(1).into())),
            Question::Event { low, high } => event(Mass::between(low.clone(), high.clone())),
            Question::ExpMinus { numerator, denominator } => {
                let power = exp_minus(*numerator, *denominator)?;
                event(power)
            }
            Question::Below(n) if *n > MOST_ANSWERS => return None,
            Question::Below(n) => {
                let each = Mass::ratio(&BigUint::one(), &(*n).max(1).into());
                (0..(*n).max(1) as i128).map(|value| (value, each.clone())).collect()
            }
            Question::Laplace(scale) => laplace(*scale, least)?,
            Question::Geometric(scale) => geometric(*scale, least)?,
            Question::Truncated(scale, width) => truncated(*scale, *width)?,
            Question::Gaussian(variance) => gaussian(*variance, least)?,
            Question::Skip { threshold, longest } => skips(*threshold, *longest)?,
        };
        answers.retain(|(_, mass)| !mass.high().is_zero());
        let about = |(value, mass): (i128, Mass)| Answer { value, about: float(mass.high()), mass };
        let mut answers: Vec<Answer> = answers.into_iter().map(about).collect();
        answers.sort_by(|a, b| b.about.total_cmp(&a.about).then(a.value.cmp(&b.value)));
        Some(Table { answers })
    }
}

/// 1 and 0.
fn event(happens: Mass) -> Vec<(i128, Mass)> {
    let not = happens.missing();
    vec![(0, not), (1, happens)]
}

/// e^(numerator/denominator), enclosed, if it can be computed.
fn exp(numerator: u128, denominator: u128) -> Option<(BigUint, BigUint)> {
    let common = numerator.gcd(&denominator).max(1);
    let (numerator, denominator) = ((numerator / common).to_u64()?, (denominator / common).to_u64()?);
    // Beyond it the probability is 0 in 256 bits.
    if numerator.checked_div(denominator)? > 300 {
        return None;
    }
    Some(exp_bounds(numerator, NonZeroU64::new(denominator)?))
}

fn exp_minus(numerator: u128, denominator: u128) -> Option<Mass> {
    let (low, high) = exp(numerator, denominator)?;
    Some(Mass::quotient((&unit(), &unit()), (&low, &high)))
}

/// e^(1/scale), enclosed.
fn base(scale: LaplaceScale) -> Option<(BigUint, BigUint)> {
    exp(scale.denominator(), scale.numerator())
}

/// P(k) = (1−q)/(1+q)·q^|k| with q = e^(−1/scale).
fn laplace(scale: LaplaceScale, least: f64) -> Option<Vec<(i128, Mass)>> {
    let (low, high) = base(scale)?;
    let one = unit();
    let (top, bottom) = ((&low - &one, &high - &one), (&low + &one, &high + &one));
    // Grows with e^(1/scale): its ends belong together.
    let centre =
        Mass::between(Mass::ratio(&top.0, &bottom.0).low().clone(), Mass::ratio(&top.1, &bottom.1).high().clone());
    let mut answers = vec![(0, centre.clone())];
    for (distance, mass) in falling(&centre, (&low, &high), least).into_iter().skip(1) {
        answers.push((distance, mass.clone()));
        answers.push((-distance, mass));
    }
    Some(answers)
}

/// P(k) = (1−q)·q^k.
fn geometric(scale: LaplaceScale, least: f64) -> Option<Vec<(i128, Mass)>> {
    let (low, high) = base(scale)?;
    let first = Mass::quotient((&unit(), &unit()), (&low, &high)).missing();
    Some(falling(&first, (&low, &high), least))
}

/// P(k) ∝ q^k for k below the width.
fn truncated(scale: LaplaceScale, width: u64) -> Option<Vec<(i128, Mass)>> {
    if u128::from(width) > MOST_ANSWERS {
        return None;
    }
    let (low, high) = base(scale)?;
    let ratio = Mass::quotient((&unit(), &unit()), (&low, &high));
    let mut weights = vec![(0, Mass::one())];
    for value in 1..i128::from(width) {
        let next = weights.last().map(|(_, last)| last.times(&ratio))?;
        weights.push((value, next));
    }
    Some(normalised(weights, &BigUint::zero()))
}

/// From `first` on, each divided by the enclosed base.
fn falling(first: &Mass, base: (&BigUint, &BigUint), least: f64) -> Vec<(i128, Mass)> {
    let ratio = Mass::quotient((&unit(), &unit()), base);
    let (mut answers, mut mass) = (Vec::new(), first.clone());
    while float(mass.high()) >= least && (answers.len() as u128) < MOST_ANSWERS {
        let next = mass.times(&ratio);
        answers.push((answers.len() as i128, mass));
        mass = next;
    }
    answers
}

/// P(k) ∝ e^(−k²/2σ²). Weights are summed as far as they count, and then few of them are listed.
fn gaussian(variance: Variance, least: f64) -> Option<Vec<(i128, Mass)>> {
    /// Relative to the largest weight, what lies beyond does not count.
    const NEGLIGIBLE: f64 = 1e-70;
    let (numerator, denominator) = variance.parts();
    let weight = |k: u128| exp_minus(k * k * u128::from(denominator), 2 * u128::from(numerator));
    let mut weights = vec![(0, Mass::one())];
    for k in 1..MOST_ANSWERS {
        let (mass, next) = (weight(k)?, weight(k + 1)?);
        if float(mass.high()) < NEGLIGIBLE {
            // Σ of this and all beyond, on both sides: neighbours fall by a ratio that falls
            // itself.
            let ratio = Mass::quotient((next.low(), next.high()), (mass.low(), mass.high()));
            let rest = unit().checked_sub(ratio.high()).filter(|rest| !rest.is_zero())?;
            let tail = (mass.high() << FRACTION_BITS).div_ceil(&rest) << 1_u32;
            let mut listed = normalised(weights, &tail);
            listed.retain(|(_, mass)| float(mass.high()) >= least);
            return Some(listed);
        }
        weights.extend([(k as i128, mass.clone()), (-(k as i128), mass)]);
    }
    None
}

/// Weights as probabilities; `tail` is an upper bound of the weights that are not listed.
fn normalised(weights: Vec<(i128, Mass)>, tail: &BigUint) -> Vec<(i128, Mass)> {
    let mut sum = Mass::zero();
    weights.iter().for_each(|(_, weight)| sum.add(weight));
    let all = (sum.low().clone(), sum.high() + tail);
    let each = |(value, weight): (i128, Mass)| (value, Mass::quotient((weight.low(), weight.high()), (&all.0, &all.1)));
    weights.into_iter().map(each).collect()
}

/// P(j) = p(1−p)^j below the longest, which has the rest.
fn skips(threshold: u64, longest: u32) -> Option<Vec<(i128, Mass)>> {
    if u128::from(longest) > MOST_ANSWERS {
        return None;
    }
    let whole = BigUint::one() << 64_u32;
    let success = Mass::ratio(&threshold.into(), &whole);
    let failure = Mass::ratio(&(&whole - threshold), &whole);
    let (mut answers, mut before) = (Vec::new(), Mass::one());
    for skip in 0..longest {
        answers.push((i128::from(skip), before.times(&success)));
        before = before.times(&failure);
    }
    answers.push((i128::from(longest), before));
    Some(answers)
}
