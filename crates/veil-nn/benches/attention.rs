//! Attention layers at the shape of the Facebook page graph, on one thread: `cargo bench -p veil-nn
//! --bench attention`.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::LazyLock;

use divan::Bencher;
use veil_graph::random::Random;
use veil_nn::Input;
use veil_nn::layers::{Gat, GatV2, Layer, Source, Transformer};
use veil_nn::workload::shape::FACEBOOK;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    divan::main();
}

static INPUT: LazyLock<Input> = LazyLock::new(|| FACEBOOK.with_reports(1));

const NAMES: [&str; 3] = ["GAT", "GATv2", "transformer"];

/// Four heads of 16 channels.
fn layer(name: &str) -> Box<dyn Layer> {
    let random = &mut Random::new(1, "weights");
    match name {
        "GAT" => Box::new(Gat::new(FACEBOOK.features, 16, 4, random)),
        "GATv2" => Box::new(GatV2::new(FACEBOOK.features, 16, 4, random)),
        _ => Box::new(Transformer::new(FACEBOOK.features, 16, 4, random)),
    }
}

/// Scores, softmax and sums: all but the products.
#[divan::bench(args = NAMES)]
fn combine(bencher: Bencher, name: &str) {
    let layer = layer(name);
    let projected = layer.project(Source::features(&INPUT));
    bencher.with_inputs(|| projected.clone()).bench_values(|projected| layer.combine(projected, INPUT.topology()));
}

/// A layer on features, forward.
#[divan::bench(args = NAMES)]
fn forward(bencher: Bencher, name: &str) {
    let layer = layer(name);
    bencher.bench_local(|| layer.forward(Source::features(&INPUT)));
}

/// Backward, to the weights.
#[divan::bench(args = NAMES)]
fn backward(bencher: Bencher, name: &str) {
    let mut layer = layer(name);
    let pass = layer.forward(Source::features(&INPUT));
    let upstream = pass.output().clone();
    bencher
        .with_inputs(|| upstream.clone())
        .bench_local_values(|upstream| layer.backward(Source::features(&INPUT), &pass, upstream));
}
