//! Success of an attack on membership, with 95 % intervals: percentiles of a bootstrap over nodes,
//! members and others resampled separately. The intervals are about other nodes and the same
//! models. They treat nodes as independent, which neighbours are not quite.

use rayon::prelude::*;
use serde::Serialize;
use veil_graph::random::Random;
use veil_learn::metrics::{Ranking, RocPoint};

use crate::scores::AtFpr;
use crate::scores::interval::{Resampler, percentiles, resamples};

/// Success of a signal. All figures but the counts are fractions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The probability that a random member is rated above a random other; a tie counts one half.
    pub auc: f64,
    /// Its interval. It has width 0 if the AUC is 0 or 1.
    pub auc_ci: [f64; 2],
    /// The true positive rate at low false positive rates. `None` with fewer than 1,000 or 100
    /// others: one of them is then more than that rate.
    pub tpr_at_fpr: AtFpr<Option<f64>>,
    /// Its intervals. The threshold is chosen again in every resample.
    pub tpr_at_fpr_ci: AtFpr<Option<[f64; 2]>>,
    /// The mean of the true positive and true negative rates, with the threshold that is best for
    /// shadow models. `None` if shadows cannot choose one.
    pub balanced_accuracy: Option<f64>,
    /// Its interval, with the same threshold.
    pub balanced_accuracy_ci: Option<[f64; 2]>,
    /// Number of resamples.
    pub resamples: usize,
    /// The ROC curve.
    #[serde(skip)]
    pub roc: Vec<RocPoint>,
}

impl Scores {
    /// Compares ratings with the truth. There must be a member and another.
    pub(super) fn new(ratings: &[f64], is_member: &[bool], threshold: Option<f64>, seed: u64) -> Scores {
        let ranking = Ranking::new(ratings, is_member);
        let (members, others) = (ranking.positives(), ranking.negatives());
        let resamples = resamples(ratings.len());
        // Accepted members, and others that are not accepted.
        let right = threshold.map(|threshold| {
            let count = |member: bool| {
                let same = ratings
                    .iter()
                    .zip(is_member)
                    .filter(|&(&rating, &of)| of == member && (rating >= threshold) == member);
                same.count()
            };
            [(count(true), members), (count(false), others)]
        });
        let resampler = Resampler::new(&ranking);
        let drawn: Vec<[f64; 4]> = (0..resamples)
            .into_par_iter()
            .map(|number| {
                let mut random = Random::new(seed, &format!("membership/bootstrap/{number}"));
                let again = resampler.draw(&mut random);
                let mut share = |(right, all): (usize, usize)| {
                    let right = (0..all).filter(|_| random.below(all) < right).count();
                    right as f64 / all as f64
                };
                let balanced = right.map_or(0.0, |[found, refused]| (share(found) + share(refused)) / 2.0);
                [again.auc(), again.tpr_at_one_in(1000), again.tpr_at_one_in(100), balanced]
            })
            .collect();
        let interval = |figure: usize| percentiles(drawn.iter().map(|drawn| drawn[figure]).collect());
        let enough = |one_in: usize| others >= one_in;
        Scores {
            auc: ranking.auc(),
            auc_ci: interval(0),
            tpr_at_fpr: AtFpr {
                per_mille: enough(1000).then(|| ranking.tpr_at_one_in(1000)),
                per_cent: enough(100).then(|| ranking.tpr_at_one_in(100)),
            },
            tpr_at_fpr_ci: AtFpr {
                per_mille: enough(1000).then(|| interval(1)),
                per_cent: enough(100).then(|| interval(2)),
            },
            balanced_accuracy: right
                .map(|[found, refused]| (found.0 as f64 / found.1 as f64 + refused.0 as f64 / refused.1 as f64) / 2.0),
            balanced_accuracy_ci: right.map(|_| interval(3)),
            resamples,
            roc: ranking.roc(),
        }
    }
}

/// The threshold with the best balanced accuracy, the highest among equals. `None` without members
/// or others.
pub(super) fn threshold(known: &[(f64, bool)]) -> Option<f64> {
    let members = known.iter().filter(|(_, member)| *member).count();
    let others = known.len() - members;
    if members == 0 || others == 0 {
        return None;
    }
    let mut order = known.to_vec();
    order.sort_by(|left, right| right.0.total_cmp(&left.0));
    // TPR − FPR, times both counts: whole numbers, so that equals are equal.
    let (mut best, mut gain) = (None::<(i128, f64)>, 0i128);
    for (place, &(rating, member)) in order.iter().enumerate() {
        gain += if member { others as i128 } else { -(members as i128) };
        let tied = order.get(place + 1).is_some_and(|next| next.0 == rating);
        if !tied && best.is_none_or(|(most, _)| gain > most) {
            best = Some((gain, rating));
        }
    }
    best.map(|(_, rating)| rating)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_the_best_for_shadows() {
        assert_eq!(threshold(&[(3.0, true), (2.0, true), (1.0, false), (0.0, true), (-1.0, false)]), Some(2.0));
        // Tied ratings are accepted together; nothing separates them, so only the highest is as
        // good as none.
        assert_eq!(threshold(&[(1.0, true), (1.0, false)]), Some(1.0));
        assert_eq!(threshold(&[(1.0, false), (0.0, true)]), Some(0.0));
        assert_eq!(threshold(&[(1.0, true)]), None);
        assert_eq!(threshold(&[]), None);
    }

    #[test]
    fn low_rates_need_enough_others() {
        let of = |others: usize| {
            let is_member: Vec<bool> = (0..50 + others).map(|node| node < 50).collect();
            let ratings: Vec<f64> =
                (0..50 + others).map(|node| if node < 25 { 2.0 } else { (node % 7) as f64 / 7.0 }).collect();
            Scores::new(&ratings, &is_member, Some(1.5), 1)
        };
        assert_eq!(of(99).tpr_at_fpr, AtFpr { per_mille: None, per_cent: None });
        assert_eq!(of(100).tpr_at_fpr, AtFpr { per_mille: None, per_cent: Some(0.5) });
        let many = of(1000);
        assert_eq!(many.tpr_at_fpr, AtFpr { per_mille: Some(0.5), per_cent: Some(0.5) });
        assert_eq!(many.balanced_accuracy, Some(0.75));
        // Only 25 of 50 members are uncertain: the deviation is 0.0354, and six of them are 0.21.
        let [low, high] = many.balanced_accuracy_ci.unwrap();
        assert!(0.65 < low && low < 0.75 && 0.75 < high && high < 0.85, "{low} {high}");
        let [low, high] = many.tpr_at_fpr_ci.per_mille.unwrap();
        assert!(0.29 < low && low < 0.5 && 0.5 < high && high < 0.71, "{low} {high}");
    }
}
