//! The same seed gives the same bits, on any number of threads.

#![allow(missing_docs, clippy::unwrap_used)]

use std::ops::ControlFlow;

use rayon::prelude::*;
use veil_nn::loss::{Loss, Targets, Transition};
use veil_nn::training::{Keep, Options, Task, train};
use veil_nn::workload::shape::Shape;
use veil_nn::{Description, Input, Kind, Model, on_one_core};

/// Large enough that kernels split their rows.
const SHAPE: Shape = Shape { nodes: 5000, messages: 70_000, features: 100, classes: 7, hops: 2 };

fn train_on(threads: usize, input: &Input, kind: Kind, seed: u64) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| trained(input, kind, seed))
}

/// The complete result of a training, as bits.
fn trained(input: &Input, kind: Kind, seed: u64) -> Vec<u32> {
    let heads = if kind.has_heads() { 4 } else { 1 };
    let description = Description { kind, heads, batch_norm: kind == Kind::Sage, ..Description::default() };
    let mut model = Model::new(description.check(SHAPE.features, SHAPE.classes).unwrap(), seed);
    let labels = SHAPE.labels(1);
    let targets = |remainder| {
        let pairs = (0..).zip(labels.iter().copied()).filter(|(node, _)| node % 2 == remainder).collect();
        Targets::new(pairs, labels.len(), SHAPE.classes).unwrap()
    };
    let (train_targets, validation) = (targets(0), targets(1));
    let rows = (0..7).map(|row| (0..7).map(|column| if row == column { 0.7 } else { 0.05 }).collect()).collect();
    let transition = Transition::new(rows).unwrap();
    let loss = Loss::drop(train_targets, Some(&validation), transition, input.topology(), 2).unwrap();
    let task = Task::new(loss, Some(validation)).unwrap();
    let options = Options { epochs: 2, keep: Keep::LowestValidationLoss, seed, ..Options::default() };
    let trained = train(&mut model, input, &task, options, &mut |_| ControlFlow::Continue(())).unwrap();
    let metrics = trained.history.iter().flat_map(|epoch| {
        [epoch.train_loss, epoch.train_accuracy, epoch.validation_loss.unwrap(), epoch.validation_accuracy.unwrap()]
    });
    let mut bits: Vec<u32> =
        metrics.flat_map(|metric| [(metric.to_bits() >> 32) as u32, metric.to_bits() as u32]).collect();
    model.restore(&trained.weights);
    for (_, tensor) in model.tensors() {
        bits.extend(tensor.values().iter().map(|value| value.to_bits()));
    }
    bits.extend(model.predict(input).unwrap().values().iter().map(|value| value.to_bits()));
    bits
}

#[test]
fn training_has_the_same_bits_on_one_two_and_four_threads() {
    let (reports, dense) = (SHAPE.with_reports(1), SHAPE.with_power_law(1).unwrap());
    for kind in Kind::ALL {
        // The dense form of features depends on the kind only by its aggregation.
        let inputs = if matches!(kind, Kind::Gcn | Kind::Sage) { vec![&reports, &dense] } else { vec![&reports] };
        for input in inputs {
            let one = train_on(1, input, kind, 5);
            for threads in [2, 4] {
                assert!(one == train_on(threads, input, kind, 5), "{kind} on {threads} threads");
            }
        }
    }
}

/// Many trainings in parallel, one on each core.
#[test]
fn training_has_the_same_bits_on_one_core() {
    // A third of the features is set: stored as bits.
    let input = SHAPE.with_binary_features(0.35, 1);
    let seeds = [5, 6, 7];
    let expected = seeds.map(|seed| train_on(2, &input, Kind::Sage, seed));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let found: Vec<_> =
        pool.install(|| seeds.into_par_iter().map(|seed| on_one_core(|| trained(&input, Kind::Sage, seed))).collect());
    assert!(found == expected);
    assert!(expected[0] == train_on(1, &input, Kind::Sage, 5));
}

#[test]
fn training_is_the_same_from_run_to_run_and_another_with_another_seed() {
    let (input, again) = (SHAPE.with_reports(1), SHAPE.with_reports(1));
    for kind in [Kind::Gcn, Kind::Gat] {
        let first = train_on(2, &input, kind, 5);
        assert!(first == train_on(2, &again, kind, 5), "{kind}");
        assert!(first != train_on(2, &input, kind, 6), "{kind}");
    }
}
