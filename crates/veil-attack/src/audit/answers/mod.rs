//! Labels of public nodes: do they reveal whether one private node is present?
//!
//! The guarantee holds for any teachers, so the auditor brings the worst ones: a teacher answers
//! with one class if it sees the node under test, and with another one otherwise. `worlds` runs the
//! mechanism with such teachers, many times with the node and many times without it, and an
//! adversary tells the two worlds apart by the answers. `exact` computes what all answers together
//! reveal if an answer has few outcomes. For class sums the node is a point of the largest length;
//! `gradients` tells the worlds apart by noisy gradients.

mod exact;
mod gradients;
#[cfg(test)]
mod tests;
mod worlds;

use veil_learn::method::student::{class_sums, dp_mlp, pate, privgnn};
use veil_learn::method::{Entry, MethodError};
use veil_privacy::Epsilon;
use veil_privacy::accounting::calibrate;
use veil_privacy::answers::{
    AnswerError, ClassSums, LabelMechanism, LabelRelease, PerQuery, Votes, class_sums as sums,
};
use veil_privacy::parameters::{ParameterError, Parameters, Settings};

use super::bounds::{Chance, ln_at_least};
use super::exact::{Loss, Losses, of_zcdp};
use super::guesses::judge_worlds;
use super::{Audit, AuditError, Claim, Enumerated, Exact, Options, Promise, Witness, code};
use worlds::Worlds;
pub(super) use worlds::{MARKED, USUAL, sees};

/// Number of classes.
const CLASSES: u32 = 10;
/// The answer of a teacher that sees the node, and of one that does not.
const SEEN: u32 = 1;
const UNSEEN: u32 = 2;

/// Defaults of an audit: few queries or gradients, so that worlds are told apart in seconds, and
/// the paper's γ.
pub(super) fn defaults(entry: &Entry) -> Settings {
    let defaults = [("queries", 50.into()), ("gamma", 0.3.into())];
    let few = (entry.name == dp_mlp::NAME).then_some(("epochs", 6.into()));
    defaults.into_iter().filter(|(name, _)| entry.reads(name)).chain(few).collect()
}

/// The noise of PrivGNN as published for this ε, where no noise is proven to have it: that for
/// which the paper would claim about as much.
pub(super) fn published_noise(settings: &Settings, epsilon: Epsilon) -> Result<Option<Epsilon>, AuditError> {
    if settings.word("release") != Some(LabelMechanism::NoisyLogPosterior.name()) {
        return Ok(None);
    }
    let params: privgnn::Params = read(settings)?;
    let (gamma, queries) = (params.decided_gamma(CLASSES)?, u64::from(params.queries));
    let cost = |noise| LabelMechanism::NoisyLogPosterior.cost(noise, CLASSES, gamma, queries);
    let found = calibrate(epsilon.as_f64(), params.delta, cost).map_err(AnswerError::from)?;
    Ok(Epsilon::from_nanos((found.parameter * 1e9).round() as u64))
}

/// The parameters of the labelling; those of the student are not read.
fn read<P: Parameters + Default>(settings: &Settings) -> Result<P, ParameterError> {
    let mut params = P::default();
    settings.iter().try_for_each(|(name, value)| params.set(name, value).map(drop))?;
    Ok(params)
}

/// How the release of labels of a method is audited. The graphs are the auditor's own, and K is
/// their size.
#[derive(Debug)]
pub(super) struct Student {
    /// The name of the method.
    name: &'static str,
    /// By arithmetic, and by canaries.
    pub(super) audit: fn(&Settings, &Options) -> Result<Audit, AuditError>,
    /// By releases of small inputs; `None` if these are not enumerated.
    #[allow(clippy::type_complexity, reason = "an alias would hide the arguments")]
    pub(super) enumerate: fn(&Settings) -> Result<Option<(Enumerated, Option<Witness>)>, AuditError>,
}

/// The methods with a public graph.
static STUDENTS: [Student; 4] = [
    Student {
        name: privgnn::NAME,
        audit: |settings, options| teachers(read(settings)?, options),
        enumerate: code::answers::per_query,
    },
    Student {
        name: pate::NAME,
        audit: |settings, options| votes(&read(settings)?, options),
        enumerate: |_| code::answers::of_votes(),
    },
    Student {
        name: class_sums::NAME,
        audit: |settings, options| class_sums(&read(settings)?, options),
        enumerate: |_| code::answers::summed().map(Some),
    },
    Student {
        name: dp_mlp::NAME,
        audit: |settings, options| gradients::descent(&read(settings)?, options),
        enumerate: |settings| code::gradients::descent(read::<dp_mlp::Params>(settings)?.gradients()),
    },
];

/// The audit of the method of this name.
pub(super) fn student(method: &str) -> Result<&'static Student, AuditError> {
    let found = STUDENTS.iter().find(|student| student.name == method);
    found.ok_or_else(|| AuditError::Unknown { given: method.to_owned() })
}

/// One teacher for each query.
fn teachers(params: privgnn::Params, options: &Options) -> Result<Audit, AuditError> {
    let (queries, gamma) = (params.queries, params.decided_gamma(CLASSES)?);
    let worlds = Worlds::new(queries, 1)?;
    let params = privgnn::Params { k: worlds.fewest(), ..params };
    let both = worlds.both(|private| Ok(params.mechanism(private, &worlds.asked())?))?;
    let claim = Claim::from(both[0].1.guarantee());
    let (exact, witness) = match both[0].1.release() {
        LabelRelease::Krr(krr) => {
            let (keep, exchange) = (krr.keep().to_f64(), krr.exchange().to_f64());
            let answer = exact::sampled_response(keep, exchange, CLASSES, gamma);
            let compared = "the worst two worlds for randomised response on a sample: a teacher that sees the node \
                            names another class; all answers together, by how often either class is named (no other \
                            worlds reveal more: Zhu, Dong, Wang 2022, Theorems 10 and 11)";
            (Some(of_answers(answer, queries, &claim, compared, true)), None)
        }
        LabelRelease::NoisyArgmax(_) => (None, None),
        LabelRelease::NoisyLogPosterior(it) => {
            let answer = exact::on_logarithms(it.lambda().as_f64(), CLASSES, gamma);
            let compared = "all answers of teachers that are as certain as a 32-bit float can be, with the node and \
                            without it, by how often either class is named";
            let found = of_answers(answer, queries, &claim, compared, false);
            (Some(found), logarithms(&answer, queries, it.lambda(), &claim))
        }
    };
    let scores =
        worlds.scores(&both, PerQuery::guarantee, options, |it, private, permit| worlds.taught(it, private, permit))?;
    let canaries = judge_worlds(&scores[0], &scores[1], claim.claimed);
    Ok(Audit::new(claim, exact, Some(canaries), witness))
}

/// Teachers that vote. One vote changes two counts by one each, and a count with discrete Laplace
/// noise that moves by one has two likelihood ratios only, e^λ and e^−λ (λ is the step of the
/// sampler). So all counts of Q queries are 2Q randomised responses on a bit.
fn votes(params: &pate::Params, options: &Options) -> Result<Audit, AuditError> {
    let worlds = Worlds::new(params.queries, params.teachers)?;
    let both = worlds.both(|private| Ok(params.mechanism(private, &worlds.asked())?))?;
    let claim = Claim::from(both[0].1.guarantee());
    let step = both[0].1.noise().distribution(0).step().to_f64();
    // Each computed for itself: one minus the other would have no digits where it is small.
    let (keep, flip) = (1.0 / (1.0 + (-step).exp()), 1.0 / (1.0 + step.exp()));
    let compared = "all noisy counts, of which the labels are functions: one vote moves two counts by one, and each \
                    then has two likelihood ratios, so that all are randomised responses on bits";
    let answer = [(keep, flip), (flip, keep), (0.0, 0.0)];
    let exact = of_answers(answer, 2 * params.queries, &claim, compared, true);
    let scores =
        worlds.scores(&both, Votes::guarantee, options, |it, private, permit| worlds.voted(it, private, permit))?;
    let canaries = judge_worlds(&scores[0], &scores[1], claim.claimed);
    Ok(Audit::new(claim, Some(exact), Some(canaries), None))
}

fn of_answers(answer: exact::Answer, count: u32, claim: &Claim, compared: &str, complete: bool) -> Exact {
    let Promise { epsilon, delta } = claim.claimed;
    let mut losses = Losses::default();
    let needed = exact::epsilon_at(&answer, count, delta);
    losses.add(Loss { epsilon: needed, delta: exact::delta_at(&answer, count, epsilon) });
    losses.finish(compared.to_owned(), complete, None)
}

/// The number of answers with the class that only teachers name that see the node. `None` if that
/// is allowed.
fn logarithms(answer: &exact::Answer, queries: u32, lambda: Epsilon, claim: &Claim) -> Option<Witness> {
    let (with, without) = answer[0];
    // The number of answers that tells the worlds apart best, beyond what ε explains.
    let tail = |times: u32, p: f64| ln_at_least(times.into(), queries.into(), Chance::of(p)).exp();
    let tails = |times| (tail(times, with), tail(times, without));
    let excess = |&times: &u32| tails(times).0 - claim.claimed.epsilon.exp() * tails(times).1;
    let times = (1..=queries).max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or(1);
    let witness = Witness {
        one: format!(
            "a private graph in which teachers give class {SEEN} the probability 1 if they see node v, and class \
             {UNSEEN} otherwise"
        ),
        other: "the same graph without v".to_owned(),
        output: format!("at least {times} of {queries} public nodes are labelled {SEEN}"),
        probability_one: tails(times).0,
        probability_other: tails(times).1,
        because: format!(
            "the logarithm of a probability that is 0 in 32 bits is read as −104, so v moves two logarithms by 104, \
             and the noise has scale {:.2}: each answer is {SEEN} with probability {with:.4} and {without:.4}",
            1.0 / lambda.as_f64()
        ),
    };
    witness.refutes(claim.claimed).then_some(witness)
}

/// Class sums, in one dimension.
fn class_sums(params: &class_sums::Params, options: &Options) -> Result<Audit, AuditError> {
    let class_sums::Params { epsilon, delta } = *params;
    let method = class_sums::NAME;
    let wanted = epsilon.ok_or(MethodError::Missing { method, name: "epsilon" })?;
    let found = calibrate(wanted.as_f64(), delta, sums::cost).map_err(AnswerError::from)?;
    let shift = Epsilon::from_nanos((found.parameter * 1e9).round() as u64);
    let shift = shift.ok_or(MethodError::EpsilonTooSmall { method, given: wanted.as_f64() })?;
    let delta = format!("{delta}").parse().map_err(|_| MethodError::BadDelta { given: delta })?;
    let worlds = Worlds::new(1, 1)?;
    let planned = sums::Params { dimensions: 1, shift, delta };
    let both = worlds.both(|private| Ok(planned.check(&private.public(), &worlds.asked())?))?;
    let claim = Claim::from(both[0].1.guarantee());
    let mut losses = Losses::default();
    let Promise { epsilon, delta } = claim.claimed;
    let noise = both[0].1.noise();
    let rho = noise.sensitivity_squared() as f64 / (2.0 * noise.variance() as f64);
    losses.add(of_zcdp(rho, epsilon, delta));
    let compared = "any row of numbers that a node adds, of at most the length of the sensitivity: the bound of zCDP on \
                    δ (discrete Gaussian; Canonne, Kamath, Steinke 2020, Proposition 12)";
    let exact = losses.finish(compared.to_owned(), true, None);
    let scores = worlds
        .scores(&both, ClassSums::guarantee, options, |it, private, permit| worlds.summed(it, private, permit))?;
    let canaries = judge_worlds(&scores[0], &scores[1], claim.claimed);
    Ok(Audit::new(claim, Some(exact), Some(canaries), None))
}
