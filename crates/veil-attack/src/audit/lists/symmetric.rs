//! Protocols with independent slots or bits: one pair of inputs is representative.

use veil_privacy::Fraction;
use veil_privacy::mechanism::DiscreteLaplace;

use super::Finding;
use crate::audit::exact::{Loss, Losses, between, log_ratio};
use crate::audit::{Promise, TOLERANCE};

/// The distribution of a bit that is 0, and of one that is 1.
type Bits = [[Fraction; 2]; 2];

/// One neighbour exchanged for another. All other nodes are equally likely with both, so they are
/// omitted.
pub(super) fn slots(keep: &Fraction, exchange: &Fraction, promise: Promise) -> Finding {
    let [one, other] =
        [[keep, exchange], [exchange, keep]].map(|chances| [(1, chances[0].clone()), (2, chances[1].clone())]);
    let compared = "what becomes of one neighbour, and of any other in its place: nodes differ in their numbers only, and \
                    the neighbours of a list are drawn one by one, so that this pair stands for all";
    finding(&one, &other, promise, compared)
}

/// One bit.
pub(super) fn flipped([zero, one]: &Bits, promise: Promise) -> Finding {
    let [one, zero] = [one, zero].map(|chances| chances.iter().cloned().enumerate().collect::<Vec<_>>());
    let compared = "what becomes of one bit, set or not: all bits of all lists are flipped alike and one by one, so that \
                    this pair stands for all";
    finding(&one, &zero, promise, compared)
}

/// One bit, and the noisy degree beside it, which moves by 1. Whether the noisy degree is above the
/// smaller true one is all that it says about the bit: e^ε_d to 1 for or against, as for a bit that
/// is flipped at ε_d.
pub(super) fn flipped_and_counted([zero, one]: &Bits, degree: DiscreteLaplace, promise: Promise) -> Finding {
    let (bit, step) = (log_ratio(&one[1], &zero[1]), degree.distribution(0).step().to_f64());
    let above = 1.0 / (1.0 + (-step).exp());
    let of_bit = [(bit, one[1].to_f64()), (log_ratio(&one[0], &zero[0]), one[0].to_f64())];
    let of_degree = [(step, above), (-step, 1.0 - above)];
    let both = of_bit.into_iter().flat_map(|bit| of_degree.map(|degree| (bit.0 + degree.0, bit.1 * degree.1)));
    let beyond = both.map(|(loss, mass)| (loss - promise.epsilon, mass)).filter(|(beyond, _)| *beyond > TOLERANCE);
    let delta = beyond.map(|(beyond, mass)| mass * -(-beyond).exp_m1()).sum();
    let mut losses = Losses::default();
    // The other direction is its mirror image.
    losses.add(Loss { epsilon: bit.max(-of_bit[1].0) + step, delta });
    let compared = "what becomes of one bit, set or not, and of the degree that it adds 1 to: all bits of all lists are \
                    flipped alike and one by one, and the loss of the degree's noise is at most its exact step, so that \
                    this pair stands for all";
    Finding { exact: losses.finish(compared.to_owned(), true, None), witness: None }
}

/// Two bits: one neighbour exchanged for another.
pub(super) fn exchanged([zero, one]: &Bits, promise: Promise) -> Finding {
    let [one, other] = [listed([one, zero]), listed([zero, one])];
    let compared = "what becomes of two bits of which one or the other is set: all bits of all lists are flipped alike \
                    and one by one, so that this pair stands for all";
    finding(&one, &other, promise, compared)
}

/// Every outcome of two bits that are drawn one by one.
fn listed([first, second]: [&[Fraction; 2]; 2]) -> Vec<([usize; 2], Fraction)> {
    let both = |a: usize| (0..2).map(move |b| [a, b]);
    (0..2).flat_map(both).map(|bits| (bits, &first[bits[0]] * &second[bits[1]])).collect()
}

fn finding<K: Ord + Clone>(
    one: &[(K, Fraction)],
    other: &[(K, Fraction)],
    promise: Promise,
    compared: &str,
) -> Finding {
    let mut losses = Losses::default();
    losses.add(between(one, other, promise.epsilon));
    Finding { exact: losses.finish(compared.to_owned(), true, None), witness: None }
}
