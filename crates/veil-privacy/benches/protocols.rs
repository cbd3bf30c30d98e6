//! Every node's report by each protocol, and the graph that an owner releases, on all cores.
//!
//! `cargo bench -p veil-privacy --bench protocols`

#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt;

use divan::Bencher;
use divan::counter::ItemsCount;
use veil_graph::generate::PowerLaw;
use veil_graph::random::Random;
use veil_graph::{Encoded, Features, Graph};
use veil_privacy::parameters::Settings;
use veil_privacy::protocol::degree_vectors;
use veil_privacy::{Coins, Context, Epsilon, Stream, Unit, central, protocol};

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
    fn data(self) -> (Graph, Features) {
        let (power_law, width) = match self {
            Shape::Cora => (PowerLaw { nodes: 2708, edges: 5278, exponent: 2.9, max_degree: 168 }, 1433),
            Shape::Twitch => (PowerLaw { nodes: 9498, edges: 153_138, exponent: 2.3, max_degree: 4259 }, 3170),
        };
        let graph = power_law.check().unwrap().generate(1).graph().clone();
        let (nodes, mut random) = (graph.nodes() as usize, Random::new(1, "features"));
        let columns = (0..nodes).map(|_| random.below(width) as u32).collect();
        let positive = (0..nodes).map(|_| random.below(2) == 1).collect();
        let scale = width as f32 * 0.55;
        let encoded = Encoded::from_reports((nodes, width, 1), (0.5, scale), columns, positive).unwrap();
        (graph, Features::Encoded(encoded))
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
    Epsilon::from_nanos(1_000_000_000).unwrap()
}

/// A mechanism of a registry with settings, `name=value` each, on a data set.
#[derive(Clone, Copy)]
struct Case(&'static str, &'static str, Shape);

impl Case {
    fn settings(self) -> Settings {
        let pairs = self.1.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name, value.into())).collect()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?}", self.0, self.1, self.2)
    }
}

fn on_both(cases: &[(&'static str, &'static str)]) -> Vec<Case> {
    let of = |shape| cases.iter().map(move |&(name, settings)| Case(name, settings, shape));
    Shape::ALL.into_iter().flat_map(of).collect()
}

fn lists() -> Vec<Case> {
    let mut cases = on_both(&[
        ("graph-privatizer", "alpha=0.5"),
        ("graph-privatizer", "alpha=0.5 threshold=0.25"),
        ("graph-privatizer", "alpha=0.5 strategy=most-similar"),
        ("graph-privatizer", "alpha=0.5 similarity=reference"),
        ("graph-privatizer", "alpha=0.5 strategy=most-similar similarity=reference"),
        ("two-hop-rr", ""),
        ("neighbour-krr", ""),
        ("edge-flip", ""),
        ("blink", ""),
    ]);
    // A node of the thesis' protocols hears all that its neighbours heard: only for the sparse
    // graph.
    cases.extend(["dummy-exchange", "shuffled-query"].map(|name| Case(name, "", Shape::Cora)));
    cases
}

#[divan::bench(args = lists(), max_time = 3)]
fn local(bencher: Bencher<'_, '_>, case: Case) {
    let ((graph, features), stream) = (case.2.data(), stream());
    let entry = protocol::find(case.0).unwrap();
    let protocol = (entry.build)(one(), graph.nodes(), &case.settings()).unwrap();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| protocol.run(&graph, Some(&features), &stream));
}

/// One round about seven clusters.
#[divan::bench(args = Shape::ALL, consts = [true, false])]
fn degree_vectors<const BIT: bool>(bencher: Bencher<'_, '_>, shape: Shape) {
    let unit = if BIT { Unit::EdgeBit } else { Unit::EdgeSet };
    let protocol = degree_vectors::Params { epsilon: one(), rounds: 1, unit, clusters: 7 }.check().unwrap();
    let ((graph, _), stream) = (shape.data(), stream());
    let clusters: Vec<u32> = (0..graph.nodes()).map(|node| node % 7).collect();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| protocol.round(&graph, &clusters, &stream));
}

#[divan::bench(args = on_both(&[("lapgraph", ""), ("edgerand", "")]), max_time = 3)]
fn owner(bencher: Bencher<'_, '_>, case: Case) {
    let ((graph, _), stream) = (case.2.data(), stream());
    let mechanism = (central::find(case.0).unwrap().build)(one(), graph.nodes(), &case.settings()).unwrap();
    bencher.counter(ItemsCount::new(graph.entries())).bench(|| mechanism.run(&graph, &stream));
}
