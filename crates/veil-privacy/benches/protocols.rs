//! Every node's report by each protocol, and the graph that an owner releases, on all cores.
//!
//! `cargo bench -p veil-privacy --bench protocols`

use divan::Bencher;
use divan::counter::ItemsCount;
use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_graph::{Encoded, Features, Graph};
use veil_privacy::central::{GraphMechanism, edge_rand, lap_graph};
use veil_privacy::protocol::graph_privatizer::{self, GraphPrivatizer, Reading, Strategy};
use veil_privacy::protocol::{
    Measure, Protocol, degree_vectors, dummy_exchange, edge_flip, neighbour_krr, shuffled_query, two_hop_rr,
};
use veil_privacy::{Coins, Context, Epsilon, Stream, Unit};

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
        redemption: 0,
        mechanism: "bench",
        parameters: "",
        inputs: [0; 32],
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
    graph_privatizer::Params { epsilon: one(), strategy, alpha: 0.5, threshold: delta, measure, reading }.check().ok()
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
fn most_similar_reference(bencher: Bencher<'_, '_>, shape: Shape) {
    graph_privatizer(bencher, shape, || params(Strategy::MostSimilar, 0.0, Reading::Reference));
}

/// Any protocol of lists, for a graph of so many nodes.
fn lists(bencher: Bencher<'_, '_>, shape: Shape, make: impl Fn(u32) -> Option<Box<dyn Protocol>>) {
    let Some((graph, features)) = shape.data() else { return };
    let Some(protocol) = make(graph.nodes()) else { return };
    let stream = stream();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| protocol.run(&graph, Some(&features), &stream));
}

#[divan::bench(args = Shape::ALL)]
fn two_hop_rr(bencher: Bencher<'_, '_>, shape: Shape) {
    lists(bencher, shape, |_| Some(Box::new(two_hop_rr::Params { epsilon: one() }.check().ok()?)));
}

#[divan::bench(args = Shape::ALL)]
fn neighbour_krr(bencher: Bencher<'_, '_>, shape: Shape) {
    lists(bencher, shape, |nodes| Some(Box::new(neighbour_krr::Params { epsilon: one(), nodes }.check().ok()?)));
}

#[divan::bench(args = Shape::ALL, max_time = 3)]
fn edge_flip(bencher: Bencher<'_, '_>, shape: Shape) {
    lists(bencher, shape, |nodes| {
        let params = edge_flip::Params { epsilon: one(), nodes, max_edges: u64::MAX };
        Some(Box::new(params.check().ok()?))
    });
}

// A node of the thesis' protocols hears all that its neighbours heard: only for the sparse graph.
#[divan::bench(args = [Shape::Cora], max_time = 3)]
fn dummy_exchange(bencher: Bencher<'_, '_>, shape: Shape) {
    lists(bencher, shape, |_| {
        let (measure, most_dummies, candidates) = (Measure::Cosine, 5, 10);
        let params = dummy_exchange::Params { epsilon: one(), measure, most_dummies, candidates };
        Some(Box::new(params.check().ok()?))
    });
}

#[divan::bench(args = [Shape::Cora], max_time = 3)]
fn shuffled_query(bencher: Bencher<'_, '_>, shape: Shape) {
    lists(bencher, shape, |_| {
        let params = shuffled_query::Params { epsilon: one(), measure: Measure::Cosine };
        Some(Box::new(params.check().ok()?))
    });
}

/// One round about seven clusters.
fn degree_vectors(bencher: Bencher<'_, '_>, shape: Shape, unit: Unit) {
    let params = degree_vectors::Params { epsilon: one(), rounds: 1, unit, clusters: 7 };
    let (Some((graph, _)), Ok(protocol)) = (shape.data(), params.check()) else { return };
    let clusters: Vec<u32> = (0..graph.nodes()).map(|node| node % 7).collect();
    let stream = stream();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| protocol.round(&graph, &clusters, &stream));
}

#[divan::bench(args = Shape::ALL)]
fn degree_vectors_edge_bit(bencher: Bencher<'_, '_>, shape: Shape) {
    degree_vectors(bencher, shape, Unit::EdgeBit);
}

#[divan::bench(args = Shape::ALL)]
fn degree_vectors_edge_set(bencher: Bencher<'_, '_>, shape: Shape) {
    degree_vectors(bencher, shape, Unit::EdgeSet);
}

/// Either mechanism of an owner, for a graph of so many nodes.
fn central(bencher: Bencher<'_, '_>, shape: Shape, make: impl Fn(u32) -> Option<Box<dyn GraphMechanism>>) {
    let Some((graph, _)) = shape.data() else { return };
    let Some(mechanism) = make(graph.nodes()) else { return };
    let stream = stream();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| mechanism.run(&graph, &stream));
}

#[divan::bench(args = Shape::ALL)]
fn lap_graph(bencher: Bencher<'_, '_>, shape: Shape) {
    central(bencher, shape, |nodes| {
        let epsilon_count = Epsilon::from_nanos(10_000_000)?;
        Some(Box::new(lap_graph::Params { epsilon: one(), epsilon_count, nodes }.check().ok()?))
    });
}

#[divan::bench(args = Shape::ALL, max_time = 3)]
fn edge_rand(bencher: Bencher<'_, '_>, shape: Shape) {
    central(bencher, shape, |nodes| {
        let params = edge_rand::Params { epsilon: one(), nodes, max_edges: u64::MAX };
        Some(Box::new(params.check().ok()?))
    });
}
