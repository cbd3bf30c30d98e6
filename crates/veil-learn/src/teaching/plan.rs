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
