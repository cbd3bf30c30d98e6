//! What noisy rows say about the classes of their nodes.
//!
//! A node of class c with activity θ receives from class d a sum that is modelled as Poisson with
//! mean θ·λ_cd; noise is known. θ is one of a few values whose shares are estimated (EM), because
//! degrees differ more than Poisson's. The means λ are least squares over all nodes of a batch,
//! weighed by what is believed about each node: noise has mean 0 and averages out. Everything here
//! is post-processing of released rows.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use veil_privacy::protocol::cascade::Rows;

use super::density::{Density, NONE, Rung};
use crate::method::edge_free::scores::{Scores, centre, softmax};
use crate::symmetric::Symmetric;

/// Activities: from 0.08 to 8 times the mean.
const ACTIVITIES: usize = 13;
/// The deviation of ln θ at the start.
const SPREAD: f64 = 0.7;
/// Steps of EM.
const STEPS: usize = 5;
/// Nodes that decide the shares: more say nothing new.
const MOST_NODES: usize = 20_000;
/// The largest mean of a table.
const LARGEST: f64 = 300.0;
/// Nodes of a block, whose sums are added in order.
const BLOCK: usize = 1024;

/// Blocks that are held at the same time.
const BLOCKS: usize = 4;

/// Released rows of some nodes, in units of one message.
pub(super) struct Received {
    /// The nodes, by their place among all.
    pub nodes: Vec<usize>,
    width: usize,
    values: Vec<f64>,
    /// The class that adds to each number and the one that subtracts from it, if any.
    signs: Vec<(u32, Option<u32>)>,
    /// The scale of the noise.
    pub scale: f64,
}

/// How rows are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Reading {
    /// λ: a row for each class of the receiver, a column for each class of the sender.
    pub means: Vec<Vec<f64>>,
    /// The share of each activity.
    pub shares: Vec<f64>,
}

fn activities() -> [f64; ACTIVITIES] {
    let ratio = libm::log(100.0) / (ACTIVITIES - 1) as f64;
    std::array::from_fn(|place| 0.08 * libm::exp(ratio * place as f64))
}

impl Received {
    /// Nothing yet, with noise of this scale.
    pub fn new(scale: f64) -> Received {
        Received { nodes: Vec::new(), width: 0, values: Vec::new(), signs: Vec::new(), scale }
    }

    /// Adds the rows of a batch, whose nodes have these places.
    pub fn add(&mut self, nodes: impl Iterator<Item = usize>, rows: &Rows, steps: u32) {
        self.width = rows.width();
        for (at, (node, row)) in nodes.zip(rows.iter()).enumerate() {
            self.nodes.push(node);
            self.values.extend(row.iter().map(|&it| it as f64 / f64::from(steps)));
            match rows.classes(at) {
                Some(classes) => self.signs.extend(classes.chunks(2).map(|it| (it[0], it.get(1).copied()))),
                None => self.signs.extend((0..row.len() as u32).map(|class| (class, None))),
            }
        }
    }

    fn row(&self, place: usize) -> impl Iterator<Item = (f64, u32, Option<u32>)> {
        let range = place * self.width..(place + 1) * self.width;
        let signs = self.signs[range.clone()].iter();
        self.values[range].iter().zip(signs).map(|(&value, &(plus, minus))| (value, plus, minus))
    }

    fn paired(&self) -> bool {
        self.signs.iter().any(|(_, minus)| minus.is_some())
    }

    /// Signed numbers, each at its classes.
    pub fn spread(&self, place: usize, out: &mut [f64]) {
        for (value, plus, minus) in self.row(place) {
            out[plus as usize] = value;
            if let Some(minus) = minus {
                out[minus as usize] = -value;
            }
        }
    }
}

impl Reading {
    /// Learns to read rows, given what is believed about all nodes.
    pub fn learn(received: &Received, beliefs: &Scores) -> Reading {
        let classes = beliefs.classes();
        let means = means(received, beliefs);
        let theta = activities();
        let mut shares: Vec<f64> =
            theta.iter().map(|&it| libm::exp(-libm::log(it).powi(2) / (2.0 * SPREAD * SPREAD))).collect();
        normalise(&mut shares);
        let mut reading = Reading { means, shares };
        let reader = Reader::new(&reading, received, classes);
        let every = received.nodes.len().div_ceil(MOST_NODES).max(1);
        let places: Vec<usize> = (0..received.nodes.len()).step_by(every).collect();
        let logs: Vec<Vec<f32>> = places.par_iter().map(|&place| reader.logs(received, place)).collect();
        for _ in 0..STEPS {
            let of_block = |block: &[(usize, &Vec<f32>)]| -> Vec<f64> {
                let mut sums = vec![0.0; ACTIVITIES];
                for (place, logs) in block {
                    let believed = beliefs.row(received.nodes[*place]);
                    for (&believed, logs) in believed.iter().zip(logs.chunks_exact(ACTIVITIES)) {
                        let mut chances: Vec<f64> = logs
                            .iter()
                            .zip(&reading.shares)
                            .map(|(&log, share)| f64::from(log) + libm::log(share + 1e-12))
                            .collect();
                        softmax(&mut chances);
                        sums.iter_mut().zip(chances).for_each(|(sum, it)| *sum += believed * it);
                    }
                }
                sums
            };
            let all: Vec<(usize, &Vec<f32>)> = places.iter().copied().zip(&logs).collect();
            let blocks: Vec<Vec<f64>> = all.par_chunks(BLOCK).map(of_block).collect();
            let mut sums = vec![0.0; ACTIVITIES];
            blocks.iter().for_each(|block| sums.iter_mut().zip(block).for_each(|(sum, it)| *sum += it));
            normalise(&mut sums);
            reading.shares = sums;
        }
        reading
    }

    /// ln P(row | class) of the received nodes, with mean 0 over the classes.
    pub fn likelihoods(&self, received: &Received, classes: usize) -> Vec<Vec<f64>> {
        let reader = Reader::new(self, received, classes);
        let shares: Vec<f64> = self.shares.iter().map(|it| libm::log(it + 1e-12)).collect();
        let of_node = |place: usize| -> Vec<f64> {
            let logs = reader.logs(received, place);
            let of_class = |logs: &[f32]| {
                let all: Vec<f64> = logs.iter().zip(&shares).map(|(&log, share)| f64::from(log) + share).collect();
                let largest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                largest + libm::log(all.iter().map(|it| libm::exp(it - largest)).sum::<f64>())
            };
            let mut row: Vec<f64> = logs.chunks_exact(ACTIVITIES).map(of_class).collect();
            centre(&mut row);
            row
        };
        (0..received.nodes.len()).into_par_iter().with_min_len(64).map(of_node).collect()
    }

    /// Whether these are numbers that rows of so many classes can be read with.
    pub fn fits(&self, classes: usize) -> bool {
        let positive = |it: &f64| it.is_finite() && *it > 0.0 && *it < 1e9;
        self.means.len() == classes
            && self.means.iter().all(|row| row.len() == classes && row.iter().all(positive))
            && self.shares.len() == ACTIVITIES
            && self.shares.iter().all(|it| (0.0..=1.0).contains(it))
    }
}

/// A table of densities, and the place of every mean in it.
struct Reader {
    density: Density,
    /// Receiver by receiver, sender by sender, activity by activity.
    rungs: Vec<Rung>,
    none: Rung,
    classes: usize,
    paired: bool,
}

impl Reader {
    fn new(reading: &Reading, received: &Received, classes: usize) -> Reader {
        let theta = activities();
        let largest = reading.means.iter().flatten().copied().fold(0.0, f64::max) * theta[ACTIVITIES - 1];
        let paired = received.paired();
        let density = Density::new(received.scale, largest.min(LARGEST), paired);
        let means = reading.means.iter().flatten();
        let rungs = means.flat_map(|mean| theta.iter().map(|it| density.rung(mean * it)).collect::<Vec<_>>()).collect();
        let none = density.rung(NONE);
        Reader { density, rungs, none, classes, paired }
    }

    fn rungs(&self, receiver: usize, sender: usize) -> &[Rung] {
        let start = (receiver * self.classes + sender) * ACTIVITIES;
        &self.rungs[start..start + ACTIVITIES]
    }

    /// ln P(row | class, activity), class by class.
    fn logs(&self, received: &Received, place: usize) -> Vec<f32> {
        let mut logs = vec![0.0; self.classes * ACTIVITIES];
        for (value, plus, minus) in received.row(place) {
            let at = self.density.at(value);
            for (class, out) in logs.chunks_exact_mut(ACTIVITIES).enumerate() {
                let plus = self.rungs(class, plus as usize);
                if !self.paired {
                    out.iter_mut().zip(plus).for_each(|(out, &plus)| *out += at.one(plus));
                    continue;
                }
                match minus.map(|minus| self.rungs(class, minus as usize)) {
                    Some(minus) => {
                        out.iter_mut().zip(plus.iter().zip(minus)).for_each(|(out, (&p, &m))| *out += at.two(p, m));
                    }
                    None => out.iter_mut().zip(plus).for_each(|(out, &plus)| *out += at.two(plus, self.none)),
                }
            }
        }
        logs
    }
}

/// λ by least squares, with a little weight on "nearly none".
fn means(received: &Received, beliefs: &Scores) -> Vec<Vec<f64>> {
    const PRIOR: f64 = 0.05;
    let classes = beliefs.classes();
    let size = classes * classes;
    let places: Vec<usize> = (0..received.nodes.len()).collect();
    // Normal equations: number j of node v has mean Σ_c R_vc·(λ_c,plus − λ_c,minus).
    let of_block = |block: &[usize]| -> (Vec<f64>, Vec<f64>) {
        let (mut square, mut linear) = (vec![0.0; size * size], vec![0.0; size]);
        for &place in block {
            let believed = beliefs.row(received.nodes[place]);
            for (value, plus, minus) in received.row(place) {
                let senders = [(Some(plus), 1.0), (minus, -1.0)];
                let senders = || senders.into_iter().filter_map(|(sender, sign)| Some((sender? as usize, sign)));
                for (class, &weight) in believed.iter().enumerate().filter(|(_, weight)| **weight > 1e-9) {
                    for (sender, sign) in senders() {
                        let row = class * classes + sender;
                        linear[row] += sign * weight * value;
                        for (other, &weighing) in believed.iter().enumerate().take(class + 1) {
                            for (theirs, their_sign) in senders() {
                                square[row * size + other * classes + theirs] += sign * their_sign * weight * weighing;
                            }
                        }
                    }
                }
            }
        }
        (square, linear)
    };
    let (mut square, mut linear) = (vec![0.0; size * size], vec![PRIOR; size]);
    // A few blocks at a time: each is as large as the sum.
    for some in places.chunks(BLOCKS * BLOCK) {
        let blocks: Vec<(Vec<f64>, Vec<f64>)> = some.par_chunks(BLOCK).map(of_block).collect();
        for (more_square, more_linear) in &blocks {
            square.iter_mut().zip(more_square).for_each(|(it, more)| *it += more);
            linear.iter_mut().zip(more_linear).for_each(|(it, more)| *it += more);
        }
    }
    let entry = |i: usize, j: usize| {
        // Only classes up to the row's were added up.
        let sum = if i / classes >= j / classes { square[i * size + j] } else { square[j * size + i] };
        sum + f64::from(u8::from(i == j))
    };
    let solved = Symmetric::from_fn(size, entry).solve(&linear).unwrap_or_else(|| vec![PRIOR; size]);
    let largest = solved.iter().fold(0.0_f64, |largest, it| largest.max(it.abs()));
    let least = (0.015 * largest).max(0.01);
    solved.chunks(classes.max(1)).map(|row| row.iter().map(|it| it.max(least)).collect()).collect()
}

fn normalise(shares: &mut [f64]) {
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 {
        shares.iter_mut().for_each(|it| *it /= sum);
    }
}
