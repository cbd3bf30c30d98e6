use veil_graph::Matrix;
use veil_privacy::protocol::cascade::Rows;

use super::density::Density;
use super::readout::{Reading, Received};
use crate::method::edge_free::scores::Scores;

/// P(x) as it is written: the sum over both numbers of neighbours, with continuous Laplace noise.
fn naive(x: f64, plus: f64, minus: f64, scale: f64) -> f64 {
    let poisson = |mean: f64| -> Vec<f64> {
        let mut p = vec![(-mean).exp()];
        (1..60).for_each(|j| p.push(p[j - 1] * mean / j as f64));
        p
    };
    let (plus, minus) = (poisson(plus), poisson(minus));
    let mut sum = 0.0;
    for (i, p) in plus.iter().enumerate() {
        for (j, q) in minus.iter().enumerate() {
            sum += p * q * (-(x - i as f64 + j as f64).abs() / scale).exp() / (2.0 * scale);
        }
    }
    sum
}

#[test]
fn densities_agree_with_the_sum_over_all_numbers_of_neighbours() {
    let (scale, step) = (1.0, 1.0 / 3.0);
    let paired = Density::new(scale, 10.0, true);
    let single = Density::new(scale, 10.0, false);
    // The peak of the noise is rounded off, and means are interpolated.
    for (plus, minus) in [(0.5, 0.1), (3.0, 1.0), (0.02, 2.0)] {
        // Points of the grid, where nothing is rounded.
        for x in [-9.0, -3.0, 0.0, 6.0, 24.0].map(|it| it * step) {
            let found = f64::from(paired.at(x).two(paired.rung(plus), paired.rung(minus)));
            let wanted = naive(x, plus, minus, scale).ln();
            assert!((found - wanted).abs() < 0.1, "{x} {plus} {minus}: {found} {wanted}");
            let found = f64::from(single.at(x).one(single.rung(plus)));
            let wanted = naive(x, plus, 0.0, scale).ln();
            assert!((found - wanted).abs() < 0.1, "{x} {plus}: {found} {wanted}");
        }
    }
}

/// Rows of nodes whose classes are known: class 0 hears 3 of class 0 and 1 of class 1, class 1 the
/// opposite.
fn received(paired: bool) -> (Received, Scores) {
    let nodes = 200;
    let (mut values, mut classes, mut beliefs) = (Vec::new(), Vec::new(), Vec::new());
    for node in 0..nodes {
        let own = node % 2;
        // Degrees differ, noise is symmetric.
        let extra = [-1, 0, 0, 1][node / 2 % 4];
        let heard = [3 + extra, 1];
        let of = |class: usize| 8 * heard[usize::from(class != own)] as i64;
        match paired {
            true => {
                values.push(of(own) - of(1 - own));
                classes.extend([own as u32, 1 - own as u32]);
            }
            false => values.extend([of(0), of(1)]),
        }
        beliefs.extend(if own == 0 { [0.9, 0.1] } else { [0.1, 0.9] });
    }
    let mut received = Received::new(0.5);
    received.add(0..nodes, &Rows::new(if paired { 1 } else { 2 }, values, classes), 8);
    (received, Scores::of(&Matrix::from_values(nodes, 2, beliefs).unwrap()))
}

#[test]
fn readings_learn_who_hears_whom_and_recognise_classes() {
    for paired in [false, true] {
        let (received, beliefs) = received(paired);
        let reading = Reading::learn(&received, &beliefs);
        assert!(reading.fits(2) && !reading.fits(3));
        assert!((reading.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        if !paired {
            // Beliefs of 0.9 are not certain, so means are a little more extreme than the truth.
            assert!(reading.means[0][0] > 2.5 && reading.means[0][1] < 1.5, "{:?}", reading.means);
        }
        let likelihoods = reading.likelihoods(&received, 2);
        let right = likelihoods.iter().enumerate().filter(|(node, row)| row[node % 2] > row[1 - node % 2]).count();
        assert!(right > 190, "{right} of 200, paired: {paired}");
    }
}

#[test]
fn readings_with_other_numbers_are_refused() {
    let (received, beliefs) = received(false);
    let good = Reading::learn(&received, &beliefs);
    let mut zero = good.clone();
    zero.means[0][1] = 0.0;
    let mut short = good.clone();
    short.shares.pop();
    let mut infinite = good;
    infinite.means[1][1] = f64::INFINITY;
    assert!(![zero, short, infinite].iter().any(|it| it.fits(2)));
}

mod without_features {
    use veil_graph::NodeId;

    use crate::method::cascade::labels::{frequencies, hard};
    use crate::method::edge_free::scores::Scores;
    use crate::method::lpgnet::bayes::Evidence;

    /// Noisy reports of 300 labels: a class of half of the nodes, a quarter, and a quarter.
    #[test]
    fn frequencies_are_those_before_the_noise() {
        let (keep, flip) = (0.6, 0.2);
        // As many reports as are expected of each class.
        let share = |class: usize| [0.5, 0.25, 0.25][class];
        let expected =
            |report: usize| (0..3).map(|class| share(class) * if class == report { keep } else { flip }).sum::<f64>();
        let mut labels = Vec::new();
        for report in 0..3 {
            let likelihood: Vec<f64> = (0..3).map(|class| if class == report { keep } else { flip }).collect();
            let count = (3000.0 * expected(report)).round() as NodeId;
            labels.extend((0..count).map(|node| Evidence { node: node as usize, likelihood: likelihood.clone() }));
        }
        let found = frequencies(&labels, 3);
        assert!(found.iter().zip([0.5, 0.25, 0.25]).all(|(found, wanted)| (found - wanted).abs() < 0.01), "{found:?}");
    }

    #[test]
    fn who_is_as_uncertain_as_anybody_sends_nothing() {
        let frequencies = [0.5, 0.25, 0.25];
        let mut known = Scores::alike(2, &frequencies).posteriors();
        known.row_mut(1).copy_from_slice(&[0.1, 0.1, 0.8]);
        let said = hard(&known, &frequencies);
        assert_eq!((said.row(0), said.row(1)), (&[0.0; 3][..], &[0.0, 0.0, 1.0][..]));
    }
}
