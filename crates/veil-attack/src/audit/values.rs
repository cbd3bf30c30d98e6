//! Labels and features, one report each.
//!
//! Every canary is a user of its own with one of two values, and the adversary reads that user's
//! report alone: so many independent executions of the mechanism, which is what a release with so
//! many users is.

use veil_graph::random::Random;
use veil_privacy::mechanism::codebook::centres::Sent;
use veil_privacy::mechanism::codebook::{CODEWORDS, Centres, Direction};
use veil_privacy::mechanism::{Codebook, InputError, MultiBit, RandomisedResponse};
use veil_privacy::release::{FeaturePlan, LabelPlan, RangeChoice, Scale};
use veil_privacy::{Coins, Fraction};

use super::exact::{Loss, Losses, between, log_ratio};
use super::guesses::{Canary, Rule, judge};
use super::walk::Walk;
use super::{Audit, AuditError, Claim, Options};

#[cfg(test)]
mod tests;

/// A label through randomised response: the class of a user, exchanged for any other.
///
/// # Errors
/// None for a mechanism that was checked: it takes the classes that it knows.
pub fn label(mechanism: &RandomisedResponse, options: &Options) -> Result<Audit, AuditError> {
    let claim = Claim::from(&LabelPlan::Randomised { mechanism: *mechanism }.guarantee());
    let epsilon = claim.claimed.epsilon;
    let classes = mechanism.values();
    let listed =
        |class| -> Result<Vec<(u32, Fraction)>, InputError> { Ok((0..).zip(mechanism.distribution(class)?).collect()) };
    let mut losses = Losses::default();
    let pairs = (0..classes).flat_map(|one| (one + 1..classes).map(move |other| (one, other)));
    for (one, other) in pairs.take(options.pairs.max(1)) {
        losses.add(between(&listed(one)?, &listed(other)?, epsilon));
    }
    let compared = format!(
        "the reports of two users of different classes, out of {classes}: the probability of a report depends on whether it is the \
         truth and on nothing else, so any two classes are like any two others"
    );
    let exact = losses.finish(compared, true, None);
    // With one class there is nothing to guess.
    let canaries = if classes > 1 {
        let planted = label_canaries(mechanism, options)?;
        // A report names one of the two classes, and then its score is as far from 0 as can be, or
        // neither and says nothing.
        Some(judge(&planted, &Rule::AtLeast(0.0), claim.claimed))
    } else {
        None
    };
    Ok(Audit::new(claim, Some(exact), canaries, None))
}

/// Users of class 1 or 0, and what their reports say.
fn label_canaries(mechanism: &RandomisedResponse, options: &Options) -> Result<Vec<Canary>, InputError> {
    let says = log_ratio(&mechanism.keep(), &mechanism.exchange());
    let mut secrets = Random::new(options.seed, "audit/labels");
    let coins = Coins::reproducible(options.seed).for_scoring("audit labels");
    (0..options.canaries as u32)
        .map(|user| {
            let secret = secrets.below(2) == 1;
            let score = match mechanism.report(u32::from(secret), &mut coins.node(user))? {
                1 => says,
                0 => -says,
                _ => 0.0,
            };
            Ok(Canary { secret, score })
        })
        .collect()
}

/// A vector of features through the multi-bit encoder: the whole vector, exchanged for any other in
/// the range.
///
/// # Errors
/// None for a mechanism that was checked: it takes any numbers.
pub fn features(mechanism: &MultiBit, options: &Options) -> Result<Audit, AuditError> {
    let plan = FeaturePlan::Encoded { encoder: *mechanism, range: RangeChoice::Public, scale: Scale::None };
    let claim = Claim::from(&plan.guarantee());
    let (dimensions, samples) = (mechanism.dimensions(), mechanism.samples());
    let [low, high] = ends(mechanism);
    let signs = SignLosses::new(mechanism, low, high)?;
    let walk = signs.walk(samples as usize);
    let mut losses = Losses::default();
    losses.add(Loss { epsilon: signs.largest(samples as usize), delta: walk.delta(claim.claimed.epsilon) });
    let compared = format!(
        "the reports of two users whose {dimensions} values are all at the lower and all at the upper end of the range: which {samples} of the \
         dimensions are sent does not depend on the values, and given them the loss of a report is the sum over its signs; each sign is \
         the likelier, the higher the value, so no two vectors differ more"
    );
    let exact = losses.finish(compared, true, None);
    let planted = feature_canaries(mechanism, &signs, options)?;
    let canaries = judge(&planted, &walk.rule(planted.len()), claim.claimed);
    Ok(Audit::new(claim, Some(exact), Some(canaries), None))
}

/// A vector of features as a codeword or a class: the whole vector, exchanged for any other.
///
/// # Errors
/// None for a mechanism that was checked.
pub fn codebook(mechanism: &Codebook, options: &Options) -> Result<Audit, AuditError> {
    let claim = Claim::from(&mechanism.guarantee());
    let epsilon = claim.claimed.epsilon;
    let mut random = Random::new(options.seed, "audit/codebook");
    let mut any = || -> Vec<(u32, f32)> { (0..8).map(|dimension| (dimension, random.unit() as f32 - 0.5)).collect() };
    let mut losses = Losses::default();
    let listed =
        |user, direction: &Direction| (0..).zip(mechanism.codewords(user, direction)).collect::<Vec<(u32, _)>>();
    for user in 0..options.pairs.clamp(1, 100) as u32 {
        // Any two vectors; the first of them without any value.
        let one = if user == 0 { Vec::new() } else { any() };
        losses.add(between(&listed(user, &Direction::of(&one)), &listed(user, &Direction::of(&any())), epsilon));
    }
    let class = mechanism.classified();
    if class.values() > 1 {
        let says = |class: Vec<Fraction>| (0_u32..).zip(class).collect::<Vec<_>>();
        losses.add(between(&says(class.distribution(0)?), &says(class.distribution(1)?), epsilon));
    }
    let compared = format!(
        "the codewords of two users with different vectors, out of {CODEWORDS}, and the classes of two users: a codeword has one of two \
         probabilities, each as often for any vector, so no two vectors differ more than those whose nearest codewords are others"
    );
    let exact = losses.finish(compared, true, None);
    let canaries = judge(&hint_canaries(mechanism, options)?, &Rule::AtLeast(0.0), claim.claimed);
    Ok(Audit::new(claim, Some(exact), Some(canaries), None))
}

/// Users with opposite vectors: what the codewords of one half say, and the classes that the other
/// half send by the centres of these codewords.
fn hint_canaries(mechanism: &Codebook, options: &Options) -> Result<Vec<Canary>, InputError> {
    let mut secrets = Random::new(options.seed, "audit/codewords");
    let coins = Coins::reproducible(options.seed).for_scoring("audit codewords");
    let [plus, minus] = [1.0, -1.0].map(|value| Direction::of(&[(0, value)]));
    let all = options.canaries as u32;
    let (mut canaries, mut sent) = (Vec::new(), Vec::new());
    for user in 0..all.div_ceil(2) {
        let secret = secrets.below(2) == 1;
        let codeword = mechanism.codeword(user, if secret { &plus } else { &minus }, &mut coins.node(user))?;
        let [plus, minus] = [&plus, &minus].map(|it| mechanism.codewords(user, it).swap_remove(codeword as usize));
        canaries.push(Canary { secret, score: log_ratio(&plus, &minus) });
        sent.push(Sent { user, codeword, label: u32::from(secret) });
    }
    let centres = Centres::learn(mechanism, &sent, None);
    let response = mechanism.classified();
    let says = log_ratio(&response.keep(), &response.exchange());
    for user in all.div_ceil(2)..all {
        let secret = secrets.below(2) == 1;
        let class = mechanism.class(if secret { &plus } else { &minus }, &centres, &mut coins.node(user))?;
        // Without two centres that differ, a class says nothing.
        let [is_plus, is_minus] = [&plus, &minus].map(|it| f64::from(u8::from(centres.nearest(it) == class)));
        canaries.push(Canary { secret, score: says * (is_plus - is_minus) });
    }
    Ok(canaries)
}

/// Values that are clipped to the two ends of the range, whichever way the ends are rounded.
fn ends(mechanism: &MultiBit) -> [f32; 2] {
    let range = mechanism.range();
    [(range.low() as f32).next_down(), (range.high() as f32).next_up()]
}

/// Users whose values are all at the upper end, or all at the lower, and what their reports say.
fn feature_canaries(mechanism: &MultiBit, signs: &SignLosses, options: &Options) -> Result<Vec<Canary>, InputError> {
    let [low, high] = ends(mechanism);
    let mut secrets = Random::new(options.seed, "audit/features");
    let coins = Coins::reproducible(options.seed).for_scoring("audit features");
    let mut report = Vec::new();
    (0..options.canaries as u32)
        .map(|user| {
            let secret = secrets.below(2) == 1;
            report.clear();
            mechanism.report(|_| if secret { high } else { low }, &mut coins.node(user), &mut report)?;
            Ok(Canary { secret, score: report.iter().map(|&sign| signs.score(sign)).sum() })
        })
        .collect()
}

/// log P[sign | upper end]/P[sign | lower end] for the signs − and + of every dimension, and how
/// likely + is at the upper end.
struct SignLosses {
    of: Vec<[f64; 2]>,
    positive: f64,
}

impl SignLosses {
    fn new(mechanism: &MultiBit, low: f32, high: f32) -> Result<SignLosses, InputError> {
        let (low, high) = (mechanism.distribution(|_| low)?, mechanism.distribution(|_| high)?);
        let both = (0..mechanism.dimensions())
            .filter_map(|dimension| Some((low.positive(dimension)?, high.positive(dimension)?)));
        let of = both.clone().map(|(low, high)| [log_ratio(&rest(high), &rest(low)), log_ratio(high, low)]).collect();
        Ok(SignLosses { of, positive: both.clone().next().map_or(0.5, |(_, high)| high.to_f64()) })
    }

    fn score(&self, (dimension, positive): (u32, bool)) -> f64 {
        self.of[dimension as usize][usize::from(positive)]
    }

    /// The largest loss of a report of so many signs.
    fn largest(&self, samples: usize) -> f64 {
        let mut each: Vec<f64> = self.of.iter().map(|[minus, plus]| minus.abs().max(plus.abs())).collect();
        each.sort_unstable_by(|a, b| b.total_cmp(a));
        each.iter().take(samples).sum()
    }

    /// The sum over so many signs. All dimensions have the same range, and so the same
    /// probabilities.
    fn walk(&self, samples: usize) -> Walk {
        let size = self.of.first().map_or(0.0, |[_, plus]| *plus);
        Walk::new(samples, size, self.positive, 1.0 - self.positive)
    }
}

/// 1 − p.
fn rest(p: &Fraction) -> Fraction {
    Fraction::new(p.denominator() - p.numerator(), p.denominator().clone()).unwrap_or_else(Fraction::zero)
}
