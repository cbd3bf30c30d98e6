//! Class sums, our own: the private graph is summed up once, per class and with noise, and every
//! public node is labelled from the sums ([`veil_privacy::answers::class_sums`]); a student learns
//! from these labels on the public graph.
//!
//! One release of few numbers to which all private nodes contribute has far less noise for the same
//! ε than a thousand labels, each of which costs. Private edges are not read.
//!
//! `basis` finds, in public data alone, the few directions in which features differ after two hops
//! along the public graph: classes differ there, and the noise of single nodes averages out. In
//! these directions the private graph is summed up, per class. `read` makes a classifier of the
//! sums (linear discriminant analysis, whose covariance and class frequencies come from public
//! nodes) and averages over the neighbours of every public node. `dense` is the linear algebra that
//! this needs.
//!
//! Everything but the sums is a function of public data, so it costs nothing; what is read from the
//! sums is post-processing. All public nodes are labelled, test nodes too, by their features and
//! never by their true labels; students do not learn from the labels of test nodes.

mod basis;
mod read;
#[cfg(test)]
mod tests;

pub(super) use basis::embedding;

use veil_graph::{Dataset, Graph, Matrix, NodeId, Part};
use veil_privacy::accounting::calibrate;
use veil_privacy::answers::class_sums::{self, cost};
use veil_privacy::answers::{AnswerError, Asked, ClassSums, Embedding, Kept, Sums};
use veil_privacy::parameters::Kind;
use veil_privacy::release::Privatised;
use veil_privacy::{Epsilon, Guarantee, Permit, Private, Public, Status, parameters};

use super::{LabelSource, Labelling, Learner, exact_delta};
use crate::error::LearnError;
use crate::method::{Entry, MethodError};
use crate::parameters::Training;

/// The name of the method.
pub const NAME: &str = "class-sums";

parameters! {
    /// Parameters of class sums.
    pub struct Params: Student {
        /// ε of a private node; determines the noise
        epsilon: Option<Epsilon> = None => Kind::Epsilon,
        /// δ of a private node
        delta: f64 = 1e-5 => Kind::Real,
    }
}

/// Sums of a private graph, and the public map in which they are taken.
#[derive(Debug)]
pub struct Summing {
    mechanism: ClassSums,
    embedding: Embedding,
}

impl Params {
    /// The sums, checked against both graphs, with the noise that costs at most ε.
    ///
    /// # Errors
    /// If something is missing or out of range, or the graphs do not fit together.
    pub fn plan(&self, private: &Public<'_>, asked: &Asked<'_>) -> Result<Summing, LearnError> {
        let epsilon = self.epsilon.ok_or(MethodError::Missing { method: NAME, name: "epsilon" })?;
        let delta = exact_delta(self.delta)?;
        let public = asked.public;
        let learned = |node: NodeId| public.split().is_none_or(|split| split.part(node) != Part::Test);
        if !(0..public.nodes()).any(learned) {
            return Err(LearnError::NoTrainingLabels);
        }
        let features = public.features().ok_or(LearnError::NoFeatures)?;
        let found = calibrate(epsilon.as_f64(), self.delta, cost).map_err(AnswerError::from)?;
        // A decimal with nine places already.
        let shift = Epsilon::from_nanos((found.parameter * 1e9).round() as u64);
        let too_small = MethodError::EpsilonTooSmall { method: NAME, given: epsilon.as_f64() };
        let shift = shift.ok_or(too_small)?;
        let most = features.columns().min(features.rows());
        let dimensions = dimensions(epsilon.as_f64(), private.classes.unwrap_or(0) as usize).min(most);
        let params = class_sums::Params { dimensions: dimensions as u32, shift, delta };
        Ok(Summing { mechanism: params.check(private, asked)?, embedding: basis::embedding(public, dimensions)? })
    }
}

impl Summing {
    /// The mechanism.
    pub fn mechanism(&self) -> &ClassSums {
        &self.mechanism
    }

    /// The public map from features to the points that are summed up.
    pub fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// The class of every public node.
    ///
    /// # Errors
    /// If the public graph has no features.
    pub fn reader<'a>(&'a self, public: &'a Dataset) -> Result<impl Fn(&Sums) -> Vec<u32> + 'a, LearnError> {
        let features = public.features().ok_or(LearnError::NoFeatures)?;
        let points = self.embedding.points(features)?;
        Ok(move |sums: &Sums| read::labels(public.graph(), &points, sums))
    }
}

impl Labelling for Params {
    const NAME: &'static str = NAME;

    /// Fewer epochs than PrivGNN's: labels have errors, which a student would learn by heart.
    fn learner() -> Learner {
        let usual = Learner::default();
        Learner { training: Training { epochs: 60, ..usual.training }, ..usual }
    }

    fn source<'a>(
        &self,
        _learner: &Learner,
        private: &'a Private<Dataset>,
        public: &'a Dataset,
        _seed: u64,
    ) -> Result<Box<dyn LabelSource + 'a>, LearnError> {
        let queries: Vec<NodeId> = (0..public.nodes()).collect();
        let summing = self.plan(&private.public(), &Asked { public, queries: &queries })?;
        Ok(Box::new(Source { private, public, queries, summing }))
    }
}

/// A private graph that is ready to be summed up, and a public one that is ready to be labelled.
#[derive(Debug)]
struct Source<'a> {
    private: &'a Private<Dataset>,
    public: &'a Dataset,
    queries: Vec<NodeId>,
    summing: Summing,
}

impl LabelSource for Source<'_> {
    fn guarantee(&self) -> &Guarantee {
        self.summing.mechanism.guarantee()
    }

    fn queries(&self) -> &[NodeId] {
        &self.queries
    }

    fn teachers(&self, _missing: usize) -> u64 {
        0
    }

    fn answer(&self, permit: Permit, _kept: Kept, _done: &(dyn Fn() + Sync)) -> Result<Privatised, LearnError> {
        let asked = Asked { public: self.public, queries: &self.queries };
        let read = self.summing.reader(self.public)?;
        Ok(self.summing.mechanism.answer(self.private, &asked, &self.summing.embedding, permit, &read)?)
    }
}

pub(in crate::method) fn entry() -> Entry {
    super::entry::<Params>("Student of labels from noisy class sums (ours; no teachers)", Status::Proven)
}

/// C − 1 directions separate C classes; the others make up for a basis that does not know the
/// classes. Noise grows with the root of their number, so there are fewer of them at small ε.
fn dimensions(epsilon: f64, classes: usize) -> usize {
    if epsilon >= 2.0 { 3 * classes } else { 2 * classes }
}

/// P·X for P = the rows of A + I, scaled to sum 1: the mean over a node's neighbours and itself.
pub(super) fn smoothed(graph: &Graph, rows: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(rows.rows(), rows.columns());
    for node in 0..graph.nodes() {
        let neighbours = graph.neighbours(node);
        let share = 1.0 / (neighbours.len() + 1) as f32;
        let own = out.row_mut(node as usize);
        for &other in neighbours.iter().chain([&node]) {
            own.iter_mut().zip(rows.row(other as usize)).for_each(|(own, value)| *own += value);
        }
        own.iter_mut().for_each(|own| *own *= share);
    }
    out
}

/// P'·X.
fn smoothed_back(graph: &Graph, rows: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(rows.rows(), rows.columns());
    for node in 0..graph.nodes() {
        let neighbours = graph.neighbours(node);
        let share = 1.0 / (neighbours.len() + 1) as f32;
        for &other in neighbours.iter().chain([&node]) {
            let to = out.row_mut(other as usize);
            to.iter_mut().zip(rows.row(node as usize)).for_each(|(to, value)| *to += share * value);
        }
    }
    out
}
