//! Probabilities between two fixed-point numbers.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};

use crate::exact::{FRACTION_BITS, Fraction};

/// A probability, or a sum of some, enclosed between two numbers in units of 2⁻²⁵⁶. Every step
/// rounds the lower one down and the upper one up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mass {
    low: BigUint,
    high: BigUint,
}

impl Mass {
    /// 0.
    pub fn zero() -> Mass {
        Mass { low: BigUint::zero(), high: BigUint::zero() }
    }

    /// 1.
    pub fn one() -> Mass {
        Mass { low: unit(), high: unit() }
    }

    /// Between two numbers in units of 2⁻²⁵⁶.
    pub(super) fn between(low: BigUint, high: BigUint) -> Mass {
        Mass { low, high }
    }

    /// numerator/denominator; the denominator is not 0.
    pub(super) fn ratio(numerator: &BigUint, denominator: &BigUint) -> Mass {
        Mass::quotient((numerator, numerator), (denominator, denominator))
    }

    /// The quotient of two enclosed numbers of the same unit; the denominator is not 0.
    pub(super) fn quotient(numerator: (&BigUint, &BigUint), denominator: (&BigUint, &BigUint)) -> Mass {
        let low = (numerator.0 << FRACTION_BITS) / denominator.1;
        let high = (numerator.1 << FRACTION_BITS).div_ceil(denominator.0);
        Mass { low, high: high.min(unit()) }
    }

    /// The lower end, in units of 2⁻²⁵⁶.
    pub(super) fn low(&self) -> &BigUint {
        &self.low
    }

    /// The upper end.
    pub(super) fn high(&self) -> &BigUint {
        &self.high
    }

    pub(super) fn times(&self, other: &Mass) -> Mass {
        let high = &self.high * &other.high;
        Mass { low: (&self.low * &other.low) >> FRACTION_BITS, high: high.div_ceil(&unit()) }
    }

    pub(super) fn add(&mut self, other: &Mass) {
        self.low += &other.low;
        self.high += &other.high;
    }

    /// What is missing to 1.
    pub(super) fn missing(&self) -> Mass {
        let rest = |part: &BigUint| if *part < unit() { unit() - part } else { BigUint::zero() };
        Mass { low: rest(&self.high), high: rest(&self.low) }
    }

    /// The lower end as a fraction.
    pub fn at_least(&self) -> Fraction {
        Fraction::reduced(self.low.clone(), unit())
    }

    /// The upper end as a fraction.
    pub fn at_most(&self) -> Fraction {
        Fraction::reduced(self.high.clone(), unit())
    }

    /// The lower end as the nearest float.
    pub fn to_f64(&self) -> f64 {
        float(&self.low)
    }
}

/// 1 in units of 2⁻²⁵⁶.
pub(super) fn unit() -> BigUint {
    BigUint::one() << FRACTION_BITS
}

/// A number in units of 2⁻²⁵⁶ as a float, to all but its last digits.
pub(super) fn float(number: &BigUint) -> f64 {
    let beyond = number.bits().saturating_sub(64);
    let leading = (number >> beyond).to_u64().unwrap_or(u64::MAX);
    leading as f64 * 2_f64.powi(beyond as i32 - FRACTION_BITS as i32)
}
