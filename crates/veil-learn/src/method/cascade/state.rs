//! What is known and believed about all nodes, while batches are read.

use super::readout::{Reading, Received};
use crate::method::edge_free::combine::Combination;
use crate::method::edge_free::scores::Scores;
use crate::method::lpgnet::bayes::Evidence;

/// The smallest scale by which rows are divided.
const LEAST_SCALE: f64 = 0.1;

/// What is known and believed about all nodes, while batches are read.
pub(super) struct State {
    /// Nodes whose classes the public knows something about, ascending.
    pub labels: Vec<Evidence>,
    /// ln P(class) by the stack.
    pub stack: Scores,
    /// What is believed before rows.
    pub prior: Scores,
    /// What is believed now.
    pub now: Scores,
    /// What the rows of earlier nodes said: the likelihood, and two forms of the row itself.
    said: [Scores; 3],
    pub done: Vec<bool>,
}

impl State {
    pub fn new(stack: &Scores, labels: Vec<Evidence>) -> State {
        let nodes = stack.nodes();
        let none = Scores::zeros(nodes, stack.classes());
        let logarithms = stack.logarithms();
        State {
            labels,
            stack: logarithms.clone(),
            prior: logarithms,
            now: stack.clone(),
            said: [none.clone(), none.clone(), none],
            done: vec![false; nodes],
        }
    }

    /// Probabilities of the classes, with what is known of labels.
    pub fn known(&self) -> Scores {
        weighed(self.now.posteriors(), &self.labels)
    }

    /// What is believed about nodes without rows is what is believed before rows.
    pub fn believe(&mut self, prior: Scores) {
        for node in (0..self.done.len()).filter(|&node| !self.done[node]) {
            self.now.row_mut(node).copy_from_slice(prior.row(node));
        }
        self.prior = prior.logarithms();
    }

    /// Takes in what rows say.
    pub fn hear(&mut self, received: &Received, reading: &Reading) {
        let classes = self.now.classes();
        let scale = received.scale.max(LEAST_SCALE);
        let likelihoods = reading.likelihoods(received, classes);
        for (place, (&node, likelihood)) in received.nodes.iter().zip(&likelihoods).enumerate() {
            self.done[node] = true;
            self.said[0].row_mut(node).copy_from_slice(likelihood);
            let mut row = vec![0.0; classes];
            received.spread(place, &mut row);
            let all: f64 = row.iter().map(|it| it.abs()).sum::<f64>().max(3.0 * scale + 1.0);
            let both = self.said[1].row_mut(node).iter_mut().zip(&row);
            both.for_each(|(out, it)| *out = libm::asinh(it / (2.0 * scale)));
            self.said[2].row_mut(node).iter_mut().zip(&row).for_each(|(out, it)| *out = it / all);
        }
    }

    pub fn parts(&self) -> [&Scores; 4] {
        let [likelihood, size, share] = &self.said;
        [&self.prior, likelihood, size, share]
    }

    /// Combines belief and rows for these nodes.
    pub fn conclude(&mut self, nodes: &[usize], combination: &Combination) {
        let combined = combination.apply(&self.parts());
        nodes.iter().for_each(|&node| self.now.row_mut(node).copy_from_slice(combined.row(node)));
    }
}

/// Probabilities of the classes, weighed with what is known of labels by Bayes' rule.
pub(super) fn weighed(mut posteriors: Scores, labels: &[Evidence]) -> Scores {
    for Evidence { node, likelihood } in labels {
        let row = posteriors.row_mut(*node);
        row.iter_mut().zip(likelihood).for_each(|(p, likely)| *p *= likely);
        let sum: f64 = row.iter().sum();
        match sum > 0.0 {
            true => row.iter_mut().for_each(|it| *it /= sum),
            false => row.copy_from_slice(likelihood),
        }
    }
    posteriors
}
