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
        Mechanism::Votes(votes) => {
            let step = votes.noise().distribution(0).step().to_f64();
            (Some(of_votes(step, questions, &claim)), None)
        }
        Mechanism::PerQuery(it) => match it.release() {
            LabelRelease::Krr(krr) => {
                let gamma = parameters.gamma.unwrap_or(1.0);
                let (keep, exchange) = (krr.keep().to_f64(), krr.exchange().to_f64());
                let answer = exact::sampled_response(keep, exchange, CLASSES, gamma);
                let compared = "the worst two worlds for randomised response on a sample: with the node a teacher who sees it names another class; all \
                                answers together, by how often either class is named (no other world tells more: Zhu, Dong, Wang 2022, Theorems 10 and 11)";
                (Some(of_answers(answer, questions, &claim, compared, true)), None)
            }
            LabelRelease::NoisyArgmax(_) => (None, None),
            LabelRelease::NoisyLogPosterior(it) => {
                let answer = exact::on_logarithms(it.lambda().as_f64(), CLASSES, parameters.gamma.unwrap_or(1.0));
                let compared = "all answers of teachers who are as sure as a 32-bit float can be, with the node and without it, by how often either \
                                class is named";
                let found = of_answers(answer, questions, &claim, compared, false);
                (Some(found), logarithms(&answer, questions, it.lambda(), &claim))
            }
        },
    };
    let inside = worlds.executions(&with, &both[0], options, "with")?;
    let outside = worlds.executions(&without, &both[1], options, "without")?;
    let canaries = judge_worlds(&inside, &outside, claim.claimed);
    Ok(Audit::new(claim, exact, Some(canaries), witness))
}

/// Votes: each of the two counts that one vote changes moves by one, and a count with discrete Laplace noise that moves by one has two likelihood
/// ratios only, e^λ and e^−λ (λ is the step that the sampler has). So all counts of Q questions are 2Q randomised responses on a bit.
fn of_votes(step: f64, questions: u32, claim: &Claim) -> Exact {
    // Each of its own: one less the other would have no digits where it is small.
    let (keep, flip) = (1.0 / (1.0 + (-step).exp()), 1.0 / (1.0 + step.exp()));
    let compared = "all noisy counts, of which the labels are functions: one vote moves two counts by one, and each then has two likelihood ratios, so \
                    that all are randomised responses on bits";
    of_answers([(keep, flip), (flip, keep), (0.0, 0.0)], 2 * questions, claim, compared, true)
}

fn of_answers(answer: exact::Answer, count: u32, claim: &Claim, compared: &str, complete: bool) -> Exact {
    let Promise { epsilon, delta } = claim.claimed;
    let mut losses = super::exact::Losses::default();
    let needed = exact::epsilon_at(&answer, count, delta);
    losses.add(Loss { epsilon: needed, delta: exact::delta_at(&answer, count, epsilon) });
    losses.finish(compared.to_owned(), complete, None)
}

/// How often the class is named that only teachers name who see the node.
/// `None` if that is allowed.
fn logarithms(answer: &exact::Answer, questions: u32, lambda: Epsilon, claim: &Claim) -> Option<Witness> {
    let (with, without) = answer[0];
    // The number of answers that tells the worlds apart best, beyond what ε explains.
    let tails = |times| (exact::at_least(times, questions, with), exact::at_least(times, questions, without));
    let excess = |&times: &u32| tails(times).0 - claim.claimed.epsilon.exp() * tails(times).1;
    let times = (1..=questions).max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or(1);
    let witness = Witness {
        one: format!(
            "a private graph in which teachers give class {SEEN} the probability 1 if they see node v, and class {UNSEEN} if they do not"
        ),
        other: "the same graph without v".to_owned(),
        output: format!("at least {times} of {questions} public nodes are labelled {SEEN}"),
        probability_one: tails(times).0,
        probability_other: tails(times).1,
        because: format!(
            "the logarithm of a probability that is 0 in 32 bits stands for −104, so v moves two of them by 104 where noise of scale {:.2} is to hide it: \
             each answer is {SEEN} with probability {with:.4} and {without:.4}",
            1.0 / lambda.as_f64()
        ),
    };
    witness.refutes(claim.claimed).then_some(witness)
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
