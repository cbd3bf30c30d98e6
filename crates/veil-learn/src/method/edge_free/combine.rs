//! Several scores of the same nodes, combined by weights that make validation labels likely.
//!
//! z = Σ w_i·f_i + b: one weight for each kind of score, shared by all classes, and a bias for each
//! class. With few validation labels more would overfit. The weights are penalised by their
//! distance from "the first score as it is", the biases by their size; the minimum is found by
//! Newton's method. Which scores are combined is decided by cross-validation on the same labels.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use veil_graph::random::Random;

use super::scores::{Scores, softmax};
use crate::method::lpgnet::bayes::Evidence;
use crate::symmetric::Symmetric;

/// Penalty of the squared distance of each (scaled) weight.
const WEIGHT_PENALTY: f64 = 1.0;
/// Penalty of each squared bias.
const BIAS_PENALTY: f64 = 5.0;
/// Parts of the cross-validation.
const FOLDS: usize = 4;
/// More labels than this say nothing new about a handful of weights.
const MOST_LABELS: usize = 4096;
const MOST_STEPS: usize = 50;

/// Weights of some scores, and a bias for each class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Combination {
    /// Which of the scores.
    pub parts: Vec<usize>,
    pub weights: Vec<f64>,
    pub biases: Vec<f64>,
}

impl Combination {
    /// The choice of scores that predicts held-out validation labels best, with weights from all of
    /// them; the first choice among equals.
    pub fn chosen(choices: &[Vec<usize>], scores: &[&Scores], labels: &[Evidence], biased: bool) -> Combination {
        let labels = some_of(labels);
        let loss = |parts: &Vec<usize>| cross_validated(parts, scores, &labels, biased);
        let losses: Vec<f64> = choices.par_iter().map(loss).collect();
        let best = choices.iter().zip(losses).min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(parts, _)| parts.clone());
        let parts = best.unwrap_or_else(|| vec![0]);
        Combination::fitted(parts, scores, &labels, biased)
    }

    /// As [`chosen`](Combination::chosen), where scores join one by one: first the one that
    /// predicts best alone, then whichever helps most, as long as one does.
    pub fn grown(scores: &[&Scores], labels: &[Evidence], biased: bool) -> Combination {
        let labels = some_of(labels);
        let (mut parts, mut lowest) = (Vec::new(), f64::INFINITY);
        loop {
            let with = |more: usize| [parts.as_slice(), &[more]].concat();
            let choices: Vec<Vec<usize>> = (0..scores.len()).filter(|it| !parts.contains(it)).map(with).collect();
            let loss = |parts: &Vec<usize>| cross_validated(parts, scores, &labels, biased);
            let losses: Vec<f64> = choices.par_iter().map(loss).collect();
            let best = choices.into_iter().zip(losses).min_by(|(_, a), (_, b)| a.total_cmp(b));
            match best {
                Some((next, loss)) if loss < lowest => (parts, lowest) = (next, loss),
                _ => break,
            }
        }
        if parts.is_empty() {
            parts.push(0);
        }
        Combination::fitted(parts, scores, &labels, biased)
    }

    /// The most likely weights for these labels.
    pub fn fitted(parts: Vec<usize>, scores: &[&Scores], labels: &[Evidence], biased: bool) -> Combination {
        let problem = Problem::new(&parts, scores, labels, biased);
        let solution = problem.solve();
        let weights = solution.iter().zip(&problem.deviations).map(|(it, deviation)| it / deviation).collect();
        let biases = if biased { solution[parts.len()..].to_vec() } else { vec![0.0; problem.classes] };
        Combination { parts, weights, biases }
    }

    /// z of every node.
    pub fn apply(&self, scores: &[&Scores]) -> Scores {
        let Some(first) = scores.first() else { return Scores::zeros(0, 0) };
        Scores::zeros(first.nodes(), first.classes()).mapped(|node, out| {
            out.iter_mut().zip(&self.biases).for_each(|(out, bias)| *out = *bias);
            for (&part, weight) in self.parts.iter().zip(&self.weights) {
                out.iter_mut().zip(scores[part].row(node)).for_each(|(out, it)| *out += weight * it);
            }
        })
    }

    /// Whether it fits this many scores and classes.
    pub fn fits(&self, scores: usize, classes: usize) -> bool {
        let known = self.parts.len() == self.weights.len() && self.parts.iter().all(|&part| part < scores);
        let finite = self.weights.iter().chain(&self.biases).all(|it| it.is_finite());
        known && finite && self.biases.len() == classes
    }
}

/// Evenly spread labels, if there are too many.
fn some_of(labels: &[Evidence]) -> Vec<Evidence> {
    let every = labels.len().div_ceil(MOST_LABELS).max(1);
    labels.iter().step_by(every).cloned().collect()
}

/// The mean loss of labels under weights that were fitted without them.
fn cross_validated(parts: &[usize], scores: &[&Scores], labels: &[Evidence], biased: bool) -> f64 {
    let mut fold: Vec<usize> = (0..labels.len()).map(|place| place % FOLDS).collect();
    Random::new(0, "folds of a combination").shuffle(&mut fold);
    let of = |held_out: usize| {
        let part = |inside: bool| -> Vec<Evidence> {
            let kept = labels.iter().zip(&fold).filter(|&(_, &fold)| (fold == held_out) == inside);
            kept.map(|(label, _)| label.clone()).collect()
        };
        let fitted = Combination::fitted(parts.to_vec(), scores, &part(false), biased);
        part(true).iter().map(|label| fitted.loss(scores, label)).sum::<f64>()
    };
    (0..FOLDS).map(of).sum::<f64>() / labels.len().max(1) as f64
}

impl Combination {
    /// −ln P(label).
    fn loss(&self, scores: &[&Scores], label: &Evidence) -> f64 {
        let mut z = self.biases.clone();
        for (&part, weight) in self.parts.iter().zip(&self.weights) {
            z.iter_mut().zip(scores[part].row(label.node)).for_each(|(z, it)| *z += weight * it);
        }
        softmax(&mut z);
        -libm::log(z.iter().zip(&label.likelihood).map(|(p, likely)| p * likely).sum::<f64>().max(1e-12))
    }
}

/// The scores of the labelled nodes, each kind scaled to deviation 1.
struct Problem<'a> {
    classes: usize,
    biased: bool,
    labels: &'a [Evidence],
    /// Label by label, class by class, a number for each kind of score.
    scaled: Vec<f64>,
    deviations: Vec<f64>,
}

impl Problem<'_> {
    fn new<'a>(parts: &[usize], scores: &[&Scores], labels: &'a [Evidence], biased: bool) -> Problem<'a> {
        let classes = scores.first().map_or(0, |scores| scores.classes());
        let deviation = |&part: &usize| {
            let all = || labels.iter().flat_map(|label| scores[part].row(label.node));
            let count = (labels.len() * classes).max(1) as f64;
            let mean = all().sum::<f64>() / count;
            (all().map(|it| (it - mean) * (it - mean)).sum::<f64>() / count).sqrt() + 1e-9
        };
        let deviations: Vec<f64> = parts.iter().map(deviation).collect();
        let mut scaled = Vec::with_capacity(labels.len() * classes * parts.len());
        for label in labels {
            for class in 0..classes {
                let of = parts.iter().zip(&deviations);
                scaled.extend(of.map(|(&part, deviation)| scores[part].row(label.node)[class] / deviation));
            }
        }
        Problem { classes, biased, labels, scaled, deviations }
    }

    fn size(&self) -> usize {
        self.deviations.len() + if self.biased { self.classes } else { 0 }
    }

    /// Where the penalty is least: the first score as it is.
    fn start(&self) -> Vec<f64> {
        let mut start = vec![0.0; self.size()];
        if let (Some(start), Some(deviation)) = (start.first_mut(), self.deviations.first()) {
            *start = *deviation;
        }
        start
    }

    /// The scores of one label.
    fn of(&self, place: usize) -> impl Iterator<Item = &[f64]> {
        let width = self.deviations.len();
        let each = self.classes * width;
        self.scaled[place * each..(place + 1) * each].chunks_exact(width.max(1))
    }

    /// Probabilities of the classes of one label.
    fn posterior(&self, place: usize, at: &[f64]) -> Vec<f64> {
        let (weights, biases) = at.split_at(self.deviations.len());
        let score = |(class, features): (usize, &[f64])| {
            features.iter().zip(weights).map(|(it, weight)| it * weight).sum::<f64>()
                + biases.get(class).copied().unwrap_or(0.0)
        };
        let mut row: Vec<f64> = self.of(place).enumerate().map(score).collect();
        softmax(&mut row);
        row
    }

    fn penalty(&self, place: usize) -> f64 {
        if place < self.deviations.len() { WEIGHT_PENALTY } else { BIAS_PENALTY }
    }

    fn value(&self, at: &[f64], start: &[f64]) -> f64 {
        let loss = |(place, label): (usize, &Evidence)| {
            let likely: f64 = self.posterior(place, at).iter().zip(&label.likelihood).map(|(p, l)| p * l).sum();
            -libm::log(likely.max(1e-300))
        };
        let losses: f64 = self.labels.iter().enumerate().map(loss).sum();
        let far =
            at.iter().zip(start).enumerate().map(|(place, (at, start))| self.penalty(place) * (at - start).powi(2));
        losses + far.sum::<f64>()
    }

    /// The gradient, and the expected second derivatives (Fisher's information).
    fn slopes(&self, at: &[f64], start: &[f64]) -> (Vec<f64>, Symmetric) {
        let (size, width) = (self.size(), self.deviations.len());
        let mut gradient = vec![0.0; size];
        let mut second = vec![0.0; size * size];
        let mut mean = vec![0.0; size];
        for (place, label) in self.labels.iter().enumerate() {
            let posterior = self.posterior(place, at);
            let likely: f64 = posterior.iter().zip(&label.likelihood).map(|(p, l)| p * l).sum::<f64>().max(1e-300);
            mean.iter_mut().for_each(|it| *it = 0.0);
            for ((class, features), &p) in self.of(place).enumerate().zip(&posterior) {
                let gap = p - p * label.likelihood[class] / likely;
                let bias = self.biased.then_some((width + class, 1.0));
                let entries = || features.iter().copied().enumerate().chain(bias);
                for (i, it) in entries() {
                    gradient[i] += gap * it;
                    mean[i] += p * it;
                    for (j, other) in entries().take_while(|&(j, _)| j <= i) {
                        second[i * size + j] += p * it * other;
                    }
                }
            }
            for i in 0..size {
                for j in 0..=i {
                    second[i * size + j] -= mean[i] * mean[j];
                }
            }
        }
        for place in 0..size {
            gradient[place] += 2.0 * self.penalty(place) * (at[place] - start[place]);
            second[place * size + place] += 2.0 * self.penalty(place);
        }
        (gradient, Symmetric::from_fn(size, |i, j| second[i * size + j]))
    }

    fn solve(&self) -> Vec<f64> {
        let start = self.start();
        let mut at = start.clone();
        let mut value = self.value(&at, &start);
        for _ in 0..MOST_STEPS {
            let (gradient, second) = self.slopes(&at, &start);
            let Some(step) = second.solve(&gradient) else { break };
            let tried = (0..20).map(|halvings| 0.5_f64.powi(halvings)).find_map(|length| {
                let next: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at - length * step).collect();
                let lower = self.value(&next, &start);
                (lower < value).then_some((next, lower))
            });
            let Some((next, lower)) = tried else { break };
            let done = value - lower < 1e-9 * (1.0 + value.abs());
            (at, value) = (next, lower);
            if done {
                break;
            }
        }
        at
    }
}
