//! Two private graphs that differ in one node, and the mechanisms run on them.

use rayon::prelude::*;
use veil_graph::read::Misfit;
use veil_graph::{Dataset, Direction, Features, Graph, Labels, Matrix, NodeId};
use veil_learn::teaching::Mechanism;
use veil_privacy::answers::{AnswerError, Asked, ClassSums, Embedding, Kept, Lesson};
use veil_privacy::{Coins, Permit, Private, Request};

use super::{CLASSES, SEEN, UNSEEN};
use crate::audit::{AuditError, Options};

/// Nodes that are in both worlds, for each teacher: a teacher who has none is asked nothing.
const OTHERS: u32 = 8;
/// The features of all nodes, and of the node that may be there.
const USUAL: [f32; 2] = [1.0, 0.0];
const MARKED: [f32; 2] = [0.0, 1.0];

/// A public graph to ask about, and how many others there are.
pub struct Worlds {
    public: Dataset,
    queries: Vec<NodeId>,
    others: u32,
}

impl Worlds {
    /// For so many questions, and teachers.
    pub fn new(questions: u32, teachers: u32) -> Result<Worlds, AuditError> {
        // The marked node is the nearest to every question, by either measure: a teacher sees it whenever it is in the sample.
        let public = nodes(&vec![MARKED; questions as usize])?;
        Ok(Worlds { public, queries: (0..questions).collect(), others: OTHERS * teachers })
    }

    /// How many nodes there are in the smaller world.
    pub fn fewest(&self) -> u32 {
        self.others
    }

    /// What is asked.
    pub fn asked(&self) -> Asked<'_> {
        Asked { public: &self.public, queries: &self.queries }
    }

    /// The world with the node, and the one without it.
    pub fn both(&self) -> Result<[Private<Dataset>; 2], AuditError> {
        let mut features = vec![USUAL; self.others as usize];
        let without = nodes(&features)?;
        features.push(MARKED);
        Ok([nodes(&features)?, without].map(Private::seal))
    }

    /// A score for each of many executions of the mechanism: the higher, the likelier the node is there. Each has a key of its own.
    pub fn executions(
        &self,
        private: &Private<Dataset>,
        mechanism: &Mechanism,
        options: &Options,
        world: &str,
    ) -> Result<Vec<f64>, AuditError> {
        let teach = |lesson: &Lesson| {
            let mut posterior = vec![0.0; CLASSES as usize];
            posterior[if sees(lesson) { SEEN } else { UNSEEN } as usize] = 1.0;
            posterior
        };
        // Half of all teachers vote for either class, so that one vote decides.
        let vote = |lesson: &Lesson| {
            let usual = if lesson.number.is_multiple_of(2) { SEEN } else { UNSEEN };
            vec![if sees(lesson) { SEEN } else { usual }; self.queries.len()]
        };
        let execution = |seed: u64| {
            let permit = permit(private, seed, mechanism.guarantee())?;
            let released = match mechanism {
                Mechanism::PerQuery(it) => {
                    let kept = Kept::in_memory(self.queries.len());
                    it.answer(private, &self.asked(), permit, (&teach, &|| ()), kept)
                }
                Mechanism::Votes(it) => it.answer(private, &self.asked(), permit, (&vote, &|| ())),
            }?;
            let labels = released.data().labels().map(|labels| labels.iter().collect::<Vec<_>>()).unwrap_or_default();
            let times = |class: u32| labels.iter().filter(|&&label| label == Some(class)).count() as f64;
            Ok(times(SEEN) - times(UNSEEN))
        };
        seeds(options, world).into_par_iter().map(execution).collect()
    }

    /// The same of sums per class.
    pub fn sums(
        &self,
        private: &Private<Dataset>,
        mechanism: &ClassSums,
        options: &Options,
        world: &str,
    ) -> Result<Vec<f64>, AuditError> {
        let basis = Matrix::from_values(2, 1, vec![1.0, 1.0]).map_err(AnswerError::from)?;
        let embedding = Embedding::new(&[0.0, 0.0], basis).map_err(AnswerError::from)?;
        let execution = |seed: u64| {
            let mut permit = permit(private, seed, mechanism.guarantee())?;
            let released = mechanism.sums(private, &embedding, &mut permit)?;
            let (sums, class) = (released.value(), SEEN as usize);
            // The node moves the sum by one and the number by one, of which a half is counted: the likelihood ratio goes by both, weighted with that.
            Ok(sums.points(class).iter().sum::<f64>() + 0.25 * sums.nodes(class))
        };
        seeds(options, world).into_par_iter().map(execution).collect()
    }
}

/// The node has the one label that is looked at.
fn nodes(features: &[[f32; 2]]) -> Result<Dataset, AuditError> {
    let graph = Graph::empty(features.len() as u32, Direction::Undirected);
    let labels = features.iter().map(|&it| Some(if it == MARKED { SEEN } else { UNSEEN }));
    let labels = Labels::new(CLASSES, labels).map_err(Misfit::from).map_err(AnswerError::from)?;
    let matrix = Matrix::from_values(features.len(), 2, features.concat()).map_err(AnswerError::from)?;
    let data = Dataset::new("audit", graph, Default::default());
    let data = data.with_features(Features::Dense(matrix)).map_err(Misfit::from).map_err(AnswerError::from)?;
    Ok(data.with_labels(labels).map_err(Misfit::from).map_err(AnswerError::from)?)
}

/// Whether the node is among those that a teacher sees.
fn sees(lesson: &Lesson) -> bool {
    let Some(Features::Dense(features)) = lesson.data.features() else { return false };
    (0..features.rows()).any(|row| features.row(row) == MARKED)
}

fn permit(private: &Private<Dataset>, seed: u64, guarantee: &veil_privacy::Guarantee) -> Result<Permit, AuditError> {
    Ok(Request::new(private, Coins::reproducible(seed), vec![guarantee.clone()])?.unbooked())
}

/// The keys of all executions: no two are the same.
fn seeds(options: &Options, world: &str) -> Vec<u64> {
    let mut random = veil_graph::random::Random::new(options.seed, &format!("audit/answers/{world}"));
    (0..options.canaries).map(|_| random.bits()).collect()
}
