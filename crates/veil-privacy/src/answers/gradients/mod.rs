//! Noisy gradients: DP-SGD (Abadi et al. 2016) on the nodes of a private graph, whose edges are not
//! read. A network learns from them, and the network may be published.
//!
//! In each of T steps a caller names the current [weights](Layers) and receives a noisy gradient:
//! every private node is in the step's sample with probability γ, by a coin of its own; the
//! gradient of its loss is clipped to L2 norm 1 and truncated towards 0 on a grid of step 1/S; the
//! gradients of the sample are added, and every number gets [discrete
//! Gaussian](crate::mechanism::discrete_gaussian) noise. Weights are functions of public data and
//! of earlier noisy gradients (an optimiser of the caller's choice), so everything that is computed
//! from the T sums is post-processing.
//!
//! **Guarantee.** (ε, δ), unit *node*, central, for all T sums together.
//!
//! *Proof.* Let one private graph have a node more than the other. Fix the transcript of earlier
//! steps: it fixes the weights. A node's contribution depends on its own features, its own label
//! and the weights, so with the others' coins fixed the exact sum is s without the node or if the
//! node is not in the sample, and s + g if it is, for an integer vector g of squared norm at most
//! S² (checked in whole numbers, `Layers::on_grid`). So the two distributions of the released sum
//! are Q and (1−γ)Q + γP, where Q is the noise at s and P the noise at s + g. E_Q[(P/Q)^l] is at
//! most e^(l(l−1)S²/2σ²) for every integer l ≥ 2 (Canonne, Kamath and Steinke 2020, Proposition 5,
//! in every coordinate), which is [`Query::Gaussian`] with the shift S/σ; and the reflection
//! x ↦ 2s + g − x maps integer vectors onto themselves and exchanges P and Q, so the moments of
//! both directions are bounded as [`accounting::sampling`](crate::accounting::sampling) proves
//! ([`improved`](crate::accounting::sampling::improved)). The others' coins are independent of the
//! node: averaging over them does not increase the moments. Rényi divergences add up over adaptive
//! steps (Mironov 2017, Proposition 1) and are converted by
//! [`conversion::tight`](crate::accounting::conversion::tight). The coin of a node falls with a
//! probability of at most γ (rounded down by less than 2⁻⁶⁴): with a smaller one the pair is a
//! mixture of this one and of (Q, Q), so its moments are no larger. ∎
//!
//! The number of private nodes is not used: sums are not divided by it, and samples have no size
//! that an optimiser could read.
//!
//! **Not protected.** Answers about private nodes: whoever computes them reads their features,
//! which is a further release. A node that asks for itself reveals what it asks.

mod layers;
#[cfg(test)]
mod tests;

use layers::Example;
pub use layers::Layers;

use rayon::prelude::*;
use veil_graph::{Dataset, Features, Matrix, NodeId, Part, ShapeError};

use super::promise::{about_a_node, booked, parameter};
use super::{AnswerError, Asked};
use crate::accounting::{AccountingError, Queries, Query};
use crate::budget::{Delta, Epsilon};
use crate::coins::Stream;
use crate::fault::{self, Fault};
use crate::guarantee::{Guarantee, ParameterList, Status};
use crate::mechanism::{DiscreteGaussian, ParamError, discrete_gaussian};
use crate::permit::Permit;
use crate::release::Privatised;
use crate::sampler::bernoulli_threshold;
use crate::seal::{Private, Public};

/// The name in statements and in the coins' context.
pub const NAME: &str = "noisy-gradients";

/// One, in steps of the grid.
pub const STEPS: u32 = 1 << 16;

/// The length to which the features of a node are scaled, by themselves: the network reads them so.
pub const ROW_LENGTH: f32 = 4.0;

/// The length to which a gradient is clipped.
const CLIP: f64 = 1.0;

/// More steps than any training takes.
const MOST_GRADIENTS: u32 = 1 << 20;

/// Numbers whose noise is drawn with the same coins, one after the other.
const BLOCK: usize = 256;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The number of hidden units.
    pub hidden: u32,
    /// The sampling rate γ.
    pub gamma: f64,
    /// T, the number of noisy gradients.
    pub gradients: u32,
    /// The sensitivity in standard deviations of the noise, from
    /// [`calibrate`](crate::accounting::calibrate) with [`cost`].
    pub shift: Epsilon,
    /// δ.
    pub delta: Delta,
}

/// Parameters checked against both graphs, with their privacy cost.
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyGradients {
    params: Params,
    steps: u32,
    noise: DiscreteGaussian,
    guarantee: Guarantee,
}

/// The cost of so many sums with this shift, each of a sample at the rate γ.
///
/// # Errors
/// If a number is out of range.
pub fn cost(shift: f64, gamma: f64, gradients: u32) -> Result<Queries, AccountingError> {
    Queries::new(Query::Gaussian { shift }, gamma, u64::from(gradients))
}

impl Params {
    /// Checks the parameters against both graphs and computes the privacy cost.
    ///
    /// # Errors
    /// If a number is out of range or the graphs do not fit together.
    pub fn check(self, private: &Public<'_>, asked: &Asked<'_>) -> Result<NoisyGradients, AnswerError> {
        self.on_grid(STEPS, private, asked)
    }

    /// On a grid of so many steps: a coarse one lets an auditor enumerate all noise.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn on_grid(self, steps: u32, private: &Public<'_>, asked: &Asked<'_>) -> Result<NoisyGradients, AnswerError> {
        asked.check(private)?;
        let Params { hidden, gamma, gradients, shift, delta } = self;
        if !(gamma > 0.0 && gamma <= 1.0) {
            return Err(AnswerError::BadGamma { given: gamma });
        }
        if hidden == 0 {
            return Err(ParamError::NoDimensions.into());
        }
        if gradients == 0 || gradients > MOST_GRADIENTS {
            return Err(AnswerError::Gradients { given: gradients, most: MOST_GRADIENTS });
        }
        let steps = steps.clamp(1, STEPS);
        let noise = discrete_gaussian::Params { shift, sensitivity_squared: u64::from(steps).pow(2) }.check()?;
        let spending = cost(shift.as_f64(), gamma, gradients)?.spending(delta.as_f64())?;
        let parameters = ParameterList::default()
            .with("dimensions", private.dimensions.unwrap_or(0))
            .with("hidden", hidden)
            .with("classes", private.classes.unwrap_or(0))
            .with("gamma", gamma)
            .with("gradients", gradients)
            .with("steps", steps)
            .and(noise.parameters());
        let source = format!(
            "DP-SGD (Abadi et al. 2016) with discrete Gaussian noise on a grid, a fresh sample for every gradient; {}; proof beside \
             the code, veil-privacy/answers/gradients",
            spending.proof
        );
        let promised = (booked(spending.epsilon)?, delta);
        let mut guarantee = about_a_node(private, (NAME, parameters), promised, Status::Proven, source)?;
        let answers = "answers about private nodes: whoever computes them reads their features, a further release";
        guarantee.not_protected.push(answers.to_owned());
        Ok(NoisyGradients { params: self, steps, noise, guarantee })
    }
}

/// What mechanism and parameters of a stated guarantee imply: ε, δ and status.
pub(crate) fn recomputed(stated: &Guarantee) -> Result<(Epsilon, Delta, Status), AnswerError> {
    let (shift, steps): (Epsilon, u32) = (parameter(stated, "shift")?, parameter(stated, "steps")?);
    let sensitivity_squared: u64 = parameter(stated, "sensitivity_squared")?;
    if sensitivity_squared != u64::from(steps).pow(2) {
        return Err(AnswerError::NoParameter { name: "sensitivity_squared" });
    }
    let noise = discrete_gaussian::Params { shift, sensitivity_squared }.check()?;
    if !noise.is_listed_in(&stated.parameters) {
        return Err(AnswerError::NoParameter { name: "variance" });
    }
    let cost = cost(shift.as_f64(), parameter(stated, "gamma")?, parameter(stated, "gradients")?)?;
    Ok((booked(cost.spending(stated.delta.as_f64())?.epsilon)?, stated.delta, Status::Proven))
}

impl NoisyGradients {
    /// The guarantee of all gradients together.
    pub fn guarantee(&self) -> &Guarantee {
        &self.guarantee
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The noise of one number.
    pub fn noise(&self) -> DiscreteGaussian {
        self.noise
    }

    /// Begins to answer: the gradients are paid for from here on.
    ///
    /// # Errors
    /// If the permit does not allow it, or the graph lacks something.
    pub fn begin<'a>(
        &'a self,
        private: &Private<Dataset>,
        asked: &'a Asked<'a>,
        mut permit: Permit,
    ) -> Result<Gradients<'a>, AnswerError> {
        let (guarantees, stream) = permit.redeem_one(private, self.guarantee.clone(), asked.inputs(""))?;
        let (examples, nodes) = examples(private.open())?;
        let facts = private.public();
        let (inputs, classes) = (facts.dimensions.unwrap_or(0), facts.classes.unwrap_or(0) as usize);
        Ok(Gradients {
            mechanism: self,
            asked,
            shape: [inputs, self.params.hidden as usize, classes],
            examples,
            nodes,
            stream,
            given: 0,
            permit,
            guarantees,
        })
    }
}

/// The labelled nodes as examples, and their ids. Nodes without a label contribute nothing.
fn examples(raw: &Dataset) -> Result<(Vec<Example>, Vec<NodeId>), AnswerError> {
    let features = raw.features().ok_or_else(|| AnswerError::NoFeatures { data: raw.name().to_owned() })?;
    let labels = raw.labels().ok_or_else(|| AnswerError::NoLabels { data: raw.name().to_owned() })?;
    let scaled = scaled(features)?;
    let labelled = labels.iter().enumerate().filter_map(|(node, label)| Some((node, label?)));
    let example = |(node, label): (usize, u32)| {
        let example = Example { entries: entries(&scaled, node), class: label as usize };
        (example, node as NodeId)
    };
    Ok(labelled.map(example).unzip())
}

/// Features as the network reads them: each row depends on itself alone.
///
/// # Errors
/// None: no weights of columns are given.
pub fn scaled(features: &Features) -> Result<Features, ShapeError> {
    features.with_rows_of_length(ROW_LENGTH, None)
}

/// The features of a node that are not 0.
fn entries(features: &Features, node: usize) -> Vec<(usize, f32)> {
    let mut entries = Vec::new();
    match features {
        Features::Sparse(_) => features.for_stored(node, &mut |column, value| entries.push((column, value))),
        _ => {
            let mut row = vec![0.0; features.columns()];
            features.write_row(node, &mut row);
            entries.extend(row.into_iter().enumerate());
        }
    }
    entries.retain(|(_, value)| *value != 0.0);
    entries
}

/// Gradients that are paid for. A caller passes weights and receives noisy sums; nothing else
/// leaves.
#[derive(Debug)]
pub struct Gradients<'a> {
    mechanism: &'a NoisyGradients,
    asked: &'a Asked<'a>,
    /// Features, hidden units, classes.
    shape: [usize; 3],
    examples: Vec<Example>,
    nodes: Vec<NodeId>,
    stream: Stream,
    given: u32,
    permit: Permit,
    guarantees: Vec<Guarantee>,
}

impl Gradients<'_> {
    /// The number of gradients that are left.
    pub fn left(&self) -> u32 {
        self.mechanism.params.gradients - self.given
    }

    /// The noisy sum of the clipped gradients of a fresh sample, weight by weight, in steps of the
    /// grid.
    ///
    /// # Errors
    /// If none is left, or the weights are those of another network.
    pub fn next(&mut self, layers: &Layers) -> Result<Vec<i64>, AnswerError> {
        let most = self.mechanism.params.gradients;
        if self.given == most {
            return Err(AnswerError::NoGradientLeft { gradients: most });
        }
        let found = [layers.first.rows(), layers.first.columns(), layers.second.columns()];
        let what = ["features of the network", "hidden units", "classes of the network"];
        for ((what, expected), found) in what.into_iter().zip(self.shape).zip(found) {
            fits(what, expected, found)?;
        }
        let round = if fault::is(Fault::SampleReused) { 0 } else { self.given };
        let sums = self.sum(layers, &self.stream.of_round(2 * round));
        let own = match fault::is(Fault::GradientsShareNoise) {
            true => self.stream.of_round(1),
            false => self.stream.of_round(2 * self.given + 1).of_inputs(layers.inputs()),
        };
        self.given += 1;
        let blocks = sums.par_chunks(BLOCK).enumerate();
        let noisy = |(block, sums): (usize, &[i64])| self.mechanism.noise.release(sums, &mut own.node(block as u32));
        Ok(blocks.flat_map_iter(noisy).collect())
    }

    /// The exact sum over a sample. Sums of whole numbers do not depend on their order.
    fn sum(&self, layers: &Layers, coins: &Stream) -> Vec<i64> {
        let NoisyGradients { params, steps, .. } = self.mechanism;
        let all = fault::is(Fault::SampleOfAll);
        let below = if all { 1 << 64 } else { (params.gamma * 2_f64.powi(64)) as u128 };
        let add = |mut sum: Vec<i64>, (example, &node): (&Example, &NodeId)| {
            if bernoulli_threshold(&mut coins.node(node), below) {
                layers.on_grid(example, CLIP, *steps).into_iter().for_each(|(at, it)| sum[at] += it);
            }
            sum
        };
        let empty = || vec![0_i64; layers.size()];
        let pairs = self.examples.par_iter().zip(&self.nodes).with_min_len(512);
        let both = |mut one: Vec<i64>, other: Vec<i64>| {
            one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
            one
        };
        pairs.fold(empty, add).reduce(empty, both)
    }

    /// The public graph with the network that was learned, its probabilities, and its most likely
    /// classes for labels: post-processing of the gradients. Test nodes stay test nodes.
    ///
    /// # Errors
    /// If the public graph has other features than the network reads.
    pub fn finish(self, private: &Private<Dataset>, layers: Layers) -> Result<Privatised, AnswerError> {
        let Gradients { asked, permit, guarantees, .. } = self;
        let features = asked.public.features();
        let features = features.ok_or_else(|| AnswerError::NoFeatures { data: asked.public.name().to_owned() })?;
        fits("features of the network", layers.first.rows(), features.columns())?;
        let scaled = scaled(features)?;
        let mut beliefs = Matrix::zeros(features.rows(), layers.second.columns());
        for node in 0..features.rows() {
            let posterior = layers.posterior(&entries(&scaled, node));
            beliefs.row_mut(node).iter_mut().zip(posterior).for_each(|(out, it)| *out = it as f32);
        }
        let likeliest = |row: &[f32]| {
            let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a)));
            best.map_or(0, |class| class as u32)
        };
        let answers: Vec<u32> = asked.queries.iter().map(|&node| likeliest(beliefs.row(node as usize))).collect();
        let tested = |node| asked.public.split().is_some_and(|split| split.part(node) == Part::Test);
        let withheld = "gradients before noise was added";
        let mut released = asked.labelled(private, &answers, &tested, (guarantees, withheld), &permit)?;
        released.learned(layers);
        Ok(released)
    }
}

/// Whether sizes are equal.
fn fits(what: &'static str, expected: usize, found: usize) -> Result<(), ShapeError> {
    if expected == found { Ok(()) } else { Err(ShapeError { what, expected, found }) }
}
