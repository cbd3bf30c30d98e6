//! Answers of a model, and the ratings that need nothing else.
//!
//! Posteriors are 32-bit numbers, and a class that the model is certain of is rounded to 1. All
//! ratings here are computed from the probability of the other classes, which is not rounded away,
//! so that an overfitted model does not look safe.

use veil_graph::{Matrix, NodeId};
use veil_learn::Predictor;

use super::MembershipError;
use crate::attack::query;

/// The smallest probability: 32-bit numbers end below it.
const FLOOR: f64 = 1e-38;

/// Posteriors of a model about some nodes, with the true class of each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answers {
    posteriors: Matrix,
    classes: Vec<u32>,
}

impl Answers {
    /// A row of posteriors and a class for each node.
    pub fn new(posteriors: Matrix, classes: Vec<u32>) -> Result<Answers, MembershipError> {
        let columns = posteriors.columns();
        if posteriors.rows() != classes.len() {
            return Err(MembershipError::Length { answers: posteriors.rows(), nodes: classes.len() });
        }
        if let Some(&class) = classes.iter().find(|&&class| class as usize >= columns) {
            return Err(MembershipError::NoSuchClass { class, classes: columns });
        }
        // A softmax may round to a little more than 1.
        match posteriors.values().iter().find(|value| !(0.0..=1.001).contains(*value)) {
            Some(&value) => Err(MembershipError::NoProbability { value }),
            None => Ok(Answers { posteriors, classes }),
        }
    }

    /// Queries a model about nodes whose classes are known.
    pub fn of<M: Predictor + ?Sized>(model: &M, nodes: &[(NodeId, u32)]) -> Result<Answers, MembershipError> {
        let queried: Vec<NodeId> = nodes.iter().map(|&(node, _)| node).collect();
        Answers::new(query(model, &queried, &[])?, nodes.iter().map(|&(_, class)| class).collect())
    }

    /// These and then others.
    pub fn followed_by(&self, others: &Answers) -> Result<Answers, MembershipError> {
        let (columns, classes) = (self.posteriors.columns(), [&self.classes[..], &others.classes].concat());
        if others.posteriors.columns() != columns {
            let class = others.posteriors.columns().max(columns).saturating_sub(1) as u32;
            return Err(MembershipError::NoSuchClass { class, classes: columns.min(others.posteriors.columns()) });
        }
        let mut both = Matrix::zeros(classes.len(), columns);
        for row in 0..classes.len() {
            let from =
                row.checked_sub(self.len()).map_or_else(|| self.posteriors.row(row), |row| others.posteriors.row(row));
            both.row_mut(row).copy_from_slice(from);
        }
        Answers::new(both, classes)
    }

    /// Some of them, in this order.
    pub fn picked(&self, order: &[usize]) -> Answers {
        let mut posteriors = Matrix::zeros(order.len(), self.columns());
        for (row, &from) in order.iter().enumerate() {
            posteriors.row_mut(row).copy_from_slice(self.row(from));
        }
        Answers { posteriors, classes: order.iter().map(|&from| self.classes[from]).collect() }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Number of classes.
    pub fn columns(&self) -> usize {
        self.posteriors.columns()
    }

    /// The posteriors of a node.
    pub fn row(&self, node: usize) -> &[f32] {
        self.posteriors.row(node)
    }

    /// ln(p/(1 − p)) of the true class: Carlini et al.'s scale, on which the answers of many models
    /// are nearly normal.
    pub fn logits(&self) -> Vec<f64> {
        (0..self.len()).map(|node| log_odds(self.row(node), self.classes[node] as usize)).collect()
    }

    /// Minus the cross-entropy: ln p of the true class.
    pub fn losses(&self) -> Vec<f64> {
        // p = 1/(1 + odds of the others).
        self.logits().into_iter().map(|odds| -(-odds).exp().ln_1p()).collect()
    }

    /// The log odds of the most likely class.
    pub fn confidences(&self) -> Vec<f64> {
        (0..self.len()).map(|node| log_odds(self.row(node), most_likely(self.row(node)))).collect()
    }

    /// Minus the entropy.
    pub fn entropies(&self) -> Vec<f64> {
        let entropy = |row: &[f32]| {
            let top = most_likely(row);
            let others = row.iter().enumerate().filter(|&(class, _)| class != top).map(|(_, &p)| f64::from(p));
            let odds = (-log_odds(row, top)).exp();
            others.filter(|&p| p > 0.0).map(|p| -p * p.ln()).sum::<f64>() + odds.ln_1p() / (1.0 + odds)
        };
        (0..self.len()).map(|node| -entropy(self.row(node))).collect()
    }
}

fn log_odds(row: &[f32], class: usize) -> f64 {
    let others = row.iter().enumerate().filter(|&(other, _)| other != class).map(|(_, &p)| f64::from(p));
    f64::from(row[class]).max(FLOOR).ln() - others.sum::<f64>().max(FLOOR).ln()
}

/// The first among equals.
fn most_likely(row: &[f32]) -> usize {
    (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).unwrap_or(0)
}
