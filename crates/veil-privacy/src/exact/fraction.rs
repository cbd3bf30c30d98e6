//! A probability as a fraction of two whole numbers.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

/// A non-negative rational number in lowest terms: how mechanisms expose their exact probabilities.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: BigUint,
    denominator: BigUint,
}

impl Fraction {
    /// `numerator/denominator`; `None` if the denominator is zero.
    pub fn new(numerator: impl Into<BigUint>, denominator: impl Into<BigUint>) -> Option<Fraction> {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        (!denominator.is_zero()).then(|| Fraction::reduced(numerator, denominator))
    }

    /// 0.
    pub fn zero() -> Fraction {
        Fraction { numerator: BigUint::zero(), denominator: BigUint::one() }
    }

    /// 1.
    pub fn one() -> Fraction {
        Fraction { numerator: BigUint::one(), denominator: BigUint::one() }
    }

    /// `numerator`·2⁻⁶⁴: the probability that a uniform word is below it.
    pub fn of_words(numerator: u128) -> Fraction {
        Fraction::reduced(numerator.into(), BigUint::one() << 64_u32)
    }

    /// Callers guarantee a positive denominator.
    pub(crate) fn reduced(numerator: BigUint, denominator: BigUint) -> Fraction {
        let common = numerator.gcd(&denominator);
        if common.is_one() || common.is_zero() {
            return Fraction { numerator, denominator };
        }
        Fraction { numerator: numerator / &common, denominator: denominator / common }
    }

    /// The numerator, in lowest terms.
    pub fn numerator(&self) -> &BigUint {
        &self.numerator
    }

    /// The denominator, in lowest terms.
    pub fn denominator(&self) -> &BigUint {
        &self.denominator
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// The nearest f64 (ties to even) in the normal range; below it, within one unit in the last
    /// place.
    pub fn to_f64(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        // A quotient of 65 or 66 bits; a last bit that stands for "and more" lets the cast round
        // correctly.
        let bits = |n: &BigUint| i64::try_from(n.bits()).unwrap_or(i64::MAX / 4);
        let shift = 65 + bits(&self.denominator) - bits(&self.numerator);
        let (mut numerator, mut denominator) = (self.numerator.clone(), self.denominator.clone());
        if shift >= 0 {
            numerator <<= shift.unsigned_abs();
        } else {
            denominator <<= shift.unsigned_abs();
        }
        let (quotient, rest) = numerator.div_rem(&denominator);
        let sticky = u128::from(!rest.is_zero());
        let rounded = (quotient.to_u128().unwrap_or(u128::MAX) | sticky) as f64;
        // In two steps, because 2^-shift alone may be beyond the range of an f64.
        let power = |exponent: i64| 2_f64.powi(exponent.clamp(-1000, 1000) as i32);
        rounded * power(-shift / 2) * power(-shift - (-shift / 2))
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl<'a> Add<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    fn add(self, other: &Fraction) -> Fraction {
        Fraction::reduced(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }
}

impl<'a> Mul<&'a Fraction> for &'a Fraction {
    type Output = Fraction;

    fn mul(self, other: &Fraction) -> Fraction {
        Fraction::reduced(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl<'a> Sum<&'a Fraction> for Fraction {
    fn sum<I: Iterator<Item = &'a Fraction>>(terms: I) -> Fraction {
        terms.fold(Fraction::zero(), |sum, term| &sum + term)
    }
}

impl Sum for Fraction {
    fn sum<I: Iterator<Item = Fraction>>(terms: I) -> Fraction {
        terms.fold(Fraction::zero(), |sum, term| &sum + &term)
    }
}
