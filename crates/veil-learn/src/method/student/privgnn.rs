//! PrivGNN (Olatunji, Funke, Khosla 2021): for every public node that is queried, a teacher learns
//! from a fresh sample of private nodes that resemble it, and its label is released with noise; a
//! student learns from these labels on the public graph ([`veil_privacy::answers`]).

use veil_graph::{Dataset, NodeId};
use veil_nn::Kind as Layer;
use veil_privacy::answers::{
    self, AnswerError, Asked, Kept, LabelMechanism, LabelRelease, NoisyLogPosterior, PerQuery, per_query,
};
use veil_privacy::mechanism::{noisy_argmax, randomised_response};
use veil_privacy::parameters::{Kind, Settings};
use veil_privacy::protocol::Measure;
use veil_privacy::release::Privatised;
use veil_privacy::{Epsilon, Guarantee, Permit, Private, Status, parameters};

use super::{LabelSource, Labelling, Learner, Noise, Teacher, TeacherSettings, choose, exact_delta};
use crate::error::LearnError;
use crate::method::{Entry, MethodError};
use crate::parameters::Choose;

/// The name of the method.
pub const NAME: &str = "privgnn";

/// ε of one label at which k-ary randomised response is worth a query: of ten classes it then lets
/// 27 % of the labels through. Larger samples make better teachers and worse noise. In a sketch on
/// Amazon Computers (nearest centroids for teachers, a linear student) this was within half a point
/// of the best of a grid at every ε; nothing else supports the number, and networks for teachers
/// may want another.
const WORTH_ASKING: f64 = 1.2;

/// γ where nothing else decides: the paper's.
const PUBLISHED_GAMMA: f64 = 0.3;

parameters! {
    /// Parameters of PrivGNN. δ and the number of queries are ours: δ is below one over the number
    /// of nodes of every graph of fewer than a hundred thousand, and the number is the larger one
    /// of the paper.
    pub struct Params: Student {
        /// ε of a private node; determines the noise
        epsilon: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of a private node
        delta: f64 = 1e-5 => Kind::Real,
        /// Inverse noise scale of one label, instead of epsilon; krr spends 2λ
        lambda: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of public nodes to query
        queries: u32 = 1000 => Kind::Whole,
        /// Choice of the queried nodes
        choose: Choose = Choose::Random => Kind::Word(Choose::WORDS),
        /// Mechanism that releases each label
        release: LabelMechanism = LabelMechanism::Krr => Kind::Word(LabelMechanism::WORDS),
        /// Sampling rate of private nodes per teacher [krr: by epsilon; else 0.3]
        gamma: Option<f64> = None => Kind::Real,
        /// Number of nearest sampled nodes that a teacher reads
        k: u32 = 750 => Kind::Whole,
        /// Distance that defines the nearest nodes
        measure: Measure = Measure::Euclidean => Kind::Word(Measure::WORDS),
        /// Layer type of the teachers; mlp has three layers
        teacher: Layer = Layer::Sage => Kind::Word(crate::parameters::layers()),
        /// Denoise the labels with a linear model (published: false)
        denoise: bool = true => Kind::Switch,
    }
}

impl Params {
    /// γ, where it was left open. For a wanted ε it is the largest (in thousandths) at which a
    /// label by randomised response may cost 1.2: accounting decides, and nothing is spent on it.
    pub fn decided_gamma(&self, classes: u32) -> Result<f64, LearnError> {
        if let Some(gamma) = self.gamma {
            return Ok(gamma);
        }
        let (Some(epsilon), LabelMechanism::Krr) = (self.epsilon, self.release) else { return Ok(PUBLISHED_GAMMA) };
        let worth = |thousandths: u32| -> Result<bool, LearnError> {
            let (gamma, count) = (f64::from(thousandths) / 1000.0, u64::from(self.queries));
            let queries = self.release.cost(WORTH_ASKING, classes, gamma, count).map_err(AnswerError::from)?;
            Ok(queries.spending(self.delta).map_err(AnswerError::from)?.epsilon <= epsilon.as_f64())
        };
        // The cost grows with γ. If none is worth it, the smallest is the least bad.
        let (mut low, mut high) = (1, 1001);
        while high - low > 1 {
            let middle = (low + high) / 2;
            if worth(middle)? { low = middle } else { high = middle }
        }
        Ok(f64::from(low) / 1000.0)
    }

    /// The mechanism that releases each of `count` labels, with the noise that the parameters
    /// define.
    ///
    /// # Errors
    /// If a parameter is missing or out of range.
    pub fn label_release(&self, classes: u32, count: u64) -> Result<LabelRelease, LearnError> {
        let wrong = AnswerError::from;
        let (gamma, noise) = (self.decided_gamma(classes)?, Noise::of(NAME, self.epsilon, self.lambda)?);
        let cost = |noise| self.release.cost(noise, classes, gamma, count);
        Ok(match self.release {
            LabelMechanism::Krr => {
                // 1/λ is the scale of noise that costs 2λ for each label: the same price.
                let epsilon = match noise {
                    Noise::Lambda(lambda) => lambda.times(2).unwrap_or(lambda),
                    Noise::For(_) => noise.chosen(self.delta, cost)?,
                };
                LabelRelease::Krr(randomised_response::Params { epsilon, values: classes }.check().map_err(wrong)?)
            }
            LabelMechanism::NoisyArgmax => {
                let lambda = noise.chosen(self.delta, cost)?;
                LabelRelease::NoisyArgmax(noisy_argmax::Params { lambda, classes }.check().map_err(wrong)?)
            }
            LabelMechanism::NoisyLogPosterior => match noise {
                Noise::Lambda(lambda) => {
                    LabelRelease::NoisyLogPosterior(NoisyLogPosterior::new(lambda, classes).map_err(wrong)?)
                }
                Noise::For(_) => return Err(MethodError::NoNoiseIsEnough.into()),
            },
        })
    }

    /// The mechanism that answers all queries.
    ///
    /// # Errors
    /// If a parameter is missing or out of range, or the graphs do not fit together.
    pub fn mechanism(&self, private: &Private<Dataset>, asked: &Asked<'_>) -> Result<PerQuery, LearnError> {
        let facts = private.public();
        let classes = facts.classes.unwrap_or(0);
        let delta = exact_delta(self.delta)?;
        let release = self.label_release(classes, asked.queries.len() as u64)?;
        let gamma = self.decided_gamma(classes)?;
        let params = per_query::Params { gamma, k: self.k, measure: self.measure, release, delta };
        Ok(params.check(&facts, asked)?)
    }
}

impl Labelling for Params {
    const NAME: &'static str = NAME;

    fn decide(&self, classes: u32, settings: &mut Settings) -> Result<(), LearnError> {
        settings.insert("gamma", self.decided_gamma(classes)?);
        Ok(())
    }

    fn denoises(&self) -> bool {
        self.denoise
    }

    fn teachings(&self, nodes: u32) -> f64 {
        f64::from(self.queries) * (f64::from(self.k) / f64::from(nodes.max(1))).min(1.0)
    }

    fn source<'a>(
        &self,
        learner: &Learner,
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        seed: u64,
    ) -> Result<Box<dyn LabelSource + 'a>, LearnError> {
        let queries = choose(public, self.choose, self.queries as usize, seed)?;
        let mechanism = self.mechanism(private, &Asked { public, queries: &queries })?;
        let classes = private.public().classes.unwrap_or(0);
        let settings = TeacherSettings::new(classes, (self.teacher, learner), seed);
        // What cannot learn is refused before anything is charged.
        drop(<Teacher<'_> as answers::Teacher<'_>>::new(settings.clone(), public)?);
        Ok(Box::new(Teachers { private, public, queries, mechanism, settings }))
    }
}

/// A teacher for every query.
#[derive(Debug)]
struct Teachers<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: Vec<NodeId>,
    mechanism: PerQuery,
    settings: TeacherSettings,
}

impl LabelSource for Teachers<'_> {
    fn guarantee(&self) -> &Guarantee {
        self.mechanism.guarantee()
    }

    fn queries(&self) -> &[NodeId] {
        &self.queries
    }

    fn teachers(&self, missing: usize) -> u64 {
        missing as u64
    }

    fn keeps_answers(&self) -> bool {
        true
    }

    fn answer(&self, permit: Permit, kept: Kept, done: &(dyn Fn() + Sync)) -> Result<Privatised, LearnError> {
        let asked = Asked { public: self.public, queries: &self.queries };
        Ok(self.mechanism.answer::<Teacher<'_>>(self.private, &asked, permit, (&self.settings, done), kept)?)
    }
}

pub(in crate::method) fn entry() -> Entry {
    super::entry::<Params>("Student of one teacher per query, on fresh samples (PrivGNN)", Status::Proven)
}
