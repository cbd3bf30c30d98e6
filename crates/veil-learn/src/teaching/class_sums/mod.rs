//! Labels of public nodes from noisy sums per class ([`veil_privacy::answers::class_sums`]).
//!
//! `basis` finds, in public data alone, the few directions in which features differ after two hops along the public graph: there classes show,
//! and noise of single nodes does not. In these directions the private graph is summed up, per class. `read` makes a classifier of the sums
//! (linear discriminant analysis, whose covariance and class frequencies come from public nodes) and lets every public node hear its
//! neighbours. `dense` is the little linear algebra that this needs.
//!
//! Everything but the sums is a function of public data, so it costs nothing; what is read from the sums is post-processing. All public nodes are
//! labelled, test nodes too, by their features and never by their true labels; students do not learn from what test nodes got.

mod basis;
mod dense;
mod read;
#[cfg(test)]
mod tests;

pub(super) use basis::embedding;

use veil_graph::{Dataset, Graph, Matrix, NodeId, Part};
use veil_privacy::accounting::calibrate;
use veil_privacy::answers::class_sums::{Params, cost};
use veil_privacy::answers::{AnswerError, Asked, ClassSums, Embedding, Sums};
use veil_privacy::{Epsilon, Guarantee, Public};

use super::plan::delta;
use crate::error::LearnError;
use crate::method::Method;
use crate::parameters::{Parameters, ParametersError};

/// A private graph that is ready to be summed up, and a public one that is ready to be labelled.
#[derive(Debug)]
pub struct Summing {
    mechanism: ClassSums,
    embedding: Embedding,
}

impl Summing {
    /// The sums that parameters ask for, checked against both graphs, with the noise that costs at most ε.
    ///
    /// # Errors
    /// If something is missing or out of range, or the graphs do not go together.
    pub fn plan(parameters: &Parameters, private: &Public<'_>, asked: &Asked<'_>) -> Result<Summing, LearnError> {
        let method = Method::ClassSums;
        let useless = [
            ("--lambda", parameters.lambda.is_some()),
            ("--queries", parameters.queries.is_some()),
            ("--choose", parameters.choose.is_some()),
            ("--release", parameters.release.is_some()),
            ("--gamma", parameters.gamma.is_some()),
            ("--k", parameters.k.is_some()),
            ("--teachers", parameters.teachers.is_some()),
            ("--teacher", parameters.teacher.is_some()),
        ];
        if let Some((flag, _)) = useless.into_iter().find(|(_, useless)| *useless) {
            return Err(ParametersError::NotOfThisMethod { flag, method }.into());
        }
        let epsilon = parameters.epsilon.ok_or(ParametersError::Missing { method, what: "--epsilon" })?;
        let delta = delta(parameters.delta)?;
        let public = asked.public;
        let learned = |node: NodeId| public.split().is_none_or(|split| split.part(node) != Part::Test);
        if !(0..public.nodes()).any(learned) {
            return Err(LearnError::NobodyToLearnFrom);
        }
        let features = public.features().ok_or(LearnError::NoFeatures)?;
        let found = calibrate(epsilon.as_f64(), parameters.delta, cost).map_err(AnswerError::from)?;
        // A decimal with nine places already.
        let shift = Epsilon::from_nanos((found.parameter * 1e9).round() as u64);
        let shift = shift.ok_or(ParametersError::Missing { method, what: "a larger --epsilon" })?;
        let most = features.columns().min(features.rows());
        let dimensions = dimensions(epsilon.as_f64(), private.classes.unwrap_or(0) as usize).min(most);
        let mechanism = Params { dimensions: dimensions as u32, shift, delta }.check(private, asked)?;
        Ok(Summing { mechanism, embedding: basis::embedding(public, dimensions)? })
    }

    /// What the sums promise.
    pub fn guarantee(&self) -> &Guarantee {
        self.mechanism.guarantee()
    }

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

/// C − 1 directions separate C classes; the others are for those that a basis which knows no classes finds first. Noise grows with the root of
/// their number, so there are fewer where there is much of it.
fn dimensions(epsilon: f64, classes: usize) -> usize {
    if epsilon >= 2.0 { 3 * classes } else { 2 * classes }
}

/// P·X for P = the rows of A + I, scaled to sum 1: every node hears its neighbours and itself.
pub(super) fn smoothed(graph: &Graph, rows: &Matrix) -> Matrix {
    let mut out = Matrix::zeros(rows.rows(), rows.columns());
    for node in 0..graph.nodes() {
        let neighbours = graph.neighbours(node);
        let share = 1.0 / (neighbours.len() + 1) as f32;
        let own = out.row_mut(node as usize);
        for &heard in neighbours.iter().chain([&node]) {
            own.iter_mut().zip(rows.row(heard as usize)).for_each(|(own, heard)| *own += heard);
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
        for &heard in neighbours.iter().chain([&node]) {
            let to = out.row_mut(heard as usize);
            to.iter_mut().zip(rows.row(node as usize)).for_each(|(to, said)| *to += share * said);
        }
    }
    out
}
