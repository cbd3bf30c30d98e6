use proptest::prelude::*;
use veil_graph::random::Random;

use super::*;
use crate::graph::Messages;
use crate::kernels::tests::fixed;

const NODES: usize = 6;
const CLASSES: usize = 3;

fn targets(pairs: &[(u32, u32)]) -> Targets {
    Targets::new(pairs.to_vec(), NODES, CLASSES).unwrap()
}

/// Randomised response that keeps a label with probability 0.6, and one asymmetric row.
fn rows() -> Vec<Vec<f64>> {
    vec![vec![0.6, 0.2, 0.2], vec![0.2, 0.6, 0.2], vec![0.1, 0.3, 0.6]]
}

fn transition() -> Transition {
    Transition::new(rows()).unwrap()
}

/// Directed, with a self loop, a repetition, a node that only sends (4) and one that only receives
/// (5).
fn lists() -> Vec<Vec<u32>> {
    vec![vec![1, 2, 4], vec![0, 0, 3], vec![2, 3], vec![0, 1, 2], vec![], vec![0, 3, 3]]
}

fn topology() -> Topology {
    Topology::new(Messages::from_lists(&lists()).unwrap())
}

fn logits(seed: u64) -> Tensor {
    let mut random = Random::new(seed, "logits");
    let mut tensor = Tensor::zeros(NODES, CLASSES);
    for node in 0..NODES {
        tensor.row_mut(node).iter_mut().for_each(|value| *value = (random.unit() * 6.0 - 3.0) as f32);
    }
    tensor
}

/// A plain implementation in double precision, to compare values and gradients with.
mod twin {
    use super::{Transition, lists};

    pub type Rows = Vec<Vec<f64>>;

    pub fn softmax(row: &[f64]) -> Vec<f64> {
        let largest = row.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = row.iter().map(|x| (x - largest).exp()).sum();
        row.iter().map(|x| (x - largest).exp() / total).collect()
    }

    pub fn reported(logits: &Rows, transition: &Transition) -> Rows {
        let classes = transition.classes();
        let of = |p: &[f64], t: usize| p.iter().zip(transition.given(t)).map(|(p, given)| p * given).sum();
        logits.iter().map(|row| softmax(row)).map(|p| (0..classes).map(|t| of(&p, t)).collect()).collect()
    }

    pub fn hop(x: &Rows) -> Rows {
        let lists = lists();
        let root = |node: usize| if lists[node].is_empty() { 0.0 } else { (lists[node].len() as f64).sqrt().recip() };
        let one = |node: usize, class: usize| -> f64 {
            lists[node].iter().map(|&from| root(node) * root(from as usize) * x[from as usize][class]).sum()
        };
        (0..x.len()).map(|node| (0..x[0].len()).map(|class| one(node, class)).collect()).collect()
    }

    pub fn mean(targets: &[(u32, u32)], of: impl Fn(usize, usize) -> f64) -> f64 {
        targets.iter().map(|&(node, class)| of(node as usize, class as usize)).sum::<f64>() / targets.len() as f64
    }
}

/// Compares value and gradient with the plain implementation and its central differences.
///
/// In double precision with steps of 10⁻⁵, differences are accurate to about 10⁻¹⁰. The remaining
/// error is 32-bit rounding: a few exponentials of two units in the last place (2·10⁻⁷ relative) in
/// gradients of at most one, and some ten sums in the hops.
fn agrees(loss: &Loss, twin: impl Fn(&twin::Rows) -> f64) {
    for seed in 0..5 {
        let logits = logits(seed);
        let mut exact: twin::Rows =
            (0..NODES).map(|node| logits.row(node).iter().map(|&value| f64::from(value)).collect()).collect();
        let (value, gradient) = loss.value_and_gradient(&logits);
        assert_eq!(value, loss.value(&logits));
        assert!((value - twin(&exact)).abs() < 1e-6, "{value} {}", twin(&exact));
        for node in 0..NODES {
            for class in 0..CLASSES {
                let at = exact[node][class];
                exact[node][class] = at + 1e-5;
                let above = twin(&exact);
                exact[node][class] = at - 1e-5;
                let difference = (above - twin(&exact)) / 2e-5;
                exact[node][class] = at;
                let found = f64::from(gradient.row(node)[class]);
                assert!((found - difference).abs() < 5e-7, "{node} {class}: {found} {difference}");
            }
        }
    }
}

#[test]
fn gradients_of_cross_entropy_agree_with_differences() {
    let pairs = [(0, 1), (2, 2), (5, 0)];
    let loss = Loss::cross_entropy(targets(&pairs));
    agrees(&loss, |x| twin::mean(&pairs, |node, class| -twin::softmax(&x[node])[class].ln()));
}

#[test]
fn gradients_of_forward_correction_agree_with_differences() {
    let pairs = [(0, 1), (2, 2), (5, 0)];
    let loss = Loss::forward_correction(targets(&pairs), transition()).unwrap();
    agrees(&loss, |x| {
        let q = twin::reported(x, &transition());
        twin::mean(&pairs, |node, class| -q[node][class].ln())
    });
}

#[test]
fn gradients_of_soft_targets_agree_with_differences() {
    let pairs = [(0, 1), (2, 2), (5, 0)];
    let wanted = vec![0.2, 0.7, 0.1, 0.0, 0.1, 0.6, 0.35, 0.35, 0.0];
    let loss = Loss::soft(targets(&pairs), wanted.clone(), transition()).unwrap();
    agrees(&loss, |x| {
        let weights = |place: usize| wanted[3 * place..3 * place + 3].iter().map(|&it| f64::from(it));
        let of = |(place, &(node, _)): (usize, &(u32, u32))| -> f64 {
            twin::softmax(&x[node as usize]).iter().zip(weights(place)).map(|(p, weight)| -weight * p.ln()).sum()
        };
        pairs.iter().enumerate().map(of).sum::<f64>() / 3.0
    });
    assert!(matches!(
        Loss::soft(targets(&pairs), vec![1.0; 8], transition()),
        Err(LossError::Weights { targets: 3, classes: 3, found: 8 })
    ));
    // Validation compares with reported labels.
    let validation = loss.validation(targets(&[(1, 0)])).unwrap();
    assert_eq!(validation.targets().len(), 1);
}

#[test]
fn gradients_of_drop_agree_with_differences() {
    let (pairs, others) = ([(0, 1), (2, 2), (4, 1), (5, 0)], [(1, 1), (3, 2)]);
    let topology = topology();
    for hops in 0..4 {
        let loss = Loss::drop(targets(&pairs), Some(&targets(&others)), transition(), &topology, hops).unwrap();
        let wanted: Vec<(u32, u32)> = loss.targets().iter().collect();
        agrees(&loss, |x| {
            let q = (0..hops).fold(twin::reported(x, &transition()), |q, _| twin::hop(&q));
            let s: twin::Rows = if hops == 0 { q } else { q.iter().map(|row| twin::softmax(row)).collect() };
            twin::mean(&wanted, |node, class| -(s[node][class] + 1e-20).ln())
        });
    }
}

#[test]
fn a_worked_example_of_each() {
    // p = (1/4, 3/4), so q = (1/4·0.9 + 3/4·0.2, …) = (0.375, 0.625).
    let logits = Tensor::from_rows(&[[0.0, 3f32.ln()], [0.0, 0.0]]);
    let one = |class| Targets::new(vec![(0, class)], 2, 2).unwrap();
    let transition = Transition::new(vec![vec![0.9, 0.1], vec![0.2, 0.8]]).unwrap();
    let close = |(value, gradient): (f64, Tensor), wanted: f64, first: [f32; 2], second: [f32; 2]| {
        assert!((value - wanted).abs() < 1e-6, "{value} {wanted}");
        let both = [gradient.row(0), gradient.row(1)].concat();
        let wanted = [first, second].concat();
        assert!(both.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{both:?} {wanted:?}");
    };
    let cross_entropy = Loss::cross_entropy(one(0));
    close(cross_entropy.value_and_gradient(&logits), 4f64.ln(), [-0.75, 0.75], [0.0, 0.0]);
    // True label 0 with probability 0.225/0.375 = 0.6, so p − r = (−0.35, 0.35).
    let corrected = Loss::forward_correction(one(0), transition.clone()).unwrap();
    close(corrected.value_and_gradient(&logits), -(0.375f64.ln()), [-0.35, 0.35], [0.0, 0.0]);
    // Both nodes receive only from each other, so one hop exchanges rows: node 0 gets q of node 1 =
    // (0.55, 0.45), and the label of node 1.
    let topology = Topology::new(Messages::from_lists(&[vec![1], vec![0]]).unwrap());
    let others = Targets::new(vec![(1, 1)], 2, 2).unwrap();
    let drop = Loss::drop(one(0), Some(&others), transition, &topology, 1).unwrap();
    assert_eq!(drop.targets().iter().collect::<Vec<_>>(), [(0, 1)]);
    // s_1 = 1/(1 + e^0.1); its gradient ±s_0 reaches node 1 by T, (0.8, −0.6)·s_0, and p·(1−p) =
    // 1/4.
    let s1 = 1.0 / (1.0 + 0.1f64.exp());
    let g = ((1.0 - s1) * (0.8 + 0.6) / 4.0) as f32;
    assert!((g - 0.183_742).abs() < 1e-6);
    close(drop.value_and_gradient(&logits), -s1.ln(), [0.0, 0.0], [g, -g]);
}

#[test]
fn targets_of_drop_are_the_most_frequent_labels_of_neighbours() {
    // Node 0 receives from 1, 2 and 3; node 4 from none; node 5 one label of each kind.
    let lists = [vec![1, 2, 3], vec![1], vec![2], vec![3], vec![], vec![1, 3]];
    let topology = Topology::new(Messages::from_lists(&lists).unwrap());
    let (labels, others) = (targets(&[(0, 0), (1, 2), (4, 2), (5, 0)]), targets(&[(2, 2), (3, 1)]));
    let found = |others, hops| -> Vec<(u32, u32)> {
        let loss = Loss::drop(labels.clone(), others, transition(), &topology, hops).unwrap();
        loss.targets().iter().collect()
    };
    assert_eq!(found(Some(&others), 0), [(0, 0), (1, 2), (4, 2), (5, 0)]);
    assert_eq!(found(Some(&others), 1), [(0, 2), (1, 2), (4, 0), (5, 1)]);
    assert_eq!(found(None, 1), [(0, 2), (1, 2), (4, 0), (5, 2)]);
}

#[test]
fn labels_that_are_certain_make_forward_correction_cross_entropy() {
    let certain = Transition::new(vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]]).unwrap();
    let pairs = targets(&[(0, 1), (3, 2)]);
    let corrected = Loss::forward_correction(pairs.clone(), certain).unwrap();
    let plain = Loss::cross_entropy(pairs);
    let mut logits = logits(1);
    logits.row_mut(0).copy_from_slice(&[500.0, -500.0, 0.0]);
    assert_eq!(corrected.value(&logits), plain.value(&logits));
    assert_eq!(corrected.value_and_gradient(&logits).1, plain.value_and_gradient(&logits).1);
}

#[test]
fn validation_is_never_propagated() {
    let (topology, logits) = (topology(), logits(3));
    let (train, held) = (targets(&[(0, 1), (2, 2)]), targets(&[(1, 0), (5, 2)]));
    let corrected = Loss::forward_correction(train.clone(), transition()).unwrap();
    let wanted = Loss::forward_correction(held.clone(), transition()).unwrap().value(&logits);
    for hops in [0, 2] {
        let drop = Loss::drop(train.clone(), Some(&held), transition(), &topology, hops).unwrap();
        // Up to 10⁻²⁰, which is lost beside any q here.
        assert!((drop.validation(held.clone()).unwrap().value(&logits) - wanted).abs() < 1e-12);
    }
    assert_eq!(corrected.validation(held.clone()).unwrap().value(&logits), wanted);
    let plain = Loss::cross_entropy(train).validation(held.clone()).unwrap();
    assert_eq!(plain.value(&logits), Loss::cross_entropy(held).value(&logits));
}

#[test]
fn parts_that_do_not_fit_are_errors() {
    let (topology, pairs) = (topology(), targets(&[(0, 1)]));
    let two = Transition::new(vec![vec![0.5, 0.5], vec![0.5, 0.5]]).unwrap();
    let classes = LossError::Classes { transition: 2, classes: 3 };
    assert_eq!(Loss::forward_correction(pairs.clone(), two.clone()).unwrap_err(), classes);
    assert_eq!(Loss::drop(pairs.clone(), None, two, &topology, 1).unwrap_err(), classes);

    let never = Transition::new(vec![vec![1.0, 0.0, 0.0]; 3]).unwrap();
    let impossible = LossError::Impossible { node: 0, class: 1 };
    assert_eq!(Loss::forward_correction(pairs.clone(), never).unwrap_err(), impossible);

    let larger = Targets::new(vec![(0, 0)], 7, 3).unwrap();
    let nodes = LossError::Nodes { targets: 7, found: 6 };
    assert_eq!(Loss::drop(larger.clone(), None, transition(), &topology, 1).unwrap_err(), nodes);
    let nodes = LossError::Nodes { targets: 6, found: 7 };
    assert_eq!(Loss::cross_entropy(pairs.clone()).validation(larger).unwrap_err(), nodes);
    let fewer = Targets::new(vec![(1, 0)], NODES, 2).unwrap();
    let classes = LossError::Classes { transition: 3, classes: 2 };
    assert_eq!(Loss::cross_entropy(pairs.clone()).validation(fewer.clone()).unwrap_err(), classes);
    assert_eq!(Loss::drop(pairs.clone(), Some(&fewer), transition(), &topology, 1).unwrap_err(), classes);
    let twice = Loss::drop(pairs.clone(), Some(&pairs), transition(), &topology, 1).unwrap_err();
    assert_eq!(twice, LossError::LabelledTwice { node: 0 });
}

#[test]
fn a_nan_logit_gives_a_nan_loss() {
    let mut logits = logits(0);
    logits.row_mut(0)[2] = f32::NAN;
    let topology = topology();
    let pairs = targets(&[(0, 1)]);
    assert!(Loss::cross_entropy(pairs.clone()).value(&logits).is_nan());
    assert!(Loss::forward_correction(pairs.clone(), transition()).unwrap().value(&logits).is_nan());
    assert!(Loss::drop(pairs, None, transition(), &topology, 0).unwrap().value(&logits).is_nan());
    assert!(Loss::cross_entropy(targets(&[(1, 1)])).value(&logits).is_finite());
}

/// Rows are processed in blocks: test more rows than one block has, and longer rows.
#[test]
fn the_loss_is_the_mean_over_single_nodes() {
    for (nodes, classes) in [(700, 3), (3, 1500)] {
        let mut random = Random::new(1, "logits");
        let values = (0..nodes * classes).map(|_| (random.unit() * 6.0 - 3.0) as f32).collect();
        let logits = Tensor::from_values(nodes, classes, values).unwrap();
        let pairs: Vec<(u32, u32)> = (0..nodes).map(|node| (node as u32, (node * 7 % classes) as u32)).collect();
        let loss = |pairs: Vec<(u32, u32)>| Loss::cross_entropy(Targets::new(pairs, nodes, classes).unwrap());
        let (value, gradient) = loss(pairs.clone()).value_and_gradient(&logits);
        let mut sum = 0.0;
        for pair in pairs {
            let (value, single) = loss(vec![pair]).value_and_gradient(&logits);
            sum += value;
            let rows = gradient.row(pair.0 as usize).iter().zip(single.row(pair.0 as usize));
            assert!(rows.into_iter().all(|(all, single)| (all * nodes as f32 - single).abs() < 1e-6));
        }
        assert!((value - sum / nodes as f64).abs() < 1e-12);
    }
}

proptest! {
    #![proptest_config(fixed(128))]

    /// A network that diverges gives a large loss and a gradient, not NaN.
    #[test]
    fn huge_logits_give_finite_losses_and_gradients(
        values in prop::collection::vec(
            prop_oneof![Just(f32::MAX), Just(f32::MIN), Just(f32::INFINITY), Just(f32::NEG_INFINITY), Just(0.0), -1e3f32..1e3],
            NODES * CLASSES,
        ),
        certain: bool,
        hops in 0usize..3,
    ) {
        let logits = Tensor::from_values(NODES, CLASSES, values).unwrap();
        let rows = if certain { vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]] } else { rows() };
        let (pairs, transition, topology) = (targets(&[(0, 1), (2, 2), (5, 0)]), Transition::new(rows).unwrap(), topology());
        let losses = [
            Loss::cross_entropy(pairs.clone()),
            Loss::forward_correction(pairs.clone(), transition.clone()).unwrap(),
            Loss::drop(pairs, None, transition, &topology, hops).unwrap(),
        ];
        for loss in losses {
            let (value, gradient) = loss.value_and_gradient(&logits);
            prop_assert!(value.is_finite() && value >= -1e-12, "{value}");
            // No row changes by more than its share, and the gradient of a row sums to zero.
            for node in 0..NODES {
                let sum: f32 = gradient.row(node).iter().sum();
                prop_assert!(gradient.row(node).iter().all(|value| value.abs() <= 1.0) && sum.abs() < 1e-5);
            }
        }
    }
}
