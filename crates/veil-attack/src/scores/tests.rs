use veil_graph::random::Random;

use super::*;
use crate::pairs::Sampling;
use crate::testing::{homophilous, on_any_pool, undirected};

/// Ratings with many ties and both kinds of pairs.
fn cases() -> impl Iterator<Item = (Vec<f64>, Vec<bool>)> {
    let mut random = Random::new(1, "cases");
    (0..300).map(move |_| {
        let (pairs, levels) = (2 + random.below(9), 1 + random.below(6));
        let ratings = (0..pairs).map(|_| random.below(levels) as f64 - 2.0).collect();
        let mut is_edge: Vec<bool> = (0..pairs).map(|_| random.below(2) == 1).collect();
        (is_edge[0], is_edge[1]) = (true, false);
        (ratings, is_edge)
    })
}

fn split(ratings: &[f64], is_edge: &[bool]) -> (Vec<f64>, Vec<f64>) {
    let of = |kind| ratings.iter().zip(is_edge).filter(|&(_, &edge)| edge == kind).map(|(&rating, _)| rating).collect();
    (of(true), of(false))
}

/// The share of `all` that is at least `threshold`.
fn accepted(all: &[f64], threshold: f64) -> f64 {
    all.iter().filter(|&&rating| rating >= threshold).count() as f64 / all.len() as f64
}

#[test]
fn auc_counts_pairs_of_pairs() {
    for (ratings, is_edge) in cases() {
        let (edges, others) = split(&ratings, &is_edge);
        let mut wins = 0.0;
        for edge in &edges {
            for other in &others {
                wins += if edge > other {
                    1.0
                } else if edge == other {
                    0.5
                } else {
                    0.0
                };
            }
        }
        assert_eq!(Ranking::new(&ratings, &is_edge).auc(), wins / (edges.len() * others.len()) as f64);
    }
}

#[test]
fn average_precision_averages_over_the_edges() {
    for (ratings, is_edge) in cases() {
        let (edges, _) = split(&ratings, &is_edge);
        let precision = |&threshold: &f64| {
            accepted(&edges, threshold) * edges.len() as f64 / (accepted(&ratings, threshold) * ratings.len() as f64)
        };
        let expected = edges.iter().map(precision).sum::<f64>() / edges.len() as f64;
        let found = Ranking::new(&ratings, &is_edge).average_precision();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn tpr_is_the_best_of_all_thresholds() {
    for (ratings, is_edge) in cases() {
        let (edges, others) = split(&ratings, &is_edge);
        for one_in in [1, 2, 3, 4, 100] {
            let allowed = ratings.iter().filter(|&&t| accepted(&others, t) * one_in as f64 <= 1.0 + 1e-9);
            let expected = allowed.map(|&threshold| accepted(&edges, threshold)).fold(0.0, f64::max);
            assert_eq!(Ranking::new(&ratings, &is_edge).tpr_at_one_in(one_in), expected);
        }
    }
}

/// Every set of `count` pairs such that no pair outside is rated higher than one inside is an equally likely top.
#[test]
fn edges_among_the_top_are_a_mean_over_all_tops() {
    for (ratings, is_edge) in cases() {
        for count in 0..=ratings.len() {
            let (mut tops, mut edges) = (0, 0);
            for set in 0u32..1 << ratings.len() {
                let inside = |pair: usize| set >> pair & 1 == 1;
                let rated =
                    |kind| (0..ratings.len()).filter(move |&pair| inside(pair) == kind).map(|pair| ratings[pair]);
                let lowest = rated(true).fold(f64::INFINITY, f64::min);
                if set.count_ones() as usize == count && rated(false).all(|rating| rating <= lowest) {
                    tops += 1;
                    edges += (0..ratings.len()).filter(|&pair| inside(pair) && is_edge[pair]).count();
                }
            }
            let expected = edges as f64 / f64::from(tops);
            let found = Ranking::new(&ratings, &is_edge).edges_among_top(count);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}

/// Ratings 5 4 4 3 2 1, edges + + − − + −.
#[test]
fn figures_by_hand() {
    let ranking = Ranking::new(&[4.0, 1.0, 5.0, 3.0, 2.0, 4.0], &[false, false, true, false, true, true]);
    // Edge 5 beats 3, edge 4 beats 2 and ties 1, edge 2 beats 1.
    assert_eq!(ranking.auc(), 6.5 / 9.0);
    // Precisions 1, 2/3 and 3/5.
    assert!((ranking.average_precision() - (1.0 + 2.0 / 3.0 + 0.6) / 3.0).abs() < 1e-15);
    assert_eq!(ranking.tpr_at_one_in(100), 1.0 / 3.0);
    assert_eq!(ranking.tpr_at_one_in(3), 2.0 / 3.0);
    assert_eq!((ranking.edges_among_top(2), ranking.edges_among_top(3)), (1.5, 2.0));
}

#[test]
fn zeros_of_either_sign_tie_and_infinities_are_ratings() {
    let ranking = Ranking::new(&[0.0, -0.0, f64::NEG_INFINITY, f64::INFINITY], &[true, false, false, true]);
    assert_eq!(ranking.auc(), 3.5 / 4.0);
}

#[test]
fn one_percent_of_2900_is_29() {
    let is_edge: Vec<bool> = (0..2901).map(|pair| pair == 29).collect();
    let ratings: Vec<f64> = (0..2901).map(|pair| f64::from(-pair)).collect();
    assert_eq!(Ranking::new(&ratings, &is_edge).tpr_at_one_in(100), 1.0);
    assert_eq!(Ranking::new(&ratings, &is_edge).tpr_at_one_in(101), 0.0);
}

fn four_pairs() -> Pairs {
    Pairs::sample(&undirected(4, &[(0, 1), (2, 3)]), Sampling::default(), 1).unwrap()
}

#[test]
fn the_belief_decides_how_many_pairs_are_accepted() {
    let score = |belief| Scores::new(&four_pairs(), &[4.0, 1.0, 3.0, 2.0], Scoring { belief, seed: 1 }).unwrap();
    let at = |belief| (score(belief).precision, score(belief).recall);
    assert_eq!(at(None), (0.5, 0.5));
    assert_eq!(at(Some(0.25)), (1.0, 0.5));
    assert_eq!(at(Some(1.0)), (0.5, 1.0));
    assert_eq!(at(Some(0.0)), (0.0, 0.0));
}

#[test]
fn what_cannot_be_scored_is_refused() {
    let pairs = four_pairs();
    let score = |ratings: &[f64], belief| Scores::new(&pairs, ratings, Scoring { belief, seed: 1 });
    let (source_node, target_node) = pairs.list()[2];
    let refused = score(&[0.0, 0.0, f64::NAN, 0.0], None).unwrap_err();
    assert_eq!(refused, ScoresError::NotANumber { source_node, target_node });
    assert_eq!(score(&[0.0; 3], None), Err(ScoresError::Length { pairs: 4, ratings: 3 }));
    assert_eq!(score(&[0.0; 4], Some(1.5)), Err(ScoresError::Belief { belief: 1.5 }));
    assert!(matches!(score(&[0.0; 4], Some(f64::NAN)), Err(ScoresError::Belief { .. })));
}

#[test]
fn intervals_hold_the_figure_and_follow_the_seed_alone() {
    let pairs = Pairs::sample(&homophilous(60, 1, 1).graph, Sampling::default(), 1).unwrap();
    let mut random = Random::new(1, "ratings");
    let ratings: Vec<f64> =
        pairs.is_edge().iter().map(|&edge| random.unit() + f64::from(u8::from(edge)) / 4.0).collect();
    let score = |seed| Scores::new(&pairs, &ratings, Scoring { belief: None, seed }).unwrap();
    let scores = on_any_pool(|| score(1));
    for (figure, [low, high]) in [(scores.auc, scores.auc_ci), (scores.average_precision, scores.average_precision_ci)]
    {
        assert!(low < figure && figure < high, "{scores:?}");
    }
    assert_ne!(scores.auc_ci, score(2).auc_ci);
}
