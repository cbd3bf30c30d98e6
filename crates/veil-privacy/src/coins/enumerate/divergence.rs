//! How far apart the outputs of two adjacent inputs are.

use std::num::NonZeroU64;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;

use super::mass::{float, unit};
use super::{Chance, Enumeration};
use crate::budget::Epsilon;
use crate::exact::{FRACTION_BITS, exp_bounds};

/// A ratio may exceed e^ε by 2⁻ this much: the width of the bounds, far below a step of ε.
const SLACK_BITS: u64 = 96;

/// The outputs of one input against those of another, at an ε. Bounds are on the careful side.
#[derive(Clone, Debug)]
pub struct Divergence<O> {
    /// The largest log P_inside(o)/P′(o), from above: infinite if P′(o) is 0.
    pub loss: f64,
    /// Whether P_inside(o) ≤ e^ε·P′(o) for every output.
    pub within: bool,
    /// δ is at most this: the excess over e^ε inside, and the mass outside.
    pub delta_at_most: f64,
    /// δ is at least this, whatever was not explored; 0 if nothing is certain.
    pub delta_at_least: f64,
    /// The output with the largest excess over e^ε, with its probabilities; if none exceeds it,
    /// none.
    pub worst: Option<(O, f64, f64)>,
}

/// Compares in one direction. An infinite ε allows everything.
pub fn divergence<O: Ord + Clone>(one: &Enumeration<O>, other: &Enumeration<O>, epsilon: Epsilon) -> Divergence<O> {
    let (numerator, denominator) = epsilon.as_rational().unwrap_or((u64::MAX, 1));
    let denominator = NonZeroU64::new(denominator).unwrap_or(NonZeroU64::MIN);
    let (low, high) =
        if epsilon.is_finite() { exp_bounds(numerator, denominator) } else { (unit() << 512_u32, unit() << 512_u32) };
    let slack = (&high >> SLACK_BITS) + 1_u32;
    let generous = high.clone() + slack;
    let nothing = BigUint::zero();
    let mut found = Divergence { loss: 0.0, within: true, delta_at_most: 0.0, delta_at_least: 0.0, worst: None };
    let (mut needed, mut certain, mut largest) = (BigUint::zero(), BigUint::zero(), BigUint::zero());
    for (output, Chance { inside, explored }) in &one.outputs {
        let theirs = other.outputs.get(output).map(|chance| &chance.explored);
        let (their_low, their_high) = theirs.map_or((&nothing, &nothing), |mass| (mass.low(), mass.high()));
        if !inside.high().is_zero() {
            let loss = if their_low.is_zero() { f64::INFINITY } else { (float(inside.high()) / float(their_low)).ln() };
            found.loss = found.loss.max(loss);
            found.within &= inside.high() << FRACTION_BITS <= their_low * &generous;
            needed += beyond(inside.high(), &((their_low * &low) >> FRACTION_BITS));
        }
        let excess = beyond(explored.low(), &(their_high * &high).div_ceil(&unit()));
        if excess > largest {
            found.worst = Some((output.clone(), explored.to_f64(), theirs.map_or(0.0, super::Mass::to_f64)));
            largest = excess.clone();
        }
        certain += excess;
    }
    needed += one.outside.high();
    found.delta_at_most = float(&needed).min(1.0) * (1.0 + f64::EPSILON);
    // What was not explored may be the other input's share of these outputs.
    let hidden = (other.unexplored.high() * &high).div_ceil(&unit());
    found.delta_at_least = float(&beyond(&certain, &hidden));
    found
}

/// a − b, or 0.
fn beyond(a: &BigUint, b: &BigUint) -> BigUint {
    if a > b { a - b } else { BigUint::zero() }
}
