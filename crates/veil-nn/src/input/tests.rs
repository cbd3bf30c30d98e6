//! Both forms agree with the plain implementations of veil-graph, and the cheaper one is chosen.

use veil_graph::random::Random;
use veil_graph::{Encoded, Matrix, Sparse};

use rayon::prelude::*;

use super::*;

const ALL: [Aggregate; 5] = [Aggregate::Own, Aggregate::Gcn, Aggregate::Symmetric, Aggregate::Mean, Aggregate::Sum];

fn matrix(rows: usize, columns: usize, seed: u64) -> Matrix {
    let mut random = Random::new(seed, "input");
    let values = (0..rows * columns).map(|_| (2.0 * random.unit() - 1.0) as f32).collect();
    Matrix::from_values(rows, columns, values).unwrap()
}

/// Each value is nonzero with this probability.
fn sparse(rows: usize, columns: usize, share: f64) -> Features {
    let mut random = Random::new(2, "sparse");
    let mut triples = Vec::new();
    for row in 0..rows as u32 {
        for column in 0..columns as u32 {
            if random.unit() < share {
                triples.push((row, column, 2.0 * random.unit() as f32 - 0.7));
            }
        }
    }
    Features::Sparse(Sparse::from_triples(rows, columns, &triples).unwrap())
}

/// Ones with this probability, as sparse and as dense features.
fn binary(rows: usize, columns: usize, share: f64) -> [Features; 2] {
    let Features::Sparse(places) = sparse(rows, columns, share) else { unreachable!() };
    let triples = (0..rows).flat_map(|row| places.row(row).map(move |(column, _)| (row as u32, column, 1.0)));
    let triples: Vec<_> = triples.collect();
    let mut dense = Matrix::zeros(rows, columns);
    triples.iter().for_each(|&(row, column, value)| dense.row_mut(row as usize)[column as usize] = value);
    [Features::Sparse(Sparse::from_triples(rows, columns, &triples).unwrap()), Features::Dense(dense)]
}

/// Reports of one sign each, as the multi-bit encoder sends at small ε.
fn encoded(rows: usize, columns: usize) -> Features {
    let mut random = Random::new(3, "encoded");
    let places = (0..rows).map(|_| random.below(columns) as u32).collect();
    let signs = (0..rows).map(|row| row % 3 == 0).collect();
    Features::Encoded(Encoded::from_reports((rows, columns, 1), (0.5, 1.25), places, signs).unwrap())
}

/// Lists of about `degree` random nodes, some of them empty: directed, with loops and repetitions.
fn lists(nodes: usize, degree: usize) -> Vec<Vec<u32>> {
    let mut random = Random::new(4, "lists");
    let mut list = |node| if node % 7 == 3 { 0 } else { degree.max(1) + random.below(2) };
    let lengths: Vec<usize> = (0..nodes).map(&mut list).collect();
    lengths.iter().map(|&length| (0..length).map(|_| random.below(nodes) as u32).collect()).collect()
}

fn input(features: Features, degree: usize, hops: usize) -> Input {
    let lists = lists(features.rows(), degree);
    Input::new(features, Messages::from_lists(&lists).unwrap(), hops).unwrap()
}

/// One step as a full matrix, from its definition.
fn step(lists: &[Vec<u32>], aggregate: Aggregate) -> Vec<Vec<f64>> {
    let nodes = lists.len();
    let mut counts = vec![vec![0.0; nodes]; nodes];
    for (node, list) in lists.iter().enumerate() {
        list.iter().for_each(|&source| counts[node][source as usize] += 1.0);
    }
    match aggregate {
        // Exactly one self loop per node.
        Aggregate::Gcn => (0..nodes).for_each(|node| counts[node][node] = 1.0),
        Aggregate::Own => {
            return (0..nodes).map(|v| (0..nodes).map(|u| f64::from(u8::from(u == v))).collect()).collect();
        }
        _ => {}
    }
    let degrees: Vec<f64> = counts.iter().map(|row| row.iter().sum()).collect();
    let inverse = |degree: f64, power: f64| if degree == 0.0 { 0.0 } else { degree.powf(power) };
    for v in 0..nodes {
        for u in 0..nodes {
            counts[v][u] *= match aggregate {
                Aggregate::Gcn | Aggregate::Symmetric => inverse(degrees[v], -0.5) * inverse(degrees[u], -0.5),
                Aggregate::Mean => inverse(degrees[v], -1.0),
                Aggregate::Own | Aggregate::Sum => 1.0,
            };
        }
    }
    counts
}

/// P·X, or Pᵀ·X.
fn times(p: &[Vec<f64>], x: &Matrix, transposed: bool) -> Matrix {
    let mut out = Matrix::zeros(x.rows(), x.columns());
    let factor = |v: usize, u: usize| if transposed { p[u][v] } else { p[v][u] };
    for v in 0..x.rows() {
        for column in 0..x.columns() {
            let sum: f64 = (0..x.rows()).map(|u| factor(v, u) * f64::from(x.row(u)[column])).sum();
            out.row_mut(v)[column] = sum as f32;
        }
    }
    out
}

/// Sums of some 40 terms of a few units each, in 32 bits and in another order: 1e-4 is far above
/// their rounding and far below a term.
fn assert_near(found: &Tensor, truth: &Matrix, what: &str) {
    assert_eq!((found.rows(), found.columns()), (truth.rows(), truth.columns()));
    for row in 0..truth.rows() {
        for (found, truth) in found.row(row).iter().zip(truth.row(row)) {
            assert!((found - truth).abs() <= 1e-4 * (1.0 + truth.abs()), "{what}: {found} instead of {truth}");
        }
    }
}

#[test]
fn both_forms_equal_the_plain_product_forwards_and_back() {
    let (nodes, dimensions, width) = (40, 13, 5);
    let lists = lists(nodes, 3);
    let (weight, gradient) = (matrix(dimensions, width, 5), matrix(nodes, width, 6));
    for features in
        [Features::Dense(matrix(nodes, dimensions, 1)), sparse(nodes, dimensions, 0.3), encoded(nodes, dimensions)]
    {
        for hops in [0, 1, 3] {
            for aggregate in ALL {
                let (hop, last) = (step(&lists, Aggregate::Symmetric), step(&lists, aggregate));
                let mut forwards = features.times(&weight).unwrap();
                let mut back = times(&last, &gradient, true);
                for _ in 0..hops {
                    forwards = times(&hop, &forwards, false);
                    back = times(&hop, &back, true);
                }
                let forwards = times(&last, &forwards, false);
                let back = features.transposed_times(&back).unwrap();
                let input = input(features.clone(), 3, hops);
                let (weight, gradient) = (Tensor::from(&weight), Tensor::from(&gradient));
                let what = format!("{} features, {hops} hops, {aggregate:?}", features.form());
                assert_near(&input.sparse_linear(aggregate, &weight), &forwards, &what);
                assert_near(&input.sparse_linear_backward(aggregate, gradient.clone()), &back, &what);
                let dense = input.made_dense(aggregate);
                assert_near(&dense_times(&dense, &weight), &forwards, &what);
                assert_near(&dense_transposed_times(&dense, &gradient), &back, &what);
            }
        }
    }
}

#[test]
fn binary_features_become_bits_if_faster() {
    let bits = |features: &Features| matches!(input(features.clone(), 3, 0).prepared(), Prepared::Binary(_));
    // Amazon's features, of which a third are set; Cora's, one in eighty.
    assert!(binary(750, 767, 0.35).iter().all(bits));
    assert!(!bits(&binary(500, 1433, 0.0127)[0]));
    // Other values; too few rows; a single use.
    assert!(!bits(&sparse(750, 767, 0.35)) && !bits(&Features::Dense(matrix(750, 767, 1))));
    assert!(!bits(&binary(20, 767, 0.35)[0]));
    for features in binary(750, 767, 0.35) {
        let input = input(features, 3, 0);
        // A form prepared for many uses is dropped for a single one.
        input.prepared();
        let once = input.used(1);
        assert!(!matches!(once.prepared(), Prepared::Binary(_)) && once.used(2).binary_pays());
    }
}

#[test]
fn bits_equal_the_plain_product_forwards_and_back() {
    let (nodes, dimensions, width) = (300, 170, 20);
    let (weight, gradient) = (matrix(dimensions, width, 5), matrix(nodes, width, 6));
    for features in binary(nodes, dimensions, 0.3) {
        let input = input(features.clone(), 3, 0);
        assert!(input.binary_pays());
        let what = format!("{} features", features.form());
        let found = input.linear(Aggregate::Own, &Tensor::from(&weight));
        assert_near(&found, &features.times(&weight).unwrap(), &what);
        let found = input.linear_backward(Aggregate::Own, Tensor::from(&gradient));
        assert_near(&found, &features.transposed_times(&gradient).unwrap(), &what);
        // Mean aggregation reads the same bits, instead of dense means.
        assert!(!input.dense_pays(Aggregate::Mean, width));
    }
}

#[test]
fn features_of_other_nodes_are_refused() {
    let input = input(Features::Dense(matrix(5, 3, 1)), 2, 0);
    let error = input.with_features(Features::Dense(matrix(4, 3, 1))).unwrap_err();
    assert_eq!(error.to_string(), "features of 4 nodes do not fit a graph of 5");
}

#[test]
fn earlier_queries_change_nothing() {
    // The dense form is faster for the wide matrix and slower for the narrow one.
    let features = || Features::Dense(matrix(60, 1000, 1));
    let (narrow, wide) = (Tensor::from(&matrix(1000, 4, 2)), Tensor::from(&matrix(1000, 16, 3)));
    let (fresh, used) = (input(features(), 3, 0), input(features(), 3, 0));
    assert!(fresh.dense_pays(Aggregate::Mean, 16) && !fresh.dense_pays(Aggregate::Mean, 4));
    used.linear(Aggregate::Mean, &narrow);
    assert_eq!(fresh.linear(Aggregate::Mean, &wide), used.linear(Aggregate::Mean, &wide));
    assert_eq!(fresh.linear(Aggregate::Mean, &narrow), used.linear(Aggregate::Mean, &narrow));
}

/// Threads that prepare the same input concurrently get the same result.
#[test]
fn an_input_can_be_shared_between_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let weight = Tensor::from(&matrix(150, 16, 2));
    for _ in 0..3 {
        let input = input(Features::Dense(matrix(1500, 150, 1)), 6, 2);
        let expected = ALL.map(|aggregate| dense_times(&input.made_dense(aggregate), &weight));
        let same = (0..64usize).into_par_iter().map(|job| {
            // Meanwhile others wait for another aggregation.
            input.sparse_linear(ALL[job % 5], &weight);
            input.linear(ALL[job % 5], &weight) == expected[job % 5]
        });
        assert!(pool.install(|| same.all(|same| same)));
    }
}

#[test]
fn the_cheaper_form_is_chosen() {
    let pays = |features, degree, hops| input(features, degree, hops).dense_pays(Aggregate::Gcn, 16);
    // Cora, LastFM and Facebook, one sign per report.
    for (nodes, dimensions, degree) in [(2708, 1433, 4), (7083, 7842, 7), (22_470, 4714, 15)] {
        for hops in [0, 2, 16] {
            assert!(!pays(encoded(nodes, dimensions), degree, hops), "{nodes} nodes, {hops} hops");
        }
    }
    // Amazon's features, of which a third are set.
    assert!(pays(sparse(750, 767, 0.35), 4, 0));
    // Cora's features, one in eighty.
    assert!(!pays(sparse(500, 1433, 0.0127), 4, 0));
    // As many messages per node as a graph with a million nodes and twenty million edges.
    assert!(pays(Features::Dense(matrix(2000, 64, 1)), 40, 0));
    // Without hops and messages, dense features are not copied.
    let dense = input(Features::Dense(matrix(50, 64, 1)), 40, 0);
    assert!(!dense.dense_pays(Aggregate::Own, 16));
}

#[test]
fn a_single_use_never_makes_features_dense() {
    for features in [Features::Dense(matrix(2000, 64, 1)), Features::Dense(matrix(50, 4, 1)), sparse(750, 767, 0.35)] {
        let input = input(features, 40, 2);
        assert!(input.dense_pays(Aggregate::Gcn, 16));
        let once = input.used(1);
        assert!(!once.dense_pays(Aggregate::Gcn, 16));
        assert!(once.used(1000).dense_pays(Aggregate::Gcn, 16));
    }
}

#[test]
fn features_without_a_graph_are_an_input() {
    let input = Input::without_graph(sparse(20, 6, 0.3)).unwrap();
    let silent = Messages::from_lists(&vec![Vec::new(); 20]).unwrap();
    let listed = Input::new(sparse(20, 6, 0.3), silent, 0).unwrap();
    let weight = Tensor::from(&matrix(6, 5, 2));
    for aggregate in ALL {
        assert_eq!(input.linear(aggregate, &weight), listed.linear(aggregate, &weight), "{aggregate:?}");
    }
}
