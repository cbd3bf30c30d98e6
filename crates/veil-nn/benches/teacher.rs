//! Time to train one PrivGNN teacher, from features to weights, on one core: `cargo bench -p
//! veil-nn --bench teacher`.
//!
//! 750 nodes with 767 binary features, of which 35 % are set (Amazon Computers), 500 epochs. `veil
//! bench nn` reports 500 times the fastest step; this benchmark also includes the setup.

#![allow(missing_docs, clippy::unwrap_used)]

use std::ops::ControlFlow;

use divan::Bencher;
use veil_nn::loss::{Loss, Targets};
use veil_nn::optimiser::Params;
use veil_nn::training::{Options, Task, train};
use veil_nn::workload::shape::TEACHER;
use veil_nn::{Activation, Description, Kind, Model};

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    divan::main();
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn teacher(bencher: Bencher) {
    let description = Description {
        kind: Kind::Sage,
        hidden: 64,
        activation: Activation::Relu,
        batch_norm: true,
        ..Description::default()
    };
    let architecture = description.check(TEACHER.features, TEACHER.classes).unwrap();
    let pairs = (0..).zip(TEACHER.labels(1)).collect();
    let targets = Targets::new(pairs, TEACHER.nodes as usize, TEACHER.classes).unwrap();
    let task = Task::new(Loss::cross_entropy(targets), None).unwrap();
    let adam = Params { learning_rate: 0.01, ..Params::default() };
    let options = Options { epochs: 500, adam, ..Options::default() };
    bencher.with_inputs(|| TEACHER.with_binary_features(0.35, 1)).bench_local_values(|input| {
        let mut model = Model::new(architecture, 1);
        train(&mut model, &input, &task, options, &mut |_| ControlFlow::Continue(())).unwrap()
    });
}
