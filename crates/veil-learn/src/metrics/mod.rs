//! Accuracy of predictions, from posteriors and true labels.
//!
//! Counts of each class give accuracy and F1. Where one class is rare, accuracy and F1 can look
//! good though nothing was learned: so the rarest class is also judged by the order in which its
//! posterior puts the nodes (`ranking`), with an interval (`interval`), beside what a constant
//! answer would get.

mod interval;
mod ranking;
#[cfg(test)]
mod tests;

pub use ranking::{Ranking, RocPoint, Tie};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use veil_graph::{Matrix, NodeId};

use crate::method::most_likely;

/// Figures about the predictions for some nodes. No figure is ever NaN: what is undefined is 0
/// (scikit-learn's `zero_division=0`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classification {
    /// Number of tested nodes.
    pub nodes: usize,
    /// The share of them whose most likely class is the true one.
    pub accuracy: f64,
    /// F1 with the counts of all classes added up. It is the accuracy if every tested node got an
    /// answer.
    pub micro_f1: f64,
    /// The mean F1 of all classes in `per_class`, each counting the same (scikit-learn's default).
    pub macro_f1: f64,
    /// The classes that occur as a true or a predicted one, in their order; others are left out.
    pub per_class: Vec<ClassScore>,
    /// The class that is true for the fewest tested nodes but at least one; of equals the lower.
    /// `None` if all tested nodes have the same class.
    pub rare: Option<Rare>,
}

/// Figures about one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    /// The class.
    pub class: u32,
    /// Number of tested nodes of this class.
    pub truth: usize,
    /// Number of tested nodes for which it was predicted.
    pub predicted: usize,
    /// Of the nodes for which it was predicted, the share that have it; 0 if there are none.
    pub precision: f64,
    /// Of the nodes that have it, the share for which it was predicted; 0 if there are none.
    pub recall: f64,
    /// The harmonic mean of precision and recall; 0 if both are.
    pub f1: f64,
}

/// Figures about the rarest class, beside those of a constant answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rare {
    /// The class.
    pub class: u32,
    /// Its F1.
    pub f1: f64,
    /// The F1 of always answering this class.
    pub constant_f1: f64,
    /// The chance that a random node of this class has a higher posterior of it than a random other
    /// tested node; a tie counts one half.
    pub roc_auc: f64,
    /// The lower end of its 95 % interval: Newcombe's (2006) method 5, a score interval as Wilson's
    /// is for a share. It takes nodes as independent and the model as given.
    pub roc_auc_low: f64,
    /// The upper end.
    pub roc_auc_high: f64,
    /// Number of classes that are predicted for at least one tested node.
    pub predicts: usize,
}

/// Compares posteriors (a row for each node, a column for each class) with the true classes of the
/// tested nodes, each of which comes once. `None` if there are none.
///
/// Of equal posteriors the lower class is predicted. A node without a row gets no answer, which is
/// a wrong one. A class without a column has the posterior 0.
pub fn classification(posteriors: &Matrix, tested: impl Iterator<Item = (NodeId, u32)>) -> Option<Classification> {
    let answers = most_likely(posteriors);
    let tested: Vec<(NodeId, u32)> = tested.collect();
    let mut classes: BTreeMap<u32, Counts> = BTreeMap::new();
    let mut sum = Counts::default();
    for &(node, truth) in &tested {
        let answer = answers.get(node as usize);
        let right = usize::from(answer == Some(&truth));
        for counts in [&mut sum, classes.entry(truth).or_default()] {
            counts.truth += 1;
            counts.right += right;
        }
        if let Some(&answer) = answer {
            sum.predicted += 1;
            classes.entry(answer).or_default().predicted += 1;
        }
    }
    if tested.is_empty() {
        return None;
    }
    let per_class: Vec<ClassScore> = classes.iter().map(|(&class, counts)| counts.score(class)).collect();
    Some(Classification {
        nodes: tested.len(),
        accuracy: share(sum.right, tested.len()),
        micro_f1: sum.f1(),
        macro_f1: per_class.iter().map(|class| class.f1).sum::<f64>() / per_class.len() as f64,
        rare: rare(posteriors, &tested, &per_class),
        per_class,
    })
}

#[derive(Clone, Copy, Default)]
struct Counts {
    truth: usize,
    predicted: usize,
    right: usize,
}

impl Counts {
    /// 2PR/(P + R) with P and R written out: one division, and defined for every class that occurs.
    fn f1(self) -> f64 {
        share(2 * self.right, self.truth + self.predicted)
    }

    fn score(self, class: u32) -> ClassScore {
        let Counts { truth, predicted, right } = self;
        let (precision, recall) = (share(right, predicted), share(right, truth));
        ClassScore { class, truth, predicted, precision, recall, f1: self.f1() }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn rare(posteriors: &Matrix, tested: &[(NodeId, u32)], per_class: &[ClassScore]) -> Option<Rare> {
    // The first of equals.
    let &ClassScore { class, truth, f1, .. } =
        per_class.iter().filter(|class| class.truth > 0).min_by_key(|class| class.truth)?;
    if truth == tested.len() {
        return None;
    }
    let posterior = |node: NodeId| {
        let row = ((node as usize) < posteriors.rows()).then(|| posteriors.row(node as usize));
        row.and_then(|row| row.get(class as usize)).map_or(0.0, |&posterior| f64::from(posterior))
    };
    let ratings: Vec<f64> = tested.iter().map(|&(node, _)| posterior(node)).collect();
    let is_positive: Vec<bool> = tested.iter().map(|&(_, label)| label == class).collect();
    let ranking = Ranking::new(&ratings, &is_positive);
    let roc_auc = ranking.auc();
    let [roc_auc_low, roc_auc_high] = interval::auc_interval(roc_auc, ranking.positives(), ranking.negatives());
    let constant_f1 = share(2 * truth, truth + tested.len());
    let predicts = per_class.iter().filter(|class| class.predicted > 0).count();
    Some(Rare { class, f1, constant_f1, roc_auc, roc_auc_low, roc_auc_high, predicts })
}
