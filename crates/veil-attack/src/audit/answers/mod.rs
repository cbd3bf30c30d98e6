//! Answers about public nodes: does it show whether one private node is there?
//!
//! What is promised holds whatever teachers do with the nodes they are shown, so the auditor brings the worst ones: a teacher says one class if
//! it sees the node that is asked about, and another if it does not. `worlds` runs the mechanism itself with such teachers, many times with the
//! node and many times without it, and an adversary tells the two worlds apart by the answers. `exact` computes what all answers
//! together can tell where an answer has few outcomes. Of sums per class the node is one with a point of the largest length.

mod exact;
#[cfg(test)]
mod tests;
mod worlds;

use veil_learn::teaching::{Mechanism, plan};
use veil_learn::{LearnError, Method, Parameters, ParametersError};
use veil_privacy::Private;
use veil_privacy::accounting::calibrate;
use veil_privacy::answers::{AnswerError, LabelRelease, class_sums};
use veil_privacy::{Epsilon, Guarantee};

use super::exact::Loss;
use super::guesses::judge_worlds;
use super::{Audit, AuditError, Claim, Exact, Options, Promise, Witness};
use worlds::Worlds;

/// How many classes the worlds have.
const CLASSES: u32 = 10;
/// What a teacher says who sees the node, and who does not.
const SEEN: u32 = 1;
const UNSEEN: u32 = 2;

/// Audits the release of labels that parameters ask for: of privgnn, pate or class-sums. The graphs are the auditor's own, so K is as large as these.
///
/// # Errors
/// If parameters are missing, out of range, or of another method.
pub fn audit(parameters: &Parameters, options: &Options) -> Result<Audit, AuditError> {
    match parameters.method {
        Some(Method::ClassSums) => sums(parameters, options),
        Some(Method::Privgnn | Method::Pate) => labels(parameters, options),
        _ => Err(LearnError::from(ParametersError::NoLabels).into()),
    }
}

/// Teachers: one for each question, or some who vote.
fn labels(parameters: &Parameters, options: &Options) -> Result<Audit, AuditError> {
    let questions = parameters.queries.unwrap_or(1);
    let worlds = Worlds::new(questions, parameters.teachers.unwrap_or(1))?;
    let parameters = Parameters { k: parameters.k.map(|_| worlds.fewest()), ..parameters.clone() };
    let planned = |private: &Private<_>| plan(&parameters, &private.public(), &worlds.asked());
    let [with, without] = worlds.both()?;
    let both = [planned(&with)?, planned(&without)?];
    let claim = Claim::from(both[0].guarantee());
    let (exact, witness) = match &both[0] {
        Mechanism::Votes(votes) => (Some(of_votes(votes.noise().epsilon(), questions, &claim)), None),
        Mechanism::PerQuery(it) => match it.release() {
            LabelRelease::Krr(krr) => {
                let gamma = parameters.gamma.unwrap_or(1.0);
                let (keep, exchange) = (krr.keep().to_f64(), krr.exchange().to_f64());
                let answer = exact::sampled_response(keep, exchange, gamma);
                let compared = "the worst two worlds for randomised response on a sample: with the node a teacher who sees it names another class; all \
                                answers together, by how often either class is named (no other world tells more: Zhu, Dong, Wang 2022, Theorems 10 and 11)";
                (Some(of_answers(answer, questions, &claim, compared, true)), None)
            }
            LabelRelease::NoisyArgmax(_) => (None, None),
            LabelRelease::NoisyLogPosterior(it) => {
                let witness = logarithms(it.lambda(), parameters.gamma.unwrap_or(1.0));
                let ratio = (witness.probability_one / witness.probability_other).ln();
                // One answer alone is told apart so well that its share of δ is all of its probability.
                let needed =
                    (witness.probability_one - claim.claimed.epsilon.exp() * witness.probability_other).max(0.0);
                let mut losses = super::exact::Losses::default();
                losses.add(Loss { epsilon: ratio, delta: needed });
                let compared =
                    "one answer of teachers who are as sure as a 32-bit float can be, with the node and without it"
                        .to_owned();
                (Some(losses.finish(compared, false, None)), Some(witness))
            }
        },
    };
    let inside = worlds.executions(&with, &both[0], options, "with")?;
    let outside = worlds.executions(&without, &both[1], options, "without")?;
    let canaries = judge_worlds(&inside, &outside, claim.claimed);
    Ok(Audit::new(claim, exact, Some(canaries), witness))
}

/// Votes: each of the two counts that one vote changes moves by one, and a count with discrete Laplace noise that moves by one has two likelihood
/// ratios only, e^λ and e^−λ. So all counts of Q questions are 2Q randomised responses on a bit.
fn of_votes(lambda: Epsilon, questions: u32, claim: &Claim) -> Exact {
    let keep = 1.0 / (1.0 + (-lambda.as_f64()).exp());
    let compared = "all noisy counts, of which the labels are functions: one vote moves two counts by one, and each then has two likelihood ratios, so \
                    that all are randomised responses on bits";
    of_answers([(keep, 1.0 - keep), (1.0 - keep, keep), (0.0, 0.0)], 2 * questions, claim, compared, true)
}

fn of_answers(answer: exact::Answer, count: u32, claim: &Claim, compared: &str, complete: bool) -> Exact {
    let Promise { epsilon, delta } = claim.claimed;
    let mut losses = super::exact::Losses::default();
    let needed = exact::epsilon_at(&answer, count, delta);
    losses.add(Loss { epsilon: needed, delta: exact::delta_at(&answer, count, epsilon) });
    losses.finish(compared.to_owned(), complete, None)
}

/// Laplace noise of scale 1/λ on logarithms that are 104 apart.
fn logarithms(lambda: Epsilon, gamma: f64) -> Witness {
    // Without the node every teacher is sure of one class, and the other is 104 below: its noise must make up for that.
    let apart = 104.0;
    let lambda = lambda.as_f64();
    // P[L₁ − L₂ ≥ d] of two Laplace variables of scale 1/λ is e^(−λd)(2+λd)/4; further classes only make it harder.
    let unlikely = (-lambda * apart).exp() * (2.0 + lambda * apart) / 4.0;
    Witness {
        one: format!(
            "a private graph in which a teacher who sees node v (with probability {gamma}) gives class {SEEN} the probability 1, and one who does not gives it 0 (as 32-bit floats have it)"
        ),
        other: "the same graph without v".to_owned(),
        output: format!("the first public node is labelled {SEEN}"),
        // At least one half of the noise is above 0 for one class and below for the others: at least this often, and mostly always.
        probability_one: gamma * (1.0 - f64::from(CLASSES - 1) * unlikely).max(0.0),
        probability_other: unlikely,
        because: format!(
            "a logarithm of 0 stands for −104, so noise of scale {:.2} on logarithms must exceed 104 to change the label",
            1.0 / lambda
        ),
    }
}

/// Sums per class.
fn sums(parameters: &Parameters, options: &Options) -> Result<Audit, AuditError> {
    let method = Method::ClassSums;
    let wanted =
        parameters.epsilon.ok_or(ParametersError::Missing { method, what: "--epsilon" }).map_err(LearnError::from)?;
    let found = calibrate(wanted.as_f64(), parameters.delta, class_sums::cost).map_err(AnswerError::from)?;
    let shift = Epsilon::from_nanos((found.parameter * 1e9).round() as u64);
    let shift = shift.ok_or(ParametersError::NoNoiseIsEnough).map_err(LearnError::from)?;
    let delta = format!("{}", parameters.delta).parse();
    let delta = delta.map_err(|_| LearnError::from(ParametersError::BadDelta { found: parameters.delta }))?;
    let worlds = Worlds::new(1, 1)?;
    let [with, without] = worlds.both()?;
    let how = class_sums::Params { dimensions: 1, shift, delta };
    let both = [how.check(&with.public(), &worlds.asked())?, how.check(&without.public(), &worlds.asked())?];
    let guarantee: &Guarantee = both[0].guarantee();
    let claim = Claim::from(guarantee);
    let noise = both[0].noise();
    let mut losses = super::exact::Losses::default();
    let Promise { epsilon, delta } = claim.claimed;
    losses.add(exact::gaussian(&noise, epsilon, delta));
    let compared = "the noise of one number that moves by the whole sensitivity (discrete Gaussian); a node moves several numbers by no more in length, \
                    which on a fine grid is the same"
        .to_owned();
    let exact = losses.finish(compared, false, None);
    let inside = worlds.sums(&with, &both[0], options, "with")?;
    let outside = worlds.sums(&without, &both[1], options, "without")?;
    Ok(Audit::new(claim.clone(), Some(exact), Some(judge_worlds(&inside, &outside, claim.claimed)), None))
}
