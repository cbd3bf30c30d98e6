//! PATE on graphs, as PrivGNN compares with it: teachers learn on disjoint parts of the private
//! graph and vote on the label of every public node that is queried; counts are released with
//! noise. Teachers are the same networks as PrivGNN's (PATE-G), or MLPs of three layers (`teacher =
//! mlp`, PATE-M).

use veil_graph::{Dataset, NodeId};
use veil_nn::Kind as Layer;
use veil_privacy::accounting::published;
use veil_privacy::answers::{self, Asked, Kept, Votes, votes};
use veil_privacy::parameters::Kind;
use veil_privacy::release::Privatised;
use veil_privacy::{Epsilon, Guarantee, Permit, Private, Status, parameters};

use super::{LabelSource, Labelling, Learner, Noise, Teacher, TeacherSettings, choose, exact_delta};
use crate::error::LearnError;
use crate::method::Entry;
use crate::parameters::Choose;

/// The name of the method.
pub const NAME: &str = "pate";

parameters! {
    /// Parameters of PATE.
    pub struct Params: Student {
        /// ε of a private node; determines the noise
        epsilon: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of a private node
        delta: f64 = 1e-5 => Kind::Real,
        /// Inverse noise scale of the votes, instead of epsilon
        lambda: Option<Epsilon> = None => Kind::Epsilon,
        /// Number of public nodes to query
        queries: u32 = 1000 => Kind::Whole,
        /// Choice of the queried nodes
        choose: Choose = Choose::Random => Kind::Word(Choose::WORDS),
        /// Number of voting teachers
        teachers: u32 = 20 => Kind::Whole,
        /// Layer type of the teachers; mlp has three layers
        teacher: Layer = Layer::Sage => Kind::Word(crate::parameters::layers()),
        /// Denoise the labels with a linear model (published: false)
        denoise: bool = true => Kind::Switch,
    }
}

impl Params {
    /// The mechanism that answers all queries.
    ///
    /// # Errors
    /// If a parameter is missing or out of range, or the graphs do not fit together.
    pub fn mechanism(&self, private: &Private<Dataset>, asked: &Asked<'_>) -> Result<Votes, LearnError> {
        let delta = exact_delta(self.delta)?;
        let count = asked.queries.len() as u64;
        let noise = Noise::of(NAME, self.epsilon, self.lambda)?;
        let lambda = noise.chosen(self.delta, |lambda| published::votes(lambda, count))?;
        Ok(votes::Params { teachers: self.teachers, lambda, delta }.check(&private.public(), asked)?)
    }
}

impl Labelling for Params {
    const NAME: &'static str = NAME;

    fn denoises(&self) -> bool {
        self.denoise
    }

    fn teachings(&self, _nodes: u32) -> f64 {
        1.0
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
        let settings = TeacherSettings::new(classes, (self.teacher, learner), seed).for_all_queries();
        // What cannot learn is refused before anything is charged.
        drop(<Teacher<'_> as answers::Teacher<'_>>::new(settings.clone(), public)?);
        Ok(Box::new(Voters { private, public, queries, mechanism, settings, count: self.teachers }))
    }
}

/// Teachers that vote on every query.
#[derive(Debug)]
struct Voters<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: Vec<NodeId>,
    mechanism: Votes,
    settings: TeacherSettings,
    count: u32,
}

impl LabelSource for Voters<'_> {
    fn guarantee(&self) -> &Guarantee {
        self.mechanism.guarantee()
    }

    fn queries(&self) -> &[NodeId] {
        &self.queries
    }

    fn teachers(&self, _missing: usize) -> u64 {
        u64::from(self.count)
    }

    fn answer(&self, permit: Permit, _kept: Kept, done: &(dyn Fn() + Sync)) -> Result<Privatised, LearnError> {
        let asked = Asked { public: self.public, queries: &self.queries };
        Ok(self.mechanism.answer::<Teacher<'_>>(self.private, &asked, permit, (&self.settings, done))?)
    }
}

pub(in crate::method) fn entry() -> Entry {
    super::entry::<Params>("Student of voting teachers on disjoint parts (PATE)", Status::Proven)
}
