//! Counts of neighbours read by Bayes' rule instead of a network (`readout = bayes`).
//!
//! A network that has to learn the noise from 140 labelled nodes is less accurate than one that
//! reads no edge, when ε is small. But the distribution of the noise is known, so:
//!
//! 1. The scores z of the first network are calibrated: z ← t·z, with the t of a short list that
//!    makes the validation labels most likely.
//! 2. The number of neighbours in cluster k of a node of class c is modelled as Poisson with mean
//!    λ_ck. The means are averages of the noisy counts over nodes, weighted by the posterior of
//!    class c. Noise has mean 0 and averages out, provided that negative counts stay as they are.
//! 3. The likelihood of a node's counts x is that of Poisson plus discrete Laplace noise
//!    (`likelihood`).
//! 4. z ← t·z + β·log P(x | c), with t and β of short lists, again by validation labels. β = 0 with
//!    t = 1 is one of them: uninformative counts are not used, and then the answers are those of
//!    the network that reads no edge.
//!
//! 5. If the answers are then wrong about more validation labels than those of the first network,
//!    no round is used: likelihoods may improve where answers do not.
//!
//! A further round counts per most likely class of z, and repeats steps 2 to 4. All of this is
//! post-processing: it costs no privacy. Neighbours are taken as independent given the class (naive
//! Bayes); β < 1 corrects for their dependence.

mod likelihood;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use veil_graph::Matrix;
use veil_privacy::protocol::degree_vectors::Counts;

pub(crate) use self::likelihood::Noise;
use self::likelihood::{LARGEST, log_likelihoods, read};

/// Factors of the scores.
const TEMPERATURES: [f64; 9] = [1.0, 0.25, 0.35, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0];
/// Weights of the counts; 0: they are not used.
const WEIGHTS: [f64; 8] = [0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0];
/// No mean is below this: what never occurred is rare, not impossible.
const SMALLEST_MEAN: f64 = 0.02;

/// Below this ε one round of counts is better than two, above it two (measured on Cora and
/// Citeseer).
const TWO_ROUNDS_FROM: f64 = 6.0;

/// The default number of rounds that share this ε: a rule that depends on nothing but ε.
pub(crate) fn rounds(epsilon: f64) -> u32 {
    if epsilon < TWO_ROUNDS_FROM { 1 } else { 2 }
}

/// What was learned about counts: everything that answers need besides the first network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bayes {
    temperature: f64,
    rounds: Vec<Reading>,
}

/// How one round of counts is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Reading {
    /// λ: one row for each class, one column for each cluster.
    means: Vec<Vec<f64>>,
    temperature: f64,
    weight: f64,
}

/// The released label of a node as evidence: its likelihood for each true class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evidence {
    pub node: usize,
    pub likelihood: Vec<f64>,
}

/// A score for each node (row) and class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scores(Vec<Vec<f64>>);

impl Scores {
    /// The scores of a network.
    pub fn of(logits: &Matrix) -> Scores {
        let row = |row| logits.row(row).iter().map(|&score| f64::from(score)).collect();
        Scores((0..logits.rows()).map(row).collect())
    }

    /// The posterior of each class.
    pub fn posteriors(&self) -> Matrix {
        let mut matrix = Matrix::zeros(self.0.len(), self.0.first().map_or(0, Vec::len));
        for (row, scores) in self.0.iter().enumerate() {
            for (out, posterior) in matrix.row_mut(row).iter_mut().zip(softmax(scores)) {
                *out = posterior as f32;
            }
        }
        matrix
    }

    /// How many of these labels are not the most likely class.
    pub fn wrong(&self, labels: &[Evidence]) -> usize {
        let answers = crate::method::most_likely(&self.posteriors());
        let label = |likelihood: &[f64]| best(0..likelihood.len(), |&class| -likelihood[class]);
        labels.iter().filter(|it| label(&it.likelihood) != answers.get(it.node).map(|&class| class as usize)).count()
    }

    fn times(&self, temperature: f64) -> Scores {
        Scores(self.0.iter().map(|row| row.iter().map(|score| temperature * score).collect()).collect())
    }

    fn moved(&self, temperature: f64, weight: f64, by: &[Vec<f64>]) -> Scores {
        let rows = self.0.iter().zip(by);
        Scores(rows.map(|(row, by)| moved(row, temperature, weight, by)).collect())
    }
}

impl Bayes {
    /// Calibrates the scores of a network by the validation nodes.
    pub fn calibrated(logits: &Scores, validation: &[Evidence]) -> Bayes {
        let loss = |&temperature: &f64| {
            loss(validation, |node| logits.0[node].iter().map(|score| temperature * score).collect())
        };
        Bayes { temperature: best(TEMPERATURES.into_iter(), loss).unwrap_or(1.0), rounds: Vec::new() }
    }

    /// Learns to read a round of counts: its means from a graph whose training labels are known,
    /// its weights from a graph (the same, or another) with validation labels. Scores are those
    /// before this round.
    pub fn learn(
        &mut self,
        noise: Noise,
        (scores, counts, training): (&Scores, &Counts, &[Evidence]),
        (others, their_counts, validation): (&Scores, &Counts, &[Evidence]),
    ) {
        let means = means(scores, counts, training);
        let likelihoods = log_likelihoods(&means, their_counts, noise);
        let pairs = WEIGHTS.into_iter().flat_map(|weight| TEMPERATURES.into_iter().map(move |it| (it, weight)));
        let loss = |&(temperature, weight): &(f64, f64)| {
            loss(validation, |node| moved(&others.0[node], temperature, weight, &likelihoods[node]))
        };
        let (temperature, weight) = best(pairs, loss).unwrap_or((1.0, 0.0));
        self.rounds.push(Reading { means, temperature, weight });
    }

    /// Leaves the counts unused: the answers are those of the first network.
    pub fn fall_back(&mut self) {
        for round in &mut self.rounds {
            (round.temperature, round.weight) = (1.0, 0.0);
        }
    }

    /// The scores of any graph after these rounds of counts.
    pub fn scores(&self, logits: &Scores, counts: &[Counts], noise: Noise) -> Scores {
        let first = logits.times(self.temperature);
        self.rounds.iter().zip(counts).fold(first, |scores, (reading, counts)| {
            let likelihoods = log_likelihoods(&reading.means, counts, noise);
            scores.moved(reading.temperature, reading.weight, &likelihoods)
        })
    }

    /// Whether these numbers fit a network of so many classes and so many rounds of counts.
    pub fn fits(&self, classes: usize, rounds: usize) -> bool {
        let square = |means: &Vec<Vec<f64>>| means.len() == classes && means.iter().all(|row| row.len() == classes);
        // A mean of counts is no larger than a count is read.
        let possible = |mean: &f64| *mean > 0.0 && *mean <= LARGEST as f64;
        self.temperature.is_finite()
            && self.rounds.len() == rounds
            && self.rounds.iter().all(|round| {
                let numbers = round.temperature.is_finite() && round.weight.is_finite();
                numbers && square(&round.means) && round.means.iter().flatten().all(possible)
            })
    }
}

/// λ_ck: the mean number of neighbours in cluster k of nodes of class c, smoothed by one
/// pseudo-node of each class with the mean counts of all nodes.
fn means(scores: &Scores, counts: &Counts, training: &[Evidence]) -> Vec<Vec<f64>> {
    let mut likely: Vec<Vec<f64>> = scores.0.iter().map(|row| softmax(row)).collect();
    for Evidence { node, likelihood } in training {
        let row = &mut likely[*node];
        row.iter_mut().zip(likelihood).for_each(|(posterior, likelihood)| *posterior *= likelihood);
        let sum: f64 = row.iter().sum();
        if sum > 0.0 {
            row.iter_mut().for_each(|posterior| *posterior /= sum);
        }
    }
    let classes = likely.first().map_or(0, Vec::len);
    let nodes = counts.nodes().max(1) as f64;
    let of_all: Vec<f64> = (0..counts.clusters())
        .map(|cluster| (0..counts.nodes()).map(|node| read(counts.row(node)[cluster]) as f64).sum::<f64>() / nodes)
        .collect();
    let of_class = |class: usize| -> Vec<f64> {
        let (mut sums, mut members) = (of_all.clone(), 1.0);
        for (node, likely) in likely.iter().enumerate() {
            members += likely[class];
            sums.iter_mut().zip(counts.row(node)).for_each(|(sum, &count)| *sum += likely[class] * read(count) as f64);
        }
        sums.into_iter().map(|sum| (sum / members).max(SMALLEST_MEAN)).collect()
    };
    (0..classes).map(of_class).collect()
}

/// The first candidate with the lowest loss.
fn best<T>(candidates: impl Iterator<Item = T>, loss: impl Fn(&T) -> f64) -> Option<T> {
    let rated = candidates.map(|candidate| (loss(&candidate), candidate));
    rated.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, candidate)| candidate)
}

/// −Σ log P(label) over nodes with a label, where `scores` gives a node's scores.
fn loss(validation: &[Evidence], scores: impl Fn(usize) -> Vec<f64>) -> f64 {
    let of_node = |it: &Evidence| {
        let likely: f64 = softmax(&scores(it.node)).iter().zip(&it.likelihood).map(|(p, l)| p * l).sum();
        -libm::log(likely.max(f64::MIN_POSITIVE))
    };
    validation.iter().map(of_node).sum()
}

fn moved(row: &[f64], temperature: f64, weight: f64, by: &[f64]) -> Vec<f64> {
    row.iter().zip(by).map(|(score, by)| temperature * score + weight * by).collect()
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut powers: Vec<f64> = scores.iter().map(|score| libm::exp(score - largest)).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter_mut().for_each(|power| *power /= sum);
    powers
}
