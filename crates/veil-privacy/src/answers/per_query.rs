//! A teacher for every question (PrivGNN, Algorithm 1), each with a sample of its own.
//!
//! **Guarantee.** (ε, δ), unit *node*, central. For question i every private node is drawn into the sample with probability γ, by a coin
//! of its own; the K nearest to the public node (all of them, if they are fewer) and the edges among them are what its teacher
//! sees; its label leaves through a [`LabelRelease`]. Take one node away, with its features, its label and its edges. With
//! probability 1−γ at least it was not in the sample: then the induced subgraph is the same, and so is the label's distribution. Otherwise
//! the posterior may be any other, which is what the release is made for: two distributions of a label that its
//! [`Query`](crate::accounting::Query) dominates. So one answer is a Poisson-sampled mechanism, whatever the teacher does with what it is
//! shown; samples are fresh, so the losses of all questions compose ([`Queries::spending`](crate::accounting::Queries::spending)).
//!
//! That K nodes are chosen by distance does no harm: the choice is made inside the sample. A sample that is smaller than K, or empty,
//! is used as it is; an error there would tell who is a member. For the same reason a teacher cannot fail: whoever trains it answers with a uniform
//! posterior instead.
//!
//! Algorithm 1 draws one sample for all questions. That does not amplify per question, so it is not what is done here.

use rayon::prelude::*;
use veil_graph::{Dataset, NodeId};

use super::nearest::Nearest;
use super::promise::{about_a_node, booked};
use super::{AnswerError, Asked, Kept, LabelRelease, Lesson};
use crate::accounting::{AccountingError, Proof, Spending};
use crate::budget::{Delta, Epsilon};
use crate::coins::{Coins, Stream};
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::permit::Permit;
use crate::protocol::Measure;
use crate::release::Privatised;
use crate::sampler::bernoulli_threshold;
use crate::seal::{Private, Public, Truth};

/// Name for statements and the coins' context.
pub const NAME: &str = "privgnn";

/// A teacher: what it says about the classes of the public node that question number `lesson.number` is about.
pub type Teach<'a> = &'a (dyn Fn(&Lesson) -> Vec<f32> + Sync);

/// Who hears what the teacher of a question said.
pub type Said<'a> = &'a (dyn Fn(usize, &[f32]) + Sync);

/// How every question is answered, as a user gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// With which probability a private node is in a sample.
    pub gamma: f64,
    /// How many of a sample a teacher sees at most.
    pub k: u32,
    /// Which are nearest.
    pub measure: Measure,
    /// How a label leaves.
    pub release: LabelRelease,
    /// δ of all answers together.
    pub delta: Delta,
}

/// Checked once against both graphs, with what it costs. Nothing below asks again.
#[derive(Clone, Debug, PartialEq)]
pub struct PerQuery {
    params: Params,
    guarantee: Guarantee,
}

impl Params {
    /// Whether these questions can be asked of such a graph, and what that costs.
    ///
    /// # Errors
    /// If a number is out of range or the graphs do not go together.
    pub fn check(self, private: &Public<'_>, asked: &Asked<'_>) -> Result<PerQuery, AnswerError> {
        asked.check(private)?;
        let Params { gamma, k, measure, release, .. } = self;
        if !(gamma > 0.0 && gamma <= 1.0) {
            return Err(AnswerError::BadGamma { given: gamma });
        }
        match k {
            0 => return Err(AnswerError::NoNeighbours),
            _ if k > private.nodes => {
                return Err(AnswerError::TooManyNeighbours { k, data: private.name.to_owned(), nodes: private.nodes });
            }
            _ => {}
        }
        let queries = asked.queries.len();
        let proven = release.status() == Status::Proven;
        let spending = self.spending(queries as u64)?;
        // A plain sum of pure losses needs no δ.
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
                "PrivGNN (Olatunji, Funke, Khosla 2021), Algorithm 1 with a fresh sample for every question; {}; proof beside the code, \
                 veil-privacy/answers",
                spending.proof
            ),
            _ => {
                "the published code of PrivGNN (Olatunji, Funke, Khosla 2021): noise on logarithms, which have no bound"
                    .to_owned()
            }
        };
        // Of what is refuted, what its paper would print.
        let epsilon = if proven {
            spending.epsilon
        } else {
            release.cost(gamma, queries as u64)?.published(self.delta.as_f64())?.epsilon
        };
        let promised = (booked(epsilon)?, delta);
        let guarantee = about_a_node(private, (NAME, parameters), promised, release.status(), source);
        Ok(PerQuery { params: self, guarantee })
    }

    /// What so many answers cost: the smallest ε that is proven.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn spending(&self, queries: u64) -> Result<Spending, AccountingError> {
        self.release.cost(self.gamma, queries)?.spending(self.delta.as_f64())
    }
}

impl PerQuery {
    /// What these answers promise.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// How a label leaves.
    pub fn release(&self) -> &LabelRelease {
        &self.params.release
    }

    /// Answers every question that has none yet, and gives the public graph with the answers for labels. `done` is called after each.
    ///
    /// # Errors
    /// If the permit is for something else, or an answer cannot be kept.
    pub fn answer(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        mut permit: Permit,
        (teach, done): (Teach<'_>, &(dyn Fn() + Sync)),
        kept: Kept,
    ) -> Result<Privatised, AnswerError> {
        kept.check(permit.release())?;
        let (guarantees, stream) = permit.redeem_one(private, self.guarantee.clone())?;
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

    /// What the teachers say, without any noise: for scoring several releases with one training. It is raw private data.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub fn posteriors(
        &self,
        private: &Private<Dataset>,
        asked: &Asked<'_>,
        coins: &Coins,
        (teach, said): (Teach<'_>, Said<'_>),
        questions: &[usize],
        truth: &Truth,
    ) -> Result<Vec<Vec<f32>>, AnswerError> {
        let stream = coins.for_scoring("teachers");
        let samples = Samples::new(&self.params, private.for_scoring(truth), asked)?;
        let posterior = |&question: &usize| {
            let posterior = samples.posterior(question as u32, &stream, teach)?;
            said(question, &posterior);
            Ok(posterior)
        };
        questions.par_iter().map(posterior).collect()
    }
}

/// ε of the randomised response through which each single label went, if it was one.
pub(crate) fn loss_of_one_label(guarantee: &Guarantee) -> Option<Epsilon> {
    let krr = guarantee.mechanism == NAME && guarantee.parameters.get("release") == Some("krr");
    guarantee.parameters.get("epsilon").filter(|_| krr)?.parse().ok()
}

/// Every question has coins for its sample and, apart from them, coins for its noise.
fn sample(question: u32) -> u32 {
    2 * question
}

fn noise(question: u32) -> u32 {
    2 * question + 1
}

/// The samples of all questions.
struct Samples<'a> {
    raw: &'a Dataset,
    asked: &'a Asked<'a>,
    nearest: Nearest<'a>,
    features: &'a veil_graph::Features,
    k: usize,
    /// A node is drawn if a word is below: rounded down, so never more often than γ.
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
            below: (how.gamma * 2_f64.powi(64)) as u128,
            classes: labels.classes() as usize,
        })
    }

    /// What a teacher says who learned from the sample of this question.
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
