//! ε: a whole number of 10⁻⁹, or infinite.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{BudgetError, decimal};

const PLACES: u32 = 9;
const NANOS: u64 = 1_000_000_000;
/// A million. A larger ε means no privacy in any case; below it every ε has at most 15 significant
/// digits, so a JSON number (an f64) holds it exactly.
const LARGEST_NANOS: u64 = 1_000_000 * NANOS;
const LARGEST: &str = "1000000";

/// A privacy loss ε: finite and positive, kept as a whole number of 10⁻⁹, or infinite ("not
/// privatised").
///
/// ```
/// use veil_privacy::Epsilon;
/// let tenth: Epsilon = "0.1".parse()?;
/// assert_eq!(tenth.times(3), Some("0.3".parse()?));
/// # Ok::<(), veil_privacy::BudgetError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epsilon(Amount);

/// Declared in this order so that the derived order is the numeric one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Amount {
    Finite(NonZeroU64),
    Infinite,
}

impl Epsilon {
    /// Not privatised.
    pub const INFINITE: Epsilon = Epsilon(Amount::Infinite);

    /// A finite ε of `nanos`·10⁻⁹; `None` for zero and above one million.
    pub const fn from_nanos(nanos: u64) -> Option<Epsilon> {
        match NonZeroU64::new(nanos) {
            Some(nanos) if nanos.get() <= LARGEST_NANOS => Some(Epsilon(Amount::Finite(nanos))),
            _ => None,
        }
    }

    /// The smallest ε that is not below `value`, for booking an accountant's floating-point result.
    ///
    /// Exact in the float: the f64 nearest to 0.1 is a little above 0.1 and becomes 0.100000001. To
    /// get 0.1, parse text.
    ///
    /// # Errors
    /// Zero, negative, NaN, or finite above one million. +∞ is [`Epsilon::INFINITE`].
    pub fn from_f64_rounded_up(value: f64) -> Result<Epsilon, BudgetError> {
        let given = || value.to_string();
        if value.is_nan() {
            return Err(BudgetError::NotANumber);
        }
        if value == 0.0 {
            return Err(BudgetError::Zero { given: given() });
        }
        if value < 0.0 {
            return Err(BudgetError::Negative { given: given() });
        }
        if value.is_infinite() {
            return Ok(Epsilon::INFINITE);
        }
        let too_large = || BudgetError::TooLarge { given: given(), largest: LARGEST };
        if value > 1e6 {
            return Err(too_large());
        }
        // value = mantissa / 2^shift; at most a million < 2²⁰, so shift ≥ 52 − 19 and the product
        // is below 2⁸³.
        let bits = value.to_bits();
        let field = (bits >> 52) & 0x7ff;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, exponent) = if field == 0 { (fraction, 1) } else { (fraction | 1 << 52, field) };
        let shift = u32::try_from(1075_u64.saturating_sub(exponent)).unwrap_or(u32::MAX);
        let scaled = u128::from(mantissa) * u128::from(NANOS);
        let nanos = if shift >= 127 { 1 } else { scaled.div_ceil(1 << shift) };
        u64::try_from(nanos).ok().and_then(Epsilon::from_nanos).ok_or_else(too_large)
    }

    /// Whether ε is finite.
    pub fn is_finite(self) -> bool {
        self.nanos().is_some()
    }

    /// The number of 10⁻⁹, if finite.
    pub fn nanos(self) -> Option<u64> {
        match self.0 {
            Amount::Finite(nanos) => Some(nanos.get()),
            Amount::Infinite => None,
        }
    }

    /// The nearest f64: for display and statistics, not for thresholds.
    pub fn as_f64(self) -> f64 {
        // Both are exact in an f64 and division is correctly rounded, so this is the float that the
        // decimal text means.
        self.nanos().map_or(f64::INFINITY, |nanos| nanos as f64 / NANOS as f64)
    }

    /// ε as (numerator, denominator), denominator 10⁹, if finite.
    pub fn as_rational(self) -> Option<(u64, u64)> {
        self.nanos().map(|nanos| (nanos, NANOS))
    }

    /// The sum, as in sequential composition; `None` if a finite sum is too large. Infinite
    /// absorbs.
    pub fn checked_add(self, other: Epsilon) -> Option<Epsilon> {
        match (self.nanos(), other.nanos()) {
            (Some(a), Some(b)) => a.checked_add(b).and_then(Epsilon::from_nanos),
            _ => Some(Epsilon::INFINITE),
        }
    }

    /// ε spent `count` times (group privacy, both ends of an edge); `None` for zero times or if too
    /// large.
    pub fn times(self, count: u32) -> Option<Epsilon> {
        match self.nanos() {
            Some(nanos) => nanos.checked_mul(u64::from(count)).and_then(Epsilon::from_nanos),
            None => (count > 0).then_some(Epsilon::INFINITE),
        }
    }

    /// An `n`-th part, rounded down: `n` of them never exceed the whole. `None` if nothing is left
    /// or `n` is 0.
    pub fn divided_by(self, n: u32) -> Option<Epsilon> {
        let n = NonZeroU32::new(n)?;
        match self.nanos() {
            Some(nanos) => Epsilon::from_nanos(nanos / u64::from(n.get())),
            None => Some(Epsilon::INFINITE),
        }
    }
}

impl FromStr for Epsilon {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Epsilon, BudgetError> {
        let text = text.trim();
        if matches!(text.to_ascii_lowercase().as_str(), "inf" | "+inf" | "infinity") {
            return Ok(Epsilon::INFINITE);
        }
        if matches!(text.to_ascii_lowercase().as_str(), "-inf" | "-infinity") {
            return Err(BudgetError::Negative { given: text.to_owned() });
        }
        let nanos = decimal::parse(text, PLACES, LARGEST_NANOS, LARGEST)?;
        Epsilon::from_nanos(nanos).ok_or_else(|| BudgetError::Zero { given: text.to_owned() })
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nanos() {
            Some(nanos) => f.pad(&decimal::format(nanos, PLACES)),
            None => f.pad("inf"),
        }
    }
}

impl fmt::Debug for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Epsilon({self})")
    }
}

impl Serialize for Epsilon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.nanos() {
            Some(nanos) if nanos.is_multiple_of(NANOS) => serializer.serialize_u64(nanos / NANOS),
            Some(_) => serializer.serialize_f64(self.as_f64()),
            None => serializer.serialize_str("inf"),
        }
    }
}

impl<'de> Deserialize<'de> for Epsilon {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Epsilon, D::Error> {
        decimal::deserialize(deserializer, "a positive decimal number or \"inf\"")
    }
}
