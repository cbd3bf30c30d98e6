//! The choice of neighbours to be replaced, and the claim of the thesis.

use std::num::{NonZeroU32, NonZeroU64};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};

use crate::budget::{Delta, Epsilon};
use crate::coins::Uniform;
use crate::exact::{FRACTION_BITS, Fraction, exp_bounds, flip_threshold};
use crate::guarantee::{Guarantee, ParameterList, Status, Unit};
use crate::mechanism::ParamError;
use crate::protocol::shared;

/// Two values: a neighbour stays or goes.
const TWO: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// 1 in units of 10⁻¹⁸.
const DELTA_ONE: u64 = 1_000_000_000_000_000_000;

/// A coin that is "replace" with probability 1/(1+e^ε), rounded up to a multiple of 2⁻⁶⁴.
///
/// The text of approach 2 once has 1/(1+ε); Theorem 3.3.1, Qin et al. and approach 1 have
/// 1/(1+e^ε), which is used in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The number of outcomes that mean "replace" …
    flips: u128,
    /// … of this many.
    of: u128,
}

impl Flip {
    /// The coin of a privacy budget.
    ///
    /// # Errors
    /// If ε is infinite.
    pub fn new(epsilon: Epsilon) -> Result<Flip, ParamError> {
        let (numerator, denominator) = rational(epsilon).ok_or(ParamError::NotPrivatised)?;
        Ok(Flip { flips: flip_threshold(numerator, denominator, TWO).into(), of: 1 << 64 })
    }

    /// A coin with few outcomes, for enumeration in tests.
    #[cfg(test)]
    pub(in crate::protocol) fn small(flips: u128, of: u128) -> Flip {
        Flip { flips, of }
    }

    /// The exact probability of "replace".
    pub fn probability(&self) -> Fraction {
        Fraction::new(self.flips, self.of).unwrap_or_else(Fraction::zero)
    }

    /// The exact probability of "keep".
    pub fn keep(&self) -> Fraction {
        Fraction::new(self.of - self.flips, self.of).unwrap_or_else(Fraction::one)
    }

    /// One coin for each neighbour.
    pub(in crate::protocol) fn draw(&self, neighbours: usize, coins: &mut impl Uniform) -> Vec<bool> {
        (0..neighbours).map(|_| coins.chance(self.flips, self.of)).collect()
    }
}

fn rational(epsilon: Epsilon) -> Option<(u64, NonZeroU64)> {
    epsilon.as_rational().and_then(|(numerator, denominator)| Some((numerator, NonZeroU64::new(denominator)?)))
}

/// Theorem 3.3.1's δ = e^ε/(1+e^ε), rounded up: at least ½, and 1 to 18 digits from ε = 42 on.
fn claimed_delta(epsilon: Epsilon) -> Delta {
    let whole = || Delta::from_units(DELTA_ONE).unwrap_or_default();
    let Some((numerator, denominator)) = rational(epsilon).filter(|&(n, d)| n / d < 42) else { return whole() };
    let (_, upper) = exp_bounds(numerator, denominator);
    let weight = &upper + (BigUint::one() << FRACTION_BITS);
    let units = (upper * DELTA_ONE).div_ceil(&weight);
    units.to_u64().and_then(Delta::from_units).unwrap_or_else(whole)
}

/// The claim of the thesis for both approaches, refuted. `from_neighbours` is what messages reveal.
pub(in crate::protocol) fn claimed(
    name: &str,
    parameters: ParameterList,
    epsilon: Epsilon,
    from_neighbours: &str,
) -> Guarantee {
    Guarantee {
        delta: claimed_delta(epsilon),
        not_protected: vec![
            shared::PARTICIPATION.to_owned(),
            "the identity of a neighbour: it is reported as itself or as one node determined by it, so the lists {u} and {w} \
             with different replacements never give the same report (δ = 1 for every ε), and a neighbour without a replacement \
             is always reported unchanged"
                .to_owned(),
            "the number of a user's neighbours, up to replacements that coincide".to_owned(),
            from_neighbours.to_owned(),
            "a user's other neighbours against the user's neighbours: each answer to a question for the owner of a vector \
             reveals that the owner is a neighbour of the answering node (the thesis names this as an open problem)"
                .to_owned(),
        ],
        source: format!(
            "master's thesis, Theorem 3.3.1 (its proof multiplies flips of two entries of the list, but the second entry is \
             determined, not drawn); counterexample beside the code, veil-privacy/protocol/{}",
            name.replace('-', "_")
        ),
        ..shared::guarantee(Unit::EdgeSet, epsilon, Status::Refuted, name, parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{EPSILONS, bound};

    #[test]
    fn the_coin_is_the_theorem_s_rounded_up() {
        for epsilon in EPSILONS {
            let flip = Flip::new(epsilon.parse().expect("epsilon")).expect("finite");
            assert_eq!(&flip.keep() + &flip.probability(), Fraction::one());
            // keep/flip ≤ e^ε, and one outcome less would be above (up to the 2⁻¹⁵⁰ that the series
            // lacks).
            assert!(flip.keep() <= &bound(epsilon) * &flip.probability(), "{epsilon}");
            let fewer = Flip::small(flip.flips - 1, flip.of);
            let above = &bound(epsilon) * &Fraction::new((1_u128 << 100) + 1, 1_u128 << 100).expect("not zero");
            assert!(fewer.flips == 0 || fewer.keep() > &above * &fewer.probability(), "{epsilon}");
        }
        assert_eq!(Flip::new(Epsilon::INFINITE), Err(ParamError::NotPrivatised));
    }

    #[test]
    fn the_claimed_delta_is_the_theorem_s_rounded_up() {
        let unit = Fraction::new(1_u32, DELTA_ONE).expect("not zero");
        for epsilon in EPSILONS {
            let delta = claimed_delta(epsilon.parse().expect("epsilon"));
            // δ·(1+e^ε) ≥ e^ε > (δ − 10⁻¹⁸)·(1+e^ε)
            let e = bound(epsilon);
            let weight = &Fraction::one() + &e;
            let above = &Fraction::new(delta.units(), DELTA_ONE).expect("not zero") * &weight;
            assert!(above >= e && above <= &e + &(&unit * &weight), "{epsilon}: {delta}");
        }
        // Computed with mpmath: 1 − 1/(1+e) = 0.731058578630004879251…
        assert_eq!(claimed_delta("1".parse().expect("epsilon")).to_string(), "0.73105857863000488");
        assert_eq!(claimed_delta(Epsilon::INFINITE).units(), DELTA_ONE);
    }
}
