//! Every node's report by each protocol, on all cores.
//!
//! `cargo bench -p veil-privacy --bench protocols`

use divan::Bencher;
use divan::counter::ItemsCount;
use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_graph::{Encoded, Features, Graph};
use veil_privacy::protocol::graph_privatizer::{self, GraphPrivatizer, Reading, Strategy};
use veil_privacy::protocol::{Measure, two_hop_rr};
use veil_privacy::{Coins, Context, Epsilon, Stream};

fn main() {
    divan::main();
}

/// The size of a data set.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Cora,
    Twitch,
}

impl Shape {
    const ALL: [Shape; 2] = [Shape::Cora, Shape::Twitch];

    /// A graph of that size and features at m = 1.
    fn data(self) -> Option<(Graph, Features)> {
        let (power_law, width) = match self {
            Shape::Cora => (PowerLaw { nodes: 2708, edges: 5278, exponent: 2.9, max_degree: 168 }, 1433),
            Shape::Twitch => (PowerLaw { nodes: 9498, edges: 153_138, exponent: 2.3, max_degree: 4259 }, 3170),
        };
        let graph = power_law.check().ok()?.generate(1).graph().clone();
        let (nodes, mut random) = (graph.nodes() as usize, Random::new(1, "features"));
        let columns = (0..nodes).map(|_| random.below(width) as u32).collect();
        let positive = (0..nodes).map(|_| random.below(2) == 1).collect();
        let scale = width as f32 * 0.55;
        let encoded = Encoded::from_reports((nodes, width, 1), (0.5, scale), columns, positive).ok()?;
        Some((graph, Features::Encoded(encoded)))
    }
}

fn stream() -> Stream {
    Coins::reproducible(1).stream(&Context {
        release: [0; 16],
        mechanism: "bench",
        parameters: "",
        data: [0; 32],
        round: 0,
        query: 0,
    })
}

fn one() -> Epsilon {
    Epsilon::from_nanos(1_000_000_000).unwrap_or(Epsilon::INFINITE)
}

fn graph_privatizer(bencher: Bencher<'_, '_>, shape: Shape, make: impl Fn() -> Option<GraphPrivatizer>) {
    let (Some((graph, features)), Some(protocol)) = (shape.data(), make()) else {
        return;
    };
    let stream = stream();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| protocol.run(&graph, Some(&features), &stream));
}

fn params(strategy: Strategy, delta: f64, reading: Reading) -> Option<GraphPrivatizer> {
    let measure = Measure::Cosine;
    graph_privatizer::Params { epsilon: one(), strategy, alpha: 0.5, delta, measure, reading }.check().ok()
}

#[divan::bench(args = Shape::ALL)]
fn every_neighbour(bencher: Bencher<'_, '_>, shape: Shape) {
    graph_privatizer(bencher, shape, || params(Strategy::Threshold, 0.0, Reading::Paper));
}

#[divan::bench(args = Shape::ALL)]
fn threshold(bencher: Bencher<'_, '_>, shape: Shape) {
    graph_privatizer(bencher, shape, || params(Strategy::Threshold, 0.25, Reading::Paper));
}

#[divan::bench(args = Shape::ALL)]
fn most_similar(bencher: Bencher<'_, '_>, shape: Shape) {
    graph_privatizer(bencher, shape, || params(Strategy::MostSimilar, 0.0, Reading::Paper));
}

#[divan::bench(args = Shape::ALL)]
fn threshold_reference(bencher: Bencher<'_, '_>, shape: Shape) {
    graph_privatizer(bencher, shape, || params(Strategy::Threshold, 0.0, Reading::Reference));
}

#[divan::bench(args = Shape::ALL)]
fn two_hop_rr(bencher: Bencher<'_, '_>, shape: Shape) {
    let (Some((graph, _)), Ok(protocol)) = (shape.data(), two_hop_rr::Params { epsilon: one() }.check()) else {
        return;
    };
    let stream = stream();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| protocol.run(&graph, &stream));
}
