//! δ: a whole number of 10⁻¹⁸.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{BudgetError, decimal};

const PLACES: u32 = 18;
const ONE: u64 = 1_000_000_000_000_000_000;

/// A failure probability δ in [0, 1], kept as a whole number of 10⁻¹⁸. Zero means a pure ε
/// guarantee.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Delta(u64);

impl Delta {
    /// Pure differential privacy.
    pub const ZERO: Delta = Delta(0);

    /// No promise at all.
    pub const ONE: Delta = Delta(ONE);

    /// δ of `units`·10⁻¹⁸; `None` above 1.
    pub fn from_units(units: u64) -> Option<Delta> {
        (units <= ONE).then_some(Delta(units))
    }

    /// The number of 10⁻¹⁸.
    pub fn units(self) -> u64 {
        self.0
    }

    /// Whether δ = 0.
    pub fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// An f64 within one rounding of δ: for display and statistics.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// The sum, as in basic composition; `None` above 1.
    pub fn checked_add(self, other: Delta) -> Option<Delta> {
        self.0.checked_add(other.0).and_then(Delta::from_units)
    }

    /// δ spent `count` times; `None` above 1.
    pub fn times(self, count: u32) -> Option<Delta> {
        self.0.checked_mul(u64::from(count)).and_then(Delta::from_units)
    }
}

impl FromStr for Delta {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Delta, BudgetError> {
        decimal::parse(text.trim(), PLACES, ONE, "1").map(Delta)
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&decimal::format(self.0, PLACES))
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Delta({self})")
    }
}

impl Serialize for Delta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Up to 15 significant digits survive an f64; a longer δ is written as text so that nothing
        // is lost.
        let mut digits = self.0;
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
        }
        if self.0.is_multiple_of(ONE) {
            serializer.serialize_u64(self.0 / ONE)
        } else if digits < 1_000_000_000_000_000 {
            // Both exact in an f64: the quotient is the float that the decimal text means.
            let power = self.0 / digits;
            serializer.serialize_f64(digits as f64 / (ONE / power) as f64)
        } else {
            serializer.serialize_str(&self.to_string())
        }
    }
}

impl<'de> Deserialize<'de> for Delta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Delta, D::Error> {
        decimal::deserialize(deserializer, "a decimal number from 0 to 1")
    }
}
