//! The kernels against a plain implementation in 64 bits, at every level, with the same bits on any
//! number of threads.

use proptest::prelude::*;
use veil_graph::random::Random;

use super::*;
use crate::graph::Messages;
use crate::kernels::tests::fixed;

const SCALE: f32 = 0.7;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Additive,
    Mixed,
    DotProduct,
}

const KINDS: [Kind; 3] = [Kind::Additive, Kind::Mixed, Kind::DotProduct];

/// One test problem.
#[derive(Debug)]
struct Case {
    messages: Messages,
    heads: usize,
    channels: usize,
    x: Vec<f32>,
    receivers: Vec<f32>,
    senders: Vec<f32>,
    attention: Vec<f32>,
    /// The inputs of additive scores: those of senders, then those of receivers.
    sums: Vec<f32>,
    gradient: Vec<f32>,
}

/// All results of the kernels.
#[derive(Debug, PartialEq)]
struct Results {
    y: Vec<f32>,
    coefficients: Vec<f32>,
    of_scores: Vec<f32>,
    of_receivers: Vec<f32>,
    of_x: Vec<f32>,
    of_senders: Vec<f32>,
}

impl Case {
    /// Some nodes receive nothing, half send nothing; messages may repeat.
    fn new(seed: u64, nodes: usize, degree: usize, heads: usize, channels: usize) -> Case {
        let mut random = Random::new(seed, "attention");
        let lists: Vec<Vec<u32>> = (0..nodes)
            .map(|_| (0..random.below(2 * degree + 1)).map(|_| random.below(nodes.div_ceil(2)) as u32).collect())
            .collect();
        let mut rows = |count: usize, width: usize| -> Vec<f32> {
            let stride = padded(width);
            let places = 0..count * stride;
            places.map(|at| if at % stride < width { (4.0 * random.unit() - 2.0) as f32 } else { 0.0 }).collect()
        };
        let width = heads * channels;
        Case {
            messages: Messages::from_lists(&lists).unwrap(),
            heads,
            channels,
            x: rows(nodes, width),
            receivers: rows(nodes, width),
            senders: rows(nodes, width),
            attention: rows(1, width),
            sums: rows(nodes, 2 * heads),
            gradient: rows(nodes, width),
        }
    }

    /// Columns of the gradient of a score.
    fn columns(&self, kind: Kind) -> usize {
        match kind {
            Kind::Additive => 2 * self.heads,
            Kind::Mixed | Kind::DotProduct => self.heads * self.channels,
        }
    }

    fn run(&self, kind: Kind, level: Level) -> Results {
        let (senders, receivers) = (&self.senders[..], &self.receivers[..]);
        match kind {
            Kind::Additive => {
                self.run_score(kind, level, Additive { values: &self.sums, stride: padded(2 * self.heads) })
            }
            Kind::Mixed => self.run_score(kind, level, Mixed { senders, receivers, attention: &self.attention }),
            Kind::DotProduct => {
                self.run_score(kind, level, DotProduct { queries: receivers, keys: senders, scale: SCALE })
            }
        }
    }

    fn run_score(&self, kind: Kind, level: Level, score: impl Score) -> Results {
        let layout = Layout { level, ..Layout::new(self.heads, self.channels) };
        let (nodes, entries) = (self.messages.nodes(), self.messages.entries());
        let stride = padded(self.columns(kind));
        let mut y = vec![0.0; self.x.len()];
        let mut coefficients = vec![0.0; entries * self.heads];
        attend(self.messages.lists(), layout, score, &self.x, &mut y, &mut coefficients);
        let (mut of_scores, mut of_receivers) = (vec![0.0; entries * self.heads], vec![0.0; nodes * stride]);
        let (mut of_x, mut of_senders) = (vec![0.0; self.x.len()], vec![0.0; nodes * stride]);
        let of = Backward { layout, score, x: &self.x, coefficients: &coefficients, gradient: &self.gradient };
        receive(self.messages.lists(), of, &mut of_scores, stride, &mut of_receivers);
        let reverse = self.messages.reverse();
        send((reverse.lists(), reverse.entries()), of, &of_scores, &mut of_x, stride, &mut of_senders);
        Results { y, coefficients, of_scores, of_receivers, of_x, of_senders }
    }

    /// The same, message by message, from the formulas.
    fn naive(&self, kind: Kind) -> Results {
        let (nodes, entries, heads, channels) =
            (self.messages.nodes(), self.messages.entries(), self.heads, self.channels);
        let stride = padded(heads * channels);
        let score_stride = padded(self.columns(kind));
        let leaky = |z: f64| if z > 0.0 { z } else { 0.2 * z };
        let slope = |z: f64| if z > 0.0 { 1.0 } else { f64::from(0.2f32) };
        let at = |values: &[f32], node: usize, head: usize, channel: usize| {
            f64::from(values[node * stride + head * channels + channel])
        };
        // The sum of two floats may round across zero, so the kink is placed where the kernels have
        // it.
        let mixed = |u: usize, v: usize, h: usize, c: usize| {
            f64::from((at(&self.senders, u, h, c) as f32) + (at(&self.receivers, v, h, c) as f32))
        };
        let sum = |u: usize, v: usize, h: usize| {
            let width = padded(2 * heads);
            f64::from(self.sums[u * width + h] + self.sums[v * width + heads + h])
        };
        let [mut y, mut of_x] = [vec![0.0f64; self.x.len()], vec![0.0f64; self.x.len()]];
        let [mut coefficients, mut of_scores] = [vec![0.0f64; entries * heads], vec![0.0f64; entries * heads]];
        let [mut of_receivers, mut of_senders] =
            [vec![0.0f64; nodes * score_stride], vec![0.0f64; nodes * score_stride]];
        let mut start = 0;
        for v in 0..nodes {
            let senders: Vec<usize> = self.messages.received_by(v).iter().map(|&u| u as usize).collect();
            for h in 0..heads {
                let score = |u: usize| match kind {
                    Kind::Additive => leaky(sum(u, v, h)),
                    Kind::Mixed => (0..channels).map(|c| at(&self.attention, 0, h, c) * leaky(mixed(u, v, h, c))).sum(),
                    Kind::DotProduct => {
                        let product = |c| at(&self.receivers, v, h, c) * at(&self.senders, u, h, c);
                        (0..channels).map(product).sum::<f64>() * f64::from(SCALE)
                    }
                };
                let powers: Vec<f64> = senders.iter().map(|&u| score(u).exp()).collect();
                let total: f64 = powers.iter().sum();
                let upstream = |u: usize| -> f64 {
                    (0..channels).map(|c| at(&self.gradient, v, h, c) * at(&self.x, u, h, c)).sum()
                };
                let mean: f64 = senders.iter().zip(&powers).map(|(&u, power)| power / total * upstream(u)).sum();
                for (index, (&u, power)) in senders.iter().zip(&powers).enumerate() {
                    let weight = power / total;
                    let mut of_score = weight * (upstream(u) - mean);
                    for c in 0..channels {
                        let column = h * channels + c;
                        y[v * stride + column] += weight * at(&self.x, u, h, c);
                        of_x[u * stride + column] += weight * at(&self.gradient, v, h, c);
                    }
                    match kind {
                        Kind::Additive => {
                            of_score *= slope(sum(u, v, h));
                            of_receivers[v * score_stride + heads + h] += of_score;
                            of_senders[u * score_stride + h] += of_score;
                        }
                        Kind::Mixed => {
                            for c in 0..channels {
                                let part = of_score * slope(mixed(u, v, h, c));
                                of_receivers[v * stride + h * channels + c] += part;
                                of_senders[u * stride + h * channels + c] += part;
                            }
                        }
                        Kind::DotProduct => {
                            of_score *= f64::from(SCALE);
                            for c in 0..channels {
                                let column = h * channels + c;
                                of_receivers[v * stride + column] += of_score * at(&self.senders, u, h, c);
                                of_senders[u * stride + column] += of_score * at(&self.receivers, v, h, c);
                            }
                        }
                    }
                    coefficients[(start + index) * heads + h] = weight;
                    of_scores[(start + index) * heads + h] = of_score;
                }
            }
            start += senders.len();
        }
        let narrow = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect();
        Results {
            y: narrow(y),
            coefficients: narrow(coefficients),
            of_scores: narrow(of_scores),
            of_receivers: narrow(of_receivers),
            of_x: narrow(of_x),
            of_senders: narrow(of_senders),
        }
    }
}

/// Asserts that `found` is within `tolerance` of `expected`, padding excluded.
fn near(what: &str, found: &[f32], expected: &[f32], columns: usize, stride: usize) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        // Scores of up to 64 channels reach a few hundred, where one unit in the last place changes
        // e^x by 10⁻⁵.
        let tolerance = 1e-3 * (1.0 + expected.abs());
        assert!(
            at % stride >= columns || (found - expected).abs() <= tolerance,
            "{what} {at}: {found}, not {expected}"
        );
    }
}

proptest! {
    #![proptest_config(fixed(48))]

    #[test]
    fn kernels_agree_with_a_plain_implementation(
        seed in 0u64..1000,
        nodes in 1usize..24,
        degree in 0usize..20,
        heads in 1usize..5,
        channels in prop::sample::select(vec![1, 2, 3, 4, 5, 7, 8, 12, 16, 20, 24, 32, 48, 64]),
    ) {
        let case = Case::new(seed, nodes, degree, heads, channels);
        let width = heads * channels;
        for kind in KINDS {
            let expected = case.naive(kind);
            for level in Level::available() {
                let found = case.run(kind, level);
                let columns = case.columns(kind);
                near("y", &found.y, &expected.y, width, padded(width));
                near("coefficient", &found.coefficients, &expected.coefficients, 1, 1);
                near("gradient of a score", &found.of_scores, &expected.of_scores, 1, 1);
                near("gradient of a receiver", &found.of_receivers, &expected.of_receivers, columns, padded(columns));
                near("gradient of x", &found.of_x, &expected.of_x, width, padded(width));
                near("gradient of a sender", &found.of_senders, &expected.of_senders, columns, padded(columns));
                // Sums over whole rows rely on zero padding.
                for padding in found.y.chunks(padded(width)).chain(found.of_x.chunks(padded(width))) {
                    prop_assert!(padding[width..].iter().all(|&value| value == 0.0));
                }
            }
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    // Large enough to be split over threads: (messages + nodes) · 64 is more than 2²⁰.
    let case = Case::new(7, 1500, 15, 4, 16);
    assert!((case.messages.entries() + 1500) * 64 > 1 << 20);
    for kind in KINDS {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| case.run(kind, Level::detect()))
        };
        let one = run(1);
        assert!(one.y.iter().any(|&value| value != 0.0));
        assert_eq!(one, run(2));
        assert_eq!(one, run(4));
    }
}

#[test]
fn a_node_without_messages_has_a_zero_row() {
    let case = Case { messages: Messages::from_lists(&[vec![1], vec![], vec![]]).unwrap(), ..Case::new(9, 3, 1, 2, 4) };
    for kind in KINDS {
        let found = case.run(kind, Level::detect());
        assert_eq!(found.coefficients, [1.0, 1.0]);
        assert_eq!(found.y[..8], case.x[8..16]);
        assert!(found.y[8..].iter().all(|&value| value == 0.0));
        assert!(found.of_x[..8].iter().chain(&found.of_x[16..]).all(|&value| value == 0.0));
    }
}
