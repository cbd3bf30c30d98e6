//! Attention layers at the shape of the Facebook page graph: 22,470 nodes, 341,824 messages, reports of 4,714 dimensions.

#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::LazyLock;

use divan::Bencher;
use veil_graph::random::Random;
use veil_graph::{Encoded, Features};
use veil_nn::layers::{Gat, GatV2, Heads, Layer, Source, Transformer};
use veil_nn::{Input, Messages, Tensor};

const NODES: usize = 22_470;
const EDGES: usize = 341_824 / 2;
const DIMENSIONS: usize = 4_714;
const CLASSES: usize = 4;

fn main() {
    divan::main();
}

/// Edges between nodes that are near each other more often than not, and one sign per report.
fn input(hops: usize) -> Input {
    let mut random = Random::new(1, "attention bench");
    let mut lists = vec![Vec::new(); NODES];
    for _ in 0..EDGES {
        let one = random.below(NODES);
        let other = if random.below(2) == 0 { random.below(NODES) } else { (one + 1 + random.below(200)) % NODES };
        lists[one].push(other as u32);
        lists[other].push(one as u32);
    }
    let columns = (0..NODES).map(|_| random.below(DIMENSIONS) as u32).collect();
    let positive = (0..NODES).map(|_| random.below(2) == 0).collect();
    let reports = Encoded::from_reports((NODES, DIMENSIONS, 1), (0.5, 0.5), columns, positive).unwrap();
    Input::new(Features::Encoded(reports), Messages::from_lists(&lists).unwrap(), hops).unwrap()
}

static INPUT: LazyLock<Input> = LazyLock::new(|| input(4));

fn layers() -> [Box<dyn Layer>; 3] {
    let mut random = Random::new(1, "weights");
    [
        Box::new(Gat::new(DIMENSIONS, 16, 4, Heads::Concat, &mut random)),
        Box::new(GatV2::new(DIMENSIONS, 16, 4, Heads::Concat, &mut random)),
        Box::new(Transformer::new(DIMENSIONS, 16, 4, Heads::Concat, &mut random)),
    ]
}

const NAMES: [&str; 3] = ["GAT", "GATv2", "transformer"];

fn layer(name: &str) -> Box<dyn Layer> {
    let index = NAMES.iter().position(|&known| known == name).unwrap_or(0);
    layers().into_iter().nth(index).unwrap()
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

/// And back, to the weights.
#[divan::bench(args = NAMES)]
fn backward(bencher: Bencher, name: &str) {
    let mut layer = layer(name);
    let pass = layer.forward(Source::features(&INPUT));
    let upstream = pass.output().clone();
    bencher
        .with_inputs(|| upstream.clone())
        .bench_local_values(|upstream| layer.backward(Source::features(&INPUT), &pass, upstream));
}

/// One training step and one validation of GAT 4×16, then one head per class; without loss and optimiser.
#[divan::bench]
fn gat_step(bencher: Bencher) {
    let mut random = Random::new(1, "weights");
    let mut first = Gat::new(DIMENSIONS, 16, 4, Heads::Concat, &mut random);
    let mut last = Gat::new(64, CLASSES, 1, Heads::Mean, &mut random);
    let source = Source::features(&INPUT);
    let last_of = |last: &Gat, rows: &Tensor| last.forward(Source::hidden(&INPUT, rows));
    bencher.bench_local(|| {
        let pass = first.forward(source);
        let output = last_of(&last, pass.output());
        let hidden = last.backward(Source::hidden(&INPUT, pass.output()), &output, output.output().clone());
        first.backward(source, &pass, hidden.unwrap());
        let pass = first.forward(source);
        last_of(&last, pass.output())
    });
}
