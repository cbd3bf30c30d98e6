//! Mechanisms that release one label. One of them is refuted.

use super::AnswerError;
use super::promise::parameter;
use crate::accounting::{AccountingError, Queries, Query, published};
use crate::budget::Epsilon;
use crate::coins::NodeCoins;
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::mechanism::{
    DiscreteLaplace, NoisyArgmax, ParamError, RandomisedResponse, discrete_laplace, noisy_argmax, randomised_response,
};

/// A mechanism that releases the label of a teacher's posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelRelease {
    /// The most likely class by k-ary randomised response. The student corrects for the known
    /// transition.
    Krr(RandomisedResponse),
    /// The largest of the posteriors with Laplace noise (the text of PrivGNN).
    NoisyArgmax(NoisyArgmax),
    /// The largest of the *logarithms* of the posteriors with Laplace noise (the published code of
    /// PrivGNN). Refuted.
    NoisyLogPosterior(NoisyLogPosterior),
}

impl LabelRelease {
    /// The name in statements and parameters.
    pub fn name(&self) -> &'static str {
        match self {
            LabelRelease::Krr(_) => "krr",
            LabelRelease::NoisyArgmax(_) => "noisy-argmax",
            LabelRelease::NoisyLogPosterior(_) => "noisy-log-posterior",
        }
    }

    /// The mechanism that a guarantee states.
    pub(super) fn stated(guarantee: &Guarantee) -> Result<LabelRelease, AnswerError> {
        let name: String = parameter(guarantee, "release")?;
        let lambda = || parameter(guarantee, "lambda");
        let classes = || parameter(guarantee, "classes");
        Ok(match name.as_str() {
            "krr" => {
                let (epsilon, values) = (parameter(guarantee, "epsilon")?, parameter(guarantee, "values")?);
                LabelRelease::Krr(randomised_response::Params { epsilon, values }.check()?)
            }
            "noisy-argmax" => {
                LabelRelease::NoisyArgmax(noisy_argmax::Params { lambda: lambda()?, classes: classes()? }.check()?)
            }
            "noisy-log-posterior" => LabelRelease::NoisyLogPosterior(NoisyLogPosterior::new(lambda()?, classes()?)?),
            _ => return Err(AnswerError::NoParameter { name: "release" }),
        })
    }

    /// Its parameters.
    pub fn parameters(&self) -> ParameterList {
        match self {
            LabelRelease::Krr(it) => it.parameters(),
            LabelRelease::NoisyArgmax(it) => it.parameters(),
            LabelRelease::NoisyLogPosterior(it) => it.parameters(),
        }
    }

    /// Whether its guarantee holds.
    pub fn status(&self) -> Status {
        match self {
            LabelRelease::Krr(_) | LabelRelease::NoisyArgmax(_) => Status::Proven,
            LabelRelease::NoisyLogPosterior(_) => Status::Refuted,
        }
    }

    /// The cost of `count` labels, each on a fresh sample; the claimed cost if it is refuted.
    pub(super) fn cost(&self, gamma: f64, count: u64) -> Result<Queries, AccountingError> {
        match self {
            LabelRelease::Krr(it) => {
                let query = Query::RandomisedResponse { classes: it.values(), epsilon: it.epsilon().as_f64() };
                Queries::new(query, gamma, count)
            }
            LabelRelease::NoisyArgmax(it) => published::noisy_argmax(it.lambda().as_f64(), it.classes(), count, gamma),
            LabelRelease::NoisyLogPosterior(it) => {
                Queries::new(Query::Laplace { shift: it.lambda.as_f64() }, gamma, count)
            }
        }
    }

    /// The label of one posterior.
    pub fn release(&self, posterior: &[f32], coins: &mut NodeCoins) -> u32 {
        match self {
            LabelRelease::Krr(it) => {
                let likely = first_of_the_largest(posterior.iter().map(|&it| if it.is_nan() { 0.0 } else { it }));
                // An unknown class is replaced by the last one, so there is always a report.
                it.report(likely.min(it.values() - 1), coins).unwrap_or(0)
            }
            LabelRelease::NoisyArgmax(it) => it.release(posterior, coins),
            LabelRelease::NoisyLogPosterior(it) => it.release(posterior, coins),
        }
    }
}

/// The place of the first of the largest numbers; 0 for none.
fn first_of_the_largest<T: PartialOrd>(numbers: impl Iterator<Item = T>) -> u32 {
    let mut best: Option<(u32, T)> = None;
    for (place, number) in (0..).zip(numbers) {
        if best.as_ref().is_none_or(|(_, largest)| number > *largest) {
            best = Some((place, number));
        }
    }
    best.map_or(0, |(place, _)| place)
}

/// Laplace noise on the logarithms of a posterior, as in the published code of PrivGNN.
///
/// **Refuted.** A logarithm of a probability has no lower bound: one node more or less can move it
/// from −1 to −100, and with it the odds of a label by e^(99λ). No noise of a fixed scale hides
/// that, so there is no finite ε. It is implemented because only this explains the accuracies of
/// the paper's Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoisyLogPosterior {
    noise: DiscreteLaplace,
    lambda: Epsilon,
    classes: u32,
}

impl NoisyLogPosterior {
    /// Steps of the grid on which the noise is drawn, between two integers.
    const STEPS: u32 = 1 << 20;
    /// The logarithm used for a posterior of 0: the smallest of a float.
    const LOWEST: f64 = -104.0;

    /// With noise of scale 1/λ.
    ///
    /// # Errors
    /// If λ is infinite or there are no classes.
    pub fn new(lambda: Epsilon, classes: u32) -> Result<NoisyLogPosterior, ParamError> {
        if classes == 0 {
            return Err(ParamError::NoValues);
        }
        let noise = discrete_laplace::Params { epsilon: lambda, sensitivity: u64::from(Self::STEPS) }.check()?;
        Ok(NoisyLogPosterior { noise, lambda, classes })
    }

    /// λ: the inverse of the scale.
    pub fn lambda(&self) -> Epsilon {
        self.lambda
    }

    fn parameters(&self) -> ParameterList {
        ParameterList::default().with("lambda", self.lambda).with("classes", self.classes)
    }

    fn release(&self, posterior: &[f32], coins: &mut NodeCoins) -> u32 {
        let logarithm = |class: usize| {
            let posterior = posterior.get(class).copied().filter(|it| *it > 0.0).map_or(Self::LOWEST, f64::from);
            if posterior > 0.0 { posterior.ln() } else { posterior }
        };
        let noisy = (0..self.classes as usize).map(|class| {
            let steps = (logarithm(class) * f64::from(Self::STEPS)).round() as i64;
            self.noise.release_one(steps, coins)
        });
        first_of_the_largest(noisy)
    }
}
