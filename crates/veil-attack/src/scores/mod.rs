//! How right an attack was: ratings against the truth.
//!
//! A [`Ranking`] sorts the pairs once and reads every figure off the sorted order; `interval` draws the pairs again and
//! again to see how far the figures would move with other pairs.

pub(crate) mod interval;

#[cfg(test)]
mod tests;

use veil_graph::NodeId;
use veil_learn::metrics::Ranking;

use crate::pairs::Pairs;

/// What scoring needs to know beside ratings and truth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scoring {
    /// The share of the pairs that the attacker believes to be edges; by default the true share. LinkTeller calls it
    /// the density belief.
    pub belief: Option<f64>,
    /// Decides the resamples of the confidence intervals.
    pub seed: u64,
}

/// Why ratings could not be scored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScoresError {
    /// A rating cannot be compared with others.
    #[error("the rating of the pair ({source_node}, {target_node}) is not a number")]
    NotANumber {
        /// Where the pair starts.
        source_node: NodeId,
        /// Where it ends.
        target_node: NodeId,
    },
    /// Not one rating for each pair.
    #[error("{ratings} ratings were given for {pairs} pairs")]
    Length {
        /// How many pairs there are.
        pairs: usize,
        /// How many ratings.
        ratings: usize,
    },
    /// A belief that is not a share.
    #[error("a belief that {belief} of all pairs are edges is not between 0 and 1")]
    Belief {
        /// The belief.
        belief: f64,
    },
}

/// The share of the edges that is found when almost no other pair may be taken for one.
///
/// The rule: a threshold accepts every pair rated at least so high, equal ratings together; of all thresholds that
/// wrongly accept at most this share of the other pairs, the one that finds the most edges. Nothing is interpolated,
/// so with fewer than 1,000 other pairs a rate of 0.1 % allows no mistake at all.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct TprAtFpr {
    /// At a false positive rate of 0.1 %.
    #[serde(rename = "0.001")]
    pub per_mille: f64,
    /// At a false positive rate of 1 %.
    #[serde(rename = "0.01")]
    pub per_cent: f64,
}

/// What an attack found. All figures but the counts are fractions.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Scores {
    /// The chance that a random edge is rated above a random other pair; a tie counts one half.
    pub auc: f64,
    /// 95 % confidence interval of the AUC: percentiles of the bootstrap. It has no width when the AUC is 0 or 1.
    pub auc_ci: [f64; 2],
    /// The precision at each edge's own rating, averaged over the edges; equal ratings are accepted together.
    pub average_precision: f64,
    /// Its 95 % confidence interval, from the same resamples.
    pub average_precision_ci: [f64; 2],
    /// From how many resamples the intervals were read: fewer where there are many pairs.
    pub resamples: usize,
    /// The share of the edges found when almost no other pair may be taken for one.
    pub tpr_at_fpr: TprAtFpr,
    /// Of the round(belief × pairs) pairs that are rated highest, the share that are edges. Where equal ratings
    /// straddle the cut, the mean over all ways to choose among them. 0 if the belief accepts no pair.
    pub precision: f64,
    /// Of the edges, the share among those pairs.
    pub recall: f64,
    /// How many pairs the attack was asked about.
    pub pairs: usize,
    /// How many of them are edges.
    pub edges: usize,
}

impl Scores {
    /// Compares one rating for each pair with the truth. Higher means more likely an edge; infinities are ratings too.
    ///
    /// # Errors
    /// If a rating is not a number, their count is wrong, or the belief is not a share.
    pub fn new(pairs: &Pairs, ratings: &[f64], scoring: Scoring) -> Result<Scores, ScoresError> {
        if ratings.len() != pairs.list().len() {
            return Err(ScoresError::Length { pairs: pairs.list().len(), ratings: ratings.len() });
        }
        if let Some(position) = ratings.iter().position(|rating| rating.is_nan()) {
            let (source_node, target_node) = pairs.list()[position];
            return Err(ScoresError::NotANumber { source_node, target_node });
        }
        if let Some(belief) = scoring.belief.filter(|belief| !(0.0..=1.0).contains(belief)) {
            return Err(ScoresError::Belief { belief });
        }

        let ranking = Ranking::new(ratings, pairs.is_edge());
        let predicted = match scoring.belief {
            Some(belief) => (belief * ratings.len() as f64).round() as usize,
            None => ranking.positives(),
        };
        let found = ranking.positives_among_top(predicted);
        let intervals = interval::intervals(&ranking, scoring.seed);
        Ok(Scores {
            auc: ranking.auc(),
            auc_ci: intervals.auc,
            average_precision: ranking.average_precision(),
            average_precision_ci: intervals.average_precision,
            resamples: interval::resamples(ratings.len()),
            tpr_at_fpr: TprAtFpr { per_mille: ranking.tpr_at_one_in(1000), per_cent: ranking.tpr_at_one_in(100) },
            precision: if predicted == 0 { 0.0 } else { found / predicted as f64 },
            recall: found / ranking.positives() as f64,
            pairs: ratings.len(),
            edges: ranking.positives(),
        })
    }
}
