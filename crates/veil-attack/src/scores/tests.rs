use veil_graph::random::Random;

use super::*;
use crate::pairs::Sample;
use crate::testing::{homophilous, on_any_pool, undirected};

fn four_pairs() -> Pairs {
    Pairs::sample(&undirected(4, &[(0, 1), (2, 3)]), Sample::Balanced, 500, 1).unwrap()
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
    assert_eq!(refused, AttackError::NotANumber { source_node, target_node });
    assert_eq!(score(&[0.0; 3], None), Err(AttackError::Length { pairs: 4, ratings: 3 }));
    assert_eq!(score(&[0.0; 4], Some(1.5)), Err(AttackError::Belief { belief: 1.5 }));
    assert!(matches!(score(&[0.0; 4], Some(f64::NAN)), Err(AttackError::Belief { .. })));
}

#[test]
fn intervals_hold_the_figure_and_follow_the_seed_alone() {
    let pairs = Pairs::sample(&homophilous(60, 1, 1).graph, Sample::Balanced, 500, 1).unwrap();
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
