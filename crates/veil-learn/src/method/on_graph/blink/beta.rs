//! The β-model (Chatterjee, Diaconis and Sly 2011), by its maximum likelihood for given degrees.
//!
//! The likelihood equations are d_i = Σ_{j≠i} p_ij. Their solution is the fixed point of φ_i(β) =
//! log d_i − log Σ_{j≠i} 1/(e^−β_j + e^β_i), to which the iteration β ← φ(β) from β = 0 converges
//! geometrically if there is one (their Theorem 1.5). Nodes of equal degree have equal β in every
//! iteration, so a β is kept for each degree that occurs: D of them take D² steps and D numbers.

use std::collections::BTreeMap;

use rayon::prelude::*;

/// Iterations at most, as in the authors' code. Degrees without a solution are not iterated for
/// ever.
const MOST_ITERATIONS: usize = 500;
/// The most groups: a step takes their square. Only noisy degrees of far more nodes than that, or
/// of a hostile file, have more; they are rounded.
const MOST_GROUPS: i64 = 4096;
/// A change of β below which nothing more is iterated.
const SMALL: f64 = 1e-12;
/// The largest |β|: e^β and its inverse are numbers, and a probability is 0 or 1 long before.
const LARGEST: f64 = 300.0;

/// A β for each node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BetaModel {
    /// Of each node, its place in `groups`.
    group_of: Vec<u32>,
    /// By ascending degree.
    groups: Vec<Group>,
}

/// All nodes of one clipped degree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    degree: f64,
    nodes: f64,
    beta: f64,
}

impl BetaModel {
    /// The maximum-likelihood β of these degrees, clipped to 1 … n−2.
    pub fn fit(degrees: &[i64]) -> BetaModel {
        // Degrees of 0 and n−1 have a β of −∞ and ∞.
        let most = (degrees.len() as i64 - 2).max(1);
        let width = coarseness(degrees.iter().map(|&degree| degree.clamp(1, most)));
        let clipped = || degrees.iter().map(|&degree| (degree.clamp(1, most) / width * width + width / 2).min(most));
        let mut sizes: BTreeMap<i64, usize> = BTreeMap::new();
        clipped().for_each(|degree| *sizes.entry(degree).or_default() += 1);
        let places: BTreeMap<i64, u32> = sizes.keys().copied().zip(0..).collect();
        let group = |(&degree, &nodes)| Group { degree: degree as f64, nodes: nodes as f64, beta: 0.0 };
        let mut model = BetaModel {
            group_of: clipped().map(|degree| places[&degree]).collect(),
            groups: sizes.iter().map(group).collect(),
        };
        for _ in 0..MOST_ITERATIONS {
            if model.iterate() < SMALL {
                break;
            }
        }
        model
    }

    /// β ← φ(β); returns the largest change.
    fn iterate(&mut self) -> f64 {
        let inverse: Vec<f64> = self.groups.iter().map(|group| (-group.beta).exp()).collect();
        let groups = &self.groups;
        let next = |group: &Group| {
            let power = group.beta.exp();
            let all: f64 = groups.iter().zip(&inverse).map(|(other, inverse)| other.nodes / (inverse + power)).sum();
            // Without the node itself; alone it would be an empty sum.
            let others = (all - 1.0 / ((-group.beta).exp() + power)).max(f64::MIN_POSITIVE);
            (group.degree.ln() - others.ln()).clamp(-LARGEST, LARGEST)
        };
        // Each sum is added up in one order, on any number of threads.
        let betas: Vec<f64> = groups.par_iter().with_min_len(16).map(next).collect();
        let changes = self.groups.iter().zip(&betas).map(|(group, beta)| (group.beta - beta).abs());
        let change = changes.fold(0.0, f64::max);
        self.groups.iter_mut().zip(betas).for_each(|(group, beta)| group.beta = beta);
        change
    }

    /// β of a node.
    pub fn of(&self, node: usize) -> f64 {
        self.groups[self.group_of[node] as usize].beta
    }

    /// Every β that occurs, with its number of nodes.
    pub fn sizes(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.groups.iter().map(|group| (group.beta, group.nodes))
    }
}

/// By how much degrees are rounded so that few enough remain: 1, which is not at all, for most
/// graphs.
fn coarseness(degrees: impl Iterator<Item = i64>) -> i64 {
    let different: std::collections::BTreeSet<i64> = degrees.collect();
    let largest = different.last().copied().unwrap_or(1);
    if different.len() as i64 <= MOST_GROUPS { 1 } else { largest / MOST_GROUPS + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_degrees_are_rounded() {
        let degrees: Vec<i64> = (1..=20_000).collect();
        let model = BetaModel::fit(&degrees);
        assert!(model.groups.len() <= MOST_GROUPS as usize);
        assert!(model.of(0) < model.of(10_000) && model.of(10_000) < model.of(19_999));
        assert_eq!(coarseness((1..=4000).chain([1, 1, 9000])), 1);
    }
}
