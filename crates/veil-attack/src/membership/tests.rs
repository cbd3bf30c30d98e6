use veil_graph::Matrix;
use veil_graph::random::Random;

use super::*;
use crate::testing::{homophilous, on_any_pool};

/// Answers about nodes of two classes in turn, with these posteriors of the true class.
fn answers(sure: impl IntoIterator<Item = f64>) -> Answers {
    let rows: Vec<[f32; 2]> = sure.into_iter().map(|sure| [sure as f32, (1.0 - sure) as f32]).collect();
    let classes = (0..rows.len() as u32).map(|node| node % 2).collect();
    let turned =
        rows.iter().enumerate().map(|(node, &[own, other])| if node % 2 == 0 { [own, other] } else { [other, own] });
    Answers::new(Matrix::from_values(rows.len(), 2, turned.flatten().collect()).unwrap(), classes).unwrap()
}

/// Eight shadows over a pool of 40 nodes, each with a random half as members, of whom it is as sure
/// as `member` says; of the others, and of all who are asked about, as `other` says.
fn shadows(asked: usize, member: impl Fn(&mut Random) -> f64, other: impl Fn(&mut Random) -> f64) -> Vec<Shadow> {
    let shadow = |number: u64| {
        let mut random = Random::new(number, "shadow");
        let roles: Vec<Role> = (0..40).map(|_| if random.below(2) == 0 { Role::Member } else { Role::Other }).collect();
        let sure: Vec<f64> = roles
            .iter()
            .map(|role| if *role == Role::Member { member(&mut random) } else { other(&mut random) })
            .collect();
        let attacked: Vec<f64> = (0..asked).map(|_| other(&mut random)).collect();
        Shadow { pool: answers(sure), roles, attacked: answers(attacked) }
    };
    (0..8).map(shadow).collect()
}

#[test]
fn a_model_that_memorises_gives_every_member_away() {
    let hesitant = |random: &mut Random| 0.6 + 0.2 * random.unit();
    let mut random = Random::new(1, "target");
    let others: Vec<f64> = (0..30).map(|_| hesitant(&mut random)).collect();
    let attacked = [answers(vec![0.999; 20]), answers(others)];
    let found = rate(&attacked, &shadows(50, |_| 0.999, hesitant), 1).unwrap();
    assert_eq!(found.iter().map(|found| found.signal).collect::<Vec<_>>(), Signal::ALL);
    for Found { signal, scores } in found {
        assert_eq!((scores.auc, scores.auc_ci), (1.0, [1.0, 1.0]), "{signal:?}");
        assert_eq!(scores.balanced_accuracy, Some(1.0), "{signal:?}");
        assert_eq!(scores.tpr_at_fpr.per_cent, None, "thirty others are too few");
    }
}

#[test]
fn a_constant_model_gives_nobody_away() {
    let attacked = [answers(vec![0.7; 20]), answers(vec![0.7; 30])];
    for Found { signal, scores } in rate(&attacked, &shadows(50, |_| 0.7, |_| 0.7), 1).unwrap() {
        assert_eq!((scores.auc, scores.auc_ci), (0.5, [0.5, 0.5]), "{signal:?}");
        assert_eq!(scores.balanced_accuracy, Some(0.5), "{signal:?}");
    }
}

/// Even nodes are easy for every model, odd ones hard; members are a little surer than that. One
/// threshold sees the difference between easy and hard; a comparison node by node sees the members.
#[test]
fn the_likelihood_ratio_does_not_take_the_easy_for_the_learned() {
    let easy = |node: usize| if node.is_multiple_of(2) { 0.99 } else { 0.6 };
    let surer = |sure: f64| sure + 0.3 * (1.0 - sure);
    let attacked = [answers((0..20).map(|node| surer(easy(node)))), answers((0..20).map(easy))];
    let shadow = |number: u64| {
        let mut random = Random::new(number, "shadow");
        let roles: Vec<Role> = (0..40).map(|_| if random.below(2) == 0 { Role::Member } else { Role::Other }).collect();
        let pool = roles.iter().enumerate().map(|(node, role)| {
            if *role == Role::Member { surer(easy(node)) } else { easy(node) - 0.001 * random.unit() }
        });
        let pool = answers(pool.collect::<Vec<_>>());
        let said = (0..40).map(|node| easy(node % 20) - 0.001 * random.unit()).collect::<Vec<_>>();
        Shadow { pool, roles, attacked: answers(said) }
    };
    let shadows: Vec<Shadow> = (0..8).map(shadow).collect();
    let found = rate(&attacked, &shadows, 1).unwrap();
    let auc = |signal: Signal| found.iter().find(|found| found.signal == signal).unwrap().scores.auc;
    // Half of the pairs are of one kind, and there members win; of the other pairs they win half.
    assert_eq!(auc(Signal::Loss), 0.75);
    assert_eq!(auc(Signal::LikelihoodRatio), 1.0);
}

#[test]
fn ratings_by_hand() {
    let rows = vec![0.5, 0.3, 0.2, 1.0, 0.0, 0.0, 1.0, 1e-20, 0.0];
    let said = Answers::new(Matrix::from_values(3, 3, rows).unwrap(), vec![1, 0, 0]).unwrap();
    let near = |left: f64, right: f64| assert!((left - right).abs() < 1e-6, "{left} {right}");
    near(said.losses()[0], 0.3f64.ln());
    near(said.logits()[0], (0.3f64 / 0.7).ln());
    near(said.confidences()[0], 0.0);
    near(said.entropies()[0], 0.5 * 0.5f64.ln() + 0.3 * 0.3f64.ln() + 0.2 * 0.2f64.ln());
    assert_eq!(said.picked(&[2, 0]).losses(), [said.losses()[2], said.losses()[0]]);
    // Both are 1 in 32 bits; what is left for others tells them apart.
    for ratings in [said.losses(), said.logits(), said.confidences(), said.entropies()] {
        assert!(ratings[1] > ratings[2] && ratings[2] > ratings[0], "{ratings:?}");
    }
}

#[test]
fn a_predictor_is_asked_about_nodes_and_their_classes() {
    let model = homophilous(20, 1, 1);
    let asked = Answers::of(&model, &[(3, 1), (4, 0)]).unwrap();
    assert_eq!((asked.len(), asked.columns()), (2, 2));
    assert!(matches!(Answers::of(&model, &[(20, 0)]), Err(MembershipError::Attack(_))));
    assert!(matches!(Answers::of(&model, &[(3, 2)]), Err(MembershipError::NoSuchClass { class: 2, classes: 2 })));
}

#[test]
fn the_same_figures_on_any_number_of_threads() {
    let mut random = Random::new(1, "target");
    let mut draw =
        |count: usize, least: f64| answers((0..count).map(|_| least + 0.4 * random.unit()).collect::<Vec<_>>());
    let attacked = [draw(60, 0.59), draw(60, 0.5)];
    let shadows = shadows(120, |random| 0.59 + 0.4 * random.unit(), |random| 0.5 + 0.4 * random.unit());
    let found = on_any_pool(|| rate(&attacked, &shadows, 1).unwrap());
    for Found { signal, scores } in &found {
        assert!(scores.auc_ci[0] < scores.auc && scores.auc < scores.auc_ci[1], "{signal:?}: {scores:?}");
    }
    assert_ne!(found[0].scores.auc_ci, rate(&attacked, &shadows, 2).unwrap()[0].scores.auc_ci);
}

#[test]
fn what_cannot_be_attacked_is_refused() {
    let attacked = [answers([0.9; 3]), answers([0.8; 3])];
    let good = shadows(6, |_| 0.9, |_| 0.8);
    assert!(matches!(rate(&attacked, &good[..3], 1), Err(MembershipError::TooFewShadows { shadows: 3 })));
    let others = shadows(5, |_| 0.9, |_| 0.8);
    assert!(matches!(rate(&attacked, &others, 1), Err(MembershipError::OtherNodes { found: 5, expected: 6 })));
    let mut cut = good.clone();
    cut[7].roles.pop();
    assert!(matches!(rate(&attacked, &cut, 1), Err(MembershipError::OtherNodes { found: 39, expected: 40 })));
    let mut idle = good;
    idle.iter_mut().for_each(|shadow| shadow.roles = vec![Role::Validation; 40]);
    assert!(matches!(rate(&attacked, &idle, 1), Err(MembershipError::NothingToLearn)));
    let nobody = [answers([]), answers([0.8; 3])];
    assert!(matches!(rate(&nobody, &[], 1), Err(MembershipError::Nobody { what: "members" })));
    let table = |value: f32| Matrix::from_values(1, 2, vec![value, 0.5]).unwrap();
    assert!(matches!(Answers::new(table(f32::NAN), vec![0]), Err(MembershipError::NoProbability { .. })));
    assert!(matches!(Answers::new(table(0.5), vec![]), Err(MembershipError::Length { answers: 1, nodes: 0 })));
}
