//! Link stealing (He et al. 2021; LSA2 in GraphPrivatizer, LPA in LPGNet): similarity of two nodes'
//! posteriors.
//!
//! One query about all nodes; the rating of a pair is the similarity of its two posteriors. Graph
//! networks make neighbours alike, but so does homophily: a model that never saw an edge is often
//! attacked as successfully as one that did. Compare these figures with those of the edge-free twin
//! only.

mod metric;

#[cfg(test)]
mod tests;

pub use metric::Metric;

use rayon::prelude::*;
use veil_graph::NodeId;
use veil_learn::{Predictor, PredictorError};
use veil_privacy::parameters;
use veil_privacy::parameters::{Kind, Parameters, Settings};

use crate::attack::{Attack, AttackError, EdgeAttack, EdgeRating, Entry, Scope, distinct, position, query};

/// The name of the attack.
pub const NAME: &str = "lsa";

parameters! {
    /// Parameters of link stealing.
    pub struct Params: Attack {
        /// Distance between posteriors
        metric: Metric = Metric::Correlation => Kind::Word(Metric::WORDS),
        /// Apply softmax to the posteriors again, as in GraphPrivatizer's published code
        softmax_twice: bool = false => Kind::Switch,
        /// Subtract the mean posterior of all nodes, as in LPGNet's published code (with metric
        /// cosine)
        centred: bool = false => Kind::Switch,
    }
    with {
        /// Queries and pairs.
        scope: Scope = Scope::default(),
    }
}

/// The line in the table of attacks.
pub(crate) const ENTRY: Entry = Entry {
    name: NAME,
    title: "LSA",
    about: "Recover edges from the similarity of posteriors (link stealing, He et al. 2021)",
    on_posteriors: true,
    parameters: || Params::default().list(),
    configure,
};

fn configure(settings: &Settings) -> Result<Attack, AttackError> {
    let mut params = Params::default();
    params.apply(settings)?;
    let posteriors = match (params.softmax_twice, params.centred) {
        (true, true) => return Err(AttackError::Exclusive { one: "softmax-twice", other: "centred" }),
        (true, false) => Posteriors::SoftmaxTwice,
        (false, true) => Posteriors::Centred,
        (false, false) => Posteriors::Unchanged,
    };
    let attack = LinkStealing { metric: params.metric, posteriors };
    EdgeAttack::new(NAME, &params, &params.scope, settings, attack).map(Attack::Edges)
}

/// Transformation of the posteriors before they are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posteriors {
    /// None.
    #[default]
    Unchanged,
    /// One more softmax, as in the published code of GraphPrivatizer. Its figures are of this kind.
    SoftmaxTwice,
    /// Minus the mean over all nodes, as in the published code of LPGNet (which compares by
    /// cosine).
    Centred,
}

/// Rates a pair by the similarity of its posteriors: minus their distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStealing {
    /// The distance.
    pub metric: Metric,
    /// The transformation of the posteriors.
    pub posteriors: Posteriors,
}

impl<M: Predictor + ?Sized> EdgeRating<M> for LinkStealing {
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        let nodes = match self.posteriors {
            // The mean is over all nodes.
            Posteriors::Centred => (0..model.nodes() as NodeId).collect(),
            _ => distinct(pairs.iter().flat_map(|&(source, target)| [source, target])),
        };
        if let Some(&node) = pairs.iter().flat_map(|(a, b)| [a, b]).find(|&&node| node as usize >= model.nodes()) {
            return Err(PredictorError::NoSuchNode { node, nodes: model.nodes() }.into());
        }
        let answers = query(model, &nodes, &[])?;
        let mut read: Vec<Vec<f64>> =
            (0..answers.rows()).into_par_iter().map(|row| self.posteriors.read(answers.row(row))).collect();
        if self.posteriors == Posteriors::Centred {
            centre(&mut read);
        }
        let of = |node: NodeId| &read[position(&nodes, node)];
        Ok(pairs.par_iter().map(|&(source, target)| -self.metric.distance(of(source), of(target))).collect())
    }
}

/// Subtracts the mean row from every row.
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
