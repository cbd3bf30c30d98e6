//! From parameters and two graphs to labels of public nodes: all that is decided before anything is spent, then the answers.

use veil_graph::{Dataset, NodeId};
use veil_privacy::answers::{Asked, Kept};
use veil_privacy::release::Privatised;
use veil_privacy::{Guarantee, Permit, Private};

use super::{Mechanism, Summing, Teacher, choose, completed, plan};
use crate::error::LearnError;
use crate::fit::check_training;
use crate::method::Method;
use crate::parameters::{Choose, Parameters, ParametersError};

/// Questions that are ready to be asked.
#[derive(Debug)]
pub struct Asking<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: Vec<NodeId>,
    parameters: Parameters,
    way: Way,
    seed: u64,
}

/// How public nodes get their labels.
#[derive(Debug)]
enum Way {
    /// Teachers say them.
    Teachers(Mechanism),
    /// They are read from sums.
    Sums(Summing),
}

impl<'a> Asking<'a> {
    /// Checks everything that can be checked from what is public: the parameters of a method with a student, both graphs, teachers and student. The seed
    /// decides which public nodes are asked about, and how teachers begin.
    ///
    /// # Errors
    /// If something is missing or out of range, or does not go together.
    pub fn new(
        parameters: &Parameters,
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        seed: u64,
    ) -> Result<Asking<'a>, LearnError> {
        let facts = private.public();
        Asked::apart(private, public)?;
        let classes = facts.classes.unwrap_or(0);
        let parameters = completed(parameters.effective(false), classes)?;
        parameters.check_method()?;
        // Nobody validates a student.
        check_training(&parameters, false)?;
        let method = parameters.method.ok_or(ParametersError::NoLabels)?;
        let (queries, way) = if method == Method::ClassSums {
            let queries: Vec<NodeId> = (0..public.nodes()).collect();
            let summing = Summing::plan(&parameters, &facts, &Asked { public, queries: &queries })?;
            (queries, Way::Sums(summing))
        } else {
            let missing = ParametersError::Missing { method, what: "--queries" };
            let count = parameters.queries.ok_or(missing)? as usize;
            let queries = choose(public, parameters.choose.unwrap_or(Choose::Random), count, seed)?;
            let mechanism = plan(&parameters, &facts, &Asked { public, queries: &queries })?;
            // Teachers are networks that there are, and so is the student, below.
            Teacher::new(public, &queries, classes, &parameters, seed)?;
            (queries, Way::Teachers(mechanism))
        };
        parameters.description().check(facts.dimensions.unwrap_or(0), classes as usize)?;
        Ok(Asking { private, public, queries, parameters, way, seed })
    }

    /// What the answers promise.
    pub fn guarantee(&self) -> &Guarantee {
        match &self.way {
            Way::Teachers(mechanism) => mechanism.guarantee(),
            Way::Sums(summing) => summing.guarantee(),
        }
    }

    /// The parameters with everything decided.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The public nodes that are asked about.
    pub fn queries(&self) -> &[NodeId] {
        &self.queries
    }

    /// All else that decides the answers, besides the data and the promise: what an interrupted release is recognised by.
    pub fn about(&self) -> String {
        // Parameters are numbers and words: they can always be written.
        let parameters = serde_json::to_string(&self.parameters).unwrap_or_default();
        let (version, public) = (env!("CARGO_PKG_VERSION"), self.public.fingerprint());
        format!("{version}\n{parameters}\n{public}\n{}\n{:?}", self.seed, self.queries)
    }

    /// Whether single answers can be kept while others are waited for.
    pub fn answers_one_by_one(&self) -> bool {
        matches!(self.way, Way::Teachers(Mechanism::PerQuery(_)))
    }

    /// Asks whatever has no answer yet, and gives the public graph with the answers for labels. `done` is called after each teacher.
    ///
    /// # Errors
    /// If the permit is for something else, or an answer cannot be kept.
    pub fn answers(&self, permit: Permit, kept: Kept, done: &(dyn Fn() + Sync)) -> Result<Privatised, LearnError> {
        let asked = Asked { public: self.public, queries: &self.queries };
        let mechanism = match &self.way {
            Way::Teachers(mechanism) => mechanism,
            Way::Sums(summing) => {
                let read = summing.reader(self.public)?;
                return Ok(summing.mechanism().answer(self.private, &asked, summing.embedding(), permit, &read)?);
            }
        };
        let classes = self.private.public().classes.unwrap_or(0);
        let teacher = Teacher::new(self.public, &self.queries, classes, &self.parameters, self.seed)?;
        Ok(match mechanism {
            Mechanism::PerQuery(mechanism) => {
                let teach = |lesson: &_| teacher.posterior(lesson);
                mechanism.answer(self.private, &asked, permit, (&teach, done), kept)?
            }
            Mechanism::Votes(mechanism) => {
                let teacher = teacher.for_all_questions()?;
                let vote = |lesson: &_| teacher.votes(lesson);
                mechanism.answer(self.private, &asked, permit, (&vote, done))?
            }
        })
    }
}
