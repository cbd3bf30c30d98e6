//! Cases by hand; random ones are compared with scikit-learn in `tests/metrics.rs`.

use super::*;

fn posteriors(rows: &[&[f32]]) -> Matrix {
    Matrix::from_values(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

fn of(rows: &[&[f32]], truth: &[u32]) -> Option<Classification> {
    classification(&posteriors(rows), (0..).zip(truth.iter().copied()))
}

/// Truth 0 0 0 0 1 1, answers 0 0 0 1 1 0.
#[test]
fn figures_by_hand() {
    let rows: [&[f32]; 6] = [&[0.9, 0.1], &[0.8, 0.2], &[0.6, 0.4], &[0.3, 0.7], &[0.2, 0.8], &[0.6, 0.4]];
    let found = of(&rows, &[0, 0, 0, 0, 1, 1]).unwrap();
    assert_eq!((found.nodes, found.accuracy, found.micro_f1), (6, 4.0 / 6.0, 4.0 / 6.0));
    let zero = ClassScore { class: 0, truth: 4, predicted: 4, precision: 0.75, recall: 0.75, f1: 0.75 };
    let one = ClassScore { class: 1, truth: 2, predicted: 2, precision: 0.5, recall: 0.5, f1: 0.5 };
    assert_eq!(found.per_class, [zero, one]);
    assert_eq!(found.macro_f1, 0.625);
    let rare = found.rare.unwrap();
    assert_eq!((rare.class, rare.f1, rare.constant_f1, rare.predicts), (1, 0.5, 0.5, 2));
    // 0.8 is above all four; 0.4 is above two, ties with one, and is below 0.7.
    assert_eq!(rare.roc_auc, 6.5 / 8.0);
    assert!(0.0 < rare.roc_auc_low && rare.roc_auc_low < 0.5, "six nodes prove nothing: {rare:?}");
    assert!(rare.roc_auc < rare.roc_auc_high && rare.roc_auc_high < 1.0, "{rare:?}");
}

/// Twitch DE has 9,498 nodes, 3,756 of them in class 0.
#[test]
fn a_constant_answer_has_no_skill() {
    let truth: Vec<u32> = (0..9498).map(|node| u32::from(node >= 3756)).collect();
    let found = of(&vec![&[0.6f32, 0.4][..]; 9498], &truth).unwrap();
    let rare = found.rare.unwrap();
    assert_eq!((rare.class, rare.predicts, rare.roc_auc), (0, 1, 0.5));
    assert_eq!((rare.f1, (rare.f1 * 1000.0).round()), (rare.constant_f1, 567.0));
    assert!(rare.roc_auc_low < 0.5 && 0.5 < rare.roc_auc_high && rare.roc_auc_high < 0.52, "{rare:?}");
}

#[test]
fn no_nodes_have_no_score_and_one_class_has_no_rare_one() {
    assert_eq!(of(&[&[1.0, 0.0]], &[]), None);
    let found = of(&[&[1.0, 0.0], &[0.0, 1.0], &[0.5, 0.5]], &[0, 0, 0]).unwrap();
    assert_eq!((found.accuracy, found.rare), (2.0 / 3.0, None));
    // Class 1 is never true: its F1 is 0, and it counts.
    assert_eq!(found.per_class.iter().map(|class| (class.class, class.f1)).collect::<Vec<_>>(), [(0, 0.8), (1, 0.0)]);
    assert_eq!(found.macro_f1, 0.4);
}

#[test]
fn of_equally_rare_classes_the_lower_is_taken_and_absent_ones_are_not() {
    let found = of(&[&[0.1, 0.2, 0.3, 0.4][..]; 5], &[2, 1, 3, 3, 3]).unwrap();
    assert_eq!(found.rare.unwrap().class, 1);
    assert_eq!(found.per_class.iter().map(|class| class.class).collect::<Vec<_>>(), [1, 2, 3]);
}

/// The network knows two classes and three nodes.
#[test]
fn an_unknown_class_and_an_unknown_node_are_wrong() {
    let rows: [&[f32]; 3] = [&[0.9, 0.1], &[0.8, 0.2], &[0.2, 0.8]];
    let found = of(&rows, &[0, 0, 7, 1, 1]).unwrap();
    assert_eq!(found.accuracy, 2.0 / 5.0);
    assert_eq!(found.micro_f1, 4.0 / 8.0, "three answers for five nodes");
    let rare = found.rare.unwrap();
    assert_eq!((rare.class, rare.f1, rare.roc_auc, rare.predicts), (7, 0.0, 0.5, 2));
}

#[test]
fn only_the_tested_nodes_count_and_no_figure_is_nan() {
    let all = posteriors(&[&[0.9, 0.1], &[0.9, 0.1], &[0.2, 0.8], &[f32::NAN, f32::NAN], &[f32::NAN, 0.0]]);
    let found = classification(&all, [(0, 0), (2, 1)].into_iter()).unwrap();
    assert_eq!((found.nodes, found.accuracy, found.macro_f1), (2, 1.0, 1.0));
    let found = classification(&all, [(0, 0), (2, 1), (3, 1), (4, 0), (1, 1)].into_iter()).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    assert!(!text.contains("null"), "JSON has no NaN: {text}");
}
