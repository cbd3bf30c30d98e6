//! Two private graphs that differ in one node, and executions of the mechanisms on them.

use rayon::prelude::*;
use veil_graph::random::Random;
use veil_graph::read::Misfit;
use veil_graph::{Dataset, Declared, Direction, Features, Graph, Labels, Matrix, NodeId};
use veil_privacy::answers::{AnswerError, Asked, ClassSums, Embedding, Kept, PerQuery, Teacher, Tutor, Voter, Votes};
use veil_privacy::release::Privatised;
use veil_privacy::{Coins, Guarantee, Permit, Private, Request};

use super::{CLASSES, SEEN, UNSEEN};
use crate::audit::{AuditError, Options};

/// Nodes of both worlds for each teacher: a teacher without nodes is not queried.
const OTHERS: u32 = 8;
/// The features of all nodes, and of the node under test.
pub(in crate::audit) const USUAL: [f32; 2] = [1.0, 0.0];
pub(in crate::audit) const MARKED: [f32; 2] = [0.0, 1.0];

/// The worlds with the node and without it, each with the mechanism that was checked against it.
pub(super) type Both<M> = [(Private<Dataset>, M); 2];

/// A public graph to query, and the number of other private nodes.
pub(super) struct Worlds {
    public: Dataset,
    queries: Vec<NodeId>,
    others: u32,
}

impl Worlds {
    /// For so many queries and teachers.
    pub(super) fn new(queries: u32, teachers: u32) -> Result<Worlds, AuditError> {
        // The marked node is the nearest to every query, by either distance: it is seen if it is in
        // the sample.
        let public = nodes(&vec![MARKED; queries as usize])?;
        Ok(Worlds { public, queries: (0..queries).collect(), others: OTHERS * teachers })
    }

    /// Number of nodes in the smaller world.
    pub(super) fn fewest(&self) -> u32 {
        self.others
    }

    /// The queries.
    pub(super) fn asked(&self) -> Asked<'_> {
        Asked { public: &self.public, queries: &self.queries }
    }

    /// Both worlds, each with its mechanism.
    pub(super) fn both<M>(
        &self,
        mechanism: impl Fn(&Private<Dataset>) -> Result<M, AuditError>,
    ) -> Result<Both<M>, AuditError> {
        let mut features = vec![USUAL; self.others as usize];
        let without = Private::seal(nodes(&features)?);
        features.push(MARKED);
        let with = Private::seal(nodes(&features)?);
        let (one, other) = (mechanism(&with)?, mechanism(&without)?);
        Ok([(with, one), (without, other)])
    }

    /// The scores of many executions in each world: the higher, the likelier the node is present.
    /// Each execution has its own key.
    pub(super) fn scores<M: Sync>(
        &self,
        both: &Both<M>,
        guarantee: fn(&M) -> &Guarantee,
        options: &Options,
        score: impl Fn(&M, &Private<Dataset>, Permit) -> Result<f64, AuditError> + Sync,
    ) -> Result<[Vec<f64>; 2], AuditError> {
        let world = |(private, mechanism): &(Private<Dataset>, M), name: &str| {
            let mut random = Random::new(options.seed, &format!("audit/answers/{name}"));
            let seeds: Vec<u64> = (0..options.canaries).map(|_| random.bits()).collect();
            let execution = |seed| {
                let guarantees = vec![guarantee(mechanism).clone()];
                let permit = Request::new(private, Coins::reproducible(seed), guarantees)?.unbooked();
                score(mechanism, private, permit)
            };
            seeds.into_par_iter().map(execution).collect::<Result<Vec<f64>, AuditError>>()
        };
        Ok([world(&both[0], "with")?, world(&both[1], "without")?])
    }

    /// One execution with a teacher for each query.
    pub(super) fn taught(&self, it: &PerQuery, private: &Private<Dataset>, permit: Permit) -> Result<f64, AuditError> {
        let kept = Kept::in_memory(self.queries.len());
        Ok(more_seen(&it.answer::<Witness>(private, &self.asked(), permit, (&(), &|| ()), kept)?))
    }

    /// One execution with teachers that vote. Half of them vote for either class, so that one vote
    /// decides.
    pub(super) fn voted(&self, it: &Votes, private: &Private<Dataset>, permit: Permit) -> Result<f64, AuditError> {
        Ok(more_seen(&it.answer::<Witness>(private, &self.asked(), permit, (&(), &|| ()))?))
    }

    /// One execution of class sums.
    pub(super) fn summed(
        &self,
        it: &ClassSums,
        private: &Private<Dataset>,
        mut permit: Permit,
    ) -> Result<f64, AuditError> {
        let basis = Matrix::from_values(2, 1, vec![1.0, 1.0]).map_err(AnswerError::from)?;
        let embedding = Embedding::new(&[0.0, 0.0], basis).map_err(AnswerError::from)?;
        let released = it.sums(private, &embedding, &mut permit)?;
        let (sums, class) = (released.value(), SEEN as usize);
        // The node moves the sum by one and the number by one, of which a half counts: weights of
        // the likelihood ratio.
        Ok(sums.points(class).iter().sum::<f64>() + 0.25 * sums.nodes(class))
    }
}

/// Answers with the class of teachers that see the node, minus those with the other class.
fn more_seen(released: &Privatised) -> f64 {
    let labels: Vec<Option<u32>> = released.data().labels().map(|it| it.iter().collect()).unwrap_or_default();
    let times = |class: u32| labels.iter().filter(|&&label| label == Some(class)).count() as f64;
    times(SEEN) - times(UNSEEN)
}

/// Nodes without edges; the marked one has a label of its own.
fn nodes(features: &[[f32; 2]]) -> Result<Dataset, AnswerError> {
    let graph = Graph::empty(features.len() as u32, Direction::Undirected);
    let labels = features.iter().map(|&it| Some(if it == MARKED { SEEN } else { UNSEEN }));
    let labels = Labels::new(CLASSES, labels).map_err(Misfit::from)?;
    let matrix = Matrix::from_values(features.len(), 2, features.concat())?;
    let given = Declared { nodes: true, dimensions: true, classes: true };
    let data = Dataset::new("audit", graph, Default::default()).with_declared(given);
    let data = data.with_features(Features::Dense(matrix)).map_err(Misfit::from)?;
    Ok(data.with_labels(labels).map_err(Misfit::from)?)
}

/// Whether a teacher sees the node.
pub(in crate::audit) fn sees(lesson: &Dataset) -> bool {
    let Some(Features::Dense(features)) = lesson.features() else { return false };
    (0..features.rows()).any(|row| features.row(row) == MARKED)
}

/// The worst teacher: it tells whether it sees the node.
struct Witness;

impl Teacher<'_> for Witness {
    type Settings = ();
    type Error = std::convert::Infallible;

    fn new((): (), _: &Dataset) -> Result<Witness, Self::Error> {
        Ok(Witness)
    }
}

impl Tutor<'_> for Witness {
    fn posterior(&self, lesson: &Dataset, _: u32, _: NodeId) -> Vec<f32> {
        let mut posterior = vec![0.0; CLASSES as usize];
        posterior[if sees(lesson) { SEEN } else { UNSEEN } as usize] = 1.0;
        posterior
    }
}

impl Voter<'_> for Witness {
    fn votes(&self, lesson: &Dataset, number: u32, queries: &[NodeId]) -> Vec<u32> {
        let usual = if number.is_multiple_of(2) { SEEN } else { UNSEEN };
        vec![if sees(lesson) { SEEN } else { usual }; queries.len()]
    }
}
