use veil_graph::{Features, Matrix};

use super::combine::Combination;
use super::reduced::Basis;
use super::scores::Scores;
use crate::method::lpgnet::bayes::Evidence;

fn scores(rows: &[[f32; 2]]) -> Scores {
    Scores::of(&Matrix::from_values(rows.len(), 2, rows.concat()).unwrap())
}

fn labels(classes: &[usize]) -> Vec<Evidence> {
    let one_hot = |class: usize| (0..2).map(|other| f64::from(other == class)).collect();
    classes.iter().enumerate().map(|(node, &class)| Evidence { node, likelihood: one_hot(class) }).collect()
}

#[test]
fn few_directions_hold_what_differs() {
    // Rows are sums of 3 patterns over 40 columns: 3 directions hold all of it.
    let value = |row: usize, column: usize| {
        let part = |pattern: usize| ((row * 7 + pattern * 11) % 13) as f32 * ((column * (pattern + 2)) % 5) as f32;
        (0..3).map(part).sum::<f32>() + 1.0
    };
    let values = (0..60 * 40).map(|place| value(place / 40, place % 40)).collect();
    let features = Features::Dense(Matrix::from_values(60, 40, values).unwrap());
    let basis = Basis::of(&features).unwrap();
    let short = Features::Dense(basis.along(&features).unwrap());
    let unit = features.with_rows_of_length(1.0, None).unwrap();
    for (a, b) in [(0, 1), (5, 40), (59, 3)] {
        assert!((short.dot(a, b) - unit.dot(a, b)).abs() < 1e-5, "{} {}", short.dot(a, b), unit.dot(a, b));
    }
    let map = basis.map(&features, true).unwrap();
    let white = features.times(&map).unwrap();
    let product = |i: usize, j: usize| (0..60).map(|row| white.row(row)[i] * white.row(row)[j]).sum::<f32>() / 60.0;
    let squares = (0..40).filter(|&it| (product(it, it) - 1.0).abs() < 0.01).count();
    assert!((1..=5).contains(&squares), "{squares} directions have mean square 1");
    assert!((0..40).all(|it| product(it, it) < 1.01));
}

#[test]
fn a_score_that_says_nothing_gets_little_weight() {
    let classes: Vec<usize> = (0..60).map(|node| usize::from(node % 3 == 0)).collect();
    let telling: Vec<[f32; 2]> = classes.iter().map(|&class| [[1.0, -1.0], [-1.0, 1.0]][class]).collect();
    let noise: Vec<[f32; 2]> = (0..60).map(|node| [[0.7, -0.7], [-0.7, 0.7]][(node / 2) % 2]).collect();
    let (telling, noise, labels) = (scores(&telling), scores(&noise), labels(&classes));
    let both = [&noise, &telling];
    let chosen = Combination::chosen(&[vec![0], vec![1], vec![0, 1]], &both, &labels, true);
    assert!(chosen.parts.contains(&1), "{chosen:?}");
    let fitted = Combination::fitted(vec![0, 1], &both, &labels, true);
    assert!(fitted.weights[1] > 1.0 && fitted.weights[1] > 2.0 * fitted.weights[0].abs(), "{fitted:?}");
    assert!(fitted.fits(2, 2) && !fitted.fits(1, 2) && !fitted.fits(2, 3));
    let combined = fitted.apply(&both);
    let right = classes.iter().enumerate().filter(|&(node, &class)| {
        let row = combined.row(node);
        row[class] > row[1 - class]
    });
    assert_eq!(right.count(), classes.len());
}

#[test]
fn without_labels_the_first_score_stays_as_it_is() {
    let only = scores(&[[0.5, -0.5], [2.0, -2.0]]);
    let fitted = Combination::fitted(vec![0], &[&only], &[], true);
    assert!((fitted.weights[0] - 1.0).abs() < 1e-9 && fitted.biases == [0.0, 0.0], "{fitted:?}");
}

/// At the solution the gradient of loss and penalty is 0: moving any number makes it larger.
#[test]
fn fitted_weights_are_a_minimum() {
    let classes: Vec<usize> = (0..40).map(|node| usize::from(node % 5 < 2)).collect();
    let one: Vec<[f32; 2]> = classes
        .iter()
        .enumerate()
        .map(|(node, &class)| {
            let sure = 0.2 + (node % 7) as f32 / 5.0;
            let right = if node % 4 == 0 { 1 - class } else { class };
            [[sure, -sure], [-sure, sure]][right]
        })
        .collect();
    let (one, labels) = (scores(&one), labels(&classes));
    let fitted = Combination::fitted(vec![0], &[&one], &labels, true);
    let deviation = {
        let all: Vec<f64> = (0..40).flat_map(|node| one.row(node).to_vec()).collect();
        (all.iter().map(|it| it * it).sum::<f64>() / all.len() as f64).sqrt()
    };
    let value = |weight: f64, bias: f64| -> f64 {
        let loss = labels.iter().enumerate().map(|(node, label)| {
            let z: Vec<f64> = one
                .row(node)
                .iter()
                .zip([fitted.biases[0] + bias, fitted.biases[1]])
                .map(|(it, b)| weight * it + b)
                .collect();
            let all = z.iter().map(|it| it.exp()).sum::<f64>();
            -(z.iter().zip(&label.likelihood).map(|(it, likely)| it.exp() * likely).sum::<f64>() / all).ln()
        });
        let far = (weight * deviation - deviation).powi(2);
        loss.sum::<f64>() + far + 5.0 * ((fitted.biases[0] + bias).powi(2) + fitted.biases[1].powi(2))
    };
    let least = value(fitted.weights[0], 0.0);
    for (weight, bias) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
        assert!(value(fitted.weights[0] + weight, bias) > least, "{weight} {bias}");
    }
}
