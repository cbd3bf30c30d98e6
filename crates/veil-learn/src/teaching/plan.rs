//! From parameters to a mechanism that answers, and to its price.

use veil_privacy::accounting::{Queries, Query, calibrate, published};
use veil_privacy::answers::{AnswerError, Asked, LabelRelease, NoisyLogPosterior, PerQuery, Votes, per_query, votes};
use veil_privacy::mechanism::{noisy_argmax, randomised_response};
use veil_privacy::{Delta, Epsilon, Guarantee, Public};

use crate::error::LearnError;
use crate::method::Method;
use crate::parameters::{Parameters, ParametersError, Release};

/// A mechanism that is ready to answer.
#[derive(Clone, Debug)]
pub enum Mechanism {
    /// A teacher for every question.
    PerQuery(PerQuery),
    /// Teachers who vote.
    Votes(Votes),
}

impl Mechanism {
    /// What it promises.
    pub fn guarantee(&self) -> &Guarantee {
        match self {
            Mechanism::PerQuery(it) => it.guarantee(),
            Mechanism::Votes(it) => it.guarantee(),
        }
    }
}

/// ε of one label at which k-ary randomised response is worth asking for: of ten classes it then lets 27 % of the labels through. Larger samples
/// make better teachers and worse noise. In a sketch on Amazon Computers (nearest centroids for teachers, a linear student) this was within
/// half a point of the best of a grid at every ε; nothing else speaks for the number, and networks for teachers may want another.
const WORTH_ASKING: f64 = 1.2;
/// γ where nothing else decides: the paper's.
const PUBLISHED_GAMMA: f64 = 0.3;

/// The same parameters with γ said, where it was left open. For a wanted ε it is the largest (in thousandths) at which a label through randomised response
/// may cost 1.2: accounting decides, and nothing is spent on it.
///
/// # Errors
/// If a number is out of range.
pub fn completed(parameters: Parameters, classes: u32) -> Result<Parameters, LearnError> {
    let open = parameters.method == Some(Method::Privgnn) && parameters.gamma.is_none();
    let (Some(epsilon), Some(Release::Krr)) = (parameters.epsilon, parameters.release) else {
        let gamma = if open { Some(PUBLISHED_GAMMA) } else { parameters.gamma };
        return Ok(Parameters { gamma, ..parameters });
    };
    if !open {
        return Ok(parameters);
    }
    let count = u64::from(parameters.queries.unwrap_or(0));
    let worth = |thousandths: u32| -> Result<bool, LearnError> {
        let query = Query::RandomisedResponse { classes, epsilon: WORTH_ASKING };
        let queries = Queries::new(query, f64::from(thousandths) / 1000.0, count).map_err(AnswerError::from)?;
        Ok(queries.spending(parameters.delta).map_err(AnswerError::from)?.epsilon <= epsilon.as_f64())
    };
    // The cost grows with γ. If none is worth it, the smallest is the least bad.
    let (mut low, mut high) = (1, 1001);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if worth(middle)? { low = middle } else { high = middle }
    }
    Ok(Parameters { gamma: Some(f64::from(low) / 1000.0), ..parameters })
}

/// The mechanism that parameters ask for, checked against both graphs. Where they name an ε, the noise is chosen that costs at most that.
///
/// # Errors
/// If something is missing or out of range, or the graphs do not go together.
pub fn plan(parameters: &Parameters, private: &Public<'_>, asked: &Asked<'_>) -> Result<Mechanism, LearnError> {
    let method = parameters.method.ok_or(ParametersError::NoLabels)?;
    if method == Method::ClassSums {
        // It has no teachers: [`Summing`](super::Summing) plans it.
        return Err(ParametersError::NoTeachers { method }.into());
    }
    let useless = [
        ("--release", method != Method::Privgnn && parameters.release.is_some()),
        ("--gamma", method != Method::Privgnn && parameters.gamma.is_some()),
        ("--k", method != Method::Privgnn && parameters.k.is_some()),
        ("--teachers", method != Method::Pate && parameters.teachers.is_some()),
    ];
    if let Some((flag, _)) = useless.into_iter().find(|(_, useless)| *useless) {
        return Err(ParametersError::NotOfThisMethod { flag, method }.into());
    }
    let missing = |what| ParametersError::Missing { method, what };
    let delta = delta(parameters.delta)?;
    let classes = private.classes.unwrap_or(0);
    let count = asked.queries.len() as u64;
    let noise = match (parameters.epsilon, parameters.lambda) {
        (Some(_), Some(_)) => return Err(ParametersError::TwoNoises.into()),
        (None, None) => return Err(missing("--epsilon or --lambda").into()),
        (Some(epsilon), None) => Noise::For { epsilon, delta: parameters.delta },
        (None, Some(lambda)) => Noise::Lambda(lambda),
    };
    if method == Method::Pate {
        let teachers = parameters.teachers.ok_or_else(|| missing("--teachers"))?;
        let lambda = noise.chosen(|lambda| published::votes(lambda, count))?;
        return Ok(Mechanism::Votes(votes::Params { teachers, lambda, delta }.check(private, asked)?));
    }
    let gamma = parameters.gamma.ok_or_else(|| missing("--gamma"))?;
    let k = parameters.k.ok_or_else(|| missing("--k"))?;
    let wrong = AnswerError::from;
    let release = match parameters.release.ok_or_else(|| missing("--release"))? {
        Release::Krr => {
            let krr = |epsilon| Queries::new(Query::RandomisedResponse { classes, epsilon }, gamma, count);
            // 1/λ is the scale of noise that costs 2λ for each label: the same price.
            let epsilon = match noise {
                Noise::Lambda(lambda) => lambda.times(2).unwrap_or(lambda),
                Noise::For { .. } => noise.chosen(krr)?,
            };
            LabelRelease::Krr(randomised_response::Params { epsilon, values: classes }.check().map_err(wrong)?)
        }
        Release::NoisyArgmax => {
            let lambda = noise.chosen(|lambda| published::noisy_argmax(lambda, classes, count, gamma))?;
            LabelRelease::NoisyArgmax(noisy_argmax::Params { lambda, classes }.check().map_err(wrong)?)
        }
        Release::NoisyLogPosterior => match noise {
            Noise::Lambda(lambda) => {
                LabelRelease::NoisyLogPosterior(NoisyLogPosterior::new(lambda, classes).map_err(wrong)?)
            }
            Noise::For { .. } => return Err(ParametersError::NoNoiseIsEnough.into()),
        },
    };
    let params = per_query::Params { gamma, k, measure: parameters.measure, release, delta };
    Ok(Mechanism::PerQuery(params.check(private, asked)?))
}

/// δ as the exact decimal that was written.
pub(super) fn delta(given: f64) -> Result<Delta, ParametersError> {
    let bad = || ParametersError::BadDelta { found: given };
    if !(given > 0.0 && given < 1.0) {
        return Err(bad());
    }
    // The shortest decimal of a float is what was typed.
    format!("{given}").parse().map_err(|_| bad())
}

/// How much noise there is.
#[derive(Clone, Copy)]
enum Noise {
    /// So much.
    Lambda(Epsilon),
    /// As much as this costs.
    For { epsilon: Epsilon, delta: f64 },
}

impl Noise {
    /// λ, or what else accounting is given.
    fn chosen(
        self,
        queries: impl Fn(f64) -> Result<Queries, veil_privacy::accounting::AccountingError>,
    ) -> Result<Epsilon, LearnError> {
        match self {
            Noise::Lambda(lambda) => Ok(lambda),
            Noise::For { epsilon, delta } => {
                let found = calibrate(epsilon.as_f64(), delta, queries).map_err(AnswerError::from)?;
                // A decimal with nine places already.
                let nanos = (found.parameter * 1e9).round() as u64;
                Epsilon::from_nanos(nanos).ok_or_else(|| ParametersError::NoNoiseIsEnough.into())
            }
        }
    }
}
