//! Success of an attack on edges: its ratings compared with the truth.
//!
//! A [`Ranking`] sorts the pairs once, and every figure is read off the sorted order; `interval`
//! resamples the pairs to see how far the figures would move with other pairs.

pub(crate) mod interval;

#[cfg(test)]
mod tests;

use veil_learn::metrics::{Ranking, RocPoint};

use crate::attack::AttackError;
use crate::pairs::Pairs;

/// What scoring reads besides ratings and truth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scoring {
    /// Share of the pairs that the attacker believes to be edges (LinkTeller's density belief); by
    /// default the true share.
    pub belief: Option<f64>,
    /// Seed of the resamples for the confidence intervals.
    pub seed: u64,
}

impl Scoring {
    pub(crate) fn check(self) -> Result<(), AttackError> {
        let outside = self.belief.filter(|belief| !(0.0..=1.0).contains(belief));
        outside.map_or(Ok(()), |belief| Err(AttackError::Belief { belief }))
    }
}

/// What holds at a low false positive rate, such as the true positive rate.
///
/// A threshold accepts every pair with at least this rating, equal ratings together. Of all
/// thresholds that wrongly accept at most this share of the other pairs, the one that finds most
/// edges counts. Nothing is interpolated, so with fewer than 1,000 other pairs a rate of 0.1 %
/// allows no mistake at all.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct AtFpr<T> {
    /// At a false positive rate of 0.1 %.
    #[serde(rename = "0.001")]
    pub per_mille: T,
    /// At a false positive rate of 1 %.
    #[serde(rename = "0.01")]
    pub per_cent: T,
}

/// Success of an attack. All figures but the counts are fractions.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Scores {
    /// The probability that a random edge is rated above a random other pair; a tie counts one
    /// half.
    pub auc: f64,
    /// Its 95 % confidence interval: percentiles of the bootstrap. It has width 0 if the AUC is 0
    /// or 1.
    pub auc_ci: [f64; 2],
    /// The precision at each edge's own rating, averaged over the edges; equal ratings are accepted
    /// together.
    pub average_precision: f64,
    /// Its 95 % confidence interval, from the same resamples.
    pub average_precision_ci: [f64; 2],
    /// Number of resamples: fewer where there are many pairs.
    pub resamples: usize,
    /// The true positive rate at low false positive rates.
    pub tpr_at_fpr: AtFpr<f64>,
    /// The share of edges among the round(belief × pairs) pairs with the highest ratings; where
    /// equal ratings straddle the cut, the mean over all choices among them. 0 if the belief
    /// accepts no pair.
    pub precision: f64,
    /// The share of the edges that are among those pairs.
    pub recall: f64,
    /// Number of pairs.
    pub pairs: usize,
    /// Number of edges among them.
    pub edges: usize,
    /// The ROC curve.
    #[serde(skip)]
    pub roc: Vec<RocPoint>,
}

impl Scores {
    /// Compares one rating for each pair with the truth. Higher means more likely an edge; ratings
    /// may be infinite.
    ///
    /// # Errors
    /// If a rating is not a number, their count is wrong, or the belief is not a share.
    pub fn new(pairs: &Pairs, ratings: &[f64], scoring: Scoring) -> Result<Scores, AttackError> {
        if ratings.len() != pairs.list().len() {
            return Err(AttackError::Length { pairs: pairs.list().len(), ratings: ratings.len() });
        }
        if let Some(position) = ratings.iter().position(|rating| rating.is_nan()) {
            let (source_node, target_node) = pairs.list()[position];
            return Err(AttackError::NotANumber { source_node, target_node });
        }
        scoring.check()?;
        let ranking = Ranking::new(ratings, pairs.is_edge());
        let predicted = match scoring.belief {
            Some(belief) => (belief * ratings.len() as f64).round() as usize,
            None => ranking.positives(),
        };
        let found = ranking.positives_among_top(predicted);
        let [auc_ci, average_precision_ci] = interval::intervals(&ranking, scoring.seed);
        Ok(Scores {
            auc: ranking.auc(),
            auc_ci,
            average_precision: ranking.average_precision(),
            average_precision_ci,
            resamples: interval::resamples(ratings.len()),
            tpr_at_fpr: AtFpr { per_mille: ranking.tpr_at_one_in(1000), per_cent: ranking.tpr_at_one_in(100) },
            precision: if predicted == 0 { 0.0 } else { found / predicted as f64 },
            recall: found / ranking.positives() as f64,
            pairs: ratings.len(),
            edges: ranking.positives(),
            roc: ranking.roc(),
        })
    }
}
