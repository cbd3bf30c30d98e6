//! Noisy sums over neighbours, hop by hop: the release of GAP (Sajadmanesh et al., USENIX Security
//! 2023, Algorithm 1) and ProGAP, with exact noise and the sensitivity of an undirected edge.
//!
//! In each of K hops every node has a [message](Messages), a vector of L2 norm at most 1 on a grid
//! of step h = 1/S. Node v's row is the sum of its neighbours' messages plus discrete Gaussian
//! noise on every number. Messages are made from public data and from the rows of earlier hops.
//!
//! **Guarantee.** (ε, δ), unit *edge*, central, for all hops together.
//!
//! *Proof.* Let two graphs differ in the edge {u, v}. Fix any transcript of earlier hops; the
//! messages are functions of public data and of it, so they are the same in both graphs. The exact
//! rows differ in that of u, by the message of v, and in that of v, by the message of u. Each
//! message is an integer vector of squared norm at most S² (checked in whole numbers), so all rows
//! together move by an L2 distance of at most √(2S²). With variance σ² this hop is S²/σ²-zCDP
//! ([`discrete_gaussian`]); hops compose adaptively by addition (Bun and Steinke 2016, Lemma 2.3),
//! and the Rényi divergences are converted by
//! [`conversion::tight`](crate::accounting::conversion::tight). The noise is calibrated so that the
//! result, rounded up, is at most ε. ∎
//!
//! The published code counts a sensitivity of 1 for each hop, that of one *directed* edge: see
//! `the_published_count_understates_epsilon` for what its ε becomes.
//!
//! **Not protected.** Participation, and the approximate degree of a node with many neighbours.

use rayon::prelude::*;
use veil_graph::limits::MOST_STEPS;
use veil_graph::{Graph, Matrix, NodeId};

use super::guarantee;
use crate::accounting::{AccountingError, Queries, Query, calibrate};
use crate::budget::{Delta, Epsilon};
use crate::coins::{Inputs, Stream};
use crate::guarantee::{Assumption, Guarantee, ParameterList, Status};
use crate::mechanism::{DiscreteGaussian, ParamError, discrete_gaussian};
use crate::protocol::ProtocolError;
use crate::protocol::degree_vectors::Counts;

/// The name in statements and in the coins' context.
pub const NAME: &str = "neighbour-sums";

/// One, in steps of the grid.
pub const STEPS: u32 = 1 << 12;

/// Parameters, not yet checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// ε of all hops together.
    pub epsilon: Epsilon,
    /// δ of all hops together.
    pub delta: Delta,
    /// The number of hops.
    pub hops: u32,
    /// One, in steps of the grid.
    pub steps: u32,
}

/// Checked parameters, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeighbourSums {
    params: Params,
    /// `None` for ε = ∞.
    noise: Option<DiscreteGaussian>,
}

/// The cost of so many hops, each with an L2 sensitivity of `shift` standard deviations.
///
/// # Errors
/// If the shift is not positive and finite, or there is no hop.
pub fn cost(shift: f64, hops: u32) -> Result<Queries, AccountingError> {
    Queries::new(Query::Gaussian { shift }, 1.0, u64::from(hops))
}

impl Params {
    /// Finds the smallest noise that is proven to cost at most (ε, δ).
    ///
    /// # Errors
    /// If a number is out of range, or no noise is enough.
    pub fn check(self) -> Result<NeighbourSums, ParamError> {
        let Params { epsilon, delta, hops, steps } = self;
        if hops == 0 {
            return Err(ParamError::NoRounds);
        }
        if steps == 0 || steps > MOST_STEPS {
            return Err(ParamError::BadSensitivity { given: f64::from(steps) });
        }
        if !epsilon.is_finite() {
            return Ok(NeighbourSums { params: self, noise: None });
        }
        // What calibration tries last.
        let unreachable = ParamError::TooMuchNoise { shift: Epsilon::from_nanos(1).unwrap_or(epsilon) };
        let found = calibrate(epsilon.as_f64(), delta.as_f64(), |shift| cost(shift, hops));
        let found = found.map_err(|_| unreachable.clone())?.parameter;
        // As a decimal it may be one unit larger: what is sampled is accounted for again.
        let affordable = |shift: &Epsilon| {
            let spent = cost(shift.as_f64(), hops).and_then(|queries| queries.spending(delta.as_f64()));
            spent.is_ok_and(|spent| spent.epsilon <= epsilon.as_f64())
        };
        let candidates = [found, found - 1e-9, found - 2e-9].into_iter();
        let shift = candidates.filter_map(|it| Epsilon::from_f64_rounded_up(it).ok()).find(affordable);
        let shift = shift.ok_or(unreachable)?;
        let sensitivity_squared = 2 * u64::from(steps).pow(2);
        let noise = discrete_gaussian::Params { shift, sensitivity_squared }.check()?;
        Ok(NeighbourSums { params: self, noise: Some(noise) })
    }
}

impl NeighbourSums {
    /// The parameters.
    pub fn parameters(&self) -> ParameterList {
        let Params { epsilon, delta, hops, steps } = self.params;
        let list = ParameterList::default()
            .with("epsilon", epsilon)
            .with("delta", delta)
            .with("hops", hops)
            .with("steps", steps);
        self.noise.map_or(list.clone(), |noise| list.and(noise.parameters()))
    }

    /// The parameters as they were given.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The noise of each number; `None` for ε = ∞.
    pub fn noise(&self) -> Option<DiscreteGaussian> {
        self.noise
    }

    /// The guarantee of all hops together.
    pub fn guarantees(&self) -> Vec<Guarantee> {
        let mut promised = guarantee(self.params.epsilon, NAME, self.parameters());
        if self.noise.is_none() {
            let everything = vec!["every edge: sums over neighbours are released unperturbed".to_owned()];
            return vec![Guarantee { status: Status::None, not_protected: everything, ..promised }];
        }
        promised.delta = self.params.delta;
        promised.assumptions.push(Assumption::MessagesFromReleased);
        // What is said of a pure ε is too little here.
        promised.not_protected.retain(|it| !it.starts_with(super::shared::SEVERAL_EDGES));
        promised.not_protected.push(format!(
            "{}: each edge is protected individually; the loss of k edges is (kε, (1 + e^ε + … + e^((k−1)ε))·δ)",
            super::shared::SEVERAL_EDGES
        ));
        promised.not_protected.push("the approximate degree of a node with many neighbours".to_owned());
        promised.source =
            "an undirected edge moves two rows by one message each; discrete Gaussian, zCDP; proof beside \
                           the code, veil-privacy/central/neighbour_sums"
                .to_owned();
        vec![promised]
    }

    /// The rows of one hop, node after node, in steps of the grid, with the coins of that hop.
    ///
    /// # Errors
    /// If there is not one message per node, or one is too long.
    pub fn hop(&self, graph: &Graph, messages: &Messages, coins: &Stream) -> Result<Counts, ProtocolError> {
        let (nodes, found) = (graph.nodes() as usize, messages.nodes());
        if nodes != found || !messages.fit(self.params.steps) {
            return Err(ProtocolError::Nodes { what: "messages", nodes, found });
        }
        let coins = coins.of_inputs(messages.inputs());
        let rows = (0..graph.nodes()).into_par_iter().with_min_len(64);
        let row = |me| match &self.noise {
            Some(noise) => noise.release(&exact(graph, me, messages), &mut coins.node(me)),
            None => exact(graph, me, messages),
        };
        Ok(Counts::new(messages.width(), rows.flat_map_iter(row).collect()))
    }
}

/// A node's row without noise.
fn exact(graph: &Graph, me: NodeId, messages: &Messages) -> Vec<i64> {
    let mut row = vec![0_i64; messages.width()];
    for &other in graph.neighbours(me).iter().filter(|&&other| other != me) {
        row.iter_mut().zip(messages.of_node(other)).for_each(|(sum, &it)| *sum += i64::from(it));
    }
    row
}

/// The messages of all nodes, in steps of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Messages {
    width: usize,
    values: Vec<i32>,
}

impl Messages {
    /// Each row scaled to L2 norm 1 and truncated towards 0. A row without a direction (zero,
    /// infinite, NaN) becomes 0, and one that rounding has made too long is halved.
    pub fn of(rows: &Matrix, steps: u32) -> Messages {
        let width = rows.columns();
        let mut values = Vec::with_capacity(rows.rows() * width);
        for row in 0..rows.rows() {
            let row = rows.row(row);
            let norm = row.iter().map(|&it| f64::from(it).powi(2)).sum::<f64>().sqrt();
            let scale = if norm > 0.0 && norm.is_finite() { f64::from(steps) / norm } else { 0.0 };
            // Casts truncate towards 0 and take what is not a number for 0.
            let mut message: Vec<i32> = row.iter().map(|&it| (f64::from(it) * scale) as i32).collect();
            while !short(&message, steps) {
                message.iter_mut().for_each(|it| *it /= 2);
            }
            values.extend(message);
        }
        Messages { width, values }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// The numbers of a message.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The message of a node.
    ///
    /// # Panics
    /// If there is no such node, as indexing a slice does.
    pub fn of_node(&self, node: NodeId) -> &[i32] {
        let start = node as usize * self.width;
        &self.values[start..start + self.width]
    }

    /// Whether every message has L2 norm at most one, in whole numbers.
    fn fit(&self, steps: u32) -> bool {
        self.values.chunks(self.width.max(1)).all(|message| short(message, steps))
    }

    /// They decide what is summed, so other messages have other coins.
    fn inputs(&self) -> Inputs {
        let numbers: Vec<u32> = self.values.iter().map(|it| it.cast_unsigned()).collect();
        Inputs::of().with_numbers("width", &[self.width as u32]).with_numbers("messages", &numbers).digest()
    }
}

/// Whether the squared norm is at most that of one.
fn short(message: &[i32], steps: u32) -> bool {
    let squares = message.iter().map(|it| u128::from(it.unsigned_abs()).pow(2));
    squares.sum::<u128>() <= u128::from(steps).pow(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_same_on_any_threads, edges as graph, ring, stream};

    fn sums(epsilon: &str, hops: u32, steps: u32) -> NeighbourSums {
        let params = Params { epsilon: epsilon.parse().unwrap(), delta: "0.00001".parse().unwrap(), hops, steps };
        params.check().unwrap()
    }

    fn matrix(rows: usize, columns: usize, values: &[f32]) -> Matrix {
        Matrix::from_values(rows, columns, values.to_vec()).unwrap()
    }

    /// Every edge of every graph of four nodes: two rows move, by √2 messages in all, and no
    /// further.
    #[test]
    fn an_edge_moves_the_rows_by_at_most_the_stated_sensitivity() {
        let (pairs, steps) = ([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], 5);
        let messages = Messages::of(&matrix(4, 2, &[1.0, 0.0, 0.0, -2.0, 3.0, 4.0, -1.0, 1.0]), steps);
        let bound = sums("1", 1, steps).noise().unwrap().sensitivity_squared();
        let mut most = 0;
        for bits in 0..1_u32 << pairs.len() {
            let edges: Vec<_> =
                pairs.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &it)| it).collect();
            for removed in 0..edges.len() {
                let mut fewer = edges.clone();
                fewer.remove(removed);
                let all = [graph(4, &edges), graph(4, &fewer)]
                    .map(|graph| (0..4).flat_map(|me| exact(&graph, me, &messages)).collect::<Vec<_>>());
                let distance: u64 = all[0].iter().zip(&all[1]).map(|(a, b)| a.abs_diff(*b).pow(2)).sum();
                assert!(distance <= bound, "{distance} > {bound}");
                most = most.max(distance);
            }
        }
        assert_eq!(most, bound, "the bound is reached");
    }

    #[test]
    fn messages_are_never_longer_than_one() {
        let values = [f32::MAX, f32::MAX, f32::NAN, 1.0, f32::INFINITY, 0.0, 0.0, 0.0, 1.0, 1.0, -3.0, 0.1];
        for steps in [1, 7, STEPS, MOST_STEPS] {
            let messages = Messages::of(&matrix(6, 2, &values), steps);
            assert!(messages.fit(steps));
            assert_eq!((messages.of_node(1), messages.of_node(2)), (&[0, 0][..], &[0, 0][..]));
        }
        let long = Messages::of(&matrix(4, 1, &[1.0; 4]), 8);
        assert!(sums("1", 1, 4).hop(&ring(4), &long, &stream("long")).is_err());
    }

    /// From the variance that is sampled: K hops of zCDP (Δ₂²/2σ² each) cost at most ε, and with a
    /// hundredth less deviation they cost more.
    #[test]
    fn all_hops_cost_at_most_epsilon() {
        for (epsilon, hops) in [("0.1", 1), ("1", 1), ("1", 3), ("4", 2), ("8", 2), ("8", 5)] {
            let sums = sums(epsilon, hops, STEPS);
            let shift =
                (sums.noise().unwrap().sensitivity_squared() as f64 / sums.noise().unwrap().variance() as f64).sqrt();
            let spent = |shift: f64| cost(shift, hops).unwrap().spending(1e-5).unwrap().epsilon;
            let epsilon = sums.params().epsilon.as_f64();
            assert!(spent(shift) <= epsilon && spent(1.01 * shift) > epsilon, "{epsilon}, {hops}: {}", spent(shift));
            let promised = &sums.guarantees()[0];
            assert_eq!((promised.epsilon.as_f64(), promised.delta.as_f64()), (epsilon, 1e-5));
        }
    }

    /// Noise for a sensitivity of 1, where an undirected edge costs √2 (docs/guarantees.md).
    #[test]
    fn the_published_count_understates_epsilon() {
        for (stated, low, high) in [(1.0, 1.40, 1.50), (8.0, 11.5, 13.0)] {
            let shift = calibrate(stated, 1e-5, |shift| cost(shift, 2)).unwrap().parameter;
            let truth = cost(shift * std::f64::consts::SQRT_2, 2).unwrap().spending(1e-5).unwrap().epsilon;
            println!("stated {stated}, true {truth}");
            assert!((low..high).contains(&truth), "stated {stated}, true {truth}");
        }
    }

    /// Every number is the exact sum, released by the discrete Gaussian with the node's own coins.
    #[test]
    fn rows_are_exact_sums_with_the_nodes_own_noise() {
        let (sums, ring, coins) = (sums("2", 2, 16), ring(50), stream("rows"));
        let values: Vec<f32> = (0..100).map(|it| (it % 7) as f32 - 3.0).collect();
        let messages = Messages::of(&matrix(50, 2, &values), 16);
        let own = coins.of_inputs(messages.inputs());
        let expected: Vec<i64> = (0..50)
            .flat_map(|me| sums.noise().unwrap().release(&exact(&ring, me, &messages), &mut own.node(me)))
            .collect();
        assert_eq!(sums.hop(&ring, &messages, &coins).unwrap().values(), expected);
        assert_same_on_any_threads(|| sums.hop(&ring, &messages, &coins).unwrap());
        // Without noise, they are the sums.
        let exactly = Params { epsilon: Epsilon::INFINITE, ..*sums.params() }.check().unwrap();
        let expected: Vec<i64> = (0..50).flat_map(|me| exact(&ring, me, &messages)).collect();
        assert_eq!(exactly.hop(&ring, &messages, &coins).unwrap().values(), expected);
        assert_eq!(exactly.guarantees()[0].status, Status::None);
    }

    #[test]
    fn refuses_what_it_cannot_do() {
        let good = *sums("1", 1, 4).params();
        let delta = "0.000000000000000001".parse().unwrap();
        let small = Params { epsilon: "0.000000001".parse().unwrap(), delta, ..good };
        assert!(matches!(small.check(), Err(ParamError::TooMuchNoise { .. })));
        assert_eq!(Params { hops: 0, ..good }.check(), Err(ParamError::NoRounds));
        assert!(matches!(Params { steps: 0, ..good }.check(), Err(ParamError::BadSensitivity { .. })));
    }
}
