use veil_graph::{Features, Matrix, NodeId, Sparse};

use super::combine::Combination;
use super::neighbours;
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
fn neighbours_share_rare_columns_and_are_mutual() {
    // Nodes 0 and 1 share the rare column 1; everybody has column 0, which says nothing; 3 is alone.
    let entries = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 2), (3, 0), (3, 3)];
    let triples: Vec<(u32, u32, f32)> = entries.iter().map(|&(row, column)| (row, column, 1.0)).collect();
    let features = Features::Sparse(Sparse::from_triples(4, 4, &triples).unwrap());
    let lists = neighbours::lists(&features).unwrap().expect("sparse features have lists");
    let others = |node: NodeId| -> Vec<NodeId> {
        let mut list = lists[node as usize].clone();
        list.retain(|&other| other != node);
        list
    };
    assert_eq!([0, 1, 2, 3].map(others), [vec![1], vec![0], vec![], vec![]]);
    assert!(lists.iter().zip(0..).all(|(list, me)| list.is_sorted() && list.contains(&me)), "{lists:?}");
    assert!(neighbours::lists(&Features::Dense(Matrix::zeros(2, 2))).unwrap().is_none());
}

#[test]
fn the_same_neighbours_on_any_number_of_threads() {
    let triples: Vec<(u32, u32, f32)> =
        (0..300).flat_map(|row| (0..5).map(move |at| (row, (row * 7 + at * at) % 90, 1.0))).collect();
    let mut triples = triples;
    triples.sort_by_key(|&(row, column, _)| (row, column));
    triples.dedup_by_key(|it| (it.0, it.1));
    let features = Features::Sparse(Sparse::from_triples(300, 90, &triples).unwrap());
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| neighbours::lists(&features).unwrap())
    };
    assert_eq!(on(1), on(4));
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
