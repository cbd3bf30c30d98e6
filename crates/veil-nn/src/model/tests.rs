//! Gradients of whole networks, and the keys of dropout.

use veil_graph::{Features, Matrix};

use super::*;
use crate::graph::Messages;
use crate::layers::Kind;

const NODES: usize = 7;

fn input() -> Input {
    let lists = [vec![1, 2, 3], vec![0, 0, 5], vec![2, 4], vec![], vec![6, 1], vec![2, 3, 4], vec![0]];
    let mut random = Random::new(3, "features");
    let values = (0..NODES * 4).map(|_| (2.0 * random.unit() - 1.0) as f32).collect();
    let features = Features::Dense(Matrix::from_values(NODES, 4, values).unwrap());
    Input::new(features, Messages::from_lists(&lists).unwrap(), 1).unwrap()
}

/// Σ upstream∘scores of a forward pass without dropout, in double precision.
fn objective(model: &mut Model, input: &Input, upstream: &Tensor) -> f64 {
    let projected = model.project(input);
    let step = model.train(input, projected, 1);
    let pairs = step.logits().values().iter().zip(upstream.values());
    pairs.map(|(&score, &weight)| f64::from(score) * f64::from(weight)).sum()
}

/// A step of 2⁻⁷ has an error of about 2⁻¹⁴ times the third derivative, and 32-bit scores of size 1
/// one of about 10⁻⁵: both are far below a hundredth of the largest gradient of a matrix.
#[test]
fn gradients_of_networks_agree_with_differences() {
    let input = input();
    for (kind, heads) in [(Kind::Mlp, 1), (Kind::Gcn, 1), (Kind::Sage, 1), (Kind::Gt, 2)] {
        for (layers, batch_norm) in [(1, false), (3, false), (3, true)] {
            // SELU has a kink at 0 that a difference may step over; the identity has none, and the
            // layers have their own checks.
            let description = Description {
                kind,
                layers,
                hidden: 5,
                heads,
                activation: crate::Activation::None,
                dropout: 0.0,
                batch_norm,
                bias: true,
            };
            let mut model = Model::new(description.check(4, 3).unwrap(), 5);
            let mut random = Random::new(4, "upstream");
            let values = (0..NODES * 3).map(|_| (2.0 * random.unit() - 1.0) as f32).collect();
            let upstream = Tensor::from_values(NODES, 3, values).unwrap();
            let projected = model.project(&input);
            let step = model.train(&input, projected, 1);
            model.backward(&input, step, upstream.clone());
            let gradients: Vec<Tensor> =
                model.parameters_mut().into_iter().map(|parameter| parameter.gradient.clone()).collect();
            for (index, gradient) in gradients.iter().enumerate() {
                let largest = gradient.values().iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
                for (row, column) in [(0, 0), (gradient.rows() - 1, gradient.columns() - 1)] {
                    let mut shifted = |by: f32| {
                        model.parameters_mut()[index].value.row_mut(row)[column] += by;
                        let value = objective(&mut model, &input, &upstream);
                        model.parameters_mut()[index].value.row_mut(row)[column] -= by;
                        value
                    };
                    let step = 0.007_812_5;
                    let difference = (shifted(step) - shifted(-step)) / (2.0 * f64::from(step));
                    let found = f64::from(gradient.row(row)[column]);
                    let allowed = 0.01 * f64::from(largest).max(0.1);
                    let what = format!("{kind}, {layers} layers, normalised: {batch_norm}, parameter {index}");
                    assert!((found - difference).abs() < allowed, "{what}: {found} {difference}");
                }
            }
        }
    }
}

#[test]
fn every_layer_of_every_step_drops_other_numbers() {
    let mut keys: Vec<u64> = (0..1000u64).flat_map(|step| (1..5).map(move |layer| layer_key(step, layer))).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 4000);
}

/// The first layer of an MLP is linear in its input, so a map before it is part of it.
#[test]
fn a_network_reads_features_through_a_map() {
    let description = Description { kind: Kind::Mlp, layers: 2, hidden: 5, ..Description::default() };
    let narrow = Model::new(description.check(4, 3).unwrap(), 2);
    let values = |count: usize| (0..count).map(|it| ((it * 7) % 11) as f32 / 8.0 - 0.5).collect::<Vec<f32>>();
    let (wide, map) = (Matrix::from_values(6, 9, values(54)).unwrap(), Matrix::from_values(9, 4, values(36)).unwrap());
    let (features, mapped) = (Features::Dense(wide), Features::Dense);
    let short = mapped(features.times(&map).unwrap());
    let answers = |model: &Model, features: Features| model.predict(&Input::without_graph(features).unwrap()).unwrap();
    let wanted = answers(&narrow, short);
    let found = answers(&narrow.reading_through(&map).unwrap(), features);
    let far = wanted.values().iter().zip(found.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(far < 1e-5, "{far}");
    assert!(narrow.reading_through(&Matrix::zeros(9, 5)).is_none());
    let convolution = Model::new(Description { kind: Kind::Gcn, ..description }.check(4, 3).unwrap(), 2);
    assert!(convolution.reading_through(&map).is_none());
}
