//! LinkTeller (Wu et al. 2022): the influence of one node's features on another node's posterior.
//!
//! In a graph network the features of a node reach its neighbours. The adversary scales the
//! features of one node, x → (1 + Δ)x, and rates the pair (source, target) by the length of the
//! change of the target's posterior, divided by Δ. Without a path of messages from source to target
//! the rating is 0.
//!
//! [`Influence::Difference`] needs two queries, so it works against every model that answers. Its
//! ratings are as coarse as the answers: posteriors are 32-bit numbers, and one that has saturated
//! at exactly 1 does not change, so that its edges are rated 0 and look safe. [`Influence::Exact`]
//! is the limit Δ → 0 by differentiation, which does not saturate; it requires the model itself.

use rayon::prelude::*;
use veil_graph::NodeId;
use veil_learn::{Predictor, WhiteBox};
use veil_privacy::parameters::{Kind, Parameters, Settings};
use veil_privacy::{parameters, words};

use crate::attack::{Attack, AttackError, EdgeAttack, EdgeRating, Entry, Scope, distinct, position, query};

/// The name of the attack.
pub const NAME: &str = "linkteller";

words! {
    /// Computation of an influence.
    pub enum Computation: "computation of influences" {
        /// By differentiation.
        Exact = "exact",
        /// By a difference.
        Difference = "difference",
    }
}

parameters! {
    /// Parameters of LinkTeller.
    pub struct Params: Attack {
        /// Influence by exact differentiation, or by a finite difference as in the papers
        influence: Computation = Computation::Exact => Kind::Word(Computation::WORDS),
        /// Relative step of the finite difference
        step: f64 = 0.001 => Kind::Real,
    }
    with {
        /// Queries and pairs.
        scope: Scope = Scope::default(),
    }
}

/// The line in the table of attacks.
pub(crate) const ENTRY: Entry = Entry {
    name: NAME,
    title: "LinkTeller",
    about: "Recover edges from feature influence on posteriors (LinkTeller, Wu et al. 2022)",
    on_posteriors: false,
    parameters: || Params::default().list(),
    configure,
};

fn configure(settings: &Settings) -> Result<Attack, AttackError> {
    let mut params = Params::default();
    params.apply(settings)?;
    let difference = Difference { step: params.step };
    let influence = match params.influence {
        Computation::Exact if settings.contains("step") => {
            return Err(AttackError::Requires { name: "step", requires: "influence = difference" });
        }
        Computation::Exact => Influence::Exact,
        Computation::Difference => Influence::Difference(difference.check()?),
    };
    EdgeAttack::new(NAME, &params, &params.scope, settings, influence).map(Attack::Edges)
}

/// Influence of one node on another, where the model itself is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Influence {
    /// By differentiation.
    Exact,
    /// By a difference, as in the papers.
    Difference(Difference),
}

/// Influence of one node on another, where the model can only be queried.
///
/// The answer about a node must not depend on the other nodes of a query: all differences are
/// against one first answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Features are scaled by 1 + step.
    pub step: f64,
}

impl Default for Difference {
    /// The papers' 0.001.
    fn default() -> Difference {
        Difference { step: 0.001 }
    }
}

impl Difference {
    /// Features are 32-bit numbers: a smaller step would leave some unchanged, and the attack would
    /// fail unnoticed.
    pub const LEAST_STEP: f64 = f32::EPSILON as f64;

    fn check(self) -> Result<Difference, AttackError> {
        if self.step.is_finite() && self.step >= Difference::LEAST_STEP {
            return Ok(self);
        }
        Err(AttackError::Step { step: self.step, least: Difference::LEAST_STEP })
    }

    fn scaled(self, features: Vec<f32>) -> Vec<f32> {
        features.into_iter().map(|feature| ((1.0 + self.step) * f64::from(feature)) as f32).collect()
    }
}

impl<M: WhiteBox + ?Sized> EdgeRating<M> for Influence {
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        match self {
            Influence::Exact => Ok(model.influences(pairs)?),
            Influence::Difference(difference) => difference.rate(model, pairs),
        }
    }
}

impl<M: Predictor + ?Sized> EdgeRating<M> for Difference {
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        self.check()?;
        let targets = distinct(pairs.iter().map(|pair| pair.1));
        let before = query(model, &targets, &[])?;

        // One query for each source, about the targets that are paired with it.
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| pairs[pair].0);
        let queries: Vec<&[usize]> = order.chunk_by(|&left, &right| pairs[left].0 == pairs[right].0).collect();
        let answers: Vec<Vec<f64>> = queries
            .par_iter()
            .map(|of_source| {
                let source = pairs[of_source[0]].0;
                let nodes: Vec<NodeId> = of_source.iter().map(|&pair| pairs[pair].1).collect();
                let after = query(model, &nodes, &[(source, self.scaled(model.features(source)?))])?;
                let lengths = nodes
                    .iter()
                    .enumerate()
                    .map(|(row, &target)| length(after.row(row), before.row(position(&targets, target)), self.step));
                Ok(lengths.collect())
            })
            .collect::<Result<_, AttackError>>()?;

        let mut ratings = vec![0.0; pairs.len()];
        for (pair, rating) in order.iter().zip(answers.into_iter().flatten()) {
            ratings[*pair] = rating;
        }
        Ok(ratings)
    }
}

/// The length of (left − right)/step, in single precision throughout, as code that reads 32-bit
/// posteriors computes it: a change whose square is below the smallest such number counts as none.
/// Derivatives do not have this floor.
fn length(left: &[f32], right: &[f32], step: f64) -> f64 {
    let step = step as f32;
    let squares = left.iter().zip(right).map(|(&l, &r)| ((l - r) / step) * ((l - r) / step));
    f64::from(squares.sum::<f32>().sqrt())
}

#[cfg(test)]
mod tests;
