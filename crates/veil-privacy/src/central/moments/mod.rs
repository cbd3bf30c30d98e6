//! Noisy moments of whole nodes: one release of few numbers from which a linear model follows in
//! closed form, without a public graph. Edges are not read.
//!
//! A row is the features of a training node, scaled to length 1 ([`points`]), on a grid of `steps`
//! S, truncated towards 0. The release has two phases:
//!
//! 1. *Sum.* The sum of all rows p, and half the number of nodes.
//! 2. *Moments* of z, the rows again after they were moved by the noisy mean of phase 1 and scaled
//!    to length 1: Σ z·zᵀ as its upper triangle, and per class Σ z and half the number of nodes.
//!
//! Every number gets discrete Gaussian noise ([`discrete_gaussian`]). On the diagonal of Σ z·zᵀ its
//! variance is σ², above it σ²/2, which is the same as scaling these numbers by √2, without leaving
//! the grid. Nodes without a label are in no class; rows without a direction are 0.
//!
//! **Guarantee.** (ε, δ), unit *node*, central. *Proof.* In units of S, a row is an integer vector
//! whose squared length is at most 1 (checked in whole numbers, for p and for z), and depends on
//! one node's own data alone, given the mean. zCDP (Bun and Steinke 2016) adds up: let phase 1, the
//! second moments and the class sums have the shifts s₁, s₂, s₃ with s₁² ≤ 0.05·s², s₂² ≤ 0.55·s²,
//! s₃² ≤ 0.40·s². If two inputs move these by L2 distances D₁, D₂ (Frobenius), D₃ and the noise has
//! the variances Δ₁²/s₁², Δ₂²/s₂² (half of it above the diagonal) and Δ₃²/s₃², the whole costs ρ =
//! ½ Σ sᵢ²·Dᵢ²/Δᵢ². Phase 2 is a function of the data and of what phase 1 released; for every such
//! value D₂ and D₃ are bounded as below (adaptive composition, Lemma 2.3).
//!
//! - *Added or removed.* D₁² ≤ 1 + ¼: a point and a half. D₂² = ‖z·zᵀ‖² = ‖z‖⁴ ≤ 1. D₃² ≤ 1 + ¼.
//!   With Δ₁² = Δ₃² = 5/4 and Δ₂² = 1 this is ρ ≤ s²/2.
//! - *Replaced.* The number of nodes stays, so D₁² ≤ 4. With r = ‖z‖², r′ = ‖z′‖² ≤ 1 and t = ⟨z,
//!   z′⟩, D₂² = r² + r′² − 2t² ≤ 2 − 2t². In the same class D₃² = r + r′ − 2t ≤ 2 − 2t, in
//!   different ones (or with one in none) D₃² ≤ r + r′ + ½ ≤ 2½. So Σ (sᵢ/s)²·Dᵢ²/Δᵢ² is at most
//!   0.05·3.2 + 0.55·2 + 0.40·2 = 2.06 in different classes, and in the same one at most 0.16 +
//!   1.1·(1 − t²) + 0.64·(1 − t), which is largest at t = −0.64/2.2, where it is 1.993. Variances
//!   that are 2.06 times as large give ρ ≤ s²/2, and adding or removing a node costs less. (Two
//!   steps would need a factor of 4.)
//!
//! ρ = s²/2 is converted to (ε, δ) by
//! [`conversion::tight`](crate::accounting::conversion::tight), as for [`Query::Gaussian`] with the
//! shift s. Shifts are decimals whose squares are compared in whole numbers, and variances are
//! rounded up. ∎
//!
//! **Not protected.** Properties shared by many nodes: the model learns them. Which nodes are for
//! training: inputs are lists of training nodes, so a node's part must not depend on other nodes. A
//! model may be published; its answers about private nodes are functions of their features: each
//! node applies the model to itself.

pub mod points;
mod sums;
#[cfg(test)]
mod tests;

pub use points::Projection;
pub use sums::NoisyMoments;

use rayon::prelude::*;
use veil_graph::{Dataset, Labels, NodeId, Part};

use super::guarantee;
use crate::accounting::{AccountingError, Queries, Query, calibrate};
use crate::budget::{Delta, Epsilon};
use crate::coins::{NodeCoins, Stream};
use crate::fault::{self, Fault};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status, Unit};
use crate::mechanism::{DiscreteGaussian, ParamError, discrete_gaussian};
use crate::release::ReleaseError;
use points::Row;

/// The name in statements and in the coins' context.
pub const NAME: &str = "moments";

/// One, in steps of the grid.
pub const STEPS: u32 = 1 << 12;

/// Coins: of phase 1, of the second moments, of the classes.
pub(crate) const ROUNDS: u32 = 3;

/// What each of them costs, in percent of s².
const SHARES: [u64; 3] = [5, 55, 40];

/// The factor of the variances for nodes that are replaced, in percent.
const REPLACED: u64 = 206;

crate::words! {
    /// How two inputs differ.
    #[derive(Default)]
    pub enum Adjacency: "adjacency" {
        /// In one node that is in one of them only.
        #[default]
        Added = "added",
        /// In the data of one node; their number is the same.
        Replaced = "replaced",
    }
}

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// ε of a node.
    pub epsilon: Epsilon,
    /// δ of a node.
    pub delta: Delta,
    /// How two inputs differ.
    pub adjacency: Adjacency,
    /// The largest number of dimensions of a row; wider features are projected.
    pub dimensions: u32,
    /// One, in steps of the grid: even, at most [`STEPS`].
    pub steps: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moments {
    params: Params,
    /// `None` for ε = ∞.
    noise: Option<Noise>,
}

/// The noise of one number of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    /// s, of everything together.
    pub shift: Epsilon,
    /// Of the sum and the number of nodes.
    pub sum: DiscreteGaussian,
    /// On the diagonal of the second moments.
    pub diagonal: DiscreteGaussian,
    /// Above the diagonal.
    pub above: DiscreteGaussian,
    /// Of the sums and numbers per class.
    pub classes: DiscreteGaussian,
}

/// The cost of a release with this shift.
///
/// # Errors
/// If it is not positive and finite.
pub fn cost(shift: f64) -> Result<Queries, AccountingError> {
    Queries::new(Query::Gaussian { shift }, 1.0, 1)
}

/// The largest whole number of 10⁻⁹ whose square is at most this share (in percent) of s².
fn part(shift: Epsilon, share: u64) -> Option<Epsilon> {
    let squared = u128::from(shift.nanos()?).pow(2);
    let root = (squared * u128::from(share) / 100).isqrt();
    u64::try_from(root).ok().and_then(Epsilon::from_nanos)
}

impl Params {
    /// Finds the smallest noise that is proven to cost at most (ε, δ).
    ///
    /// # Errors
    /// If a number is out of range, or no noise is enough.
    pub fn check(self) -> Result<Moments, ParamError> {
        let Params { epsilon, delta, adjacency, dimensions, steps } = self;
        if dimensions == 0 {
            return Err(ParamError::NoDimensions);
        }
        if steps == 0 || steps % 2 == 1 || steps > STEPS {
            return Err(ParamError::BadSensitivity { given: f64::from(steps) });
        }
        if !epsilon.is_finite() {
            return Ok(Moments { params: self, noise: None });
        }
        // What calibration tries last.
        let unreachable = ParamError::TooMuchNoise { shift: Epsilon::from_nanos(1).unwrap_or(epsilon) };
        let found = calibrate(epsilon.as_f64(), delta.as_f64(), cost).map_err(|_| unreachable.clone())?;
        // A decimal with nine places already; what is sampled is accounted for again.
        let shift = Epsilon::from_nanos((found.parameter * 1e9).round() as u64).ok_or(unreachable.clone())?;
        let spent = cost(shift.as_f64()).and_then(|queries| queries.spending(delta.as_f64()));
        if !spent.is_ok_and(|spent| spent.epsilon <= epsilon.as_f64()) {
            return Err(unreachable);
        }
        let factor = if adjacency == Adjacency::Replaced { REPLACED } else { 100 };
        let one = u64::from(steps).pow(2);
        let noise = |share: u64, squared: u64| {
            let shift = part(shift, share).ok_or(unreachable.clone())?;
            let sensitivity_squared = (squared * factor).div_ceil(100);
            discrete_gaussian::Params { shift, sensitivity_squared }.check()
        };
        let [of_sum, of_moments, of_classes] = SHARES;
        let noise = Noise {
            shift,
            sum: noise(of_sum, one + one / 4)?,
            diagonal: noise(of_moments, one * one)?,
            above: noise(of_moments, one * one / if fault::is(Fault::NoiseAboveHalved) { 4 } else { 2 })?,
            classes: noise(of_classes, one + one / 4)?,
        };
        Ok(Moments { params: self, noise: Some(noise) })
    }
}

impl Moments {
    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let Params { epsilon, delta, adjacency, dimensions, steps } = self.params;
        let list = ParameterList::default()
            .with("epsilon", epsilon)
            .with("delta", delta)
            .with("adjacency", adjacency)
            .with("dimensions", dimensions)
            .with("steps", steps);
        let Some(noise) = self.noise else { return list };
        list.with("shift", noise.shift)
            .with("variance_sum", noise.sum.variance())
            .with("variance_diagonal", noise.diagonal.variance())
            .with("variance_above", noise.above.variance())
            .with("variance_classes", noise.classes.variance())
    }

    /// The parameters as they were given.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The noise; `None` for ε = ∞.
    pub fn noise(&self) -> Option<&Noise> {
        self.noise.as_ref()
    }

    /// The guarantee.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        let of_edges = guarantee(self.params.epsilon, NAME, self.parameters());
        let promised = Guarantee { unit: Unit::Node, ..of_edges };
        let Some(noise) = &self.noise else {
            let everything = vec!["every node: moments of the training nodes are released unperturbed".to_owned()];
            return vec![Guarantee { status: Status::None, not_protected: everything, ..promised }];
        };
        let assumptions = vec![
            Assumption::PublicDimensions,
            Assumption::PublicClasses,
            Assumption::TrustedOwner,
            Assumption::Coins,
            Assumption::UntunedParameters,
            Assumption::UnobservedTime,
        ];
        let replaced = match self.params.adjacency {
            Adjacency::Replaced => "a node that is added or removed costs less than one that is replaced: ε is that \
                                    of replacing one"
                .to_owned(),
            Adjacency::Added => self.cost_of_replacing(noise),
        };
        let not_protected = vec![
            "properties shared by many nodes: the model learns them".to_owned(),
            "answers of the model about private nodes: they are functions of these nodes' features; each node \
             applies the model to itself"
                .to_owned(),
            "which nodes are for training: adjacent inputs have lists of training nodes that differ in one node, so \
             the part of a node must not depend on other nodes"
                .to_owned(),
            replaced,
        ];
        let source =
            "discrete Gaussian noise (Canonne, Kamath, Steinke 2020) on moments of rows of length at most 1, zCDP; \
                      proof beside the code, veil-privacy/central/moments"
                .to_owned();
        vec![Guarantee { delta: self.params.delta, assumptions, not_protected, source, ..promised }]
    }

    /// What replacing a node costs where adding or removing one costs ε, by the same proof.
    fn cost_of_replacing(&self, noise: &Noise) -> String {
        let shift = noise.shift.as_f64() * (REPLACED as f64 / 100.0).sqrt();
        let delta = self.params.delta;
        let spent = cost(shift).and_then(|queries| queries.spending(delta.as_f64()));
        match spent.ok().and_then(|spent| Epsilon::from_f64_rounded_up(spent.epsilon).ok()) {
            Some(epsilon) => {
                format!("replacing a node, where their number is known, costs more: ε = {epsilon}, δ = {delta}")
            }
            None => "replacing a node, where their number is known, costs two steps".to_owned(),
        }
    }

    /// The noisy moments of the training nodes.
    ///
    /// # Errors
    /// If features, labels or a split are missing.
    pub(crate) fn release(&self, raw: &Dataset, coins: &[Stream]) -> Result<NoisyMoments, ReleaseError> {
        let data = || raw.name().to_owned();
        let features = raw.features().ok_or_else(|| ReleaseError::NoFeatures { data: data() })?;
        let labels = raw.labels().ok_or_else(|| ReleaseError::NoLabels { data: data() })?;
        let split = raw.split().ok_or_else(|| ReleaseError::NoSplit { data: data() })?;
        let [of_sum, of_moments, of_classes] = coins else {
            return Err(ReleaseError::NoRoundLeft { rounds: ROUNDS });
        };
        let projection = Projection::new(features.columns(), self.params.dimensions as usize);
        let nodes: Vec<NodeId> = split.nodes(Part::Train).collect();
        let (steps, width) = (self.params.steps, projection.width());
        let row_of = |node: NodeId| projection.point(features, node as usize);

        // Phase 1.
        let rows = || nodes.iter().map(|&node| Row::of(&row_of(node), steps));
        let mut sum = sums::counted(width, rows());
        self.noised(|noise| &noise.sum, &mut sum, &mut of_sum.node(0));
        let centre = self.centre(&sum);

        // Phase 2.
        let rows = |nodes: &[NodeId]| -> Vec<Row> {
            let centred = |&node: &NodeId| Row::of(&points::moved(row_of(node), &centre), steps);
            nodes.par_iter().map(centred).collect()
        };
        let mut second = sums::Triangle::zeros(width);
        let mut classes = vec![vec![0; width + 1]; labels.classes() as usize];
        for nodes in nodes.chunks(sums::CHUNK) {
            let rows = rows(nodes);
            second.add(&rows);
            add_by_class(&mut classes, nodes, &rows, labels);
        }
        let noisy = |(place, row): (usize, &mut [i64])| {
            let coins = &mut of_moments.node(place as NodeId);
            let (diagonal, above) = row.split_at_mut(1);
            self.noised(|noise| &noise.diagonal, diagonal, coins);
            self.noised(|noise| &noise.above, above, coins);
        };
        second.rows_mut().into_par_iter().enumerate().for_each(noisy);
        for (class, row) in (0..).zip(&mut classes) {
            self.noised(|noise| &noise.classes, row, &mut of_classes.node(class));
        }
        Ok(NoisyMoments::new(sum, second, classes))
    }

    /// Adds noise of one kind to numbers.
    fn noised(&self, kind: impl Fn(&Noise) -> &DiscreteGaussian, values: &mut [i64], coins: &mut NodeCoins) {
        if let Some(noise) = &self.noise {
            let noisy = kind(noise).release(values, coins);
            values.copy_from_slice(&noisy);
        }
    }

    /// The mean that phase 2 subtracts: the noisy one, shrunk by the part of its squared length
    /// that is noise (James and Stein 1961). A function of what phase 1 released.
    pub fn centre(&self, sum: &[i64]) -> Vec<f64> {
        let Some((&half, sum)) = sum.split_last() else { return Vec::new() };
        let one = f64::from(self.params.steps);
        let variance = self.noise.map_or(0.0, |noise| noise.sum.variance() as f64);
        let squared: f64 = sum.iter().map(|&it| (it as f64).powi(2)).sum();
        let kept = if squared > 0.0 { (1.0 - sum.len() as f64 * variance / squared).max(0.0) } else { 0.0 };
        let nodes = (2.0 * half as f64 / one).max(1.0);
        // A mean of points of length 1 is no longer.
        let longest = kept * squared.sqrt() / one / nodes;
        let factor = kept / (one * nodes * longest.max(1.0));
        sum.iter().map(|&it| it as f64 * factor).collect()
    }
}

/// Adds rows to the sums of their classes.
fn add_by_class(classes: &mut [Vec<i64>], nodes: &[NodeId], rows: &[Row], labels: &Labels) {
    for (&node, row) in nodes.iter().zip(rows) {
        let class = labels.get(node).and_then(|label| classes.get_mut(label as usize));
        if let Some(class) = class {
            row.add_to(class);
        }
    }
}
