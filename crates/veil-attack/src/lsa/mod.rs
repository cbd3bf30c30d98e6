//! Link stealing from posteriors: do two nodes get the same answer?
//!
//! He et al. 2021; GraphPrivatizer calls it LSA2, LPGNet LPA. One question about all nodes, then the rating of a pair is
//! how alike the two posteriors are. Graph networks make neighbours alike; but so does homophily,
//! and a model that never saw an edge is often attacked as well as one that did. Read these figures beside the
//! edge-free twin's only.

mod metric;

#[cfg(test)]
mod tests;

pub use metric::{Metric, MetricError};

use rayon::prelude::*;
use veil_graph::{Matrix, NodeId};
use veil_learn::{Predictor, PredictorError};

use crate::attack::{Attack, AttackError, ask, distinct, position};

/// How the answers are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posteriors {
    /// As the model gave them.
    #[default]
    AsGiven,
    /// Through one more softmax, as in the code that GraphPrivatizer was published with. Its figures are of this kind.
    SoftmaxTwice,
    /// Less the mean answer about all nodes, as in the code that LPGNet was published with (which compares by cosine).
    Centred,
}

/// Rates a pair by the similarity of its posteriors: minus their distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStealing {
    /// Which distance.
    pub metric: Metric,
    /// Of which numbers.
    pub posteriors: Posteriors,
}

impl<M: Predictor + ?Sized> Attack<M> for LinkStealing {
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        if self.posteriors == Posteriors::Centred {
            // A table of everybody's answers: their mean is over all.
            let all: Vec<NodeId> = (0..model.nodes() as NodeId).collect();
            return self.rate_table(&ask(model, &all, &[])?, pairs);
        }
        let nodes = distinct(pairs.iter().flat_map(|&(source, target)| [source, target]));
        let answers = ask(model, &nodes, &[])?;
        Ok(self.similarities(&answers, pairs, |node| position(&nodes, node)))
    }
}

impl LinkStealing {
    /// Rates pairs by a table of posteriors, one row for each node: someone else's model, of which only this is known.
    ///
    /// # Errors
    /// If a pair names a node that has no row.
    pub fn rate_table(&self, posteriors: &Matrix, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        let nodes = posteriors.rows();
        if let Some(node) =
            pairs.iter().map(|&(source, target)| source.max(target)).find(|&node| node as usize >= nodes)
        {
            return Err(PredictorError::NoSuchNode { node, nodes }.into());
        }
        Ok(self.similarities(posteriors, pairs, |node| node as usize))
    }

    fn similarities(
        &self,
        answers: &Matrix,
        pairs: &[(NodeId, NodeId)],
        row: impl Fn(NodeId) -> usize + Sync,
    ) -> Vec<f64> {
        let mut read: Vec<Vec<f64>> =
            (0..answers.rows()).into_par_iter().map(|row| self.posteriors.read(answers.row(row))).collect();
        if self.posteriors == Posteriors::Centred {
            centre(&mut read);
        }
        pairs
            .par_iter()
            .map(|&(source, target)| -self.metric.distance(&read[row(source)], &read[row(target)]))
            .collect()
    }
}

/// Takes the mean row away from every row.
fn centre(rows: &mut [Vec<f64>]) {
    let mut mean = vec![0.0; rows.first().map_or(0, Vec::len)];
    rows.iter().for_each(|row| mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value));
    mean.iter_mut().for_each(|mean| *mean /= rows.len() as f64);
    rows.iter_mut().for_each(|row| row.iter_mut().zip(&mean).for_each(|(value, mean)| *value -= mean));
}

impl Posteriors {
    fn read(self, answer: &[f32]) -> Vec<f64> {
        let mut values: Vec<f64> = answer.iter().map(|&value| f64::from(value)).collect();
        if self == Posteriors::SoftmaxTwice {
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            values.iter_mut().for_each(|value| *value = (*value - largest).exp());
            let sum: f64 = values.iter().sum();
            values.iter_mut().for_each(|value| *value /= sum);
        }
        values
    }
}
