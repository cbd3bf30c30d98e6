//! Protocols that treat all nodes alike: one pair of inputs stands for all.

use veil_privacy::Fraction;
use veil_privacy::protocol::{EdgeFlip, NeighbourKrr};

use super::Finding;
use crate::audit::Promise;
use crate::audit::exact::{Losses, between};

/// One neighbour exchanged, each drawn for itself among all nodes.
pub(super) fn neighbour_krr(protocol: &NeighbourKrr, promise: Promise) -> Finding {
    let [one, other] = [1, 2].map(|neighbour| protocol.distribution(0, neighbour));
    let compared = "what becomes of one neighbour, and of any other in its place: nodes differ in their numbers only, and \
                    the neighbours of a list are drawn one by one, so that this pair stands for all";
    finding(&one, &other, promise, compared)
}

/// One bit.
pub(super) fn flipped(protocol: &EdgeFlip, promise: Promise) -> Finding {
    let [one, other] = [true, false].map(|bit| protocol.distribution(bit).into_iter().enumerate().collect::<Vec<_>>());
    let compared = "what becomes of one bit, set or not: all bits of all lists are flipped alike and one by one, so that \
                    this pair stands for all";
    finding(&one, &other, promise, compared)
}

/// Two bits: one neighbour exchanged for another.
pub(super) fn exchanged(protocol: &EdgeFlip, promise: Promise) -> Finding {
    let [one, other] = [true, false].map(|bit| listed([protocol.distribution(bit), protocol.distribution(!bit)]));
    let compared = "what becomes of two bits of which one or the other is set: all bits of all lists are flipped alike \
                    and one by one, so that this pair stands for all";
    finding(&one, &other, promise, compared)
}

/// Every outcome of two bits that are drawn one by one.
fn listed([first, second]: [[Fraction; 2]; 2]) -> Vec<([usize; 2], Fraction)> {
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
