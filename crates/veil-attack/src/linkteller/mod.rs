//! LinkTeller (Wu et al. 2022): who moves whose posterior?
//!
//! In a graph network a node's features reach its neighbours. So the adversary makes one node's features a little
//! longer, x → (1 + Δ)x, and looks at whose answer changes: the rating of (source, target) is the length of the change
//! of the target's posterior, divided by Δ. Where no path of messages leads from source to target, the rating is 0.
//!
//! [`Influence::Difference`] does that with two questions, and so against anything that answers. Its ratings are as
//! coarse as the answers: posteriors are 32-bit numbers, and one that has saturated at exactly 1 does not move, so that
//! its edges are rated 0 and look safe. [`Influence::Exact`] is the limit Δ → 0 by differentiation, which does not
//! saturate; it needs the model in hand.

use rayon::prelude::*;
use veil_graph::NodeId;
use veil_learn::{Predictor, WhiteBox};

use crate::attack::{Attack, AttackError, ask, distinct, position};

/// How the influence of one node on another is found, with the model in hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Influence {
    /// By differentiation.
    Exact,
    /// By [`Difference`], as the papers did.
    Difference {
        /// Features are scaled by 1 + step.
        step: f64,
    },
}

/// How the influence of one node on another is found when all one can do is ask.
///
/// A node must be given the same answer whoever else is asked about: all differences are against one first answer.
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
    /// Features are 32-bit numbers: a smaller step would leave some as they are, and the attack would fail in silence.
    pub const LEAST_STEP: f64 = f32::EPSILON as f64;

    fn scaled(self, features: Vec<f32>) -> Vec<f32> {
        features.into_iter().map(|feature| ((1.0 + self.step) * f64::from(feature)) as f32).collect()
    }
}

impl<M: WhiteBox + ?Sized> Attack<M> for Influence {
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        match *self {
            Influence::Exact => Ok(model.influences(pairs)?),
            Influence::Difference { step } => Difference { step }.rate(model, pairs),
        }
    }
}

impl<M: Predictor + ?Sized> Attack<M> for Difference {
    fn rate(&self, model: &M, pairs: &[(NodeId, NodeId)]) -> Result<Vec<f64>, AttackError> {
        if !self.step.is_finite() || self.step < Difference::LEAST_STEP {
            return Err(AttackError::Step { step: self.step, least: Difference::LEAST_STEP });
        }
        let targets = distinct(pairs.iter().map(|pair| pair.1));
        let before = ask(model, &targets, &[])?;

        // One question for each source, about the targets that are paired with it.
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| pairs[pair].0);
        let questions: Vec<&[usize]> = order.chunk_by(|&left, &right| pairs[left].0 == pairs[right].0).collect();
        let answers: Vec<Vec<f64>> = questions
            .par_iter()
            .map(|question| {
                let source = pairs[question[0]].0;
                let asked: Vec<NodeId> = question.iter().map(|&pair| pairs[pair].1).collect();
                let after = ask(model, &asked, &[(source, self.scaled(model.features(source)?))])?;
                let lengths = asked
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

/// The length of (left − right)/step, in single precision throughout, as code that asks a model for 32-bit posteriors
/// computes it: a change whose square is below the smallest such number counts as none. Derivatives do not have this floor.
fn length(left: &[f32], right: &[f32], step: f64) -> f64 {
    let step = step as f32;
    let squares = left.iter().zip(right).map(|(&l, &r)| ((l - r) / step) * ((l - r) / step));
    f64::from(squares.sum::<f32>().sqrt())
}

#[cfg(test)]
mod tests;
