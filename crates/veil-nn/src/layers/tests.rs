//! Every gradient against finite differences.
//!
//! The loss is Σ output∘upstream, summed in 64 bits, with a fixed random upstream; each input of a
//! gradient is moved by ±2⁻⁹. The truncation error of the central difference is about 2⁻¹⁸·f‴/6 <
//! 10⁻⁵. Outputs are near 1 and rounded to 2⁻²⁴, so the rounding error is about 2⁸·√outputs·2⁻²⁴ ≈
//! 10⁻⁴. The tolerance is 2·10⁻³ of the gradient's largest entry, or of 0.2 if that is larger:
//! above both. A wrong factor or a missing term exceeds it by far.
//!
//! Leaky ReLU has a kink. If a kink lies within a step on one side, only the other side gives the
//! derivative. So an entry may also agree with a one-sided difference of second order; without a
//! kink all three are equal. Seeds were chosen so that no entry has kinks on both sides and every
//! gradient is large enough to be tested.

use veil_graph::random::Random;
use veil_graph::{Direction, Encoded, Features, Graph, Matrix, Sparse};

use super::{Gat, GatV2, Kind, Layer, Linear, Size, Source, Transformer};
use crate::graph::Messages;
use crate::input::Input;
use crate::tensor::Tensor;

const NODES: usize = 9;
const INPUTS: usize = 5;
const STEP: f32 = 1.0 / 512.0;
const TOLERANCE: f64 = 2e-3;

fn random_tensor(rows: usize, columns: usize, random: &mut Random) -> Tensor {
    let mut tensor = Tensor::zeros(rows, columns);
    for row in 0..rows {
        tensor.row_mut(row).iter_mut().for_each(|value| *value = (2.0 * random.unit() - 1.0) as f32);
    }
    tensor
}

/// Directed; node 8 is isolated, node 7 only sends, node 6 only receives; 2 has a self loop, 3
/// receives from 0 twice.
fn messages() -> Messages {
    let lists = [
        vec![1, 2, 7],
        vec![0],
        vec![2, 3, 4, 7],
        vec![0, 0, 5],
        vec![1],
        vec![0, 1, 2, 3, 4, 7],
        vec![5, 7],
        vec![],
        vec![],
    ];
    Messages::from_lists(&lists).unwrap()
}

/// Undirected, each edge with a weight of its own; node 8 is isolated.
fn weighted() -> Messages {
    let edges = [(0, 1), (0, 2), (0, 7), (1, 4), (2, 3), (2, 5), (3, 5), (5, 6), (6, 7)];
    let graph = Graph::from_edges(NODES as u32, &edges, Direction::Undirected).unwrap().graph;
    let weight = |(a, b): (u32, u32)| 0.15 + 0.1 * (a.min(b) + 2 * a.max(b)) as f32 % 0.8;
    let entries = (0..NODES as u32).flat_map(|node| graph.neighbours(node).iter().map(move |&other| (node, other)));
    Messages::weighted(&graph, entries.map(weight).collect()).unwrap()
}

fn dense(random: &mut Random) -> Features {
    Features::Dense(random_tensor(NODES, INPUTS, random).to_matrix())
}

fn sparse(random: &mut Random) -> Features {
    let triples: Vec<(u32, u32, f32)> = (0..NODES as u32)
        .flat_map(|row| [(row, row % 3, 1.0), (row, 3 + row % 2, 0.5)])
        .map(|(row, column, value)| (row, column, value * (0.5 + random.unit() as f32)))
        .collect();
    Features::Sparse(Sparse::from_triples(NODES, INPUTS, &triples).unwrap())
}

fn encoded(random: &mut Random) -> Features {
    let columns = (0..NODES).flat_map(|_| [random.below(2) as u32, 2 + random.below(3) as u32]).collect();
    let positive = (0..2 * NODES).map(|_| random.below(2) == 1).collect();
    Features::Encoded(Encoded::from_reports((NODES, INPUTS, 2), (0.25, 1.5), columns, positive).unwrap())
}

fn loss(layer: &dyn Layer, source: Source, upstream: &Tensor) -> f64 {
    let pass = layer.forward(source);
    let pairs = pass.output().values().iter().zip(upstream.values());
    pairs.map(|(&output, &upstream)| f64::from(output) * f64::from(upstream)).sum()
}

/// Differences for one number: central, from below, from above.
fn difference(value: f32, mut loss_at: impl FnMut(f32) -> f64) -> [f64; 3] {
    let mut at = |steps: f32| {
        let moved = value + steps * STEP;
        // The exact step, which rounding changed.
        (f64::from(moved) - f64::from(value), loss_at(moved))
    };
    let (above, far_above, below, far_below) = (at(0.5), at(1.0), at(-0.5), at(-1.0));
    let (_, here) = at(0.0);
    let one_sided = |near: (f64, f64), far: (f64, f64)| {
        let (near_slope, far_slope) = ((near.1 - here) / near.0, (far.1 - here) / far.0);
        near_slope + (near_slope - far_slope) * near.0 / (far.0 - near.0)
    };
    [
        (far_above.1 - far_below.1) / (far_above.0 - far_below.0),
        one_sided(below, far_below),
        one_sided(above, far_above),
    ]
}

/// Asserts that `found` agrees with the differences.
fn compare(what: &str, found: &Tensor, differences: &[[f64; 3]]) {
    let largest = differences.iter().fold(0.0f64, |largest, [both, ..]| largest.max(both.abs()));
    if what.ends_with("lin_key.bias") {
        // Softmax is invariant to a common shift of the scores of a row, so this gradient is zero.
        assert!(largest < 1e-3, "{what}: {largest}");
    } else {
        assert!(largest > 0.02, "{what}: differences of {largest} tell nothing");
    }
    // Rounding does not shrink with the gradient.
    let tolerance = TOLERANCE * largest.max(0.2);
    let found = (0..found.rows()).flat_map(|row| found.row(row));
    for (index, (&found, expected)) in found.zip(differences).enumerate() {
        let agrees = |expected: &f64| (f64::from(found) - expected).abs() < tolerance;
        assert!(expected.iter().any(agrees), "{what}, entry {index}: {found} is none of {expected:?} ({largest})");
    }
}

fn check_parameters(name: &str, layer: &mut dyn Layer, source: Source, upstream: &Tensor) {
    let names: Vec<&str> = layer.parameters().into_iter().map(|(name, _)| name).collect();
    for (index, parameter) in names.into_iter().enumerate() {
        let before = layer.parameters()[index].1.value.clone();
        let mut differences = Vec::new();
        for (row, column) in (0..before.rows()).flat_map(|row| (0..before.columns()).map(move |column| (row, column))) {
            differences.push(difference(before.row(row)[column], |value| {
                layer.parameters_mut()[index].value.row_mut(row)[column] = value;
                loss(layer, source, upstream)
            }));
        }
        assert_eq!(layer.parameters()[index].1.value, before);
        compare(&format!("{name}, {parameter}"), &layer.parameters()[index].1.gradient, &differences);
    }
}

/// Checks a layer as first layer on features of each form, and as hidden layer, where the input has
/// a gradient too.
fn check(name: &str, seed: u64, new: impl Fn(&mut Random) -> Box<dyn Layer>) {
    check_along(messages, name, seed, new);
}

fn check_along(messages: fn() -> Messages, name: &str, seed: u64, new: impl Fn(&mut Random) -> Box<dyn Layer>) {
    // Larger than initial weights, so that scores differ and their gradients are visible.
    let make = |random: &mut Random| {
        let mut layer = new(random);
        for parameter in layer.parameters_mut() {
            parameter.value.values_mut().iter_mut().for_each(|value| *value *= 2.0);
        }
        layer
    };
    for (form, features, hops) in [
        ("dense", dense as fn(&mut Random) -> Features, 0),
        ("dense with hops", dense, 1),
        ("sparse", sparse, 0),
        ("encoded with hops", encoded, 2),
    ] {
        let mut random = Random::new(seed, form);
        let input = Input::new(features(&mut random), messages(), hops).unwrap();
        let mut layer = make(&mut random);
        let source = Source::features(&input);
        let pass = layer.forward(source);
        let upstream = random_tensor(NODES, pass.output().columns(), &mut random);
        assert!(layer.backward(source, &pass, upstream.clone()).is_none(), "features have no gradient");
        check_parameters(&format!("{name} on {form} features"), &mut *layer, source, &upstream);
    }

    let mut random = Random::new(seed, "hidden");
    let input = Input::new(Features::Dense(Matrix::zeros(NODES, 1)), messages(), 0).unwrap();
    let mut rows = random_tensor(NODES, INPUTS, &mut random);
    let mut layer = make(&mut random);
    let pass = layer.forward(Source::hidden(&input, &rows));
    let upstream = random_tensor(NODES, pass.output().columns(), &mut random);
    let gradient = layer.backward(Source::hidden(&input, &rows), &pass, upstream.clone()).unwrap();
    check_parameters(&format!("{name} on hidden rows"), &mut *layer, Source::hidden(&input, &rows), &upstream);
    let mut differences = Vec::new();
    for (row, column) in (0..NODES).flat_map(|row| (0..INPUTS).map(move |column| (row, column))) {
        let value = rows.row(row)[column];
        differences.push(difference(value, |value| {
            rows.row_mut(row)[column] = value;
            loss(&*layer, Source::hidden(&input, &rows), &upstream)
        }));
    }
    compare(&format!("{name}, input"), &gradient, &differences);
}

#[test]
fn linear() {
    check("linear", 1, |random| Box::new(Linear::new(INPUTS, 3, true, random)));
    check("linear without bias", 1, |random| Box::new(Linear::new(INPUTS, 17, false, random)));
}

#[test]
fn linear_along_messages() {
    check("GCN", 1, |random| Box::new(Linear::gcn(INPUTS, 6, random)));
    check("SAGE", 1, |random| Box::new(Linear::sage(INPUTS, 6, random)));
    check("GraphConv", 1, |random| Box::new(Linear::graph_conv(INPUTS, 6, random)));
}

#[test]
fn linear_along_weighted_messages() {
    check_along(weighted, "weighted GCN", 1, |random| Box::new(Linear::gcn(INPUTS, 6, random)));
    check_along(weighted, "weighted SAGE", 1, |random| Box::new(Linear::sage(INPUTS, 6, random)));
    check_along(weighted, "weighted GraphConv", 1, |random| Box::new(Linear::graph_conv(INPUTS, 6, random)));
}

/// By hand: D^-½·(A + I)·D^-½ with d₀ = 1 + ½ and d₁ = 1 + ½ + ¼.
#[test]
fn weights_are_those_of_a_normalised_matrix() {
    let graph = Graph::from_edges(3, &[(0, 1), (1, 2)], Direction::Undirected).unwrap().graph;
    let messages = Messages::weighted(&graph, vec![0.5, 0.5, 0.25, 0.25]).unwrap();
    let features = Features::Dense(Matrix::from_values(3, 1, vec![1.0, 10.0, 100.0]).unwrap());
    let input = Input::new(features, messages, 0).unwrap();
    let mut layer = Linear::gcn(1, 1, &mut Random::new(1, "any weights"));
    layer.parameters_mut()[0].value.row_mut(0)[0] = 1.0;
    let found = layer.forward(Source::features(&input)).output().row(1)[0];
    let expected = 0.5 / (1.75_f32 * 1.5).sqrt() + 10.0 / 1.75 + 100.0 * 0.25 / (1.75_f32 * 1.25).sqrt();
    assert!((found - expected).abs() < 1e-4, "{found} {expected}");
}

/// Channels of one block and of several; one head and more.
const SHAPES: [(usize, usize); 5] = [(4, 2), (3, 2), (3, 3), (7, 1), (8, 1)];

#[test]
fn gat() {
    for (channels, heads) in SHAPES {
        let name = format!("GAT {heads}x{channels}");
        check(&name, 13, |random| Box::new(Gat::new(INPUTS, channels, heads, random)));
    }
}

#[test]
fn gatv2() {
    for (channels, heads) in SHAPES {
        let name = format!("GATv2 {heads}x{channels}");
        check(&name, 1, |random| Box::new(GatV2::new(INPUTS, channels, heads, random)));
    }
}

#[test]
fn transformer() {
    for (channels, heads) in SHAPES {
        let name = format!("transformer {heads}x{channels}");
        check(&name, 1, |random| Box::new(Transformer::new(INPUTS, channels, heads, random)));
    }
}

#[test]
fn every_entry_of_the_registry_describes_its_layer() {
    let input = Input::new(Features::Dense(Matrix::zeros(NODES, INPUTS)), messages(), 0).unwrap();
    for kind in Kind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        let layer = |heads, bias| {
            kind.layer(Size { inputs: INPUTS, outputs: 3, heads, bias }, &mut Random::new(1, "any weights"))
        };
        assert_eq!(layer(1, true).form().messages(input.topology()).is_some(), kind.reads_edges(), "{kind}");
        let has_bias = |bias| layer(1, bias).parameters().iter().any(|(name, _)| name.ends_with("bias"));
        assert_eq!((has_bias(true), has_bias(false)), (true, !kind.has_optional_bias()), "{kind}");
        let columns = layer(2, true).forward(Source::features(&input)).output().columns();
        assert_eq!(columns, if kind.has_heads() { 6 } else { 3 }, "{kind}");
    }
}
