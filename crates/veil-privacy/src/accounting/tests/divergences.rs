//! Rényi divergences against sums and integrals of the densities.

use super::{assert_close, gaussian, queries};
use crate::accounting::sampling::{general, improved};
use crate::accounting::{Query, conversion};

const ORDERS: [f64; 6] = [1.01, 1.5, 2.0, 3.7, 8.0, 30.0];

/// E_Q[(P/Q)^α] of Laplace noise on integers with centres `steps` and 0, added up.
fn discrete_moment(order: f64, steps: i64, scale: f64) -> f64 {
    let norm = (0.5 / scale).tanh();
    let reach = steps + (60.0 * scale) as i64 + 60;
    let power = |k: i64| (-(order * (k - steps).abs() as f64 + (1.0 - order) * k.abs() as f64) / scale).exp();
    norm * (-reach..=reach).map(power).sum::<f64>()
}

/// ∫ f by Simpson's rule on −`reach`..`reach`, cut at `knots`, where densities have a kink.
fn integral(reach: f64, knots: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut ends = vec![-reach];
    ends.extend_from_slice(knots);
    ends.push(reach);
    const PIECES: u32 = 20_000;
    let piece = |from: f64, to: f64| {
        let width = (to - from) / f64::from(2 * PIECES);
        let at = |k: u32| f(from + width * f64::from(k));
        let inner: f64 = (1..2 * PIECES).map(|k| if k % 2 == 1 { 4.0 * at(k) } else { 2.0 * at(k) }).sum();
        (at(0) + inner + at(2 * PIECES)) * width / 3.0
    };
    ends.windows(2).map(|pair| piece(pair[0], pair[1])).sum()
}

fn laplace(x: f64, centre: f64) -> f64 {
    0.5 * (-(x - centre).abs()).exp()
}

fn normal(x: f64, centre: f64) -> f64 {
    (-(x - centre).powi(2) / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[test]
fn laplace_noise_on_integers_is_its_sum() {
    for (steps, scale) in [(1, 0.5), (1, 3.0), (2, 10.0), (7, 2.5), (40, 20.0)] {
        for order in ORDERS {
            let query = Query::DiscreteLaplace { steps: steps as u64, scale_steps: scale };
            let found = queries(query, 1.0, 1).renyi(order).unwrap();
            let expected = discrete_moment(order, steps, scale).ln() / (order - 1.0);
            assert_close(found, expected, 1e-9, &format!("{query:?} at {order}"));
        }
    }
}

#[test]
fn laplace_noise_on_integers_tends_to_the_continuous_one() {
    for order in ORDERS {
        let continuous = queries(Query::Laplace { shift: 0.8 }, 1.0, 1).renyi(order).unwrap();
        let mut last = f64::INFINITY;
        for steps in [1_u32, 10, 100, 10_000] {
            let query = Query::DiscreteLaplace { steps: steps.into(), scale_steps: f64::from(steps) / 0.8 };
            let difference = (queries(query, 1.0, 1).renyi(order).unwrap() - continuous).abs();
            assert!(difference < last, "{order}: {difference} at {steps} steps");
            last = difference;
        }
        assert!(last < 1e-7 * continuous, "{order}: {last}");
    }
}

#[test]
fn laplace_noise_is_its_integral() {
    for shift in [0.1, 0.7, 2.0] {
        for order in [1.5, 2.0, 5.0] {
            let found = queries(Query::Laplace { shift }, 1.0, 3).renyi(order).unwrap();
            let moment =
                integral(60.0, &[0.0, shift], |x| laplace(x, shift).powf(order) * laplace(x, 0.0).powf(1.0 - order));
            assert_close(found, 3.0 * moment.ln() / (order - 1.0), 1e-8, &format!("shift {shift} at {order}"));
        }
    }
}

#[test]
fn shifts_of_a_vector_are_worst_when_concentrated() {
    let one = |steps: u64, order: f64| {
        let query = Query::DiscreteLaplace { steps, scale_steps: 4.0 };
        if steps == 0 { 0.0 } else { queries(query, 1.0, 1).renyi(order).unwrap() }
    };
    for order in ORDERS {
        let cost = |parts: [u64; 4]| parts.iter().map(|&steps| one(steps, order)).sum::<f64>();
        let splits: Vec<[u64; 4]> = (0..=7_u64)
            .flat_map(|a| (0..=7 - a).flat_map(move |b| (0..=7 - a - b).map(move |c| [a, b, c, 7 - a - b - c])))
            .collect();
        assert_eq!(splits.len(), 120);
        // A rounding of the last digit is no counterexample.
        let most = |each: u64| {
            let allowed = splits.iter().filter(|parts| parts.iter().all(|&steps| steps <= each));
            allowed.map(|&parts| cost(parts)).fold(0.0, f64::max)
        };
        assert_close(most(7), one(7, order), 1e-11, "all in one");
        for each in 2..7 {
            let query = Query::DiscreteLaplaceVector { steps: 7, each, scale_steps: 4.0 };
            let found = queries(query, 1.0, 1).renyi(order).unwrap();
            assert_close(found, most(each), 1e-11, &format!("at most {each} each, order {order}"));
            assert!(found < one(7, order));
        }
        let shifts = [0.2, 0.3, 1.5].map(|shift| queries(Query::Laplace { shift }, 1.0, 1).renyi(order).unwrap());
        assert!(shifts.iter().sum::<f64>() < queries(Query::Laplace { shift: 2.0 }, 1.0, 1).renyi(order).unwrap());
    }
}

#[test]
fn sampling_covers_adding_and_removing() {
    type Density = fn(f64, f64) -> f64;
    let noises: [(Query, Density, f64, f64); 4] = [
        (Query::Laplace { shift: 0.5 }, laplace, 0.5, 60.0),
        (Query::Laplace { shift: 2.0 }, laplace, 2.0, 60.0),
        (Query::Gaussian { shift: 0.5 }, normal, 0.5, 25.0),
        (Query::Gaussian { shift: 1.5 }, normal, 1.5, 25.0),
    ];
    for (query, density, shift, reach) in noises {
        for gamma in [0.05, 0.3, 0.9] {
            for order in [2_u32, 3, 8] {
                let alpha = f64::from(order);
                let mixed = |x: f64| (1.0 - gamma) * density(x, 0.0) + gamma * density(x, shift);
                let divergence = |p: &dyn Fn(f64) -> f64, q: &dyn Fn(f64) -> f64| {
                    let power = |x: f64| if q(x) > 0.0 { q(x) * (p(x) / q(x)).powf(alpha) } else { 0.0 };
                    integral(reach, &[0.0, shift], power).ln() / (alpha - 1.0)
                };
                let removing = divergence(&mixed, &|x| density(x, 0.0));
                let adding = divergence(&|x| density(x, 0.0), &mixed);
                let found = queries(query, gamma, 1).renyi(alpha).unwrap();
                let what = format!("{query:?} γ={gamma} at {order}");
                assert_close(found, removing, 1e-6, &what);
                assert!(adding < found, "{what}: adding costs {adding}, bound {found}");
            }
        }
    }
}

#[test]
fn sampled_randomised_response_is_its_sum_at_any_order() {
    for (classes, epsilon) in [(2_u32, 0.3), (2, 4.0), (10, 1.0), (40, 6.0)] {
        for gamma in [0.01, 0.3, 1.0] {
            let query = Query::RandomisedResponse { classes, epsilon };
            let (k, e) = (f64::from(classes), f64::exp(epsilon));
            let (keep, flip) = (e / (e + k - 1.0), 1.0 / (e + k - 1.0));
            let p = [keep, flip, (k - 2.0) * flip];
            let q = [flip, keep, (k - 2.0) * flip];
            let mixed = [0, 1, 2].map(|at| gamma * p[at] + (1.0 - gamma) * q[at]);
            for order in ORDERS {
                let sum = |p: [f64; 3], q: [f64; 3]| {
                    let terms = (0..3).filter(|&at| q[at] > 0.0).map(|at| q[at] * (p[at] / q[at]).powf(order));
                    terms.sum::<f64>().ln() / (order - 1.0)
                };
                let what = format!("{query:?} γ={gamma} at {order}");
                assert!(sum(q, mixed) <= sum(mixed, q) * (1.0 + 1e-9), "{what}: adding is not worse");
                assert_close(queries(query, gamma, 1).renyi(order).unwrap(), sum(mixed, q), 1e-6, &what);
            }
            // At integer orders the binomial sum is the same number.
            for order in [2_u32, 5, 64] {
                let base = |l: u32| queries(query, 1.0, 1).renyi(l.into()).unwrap();
                let found = queries(query, gamma, 1).renyi(order.into()).unwrap();
                assert_close(improved(order, gamma, base), found, 1e-10, &format!("{query:?} γ={gamma} at {order}"));
            }
        }
    }
}

#[test]
fn the_general_bound_is_theorem_8() {
    let base = |l: u32| queries(Query::Laplace { shift: 1.0 }, 1.0, 1).renyi(l.into()).unwrap();
    for (order, gamma) in [(2_u32, 0.3_f64), (3, 0.1), (6, 0.5)] {
        let choose = |l: u32| (0..l).map(|i| f64::from(order - i) / f64::from(i + 1)).product::<f64>();
        let term = |l: u32| {
            let moment = if l < 2 { 1.0 } else { (f64::from(l - 1) * base(l)).exp() };
            let factor = if l < 3 { 1.0 } else { 3.0 };
            factor * choose(l) * (1.0 - gamma).powi((order - l) as i32) * gamma.powi(l as i32) * moment
        };
        let expected = (0..=order).map(term).sum::<f64>().ln() / f64::from(order - 1);
        assert_close(general(order, gamma, base), expected, 1e-12, &format!("order {order}"));
        let tighter = improved(order, gamma, base);
        assert!(if order == 2 {
            tighter == expected || (tighter - expected).abs() < 1e-12
        } else {
            tighter < expected
        });
    }
}

#[test]
fn the_tight_conversion_is_never_above_the_classical_one() {
    for order in [1.001, 1.5, 2.0, 32.0, 512.0] {
        for delta in [1e-12, 1e-5, 0.1] {
            let (tight, classical) = (conversion::tight(order, 0.3, delta), conversion::classical(order, 0.3, delta));
            assert!(tight < classical && tight >= 0.0, "{order} {delta}: {tight} {classical}");
            // δ = e^((α−1)(ρ−ε))·(1−1/α)^α/(α−1), as Canonne, Kamath and Steinke write it.
            let back = ((order - 1.0) * (0.3 - tight)).exp() * (1.0 - 1.0 / order).powf(order) / (order - 1.0);
            assert!(tight == 0.0 || (back - delta).abs() < 1e-9 * delta, "{order} {delta}: back at {back}");
        }
    }
}

#[test]
fn gaussian_noise_costs_a_little_more_than_its_exact_curve() {
    for (shift, count, delta) in [(0.1, 1_u32, 1e-5), (1.0, 1, 1e-5), (0.05, 1000, 1e-6), (1.0, 100, 1e-3)] {
        let exact = gaussian::epsilon(shift * f64::from(count).sqrt(), delta);
        let proven = queries(Query::Gaussian { shift }, 1.0, count.into()).spending(delta).unwrap().epsilon;
        assert!(exact < proven && proven < 1.2 * exact, "{shift} {count} {delta}: {exact} {proven}");
        let there = gaussian::delta(shift * f64::from(count).sqrt(), exact);
        assert_close(there, delta, 1e-9, "there and back");
    }
    // δ(0) is the total variation distance, 2Φ(1/2) − 1 at shift 1.
    assert_close(gaussian::delta(1.0, 0.0), 0.382_924_922_548_026, 1e-12, "total variation");
    assert_eq!(gaussian::epsilon(1.0, 0.39), 0.0);
}
