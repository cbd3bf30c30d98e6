//! A teacher for every query, each with its own sample (PrivGNN, Algorithm 1).
//!
//! **Guarantee.** (ε, δ), unit *node*, central. For each query, every private node is sampled
//! independently with probability γ. The teacher receives the K sampled nodes nearest to the public
//! node (or all, if there are fewer) and the edges among them; a [`LabelRelease`] releases its
//! label. Remove one node with its features, its label and its edges. With probability at least 1−γ
//! it was not in the sample: then the induced subgraph and the distribution of the label are the
//! same. Otherwise the posterior is arbitrary, and the two distributions of the label are dominated
//! by the [`Query`](crate::accounting::Query) of the release. So one answer is a Poisson-sampled
//! mechanism for any teacher. Samples are independent, so the losses of all queries compose
//! ([`Queries::spending`](crate::accounting::Queries::spending)).
//!
//! Choosing K nodes by distance takes place inside the sample and costs nothing. A sample smaller
//! than K, or empty, is used as it is: an error would reveal membership. For the same reason a
//! teacher that panics, or returns no posterior, counts as one with a uniform posterior.
//!
//! Algorithm 1 draws one sample for all queries, which has no amplification per query; here every
//! query has its own.

use rayon::prelude::*;
use veil_graph::{Dataset, NodeId};

use super::nearest::Nearest;
use super::promise::{about_a_node, booked, parameter};
use super::{AnswerError, Asked, Kept, LabelRelease, Lesson, Tutor, teacher};
use crate::accounting::{AccountingError, Proof, Spending};
use crate::budget::{Delta, Epsilon};
use crate::coins::{Coins, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::permit::Permit;
use crate::protocol::Measure;
use crate::release::Privatised;
use crate::sampler::bernoulli_threshold;
use crate::seal::{Private, Public, Truth};

/// The name in statements and in the coins' context.
pub const NAME: &str = "privgnn";

/// A teacher for scoring: returns the posterior of the public node of query number
/// [`lesson.number()`](Lesson::number).
pub type Teach<'a> = &'a (dyn Fn(&Lesson) -> Vec<f32> + Sync);

/// Receives the posterior of each query.
pub type OnPosterior<'a> = &'a (dyn Fn(usize, &[f32]) + Sync);

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The sampling rate γ.
    pub gamma: f64,
    /// K, the largest number of nodes that a teacher receives.
    pub k: u32,
    /// The measure of similarity.
    pub measure: Measure,
    /// The mechanism that releases each label.
    pub release: LabelRelease,
    /// δ of all answers together.
    pub delta: Delta,
}

/// Parameters checked against both graphs, with their privacy cost.
#[derive(Clone, Debug, PartialEq)]
pub struct PerQuery {
    params: Params,
    guarantee: Guarantee,
}

impl Params {
    /// Checks the parameters against both graphs and computes the privacy cost.
    ///
    /// # Errors
    /// If a number is out of range or the graphs do not fit together.
    pub fn check(self, private: &Public<'_>, asked: &Asked<'_>) -> Result<PerQuery, AnswerError> {
        asked.check(private)?;
        let Params { gamma, k, measure, release, .. } = self;
        if !(gamma > 0.0 && gamma <= 1.0) {
            return Err(AnswerError::BadGamma { given: gamma });
        }
        match k {
            0 => return Err(AnswerError::NoNeighbours),
            // An error that depends on the number of private nodes reveals it. A smaller graph is
            // used as it is.
            _ if private.counts_are_public() && k > private.nodes => {
                return Err(AnswerError::TooManyNeighbours { k, data: private.name.to_owned(), nodes: private.nodes });
            }
            _ => {}
        }
        let queries = asked.queries.len();
        let proven = release.status() == Status::Proven;
        let spending = self.spending(queries as u64)?;
        // Basic composition of pure losses needs no δ.
        let delta = if proven && spending.proof == Proof::Sum { Delta::ZERO } else { self.delta };
        let parameters = ParameterList::default()
            .with("queries", queries)
            .with("gamma", gamma)
            .with("k", k)
            .with("measure", measure)
            .with("release", release.name())
            .and(release.parameters());
        let source = match release.status() {
            Status::Proven => format!(
                "PrivGNN (Olatunji, Funke, Khosla 2021), Algorithm 1 with a fresh sample for every query; {}; proof beside the code, \
                 veil-privacy/answers",
                spending.proof
            ),
            _ => {
                "the published code of PrivGNN (Olatunji, Funke, Khosla 2021): noise on logarithms, which are unbounded"
                    .to_owned()
            }
        };
        // The published figure, if it is refuted.
        let epsilon = if proven {
            spending.epsilon
        } else {
            release.cost(gamma, queries as u64)?.published(self.delta.as_f64())?.epsilon
        };
        let promised = (booked(epsilon)?, delta);
        let guarantee = about_a_node(private, (NAME, parameters), promised, release.status(), source)?;
        Ok(PerQuery { params: self, guarantee })
    }

    /// The cost of `queries` answers: the smallest proven ε.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn spending(&self, queries: u64) -> Result<Spending, AccountingError> {
        self.release.cost(self.gamma, queries)?.spending(self.delta.as_f64())
    }
}

impl PerQuery {
    /// The guarantee of the answers.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The mechanism that releases each label.
    pub fn release(&self) -> &LabelRelease {
        &self.params.release
    }

    /// Answers every query without an answer, with teachers of these settings, and returns the
    /// public graph with the answers as labels. `done` is called after each.
    ///
    /// # Errors
    /// If there are no such teachers, the permit does not allow it, or an answer cannot be stored.
    pub fn answer<'a, T: Tutor<'a>>(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'a>,
        permit: Permit,
        (settings, done): (&T::Settings, &(dyn Fn() + Sync)),
        kept: Kept,
    ) -> Result<Privatised, AnswerError> {
        let (teacher, settings) = teacher::made::<T>(settings, asked.public)?;
        let classes = private.public().classes.unwrap_or(0) as usize;
        let teach = |lesson: &Lesson| teacher::posterior(&teacher, lesson, asked, classes);
        self.answer_with(private, asked, permit, (&teach, &settings), (done, kept))
    }

    /// The same with a function. It could copy its lesson, so it is for this crate alone.
    pub(super) fn answer_with(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        mut permit: Permit,
        (teach, settings): (Teach<'_>, &str),
        (done, kept): (&(dyn Fn() + Sync), Kept),
    ) -> Result<Privatised, AnswerError> {
        kept.check(permit.release())?;
        let (guarantees, stream) = permit.redeem_one(private, self.guarantee.clone(), asked.inputs(settings))?;
        let samples = Samples::new(&self.params, private.open(), asked)?;
        let answers: Vec<(usize, u32)> = kept
            .missing()
            .into_par_iter()
            .map(|question| {
                let posterior = samples.posterior(question as u32, &stream, teach)?;
                let label =
                    self.params.release.release(&posterior, &mut stream.of_round(noise(question as u32)).node(0));
                kept.keep(question, label)?;
                done();
                Ok::<_, AnswerError>((question, label))
            })
            .collect::<Result<_, _>>()?;
        asked.answered(private, &kept.completed(answers), guarantees, &permit)
    }

    /// The posteriors without noise, for scoring several releases with one training: raw private
    /// data.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn posteriors(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        coins: &Coins,
        (teach, on_posterior): (Teach<'_>, OnPosterior<'_>),
        questions: &[usize],
        truth: &Truth,
    ) -> Result<Vec<Vec<f32>>, AnswerError> {
        let stream = coins.for_scoring("teachers");
        let samples = Samples::new(&self.params, private.for_scoring(truth), asked)?;
        let posterior = |&question: &usize| {
            let posterior = samples.posterior(question as u32, &stream, teach)?;
            on_posterior(question, &posterior);
            Ok(posterior)
        };
        questions.par_iter().map(posterior).collect()
    }
}

/// What mechanism and parameters of a stated guarantee imply: ε, δ and status.
pub(crate) fn recomputed(stated: &Guarantee) -> Result<(Epsilon, Delta, Status), AnswerError> {
    let release = LabelRelease::stated(stated)?;
    let cost = release.cost(parameter(stated, "gamma")?, parameter(stated, "queries")?)?;
    let epsilon = match release.status() {
        Status::Proven => cost.spending_at(stated.delta)?.epsilon,
        _ => cost.published(stated.delta.as_f64())?.epsilon,
    };
    Ok((booked(epsilon)?, stated.delta, release.status()))
}

/// ε of the randomised response on each label, if it was the mechanism.
pub(crate) fn loss_of_one_label(guarantee: &Guarantee) -> Option<Epsilon> {
    let krr = guarantee.mechanism == NAME && guarantee.parameters.get("release") == Some("krr");
    guarantee.parameters.get("epsilon").filter(|_| krr)?.parse().ok()
}

/// Every query has separate coins for its sample and for its noise.
fn sample(question: u32) -> u32 {
    2 * if fault::is(Fault::SampleReused) { 0 } else { question }
}

fn noise(question: u32) -> u32 {
    2 * if fault::is(Fault::AnswersShareNoise) { 0 } else { question } + 1
}

/// The samples of all queries.
struct Samples<'a> {
    raw: &'a Dataset,
    asked: &'a Asked<'a>,
    nearest: Nearest<'a>,
    features: &'a veil_graph::Features,
    k: usize,
    /// A node is sampled if a word is below: rounded down, so at most at the rate γ.
    below: u128,
    classes: usize,
}

impl<'a> Samples<'a> {
    fn new(how: &Params, raw: &'a Dataset, asked: &'a Asked<'a>) -> Result<Samples<'a>, AnswerError> {
        let missing = |data: &Dataset| AnswerError::NoFeatures { data: data.name().to_owned() };
        let own = raw.features().ok_or_else(|| missing(raw))?;
        let features = asked.public.features().ok_or_else(|| missing(asked.public))?;
        let labels = raw.labels().ok_or_else(|| AnswerError::NoLabels { data: raw.name().to_owned() })?;
        Ok(Samples {
            raw,
            asked,
            nearest: Nearest::among(own, how.measure),
            features,
            k: how.k as usize,
            below: if fault::is(Fault::SampleOfAll) { 1 << 64 } else { (how.gamma * 2_f64.powi(64)) as u128 },
            classes: labels.classes() as usize,
        })
    }

    /// The posterior of the teacher of this query.
    fn posterior(&self, question: u32, stream: &Stream, teach: Teach<'_>) -> Result<Vec<f32>, AnswerError> {
        let coins = stream.of_round(sample(question));
        let drawn = |&node: &NodeId| bernoulli_threshold(&mut coins.node(node), self.below);
        let drawn: Vec<NodeId> = (0..self.raw.nodes()).filter(drawn).collect();
        let query = self.asked.queries[question as usize];
        let nearest = self.nearest.to((self.features, query), drawn, self.k)?;
        let lesson = Lesson::of(self.raw, &nearest, question)?;
        let nobody = || vec![1.0 / self.classes as f32; self.classes];
        Ok(lesson.map_or_else(nobody, |lesson| teach(&lesson)))
    }
}
