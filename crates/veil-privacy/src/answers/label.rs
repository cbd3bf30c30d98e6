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

crate::words! {
    /// Mechanism that releases a teacher's label (PrivGNN).
    pub enum LabelMechanism: "label mechanism" {
        /// Randomised response on the most likely class.
        Krr = "krr",
        /// The largest noisy posterior.
        NoisyArgmax = "noisy-argmax",
        /// The largest noisy log-posterior: refuted.
        NoisyLogPosterior = "noisy-log-posterior",
    }
}

impl LabelMechanism {
    /// Whether its guarantee holds.
    pub fn status(self) -> Status {
        match self {
            LabelMechanism::Krr | LabelMechanism::NoisyArgmax => Status::Proven,
            LabelMechanism::NoisyLogPosterior => Status::Refuted,
        }
    }

    /// The mechanisms with a proof: others have no true cost.
    pub fn proven() -> impl Iterator<Item = LabelMechanism> {
        LabelMechanism::ALL.into_iter().filter(|it| it.status() == Status::Proven)
    }

    /// What `count` labels cost, each on a fresh sample; the claimed cost if it is refuted. `noise`
    /// is the ε of one randomised response, or λ.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn cost(self, noise: f64, classes: u32, gamma: f64, count: u64) -> Result<Queries, AccountingError> {
        match self {
            LabelMechanism::Krr => Queries::new(Query::RandomisedResponse { classes, epsilon: noise }, gamma, count),
            LabelMechanism::NoisyArgmax => published::noisy_argmax(noise, classes, count, gamma),
            LabelMechanism::NoisyLogPosterior => Queries::new(Query::Laplace { shift: noise }, gamma, count),
        }
    }
}

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
    /// Which mechanism it is.
    pub fn mechanism(&self) -> LabelMechanism {
        match self {
            LabelRelease::Krr(_) => LabelMechanism::Krr,
            LabelRelease::NoisyArgmax(_) => LabelMechanism::NoisyArgmax,
            LabelRelease::NoisyLogPosterior(_) => LabelMechanism::NoisyLogPosterior,
        }
    }

    /// The name in statements and parameters.
    pub fn name(&self) -> &'static str {
        self.mechanism().name()
    }

    /// The mechanism that a guarantee states.
    pub(super) fn stated(guarantee: &Guarantee) -> Result<LabelRelease, AnswerError> {
        let mechanism: LabelMechanism = parameter(guarantee, "release")?;
        let lambda = || parameter(guarantee, "lambda");
        let classes = || parameter(guarantee, "classes");
        Ok(match mechanism {
            LabelMechanism::Krr => {
                let (epsilon, values) = (parameter(guarantee, "epsilon")?, parameter(guarantee, "values")?);
                LabelRelease::Krr(randomised_response::Params { epsilon, values }.check()?)
            }
            LabelMechanism::NoisyArgmax => {
                LabelRelease::NoisyArgmax(noisy_argmax::Params { lambda: lambda()?, classes: classes()? }.check()?)
            }
            LabelMechanism::NoisyLogPosterior => {
                LabelRelease::NoisyLogPosterior(NoisyLogPosterior::new(lambda()?, classes()?)?)
            }
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
        self.mechanism().status()
    }

    /// The cost of `count` labels, each on a fresh sample; the claimed cost if it is refuted.
    pub(super) fn cost(&self, gamma: f64, count: u64) -> Result<Queries, AccountingError> {
        let (noise, classes) = match self {
            LabelRelease::Krr(it) => (it.epsilon(), it.values()),
            LabelRelease::NoisyArgmax(it) => (it.lambda(), it.classes()),
            LabelRelease::NoisyLogPosterior(it) => (it.lambda, it.classes),
        };
        self.mechanism().cost(noise.as_f64(), classes, gamma, count)
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
