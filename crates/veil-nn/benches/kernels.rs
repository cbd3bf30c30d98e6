//! Throughput of the kernels on one thread: `cargo bench -p veil-nn --bench kernels`.
//!
//! Compare the column "fastest"; the others depend on the load of the machine. Items are
//! floating-point operations (for `gather`, additions; for `activation` and `adam_step`, numbers).

#![allow(missing_docs, clippy::unwrap_used)]

use divan::Bencher;
use divan::counter::ItemsCount;
use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_nn::kernels::activation::{Activation, Dropout, activate};
use veil_nn::kernels::adam::{AdamStep, adam};
use veil_nn::kernels::bits::{Bits, bit_product};
use veil_nn::kernels::gather::{Lists, gather_sum, weighted_sum};
use veil_nn::kernels::gemm::{Left, product, transposed_product};

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    divan::main();
}

/// n × d · d × w: part of Amazon's features, LastFM's features, the hidden layers of Facebook and
/// of a graph of a million nodes, Cora's hidden layer.
const SHAPES: [[usize; 3]; 5] =
    [[750, 767, 64], [7083, 7842, 16], [22_470, 16, 64], [1_000_000, 64, 64], [2708, 16, 8]];

fn numbers(count: usize) -> Vec<f32> {
    let mut random = Random::new(1, "bench");
    let few: Vec<f32> = (0..4096).map(|_| random.unit() as f32 - 0.5).collect();
    few.into_iter().cycle().take(count).collect()
}

fn flops([rows, inner, width]: [usize; 3]) -> ItemsCount {
    ItemsCount::new(2 * rows * inner * width)
}

/// On a graph as large as MUSAE's Facebook pages.
#[divan::bench(args = [4, 8, 16, 64], min_time = 0.3)]
fn gather(bencher: Bencher, width: usize) {
    let size = PowerLaw { nodes: 22_470, edges: 170_823, exponent: 2.5, max_degree: 709 };
    let graph = size.check().unwrap().generate(1).graph().clone();
    let lists = Lists { offsets: graph.offsets(), sources: graph.targets() };
    let (x, mut y) = (numbers(22_470 * width), vec![0.0; 22_470 * width]);
    bencher
        .counter(ItemsCount::new(lists.sources.len() * width))
        .bench_local(|| gather_sum(lists, divan::black_box(&x), width, None, &mut y));
}

/// Sparse features, 750 × 767 with 268 values per row (as in Amazon), times a weight matrix.
#[divan::bench(args = [16, 64], min_time = 0.3)]
fn gather_of_features(bencher: Bencher, width: usize) {
    let mut random = Random::new(1, "features");
    let mut sources = Vec::new();
    for _ in 0..750 {
        sources.extend((0..767u32).filter(|_| random.unit() < 0.35));
    }
    let offsets: Vec<usize> = (0..=750).map(|row| sources.len() * row / 750).collect();
    let (lists, weights) = (Lists { offsets: &offsets, sources: &sources }, numbers(sources.len()));
    let (x, mut y) = (numbers(767 * width), vec![0.0; 750 * width]);
    bencher
        .counter(ItemsCount::new(2 * sources.len() * width))
        .bench_local(|| weighted_sum(lists, &weights, divan::black_box(&x), width, &mut y));
}

/// The same as bits. Items are the operations of a dense product.
#[divan::bench(args = [16, 64], min_time = 0.3)]
fn bits_of_features(bencher: Bencher, width: usize) {
    let mut random = Random::new(1, "features");
    let places = (0..750 * 767).filter(|_| random.unit() < 0.35).map(|at| (at / 767, at % 767));
    let bits = Bits::new(750, 767, places);
    let (x, mut y) = (numbers(767 * width), vec![0.0; 750 * width]);
    bencher.counter(flops([750, 767, width])).bench_local(|| bit_product(&bits, divan::black_box(&x), width, &mut y));
}

#[divan::bench(args = [Activation::Relu, Activation::Selu], min_time = 0.3)]
fn activation(bencher: Bencher, kind: Activation) {
    let x = numbers(22_470 * 16);
    let (mut out, mut derivative) = (x.clone(), x.clone());
    let dropout = Some(Dropout { probability: 0.5, key: 1 });
    bencher
        .counter(ItemsCount::new(x.len()))
        .bench_local(|| activate(kind, divan::black_box(&x), 16, dropout, &mut out, Some(&mut derivative)));
}

/// The weights of Facebook's first layer.
#[divan::bench(min_time = 0.3)]
fn adam_step(bencher: Bencher) {
    let gradient = numbers(4714 * 16);
    let (mut value, mut first, mut second) = (gradient.clone(), gradient.clone(), vec![1.0; gradient.len()]);
    let step = AdamStep::new(0.01, [0.9, 0.999], 1e-8, 5e-4, 10);
    bencher
        .counter(ItemsCount::new(gradient.len()))
        .bench_local(|| adam(step, divan::black_box(&gradient), &mut value, &mut first, &mut second));
}

#[divan::bench(args = SHAPES.map(Shape), min_time = 0.3)]
fn product_of_matrices(bencher: Bencher, Shape([rows, columns, width]): Shape) {
    let stride = columns.next_multiple_of(16);
    let (a, b, mut c) = (numbers(rows * stride), numbers(columns * width), vec![0.0; rows * width]);
    let a = Left { values: &a, rows, columns, stride };
    bencher.counter(flops([rows, columns, width])).bench_local(|| product(a, divan::black_box(&b), width, &mut c));
}

#[divan::bench(args = SHAPES.map(Shape), min_time = 0.3)]
fn transposed_product_of_matrices(bencher: Bencher, Shape([rows, columns, width]): Shape) {
    let stride = columns.next_multiple_of(16);
    let (a, b, mut c) = (numbers(rows * stride), numbers(rows * width), vec![0.0; columns * width]);
    let a = Left { values: &a, rows, columns, stride };
    bencher
        .counter(flops([rows, columns, width]))
        .bench_local(|| transposed_product(a, divan::black_box(&b), width, &mut c));
}

#[derive(Clone, Copy)]
struct Shape([usize; 3]);

impl std::fmt::Display for Shape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [rows, inner, width] = self.0;
        write!(out, "{rows}x{inner}x{width}")
    }
}
