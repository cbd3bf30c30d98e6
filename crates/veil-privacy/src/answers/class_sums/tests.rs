use veil_graph::{Declared, Direction, Graph, NodeId};

use super::*;
use crate::coins::Coins;
use crate::guarantee::Unit;
use crate::permit::{PermitError, Request, RequestError};
use crate::testing::assert_binomial;

const GRID: Grid = Grid { exponent: STEP_EXPONENT };

fn embedding() -> Embedding {
    // Two directions out of three features.
    let basis = Matrix::from_values(3, 2, vec![1.0, 0.0, 0.5, -2.0, 0.0, 1e-3]).unwrap();
    Embedding::new(&[0.5, 0.0, 1.0], basis).unwrap()
}

/// Nodes with these features and labels, all of them joined with the first.
fn data(name: &str, rows: &[([f32; 3], Option<u32>)]) -> Dataset {
    let nodes = rows.len() as u32;
    let edges: Vec<(NodeId, NodeId)> = (1..nodes).map(|node| (0, node)).collect();
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features = rows.iter().flat_map(|(row, _)| *row).collect();
    Dataset::new(name, graph, Default::default())
        .with_declared(Declared { nodes: true, dimensions: true, classes: true })
        .with_features(Features::Dense(Matrix::from_values(rows.len(), 3, features).unwrap()))
        .unwrap()
        .with_labels(Labels::new(3, rows.iter().map(|(_, label)| *label)).unwrap())
        .unwrap()
}

fn checked(private: &Private<Dataset>, public: &Dataset, shift: &str) -> ClassSums {
    let queries: Vec<NodeId> = (0..public.nodes()).collect();
    let params = Params { dimensions: 2, shift: shift.parse().unwrap(), delta: "0.00001".parse().unwrap() };
    params.check(&private.public(), &Asked { public, queries: &queries }).unwrap()
}

fn permit(private: &Private<Dataset>, how: &ClassSums, seed: u64) -> Permit {
    Request::new(private, Coins::reproducible(seed), vec![how.guarantee().clone()]).unwrap().unbooked()
}

/// Whatever a node's features are, it changes the row of its class alone, by a vector that is not
/// longer than the bound.
#[test]
fn one_node_moves_one_class_by_at_most_the_sensitivity() {
    let usual = [([1.0, 0.0, 2.0], Some(0)), ([0.0, 3.0, 1.0], Some(2)), ([0.5, 0.0, 1.0], Some(1))];
    let before = raw_sums(&data("private", &usual), &embedding(), GRID).unwrap();
    let odd = [
        [0.0, 0.0, 0.0],
        [f32::NAN, 1.0, 1.0],
        [f32::INFINITY, 0.0, 0.0],
        [f32::NEG_INFINITY, f32::INFINITY, f32::NAN],
        [f32::MAX, f32::MAX, f32::MAX],
        [f32::MIN, 0.0, f32::MAX],
        [f32::MIN_POSITIVE, 1e-45, -0.0],
        [0.5, 0.0, 1.0],
        [0.500_000_06, 0.0, 1.0],
        [1e30, -1e30, 1e-30],
        [1.0, 0.0, 2.0],
    ];
    for features in odd {
        for (label, place) in [(Some(0), 0), (Some(2), 3), (Some(1), 1), (None, 2)] {
            let mut more = usual.to_vec();
            more.insert(place, (features, label));
            let after = raw_sums(&data("private", &more), &embedding(), GRID).unwrap();
            for (class, (before, after)) in (0..).zip(before.iter().zip(&after)) {
                let moved: i64 = before.iter().zip(after).map(|(before, after)| (after - before).pow(2)).sum();
                let bound = if Some(class) == label { GRID.sensitivity_squared() } else { 0 };
                assert!(moved as u64 <= bound, "{features:?}, {label:?}: class {class} moved by √{moved}");
                assert_eq!(after.last().unwrap() - before.last().unwrap(), if bound > 0 { GRID.count() } else { 0 });
            }
        }
    }
}

/// The last line of defence: also what is no point at all.
#[test]
fn no_row_is_longer_than_the_sensitivity() {
    let squared = |row: &[i64]| row.iter().map(|&it| i128::from(it).pow(2)).sum::<i128>();
    for point in [
        vec![0.6, 0.8],
        vec![1.0],
        vec![-1.0, 0.0],
        vec![1.0 + 1e-12, 1e-3],
        vec![1.0, 1.0, 1.0],
        vec![f64::MAX, f64::MIN, f64::NAN],
        vec![f64::INFINITY; 50],
        vec![0.1; 100],
        vec![],
    ] {
        let row = GRID.row(&point);
        assert!(squared(&row) <= i128::from(GRID.sensitivity_squared()), "{point:?}: {row:?}");
        assert_eq!((row.len(), row.last()), (point.len() + 1, Some(&GRID.count())));
    }
    assert_eq!(GRID.row(&[0.6, -0.8]), [2457, -3276, 2048], "towards zero");
    assert_eq!(u128::from(GRID.sensitivity_squared()), 5 << 22);
}

#[test]
fn sums_are_those_of_the_points_with_noise() {
    let rows: Vec<([f32; 3], Option<u32>)> = (0..40).map(|node| ([2.0, 1.0, 1.0], Some(node % 2))).collect();
    let (private, public) = (Private::seal(data("private", &rows)), data("public", &rows[..4]));
    // A node moves the sums by 50 deviations: hardly any noise.
    let how = checked(&private, &public, "50");
    let released = how.sums(&private, &embedding(), &mut permit(&private, &how, 1)).unwrap();
    let sums = released.value();
    assert_eq!((sums.classes(), sums.deviation()), (3, (8389.0_f64).sqrt() / 4096.0));
    let expected = embedding().points(public.features().unwrap()).unwrap();
    for class in 0..2 {
        assert!((sums.nodes(class) - 20.0).abs() < 0.5, "{sums:?}");
        for (sum, point) in sums.points(class).into_iter().zip(&expected[0]) {
            assert!((sum - 20.0 * point).abs() < 0.3, "{sums:?}");
        }
    }
    assert!(sums.nodes(2).abs() < 0.5 && sums.nodes(2) != 0.0, "nobody is there, and that is not told");
    let guarantee = &released.guarantees()[0];
    assert_eq!((guarantee.unit, guarantee.status, guarantee.mechanism.as_str()), (Unit::Node, Status::Proven, NAME));
    assert!(guarantee.parameters.to_string().starts_with("classes=3;dimensions=2;steps=4096;count=2048;shift=50;"));
}

/// All cells have noise of their own, of the deviation that is said.
#[test]
fn every_cell_has_its_noise() {
    let private = Private::seal(data("private", &[([2.0, 1.0, 1.0], Some(0))]));
    let public = data("public", &[([2.0, 1.0, 1.0], None)]);
    let how = checked(&private, &public, "0.5");
    let raw = raw_sums(private.open(), &embedding(), GRID).unwrap();
    let (mut within, mut positive, trials) = ([0_u64; 9], [0_u64; 9], 4000);
    for seed in 0..trials {
        let sums = how.sums(&private, &embedding(), &mut permit(&private, &how, seed)).unwrap();
        let noise = sums.value().rows.iter().flatten().zip(raw.iter().flatten()).map(|(noisy, raw)| noisy - raw);
        for (cell, noise) in noise.enumerate() {
            within[cell] += u64::from((noise as f64).abs() < (how.noise.variance() as f64).sqrt());
            positive[cell] += u64::from(noise > 0);
        }
    }
    for (within, positive) in within.into_iter().zip(positive) {
        // A grid of 4,096 steps is fine enough for the continuous curve.
        assert_binomial(within, trials, libm::erf(1.0 / 2_f64.sqrt()), 18, "within a deviation");
        assert_binomial(positive, trials, 0.5, 18, "above 0");
    }
}

#[test]
fn the_same_key_gives_the_same_sums_on_any_number_of_threads() {
    let rows: Vec<([f32; 3], Option<u32>)> =
        (0..300).map(|node| ([node as f32, 1.0 / node as f32, 1.0], (node % 7 != 0).then_some(node % 3))).collect();
    let (private, public) = (Private::seal(data("private", &rows)), data("public", &rows[..4]));
    let how = checked(&private, &public, "1");
    let sums = |seed| how.sums(&private, &embedding(), &mut permit(&private, &how, seed)).unwrap().into_parts().0;
    let expected = sums(5);
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| sums(5)), expected, "{threads}");
    }
    assert_ne!(sums(6), expected);
}

#[test]
fn labels_are_read_from_the_sums_alone_and_a_permit_serves_once() {
    let rows: Vec<([f32; 3], Option<u32>)> = (0..9).map(|node| ([node as f32, 1.0, 1.0], Some(node % 3))).collect();
    let private = Private::seal(data("private", &rows));
    let parts = [Part::Train, Part::Test, Part::None, Part::Val].to_vec();
    let public = data("public", &rows[..4]).with_split(veil_graph::Split::new(parts)).unwrap();
    let queries = [0, 1, 2, 3];
    let asked = Asked { public: &public, queries: &queries };
    let how = checked(&private, &public, "1");
    let read = |sums: &Sums| vec![2; sums.classes() + 1];
    let released = how.answer(&private, &asked, &embedding(), permit(&private, &how, 1), &read).unwrap();
    let labels = released.data().labels().unwrap();
    assert_eq!(labels.iter().collect::<Vec<_>>(), [Some(2); 4]);
    let split = released.data().split().unwrap();
    assert_eq!([0, 1, 2, 3].map(|node| split.part(node)), [Part::Train, Part::Test, Part::Train, Part::Train]);
    assert!(released.label_mechanism().unwrap().is_none());
    assert!(released.statement().withheld.iter().any(|it| it.contains("sums before noise")));
    let few = |_: &Sums| vec![2];
    let refused = how.answer(&private, &asked, &embedding(), permit(&private, &how, 1), &few);
    assert!(matches!(refused, Err(AnswerError::Shape(_))));
    let mut once = permit(&private, &how, 1);
    how.sums(&private, &embedding(), &mut once).unwrap();
    let twice = how.sums(&private, &embedding(), &mut once);
    assert!(matches!(twice, Err(AnswerError::Permit(PermitError::NotPermitted { .. }))));
    let narrow = Embedding::new(&[0.0; 3], Matrix::zeros(3, 1)).unwrap();
    let misfit = how.sums(&private, &narrow, &mut permit(&private, &how, 1));
    assert!(matches!(misfit, Err(AnswerError::Shape(_))));
}

/// With the same coins, the difference of two sums would be the difference of the true ones.
#[test]
fn sums_in_two_embeddings_share_no_noise() {
    let rows: Vec<([f32; 3], Option<u32>)> = (0..9).map(|node| ([node as f32, 1.0, 1.0], Some(node % 3))).collect();
    let private = Private::seal(data("private", &rows));
    let how = checked(&private, &data("public", &rows[..4]), "0.01");
    let swapped = Matrix::from_values(3, 2, vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
    let embeddings = [embedding(), Embedding::new(&[0.0; 3], swapped).unwrap()];
    // Two permits of one seed are what a permit with the same promise twice was.
    let noise = embeddings.each_ref().map(|embedding| {
        let noisy = how.sums(&private, embedding, &mut permit(&private, &how, 1)).unwrap().into_parts().0.rows;
        let raw = raw_sums(private.open(), embedding, GRID).unwrap();
        noisy.concat().iter().zip(raw.concat()).map(|(noisy, raw)| noisy - raw).collect::<Vec<i64>>()
    });
    // The noise is some 10⁶ steps wide: no two draws are equal by accident.
    assert!(noise[0].iter().zip(&noise[1]).all(|(one, other)| one != other), "{noise:?}");
    let promise = how.guarantee().clone();
    let twice = Request::new(&private, Coins::reproducible(1), vec![promise.clone(), promise]);
    assert!(matches!(twice, Err(RequestError::Repeated { unit: Unit::Node, .. })));
}

/// The shift that costs (8, 10⁻⁵) is that of the published conversion.
#[test]
fn noise_for_an_epsilon() {
    for (epsilon, sigma) in [(1.0, 4.0451), (2.0, 2.1491), (4.0, 1.1576), (8.0, 0.6377), (16.0, 0.3624)] {
        let found = crate::accounting::calibrate(epsilon, 1e-5, cost).unwrap();
        assert!((1.0 / found.parameter - sigma).abs() < 2e-4, "{epsilon}: {}", 1.0 / found.parameter);
        assert!(found.spending.epsilon <= epsilon);
    }
}
