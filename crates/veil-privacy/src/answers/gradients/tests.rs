use veil_graph::{Declared, Direction, Graph, Labels};

use super::*;
use crate::accounting::sampling;
use crate::coins::Coins;
use crate::permit::{PermitError, Request};
use crate::testing::{assert_binomial, assert_same_on_any_threads};

/// Nodes with these features and labels, all of them joined with the first.
fn data(name: &str, rows: &[([f32; 2], Option<u32>)]) -> Dataset {
    let nodes = rows.len() as u32;
    let edges: Vec<(NodeId, NodeId)> = (1..nodes).map(|node| (0, node)).collect();
    let graph = Graph::from_edges(nodes, &edges, Direction::Undirected).unwrap().graph;
    let features = rows.iter().flat_map(|(row, _)| *row).collect();
    Dataset::new(name, graph, Default::default())
        .with_declared(Declared { nodes: true, dimensions: true, classes: true })
        .with_features(Features::Dense(Matrix::from_values(rows.len(), 2, features).unwrap()))
        .unwrap()
        .with_labels(Labels::new(3, rows.iter().map(|(_, label)| *label)).unwrap())
        .unwrap()
}

fn public() -> Dataset {
    data("public", &[([1.0, 0.0], None), ([0.0, 1.0], None)])
}

fn private(nodes: usize) -> Private<Dataset> {
    let node = |at: usize| ([1.0 + at as f32, 2.0 - (at % 3) as f32], Some(at as u32 % 3));
    Private::seal(data("private", &(0..nodes).map(node).collect::<Vec<_>>()))
}

fn layers() -> Layers {
    let first = Matrix::from_values(2, 2, vec![0.5, -0.25, 0.125, 0.75]).unwrap();
    Layers::new(first, Matrix::from_values(2, 3, vec![0.25, -0.5, 0.1, 1.0, 0.2, -0.7]).unwrap()).unwrap()
}

fn params(gamma: f64, gradients: u32) -> Params {
    let (shift, delta) = ("0.5".parse().unwrap(), "0.00001".parse().unwrap());
    Params { hidden: 2, gamma, gradients, shift, delta }
}

fn permit(private: &Private<Dataset>, how: &NoisyGradients, seed: u64) -> Permit {
    Request::new(private, Coins::reproducible(seed), vec![how.guarantee().clone()]).unwrap().unbooked()
}

/// The exact sums of samples that have everybody: a node more moves them by at most the
/// sensitivity.
#[test]
fn one_node_moves_the_sum_by_at_most_the_sensitivity() {
    let public = public();
    let asked = Asked { public: &public, queries: &[0, 1] };
    let usual = [([1.0, 0.0], Some(0)), ([0.0, 3.0], Some(2))];
    let odd = [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 0.0], [f32::MAX, f32::MIN], [1e-45, 0.0], [0.3, -2.0]];
    let summed = |rows: &[([f32; 2], Option<u32>)]| {
        let private = Private::seal(data("private", rows));
        let how = params(1.0, 1).check(&private.public(), &asked).unwrap();
        let gradients = how.begin(&private, &asked, permit(&private, &how, 1)).unwrap();
        (gradients.sum(&layers(), &gradients.stream), how.noise().sensitivity_squared())
    };
    let (before, bound) = summed(&usual);
    let mut longest = 0;
    for features in odd {
        for label in [None, Some(0), Some(2)] {
            let (after, _) = summed(&[&usual[..], &[(features, label)]].concat());
            let squared: u64 = before.iter().zip(&after).map(|(a, b)| a.abs_diff(*b).pow(2)).sum();
            assert!(squared <= bound, "{features:?} {label:?}: {squared} > {bound}");
            assert!(label.is_some() || squared == 0, "a node without a label contributes nothing");
            longest = longest.max(squared);
        }
    }
    assert!(longest as f64 > 0.99 * bound as f64, "the bound is nearly reached: {longest} of {bound}");
}

/// The exact sum, with the noise of its blocks and the sample of its step.
#[test]
fn what_is_released_is_the_noisy_sum_of_a_fresh_sample() {
    let (public, private) = (public(), private(200));
    let asked = Asked { public: &public, queries: &[0, 1] };
    let how = params(0.25, 2).check(&private.public(), &asked).unwrap();
    let begin = || how.begin(&private, &asked, permit(&private, &how, 3)).unwrap();
    let mut gradients = begin();
    assert_eq!(gradients.left(), 2);
    let first = gradients.next(&layers()).unwrap();
    let second = gradients.next(&layers()).unwrap();
    assert_ne!(first, second, "each step has its own sample and noise");
    assert!(matches!(gradients.next(&layers()), Err(AnswerError::NoGradientLeft { gradients: 2 })));
    let again = begin();
    let exact = again.sum(&layers(), &again.stream.of_round(0));
    let noise = again.stream.of_round(1).of_inputs(layers().inputs());
    assert_eq!(first, how.noise().release(&exact, &mut noise.node(0)));
    assert_same_on_any_threads(|| begin().next(&layers()).unwrap());
    // Other weights are another question, with other noise.
    let mut other = layers();
    other.first.values_mut()[0] = 0.51;
    let moved = begin().next(&other).unwrap();
    let shifted = |sums: &[i64], exact: &[i64]| -> Vec<i64> { sums.iter().zip(exact).map(|(a, b)| a - b).collect() };
    assert_ne!(shifted(&first, &exact), shifted(&moved, &again.sum(&other, &again.stream.of_round(0))));
    let narrow = Layers::new(Matrix::zeros(2, 1), Matrix::zeros(1, 3)).unwrap();
    assert!(begin().next(&narrow).is_err());
}

/// Every node is sampled at the stated rate in every step, independently of its label.
#[test]
fn nodes_are_sampled_at_the_rate() {
    let (public, private) = (public(), private(4000));
    let asked = Asked { public: &public, queries: &[0, 1] };
    let how = params(0.25, 2).check(&private.public(), &asked).unwrap();
    let gradients = how.begin(&private, &asked, permit(&private, &how, 9)).unwrap();
    for step in 0..2 {
        let coins = gradients.stream.of_round(2 * step);
        let drawn = (0..4000).filter(|&node| bernoulli_threshold(&mut coins.node(node), 1 << 62)).count();
        assert_binomial(drawn as u64, 4000, 0.25, 2, "sampled");
    }
}

/// The promise is that of the accountant at the variance that is drawn, and with a hundredth less
/// deviation it is broken.
#[test]
fn all_gradients_cost_what_is_promised() {
    let (public, private) = (public(), private(10));
    let asked = Asked { public: &public, queries: &[0] };
    for (gamma, gradients) in [(1.0, 1), (1.0, 50), (0.1, 200)] {
        let how = params(gamma, gradients).check(&private.public(), &asked).unwrap();
        let noise = how.noise();
        let shift = (noise.sensitivity_squared() as f64 / noise.variance() as f64).sqrt();
        let spent = |shift: f64| cost(shift, gamma, gradients).unwrap().spending(1e-5).unwrap().epsilon;
        let promised = how.guarantee().epsilon.as_f64();
        assert!(spent(shift) <= promised && spent(1.01 * shift) > promised, "{gamma} {gradients}");
        assert_eq!(recomputed(how.guarantee()).unwrap().0, how.guarantee().epsilon);
    }
    // Sampling pays: a tenth of the nodes in ten times the steps.
    let at = |gamma, gradients| cost(0.5, gamma, gradients).unwrap().spending(1e-5).unwrap().epsilon;
    assert!(at(0.1, 10) < at(1.0, 10) / 3.0);
    for (gamma, gradients) in [(0.0, 1), (1.1, 1), (0.5, 0), (0.5, u32::MAX)] {
        assert!(params(gamma, gradients).check(&private.public(), &asked).is_err());
    }
}

/// Both directions of a sampled discrete Gaussian in two coordinates, from its probabilities: no
/// moment is above the bound that is used.
#[test]
fn the_moments_of_a_sampled_sum_are_below_the_bound() {
    let reach = 40_i64;
    let variance = 9.0_f64;
    let (moved, gamma) = ([2_i64, -1], 0.3);
    let squared: i64 = moved.iter().map(|it| it * it).sum();
    let weight = |k: i64| (-(k * k) as f64 / (2.0 * variance)).exp();
    let total: f64 = (-200..=200).map(weight).sum();
    for order in [2_u32, 3, 5, 8] {
        let (mut with, mut without) = (0.0, 0.0);
        for a in -reach..=reach {
            for b in -reach..=reach {
                let q = weight(a) * weight(b) / (total * total);
                let p = weight(a - moved[0]) * weight(b - moved[1]) / (total * total);
                let mixed = (1.0 - gamma) * q + gamma * p;
                with += q * (mixed / q).powi(order as i32);
                without += mixed * (q / mixed).powi(order as i32);
            }
        }
        let divergence = |alpha: u32| f64::from(alpha) * squared as f64 / (2.0 * variance);
        let bound = (f64::from(order - 1) * sampling::improved(order, gamma, divergence)).exp();
        assert!(with <= bound * (1.0 + 1e-9) && without <= bound, "{order}: {with}, {without}, {bound}");
        assert!(bound < 1.05 * with, "the bound is tight: {bound} and {with}");
    }
}

/// What is finished is the public graph with the network; a permit for other data is refused.
#[test]
fn the_network_labels_public_nodes() {
    let (public, private) = (public(), private(20));
    let asked = Asked { public: &public, queries: &[0, 1] };
    let how = params(0.5, 1).check(&private.public(), &asked).unwrap();
    let gradients = how.begin(&private, &asked, permit(&private, &how, 3)).unwrap();
    let released = gradients.finish(&private, layers()).unwrap();
    assert_eq!(released.figures().network.as_ref(), Some(&layers()));
    let scaled = scaled(public.features().unwrap()).unwrap();
    for node in 0..2 {
        let posterior = layers().posterior(&entries(&scaled, node));
        let label = released.data().labels().unwrap().get(node as u32).unwrap() as usize;
        assert!(posterior.iter().all(|it| *it <= posterior[label]));
    }
    let told = &released.statement().guarantees[0].not_protected;
    assert!(told.iter().any(|it| it.contains("private nodes")), "{told:?}");
    let other = Private::seal(data("private", &[([1.0, 0.0], Some(1))]));
    let error = how.begin(&other, &asked, permit(&private, &how, 3)).unwrap_err();
    assert!(matches!(error, AnswerError::Permit(PermitError::OtherData { .. })), "{error}");
}
