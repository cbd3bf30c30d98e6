//! Protocols with independent slots or bits: one pair of inputs is representative.

use veil_privacy::Fraction;

use super::Finding;
use crate::audit::Promise;
use crate::audit::exact::{Losses, between};

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
