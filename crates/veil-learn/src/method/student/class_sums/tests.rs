use veil_graph::random::Random;
use veil_graph::{Direction, Features, Labels, Sparse, Split};
use veil_privacy::{Coins, Request};

use super::*;
use crate::symmetric::Symmetric;

const CLASSES: u32 = 4;

/// Words of 40, ten of which are their class's; neighbours are mostly of the same class.
fn world(name: &str, nodes: u32, seed: u64) -> Dataset {
    let mut random = Random::new(seed, "class sums: test");
    let labels: Vec<u32> = (0..nodes).map(|node| node % CLASSES).collect();
    let mut edges = Vec::new();
    let mut words = Vec::new();
    for node in 0..nodes {
        for _ in 0..3 {
            let other = random.below(nodes as usize) as u32;
            if other != node && (labels[other as usize] == labels[node as usize] || random.unit() < 0.1) {
                edges.push((node, other));
            }
        }
        for word in 0..40 {
            let own = word / 10 == labels[node as usize];
            if random.unit() < if own { 0.35 } else { 0.15 } {
                words.push((node, word, 1.0));
            }
        }
    }
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features = Sparse::from_triples(nodes as usize, 40, &words).unwrap();
    let parts = (0..nodes).map(|node| if node < nodes / 2 { Part::Train } else { Part::Test });
    Dataset::new(name, graph, Default::default())
        .with_declared(veil_graph::Declared { nodes: true, dimensions: true, classes: true })
        .with_features(Features::Sparse(features))
        .unwrap()
        .with_labels(Labels::new(CLASSES, labels.into_iter().map(Some)).unwrap())
        .unwrap()
        .with_split(Split::new(parts.collect()))
        .unwrap()
}

fn at(epsilon: &str) -> Params {
    Params { epsilon: Some(epsilon.parse().unwrap()), ..Params::default() }
}

fn labelled(epsilon: &str, seed: u64) -> (Vec<u32>, Dataset) {
    let (private, public) = (Private::seal(world("private", 400, 1)), world("public", 400, 2));
    let queries: Vec<NodeId> = (0..public.nodes()).collect();
    let asked = Asked { public: &public, queries: &queries };
    let summing = at(epsilon).plan(&private.public(), &asked).unwrap();
    let guarantee = summing.mechanism().guarantee().clone();
    assert!(guarantee.epsilon <= epsilon.parse().unwrap(), "{}", guarantee.epsilon);
    let request = Request::new(&private, Coins::reproducible(seed), vec![guarantee]).unwrap();
    let read = summing.reader(&public).unwrap();
    let released =
        summing.mechanism().answer(&private, &asked, summing.embedding(), request.unbooked(), &read).unwrap();
    let labels = released.data().labels().unwrap().iter().flatten().collect();
    assert_eq!(released.data().split().unwrap().count(Part::Test), 200);
    (labels, public.clone())
}

/// By chance a quarter of the 400 would be right.
#[test]
fn public_nodes_get_their_classes() {
    let right = |epsilon: &str| {
        let (labels, public) = labelled(epsilon, 3);
        let truth = public.labels().unwrap();
        assert_eq!(labels.len(), 400);
        (0..).zip(&labels).filter(|(node, label)| truth.get(*node) == Some(**label)).count()
    };
    assert!(right("8") > 270, "{}", right("8"));
    assert!(right("1") > 150, "{}", right("1"));
    // Next to no budget, next to nothing but noise.
    assert!(right("0.001") < 250, "{}", right("0.001"));
}

#[test]
fn the_same_for_any_number_of_threads() {
    let (expected, _) = labelled("2", 5);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| labelled("2", 5).0), expected);
    }
    assert_ne!(labelled("2", 6).0, expected);
}

/// The directions are eigenvectors of H'H, found here by making H.
#[test]
fn the_basis_is_that_of_the_propagated_features() {
    let public = world("public", 200, 4);
    let features = public.features().unwrap();
    let mean = features.moments(0..200).mean;
    let mut centred = Matrix::zeros(200, 40);
    for row in 0..200 {
        (0..40).for_each(|column| {
            centred.row_mut(row)[column] = features.value(row, column as u32) - mean[column];
        });
    }
    let far = smoothed(public.graph(), &smoothed(public.graph(), &centred));
    let column =
        |matrix: &Matrix, k: usize| -> Vec<f64> { (0..200).map(|row| f64::from(matrix.row(row)[k])).collect() };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let columns: Vec<Vec<f64>> = (0..40).map(|k| column(&far, k)).collect();
    let exact = Symmetric::from_fn(40, |i, j| dot(&columns[i], &columns[j])).eigen();
    let points = basis::embedding(&public, 6).unwrap().points(features).unwrap();
    // Scaled to deviation 1 and put on the sphere: points along the exact vectors must be the same.
    for (node, point) in points.iter().enumerate() {
        let along: Vec<f64> = exact.vectors[..6]
            .iter()
            .map(|vector| {
                let largest = vector.iter().fold(0.0_f64, |a, &b| if b.abs() > a.abs() { b } else { a });
                let all: Vec<f64> = (0..200)
                    .map(|row| centred.row(row).iter().zip(vector).map(|(&x, v)| f64::from(x) * v).sum::<f64>())
                    .collect();
                largest.signum() * all[node] / (dot(&all, &all) / 200.0).sqrt()
            })
            .collect();
        let length = dot(&along, &along).sqrt();
        for (found, expected) in point.iter().zip(along) {
            assert!((found - expected / length).abs() < 1e-2, "node {node}: {found} instead of {}", expected / length);
        }
    }
}

#[test]
fn smoothing_back_is_the_transpose() {
    let public = world("public", 50, 1);
    let mut random = Random::new(1, "numbers");
    let mut numbers = || Matrix::from_values(50, 1, (0..50).map(|_| random.unit() as f32).collect()).unwrap();
    let (left, right) = (numbers(), numbers());
    let dot = |a: &Matrix, b: &Matrix| a.values().iter().zip(b.values()).map(|(a, b)| a * b).sum::<f32>();
    let there = dot(&left, &smoothed(public.graph(), &right));
    assert!((there - dot(&smoothed_back(public.graph(), &left), &right)).abs() < 1e-4);
    assert_eq!(smoothed(public.graph(), &Matrix::from_values(50, 1, vec![2.0; 50]).unwrap()).row(7), [2.0]);
}

#[test]
fn missing_and_useless_parameters_are_refused() {
    let (private, public) = (Private::seal(world("private", 40, 1)), world("public", 40, 2));
    let queries: Vec<NodeId> = (0..40).collect();
    let refused = |params: Params, public: &Dataset| {
        params.plan(&private.public(), &Asked { public, queries: &queries }).unwrap_err().to_string()
    };
    for name in ["queries", "gamma", "lambda", "choose", "release", "k", "teachers", "teacher", "denoise"] {
        let given = veil_privacy::parameters::Settings::from_iter([(name, 5.into())]);
        let problem = crate::method::configure(NAME, &given).unwrap_err().to_string();
        assert!(problem.starts_with(&format!("{name} is not a parameter of class-sums")), "{problem}");
    }
    assert_eq!(refused(Params::default(), &public), "class-sums requires epsilon");
    assert!(refused(Params { delta: 0.0, ..at("1") }, &public).starts_with("delta = 0"));
    assert!(refused(at("inf"), &public).contains("epsilon"), "{}", refused(at("inf"), &public));
    let tested = public.clone().with_split(Split::new(vec![Part::Test; 40])).unwrap();
    assert_eq!(refused(at("1"), &tested), "no training node has a label");
}

/// Constant features, fewer features than directions, nodes without edges: labels all the
/// same.
#[test]
fn public_graphs_without_anything_to_learn_are_labelled() {
    let plain = |value: f32, columns: usize| {
        let graph = Graph::empty(30, Direction::Undirected);
        let features = Features::Dense(Matrix::from_values(30, columns, vec![value; 30 * columns]).unwrap());
        let given = veil_graph::Declared { nodes: true, dimensions: true, classes: true };
        let data =
            Dataset::new("plain", graph, Default::default()).with_declared(given).with_features(features).unwrap();
        data.with_labels(Labels::new(CLASSES, (0..30).map(|node| Some(node % CLASSES))).unwrap()).unwrap()
    };
    for (value, columns) in [(0.0, 3), (1.0, 1), (1e30, 3), (-3.0, 40)] {
        let (private, public) = (Private::seal(plain(value, columns)), plain(value, columns));
        let queries: Vec<NodeId> = (0..30).collect();
        let asked = Asked { public: &public, queries: &queries };
        let summing = at("1").plan(&private.public(), &asked).unwrap();
        let guarantee = summing.mechanism().guarantee().clone();
        let request = Request::new(&private, Coins::reproducible(1), vec![guarantee]).unwrap();
        let read = summing.reader(&public).unwrap();
        let released =
            summing.mechanism().answer(&private, &asked, summing.embedding(), request.unbooked(), &read).unwrap();
        assert_eq!(released.data().labels().unwrap().known(), 30);
    }
}

fn from_rows<const N: usize>(rows: [[f64; N]; N]) -> Symmetric {
    Symmetric::from_fn(N, |i, j| rows[i][j])
}

#[test]
fn eigenvectors_are_found() {
    let eigen = from_rows([[2.0, 1.0], [1.0, 2.0]]).eigen();
    assert!((eigen.values[0] - 3.0).abs() < 1e-12 && (eigen.values[1] - 1.0).abs() < 1e-12, "{eigen:?}");
    let mut random = Random::new(1, "eigen");
    let numbers: Vec<f64> = (0..60 * 60).map(|_| random.unit() - 0.5).collect();
    let matrix = Symmetric::from_fn(60, |i, j| numbers[i * 60 + j]);
    let eigen = matrix.eigen();
    assert!(eigen.values.is_sorted_by(|a, b| a >= b));
    for (value, vector) in eigen.values.iter().zip(&eigen.vectors) {
        for i in 0..60 {
            let image: f64 = (0..60).map(|j| matrix.get(i, j) * vector[j]).sum();
            assert!((image - value * vector[i]).abs() < 1e-10);
        }
        assert!((vector.iter().map(|it| it * it).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let same = matrix.with_eigenvalues(|value| value);
    assert!((0..60).all(|i| (0..60).all(|j| (same.get(i, j) - matrix.get(i, j)).abs() < 1e-10)));
    assert!((eigen.values.iter().sum::<f64>() - matrix.trace()).abs() < 1e-10);
}

#[test]
fn linear_equations_are_solved() {
    let matrix = from_rows([[4.0, 2.0, 0.5], [2.0, 3.0, 1.0], [0.5, 1.0, 2.0]]);
    let x = matrix.solve(&[1.0, -2.0, 3.0]).unwrap();
    for (i, right) in [1.0, -2.0, 3.0].into_iter().enumerate() {
        assert!(((0..3).map(|j| matrix.get(i, j) * x[j]).sum::<f64>() - right).abs() < 1e-12);
    }
    assert_eq!(from_rows([[1.0, 2.0], [2.0, 1.0]]).solve(&[1.0, 1.0]), None, "not positive definite");
    assert_eq!(from_rows([[f64::NAN]]).solve(&[1.0]), None);
}

/// The conditions of Karush, Kuhn and Tucker, which only the solution meets.
#[test]
fn least_squares_are_not_negative() {
    let one = from_rows([[4.0, 0.0], [0.0, 9.0]]).non_negative_least(&[4.0, -1.0]);
    assert_eq!(one, [1.0, 0.0]);
    let mut random = Random::new(2, "least");
    for size in [1, 2, 5, 12, 40] {
        for _ in 0..20 {
            let numbers: Vec<f64> = (0..size * size).map(|_| random.unit() - 0.3).collect();
            let product =
                |i: usize, j: usize| (0..size).map(|k| numbers[i * size + k] * numbers[j * size + k]).sum::<f64>();
            let matrix = Symmetric::from_fn(size, |i, j| product(i, j) + if i == j { 0.01 } else { 0.0 });
            let linear: Vec<f64> = (0..size).map(|_| random.unit() - 0.4).collect();
            let x = matrix.non_negative_least(&linear);
            for i in 0..size {
                let slope = linear[i] - (0..size).map(|k| matrix.get(i, k) * x[k]).sum::<f64>();
                assert!(x[i] >= 0.0 && slope < 1e-8, "{size}: {x:?}");
                assert!(x[i] == 0.0 || slope.abs() < 1e-8, "{size}: slope {slope} at {}", x[i]);
            }
        }
    }
}
