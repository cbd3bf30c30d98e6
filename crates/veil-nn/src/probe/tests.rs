//! Probes agree with the network, and their derivatives with differences.

use veil_graph::random::Random;
use veil_graph::{Direction, Encoded, Graph, Sparse};

use super::*;
use crate::graph::Messages;
use crate::layers::Kind;
use crate::model::Description;

const NODES: usize = 24;
const DIMENSIONS: usize = 9;
const CLASSES: usize = 3;

/// Directed, with self loops, repetitions and empty lists; the last six nodes are connected only to
/// each other.
fn messages() -> Messages {
    let mut random = Random::new(4, "lists");
    let lists: Vec<Vec<NodeId>> = (0..NODES)
        .map(|node| {
            let (start, end) = if node < 18 { (0, 18) } else { (18, NODES) };
            let length = if node % 7 == 3 { 0 } else { 1 + random.below(3) };
            let mut list: Vec<NodeId> = (0..length).map(|_| (start + random.below(end - start)) as NodeId).collect();
            match node % 5 {
                1 => list.push(node as NodeId),
                2 => list.extend_from_within(..),
                _ => {}
            }
            list
        })
        .collect();
    Messages::from_lists(&lists).unwrap()
}

/// Undirected, each edge with a weight of its own; the last six nodes are connected only to each
/// other.
fn weighted() -> Messages {
    let mut random = Random::new(9, "edges");
    let mut end = |node: usize| if node < 18 { random.below(18) } else { 18 + random.below(6) } as NodeId;
    let edges: Vec<(NodeId, NodeId)> = (0..NODES).map(|node| (node as NodeId, end(node))).collect();
    let graph = Graph::from_edges(NODES as u32, &edges, Direction::Undirected).unwrap().graph;
    let entries = all_nodes().into_iter().flat_map(|node| graph.neighbours(node).iter().map(move |&it| (node, it)));
    let weights = entries.map(|(a, b)| (1 + a.min(b)) as f32 / (3 + a.max(b)) as f32).collect();
    Messages::weighted(&graph, weights).unwrap()
}

fn dense() -> Features {
    let mut random = Random::new(1, "dense");
    let values = (0..NODES * DIMENSIONS).map(|_| (2.0 * random.unit() - 1.0) as f32).collect();
    Features::Dense(Matrix::from_values(NODES, DIMENSIONS, values).unwrap())
}

fn sparse() -> Features {
    let mut random = Random::new(2, "sparse");
    let mut triples = Vec::new();
    for row in 0..NODES as u32 {
        for column in 0..DIMENSIONS as u32 {
            if random.unit() < 0.3 {
                triples.push((row, column, 2.0 * random.unit() as f32 - 0.7));
            }
        }
    }
    Features::Sparse(Sparse::from_triples(NODES, DIMENSIONS, &triples).unwrap())
}

fn encoded() -> Features {
    let mut random = Random::new(3, "encoded");
    let places = (0..NODES).map(|_| random.below(DIMENSIONS) as u32).collect();
    let signs = (0..NODES).map(|row| row % 3 == 0).collect();
    Features::Encoded(Encoded::from_reports((NODES, DIMENSIONS, 1), (0.5, 1.25), places, signs).unwrap())
}

/// A network whose biases and running statistics differ from their initial values.
fn network(description: Description, input: &Input) -> Model {
    let mut model = Model::new(description.check(DIMENSIONS, CLASSES).unwrap(), 5);
    let mut random = Random::new(6, "parameters");
    for parameter in model.parameters_mut() {
        for row in 0..parameter.value.rows() {
            parameter.value.row_mut(row).iter_mut().for_each(|value| *value += (random.unit() - 0.5) as f32 * 0.4);
        }
    }
    for key in 0..5 {
        let projected = model.project(input);
        model.train(input, projected, key);
    }
    model
}

/// All kinds, depths, normalisations and activations that matter.
fn descriptions() -> Vec<Description> {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        for (layers, batch_norm, activation) in [
            (1, false, Activation::None),
            (2, false, Activation::Selu),
            (2, true, Activation::Relu),
            (3, true, Activation::Selu),
            (3, false, Activation::None),
        ] {
            for heads in if kind.has_heads() { vec![1, 3] } else { vec![1] } {
                let bias = !kind.has_optional_bias() || layers != 2;
                all.push(Description { kind, layers, hidden: 5, heads, activation, dropout: 0.5, batch_norm, bias });
            }
        }
    }
    all
}

fn all_nodes() -> Vec<NodeId> {
    (0..NODES as NodeId).collect()
}

/// Posteriors of networks whose scores are a few units, computed in 32 bits in another order.
fn assert_near(found: &Matrix, truth: &Tensor, nodes: &[NodeId], what: &str) {
    for (row, &node) in nodes.iter().enumerate() {
        for (found, truth) in found.row(row).iter().zip(truth.row(node as usize)) {
            assert!((found - truth).abs() < 1e-5, "{what}, node {node}: {found} {truth}");
        }
    }
}

#[test]
fn probes_agree_with_the_network_also_for_changed_features() {
    for features in [dense(), sparse(), encoded()] {
        for (hops, messages) in [(0, messages()), (2, messages()), (0, weighted()), (2, weighted())] {
            let input = Input::new(features.clone(), messages, hops).unwrap();
            for description in descriptions() {
                let what = format!("{} features, {hops} hops, {description:?}", features.form());
                let model = network(description, &input);
                let probe = Probe::new(&model, &input).unwrap();
                assert_near(
                    &probe.posteriors(&all_nodes()).unwrap(),
                    &model.posteriors(&input).unwrap(),
                    &all_nodes(),
                    &what,
                );

                for count in [1, FEW, FEW + 3] {
                    let mut rows: Vec<Vec<f32>> =
                        all_nodes().iter().map(|&node| probe.features(node).unwrap()).collect();
                    let mut random = Random::new(7, "changes");
                    let mut changes = Vec::new();
                    for node in (0..count).map(|index| (index * 5 + 2) % NODES) {
                        rows[node].iter_mut().for_each(|value| *value = 2.0 * random.unit() as f32 - 1.0);
                        changes.push((node as NodeId, rows[node].clone()));
                    }
                    let other = Matrix::from_values(NODES, DIMENSIONS, rows.concat()).unwrap();
                    let other = input.with_features(Features::Dense(other)).unwrap();
                    // Any order, and a repeated node.
                    let nodes = [9, 0, 23, 2, 9, 17];
                    let found = probe.changed(&nodes, &changes).unwrap();
                    assert_near(&found, &model.posteriors(&other).unwrap(), &nodes, &what);
                }
            }
        }
    }
}

/// The posteriors of a target in 64 bits, when the source's features are multiplied by t.
fn scaled(probe: &Probe, source: NodeId, target: NodeId, t: f64) -> Vec<f64> {
    let mut reach = Reach::new(NODES);
    probe.find(&mut reach, [target].into_iter());
    let columns = probe.columns(&[source]);
    probe.evaluate(&reach, |node, out: &mut [f64]| {
        let share = f64::from(columns.share(node, (0, source)));
        let growth = probe.own.row(source as usize);
        out.iter_mut().zip(growth).for_each(|(out, &growth)| *out += (t - 1.0) * share * f64::from(growth));
    })
}

fn length(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    pairs.map(|(one, other)| (one - other) * (one - other)).sum::<f64>().sqrt()
}

/// With a step of 1e-5, third derivatives of a few units contribute some 1e-10, and rounding
/// 1e-16/1e-5.
#[test]
fn influences_agree_with_differences() {
    for (hops, messages) in [(0, messages()), (2, messages()), (2, weighted())] {
        let input = Input::new(sparse(), messages, hops).unwrap();
        for description in descriptions() {
            let model = network(description, &input);
            let probe = Probe::new(&model, &input).unwrap();
            let pairs: Vec<(NodeId, NodeId)> =
                all_nodes().into_iter().flat_map(|target| [2, 8, 20, 5].map(|source| (source, target))).collect();
            let found = probe.influences(&pairs).unwrap();
            assert!(found.iter().any(|&influence| influence > 1e-3), "{description:?}");
            for (&(source, target), found) in pairs.iter().zip(found) {
                let step = 1e-5;
                let (more, less) =
                    (scaled(&probe, source, target, 1.0 + step), scaled(&probe, source, target, 1.0 - step));
                let truth = length(more.into_iter().zip(less)) / (2.0 * step);
                let what = format!("{source} to {target}, {hops} hops, {description:?}");
                assert!((found - truth).abs() < 1e-8 * (1.0 + truth), "{what}: {found} {truth}");
            }
        }
    }
}

/// In 32 bits a step of 1/64 loses about 6e-8·64 to rounding and (1/64)² times a third derivative.
/// SELU has a kink at 0 that such a step may cross, so there is no activation.
#[test]
fn influences_agree_with_the_network() {
    let input = Input::new(dense(), messages(), 1).unwrap();
    for kind in Kind::ALL {
        let heads = if kind.has_heads() { 2 } else { 1 };
        let description =
            Description { kind, hidden: 5, heads, activation: Activation::None, ..Description::default() };
        let model = network(description, &input);
        let probe = Probe::new(&model, &input).unwrap();
        let source = 4;
        let posteriors = |t: f32| {
            let mut rows: Vec<Vec<f32>> = all_nodes().iter().map(|&node| probe.features(node).unwrap()).collect();
            rows[source].iter_mut().for_each(|value| *value *= t);
            let features = Matrix::from_values(NODES, DIMENSIONS, rows.concat()).unwrap();
            model.posteriors(&input.with_features(Features::Dense(features)).unwrap()).unwrap()
        };
        let step = 1.0 / 64.0;
        let (more, less) = (posteriors(1.0 + step), posteriors(1.0 - step));
        let pairs: Vec<(NodeId, NodeId)> = all_nodes().into_iter().map(|target| (source as NodeId, target)).collect();
        for (target, found) in probe.influences(&pairs).unwrap().into_iter().enumerate() {
            let both = more.row(target).iter().zip(less.row(target)).map(|(&a, &b)| (f64::from(a), f64::from(b)));
            let truth = length(both) / (2.0 * f64::from(step));
            assert!((found - truth).abs() < 1e-3 * (0.05 + truth), "{kind}, target {target}: {found} {truth}");
        }
    }
}

#[test]
fn nodes_out_of_reach_keep_their_bits() {
    for hops in [0, 3] {
        let input = Input::new(encoded(), messages(), hops).unwrap();
        for description in descriptions() {
            let probe = Probe::new(&network(description, &input), &input).unwrap();
            let before = probe.posteriors(&all_nodes()).unwrap();
            for count in [1, FEW + 2] {
                // The last six nodes, which do not influence the others.
                let changes: Vec<_> = (0..count as NodeId).map(|node| (18 + node, vec![3.0; DIMENSIONS])).collect();
                let after = probe.changed(&all_nodes(), &changes).unwrap();
                let same =
                    |row: usize| before.row(row).iter().zip(after.row(row)).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!((0..18).all(same), "{description:?}");
                assert!((18..NODES).any(|row| !same(row)), "{description:?}");
            }
            let pairs: Vec<(NodeId, NodeId)> = (0..18).map(|target| (19, target)).collect();
            assert!(probe.influences(&pairs).unwrap().into_iter().all(|influence| influence == 0.0));
        }
    }
}

/// Posteriors of a confident network are 1 in 32 bits whatever changes; their derivatives are small
/// and not 0.
#[test]
fn influences_do_not_saturate() {
    let input = Input::new(dense(), messages(), 0).unwrap();
    let usual = network(Description { hidden: 5, ..Description::default() }, &input);
    let mut sure = usual.clone();
    // Those of the second layer.
    for parameter in sure.parameters_mut().into_iter().skip(2) {
        for row in 0..parameter.value.rows() {
            parameter.value.row_mut(row).iter_mut().for_each(|value| *value *= 200.0);
        }
    }
    let (probe, unsure) = (Probe::new(&sure, &input).unwrap(), Probe::new(&usual, &input).unwrap());
    let before = probe.posteriors(&all_nodes()).unwrap();
    let mut saturated = 0;
    for node in all_nodes() {
        let other = probe.features(node).unwrap().into_iter().map(|value| value * 1.001).collect();
        let after = probe.changed(&[node], &[(node, other)]).unwrap();
        let pair = [(node, node)];
        assert!(unsure.influences(&pair).unwrap()[0] > 0.0);
        assert!(probe.influences(&pair).unwrap()[0] > 0.0, "{node}");
        saturated += usize::from(after.row(0) == before.row(node as usize));
    }
    assert!(saturated > 5, "{saturated}");
}

#[test]
fn influences_are_the_same_on_one_and_two_threads() {
    let shape = crate::workload::shape::Shape { nodes: 3000, messages: 20_000, features: 50, classes: 7, hops: 3 };
    let input = shape.with_reports(1);
    let mut random = Random::new(1, "pairs");
    let pairs: Vec<(NodeId, NodeId)> =
        (0..300).map(|_| (random.below(200) as NodeId, random.below(3000) as NodeId)).collect();
    for kind in [Kind::Gcn, Kind::Gat] {
        let description = Description { kind, ..Description::default() };
        let model = Model::new(description.check(shape.features, shape.classes).unwrap(), 1);
        let bits = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| Probe::new(&model, &input).unwrap().influences(&pairs).unwrap());
            found.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        };
        let one = bits(1);
        assert!(one.iter().any(|&bits| bits != 0));
        assert_eq!(one, bits(2), "{kind}");
        // Nor on the other pairs of the query.
        let probe = Probe::new(&model, &input).unwrap();
        assert_eq!(probe.influences(&pairs[17..18]).unwrap()[0].to_bits(), one[17], "{kind}");
    }
}

#[test]
fn invalid_queries_are_refused() {
    let input = Input::new(dense(), messages(), 1).unwrap();
    let probe = Probe::new(&network(Description::default(), &input), &input).unwrap();
    let text = |error: ProbeError| error.to_string();
    let unknown = "unknown node 24: there are 24 nodes";
    assert_eq!(text(probe.posteriors(&[0, 24]).unwrap_err()), unknown);
    assert_eq!(text(probe.features(24).unwrap_err()), unknown);
    assert_eq!(text(probe.changed(&[0], &[(24, vec![0.0; DIMENSIONS])]).unwrap_err()), unknown);
    assert_eq!(text(probe.influences(&[(0, 1), (24, 1)]).unwrap_err()), unknown);
    assert_eq!(text(probe.influences(&[(1, 24)]).unwrap_err()), unknown);
    let short = probe.changed(&[0], &[(3, vec![0.0; 8])]).unwrap_err();
    assert_eq!(text(short), "node 3 has 8 features, but the network reads 9");
    let twice = probe.changed(&[0], &[(3, vec![0.0; 9]), (1, vec![0.0; 9]), (3, vec![1.0; 9])]).unwrap_err();
    assert_eq!(text(twice), "duplicate features of node 3");

    let narrow = Model::new(Description::default().check(4, 2).unwrap(), 1);
    assert_eq!(Probe::new(&narrow, &input).unwrap_err(), FeaturesError { network: 4, input: 9 });
    assert_eq!(probe.posteriors(&[]).unwrap().rows(), 0);
    assert!(probe.influences(&[]).unwrap().is_empty());
}
