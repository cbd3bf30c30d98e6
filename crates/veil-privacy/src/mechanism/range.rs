//! The public range of a bounded number.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ParamError;

/// A public interval [low, high] of finite, positive length.
///
/// It must be known independently of the data. A range computed from the data is an
/// [`Assumption`](crate::Assumption) that ε does not account for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    low: f64,
    high: f64,
}

impl ValueRange {
    /// [0, 1].
    pub const UNIT: ValueRange = ValueRange { low: 0.0, high: 1.0 };

    /// [`low`, `high`].
    ///
    /// # Errors
    /// If an end is NaN or infinite, the interval is empty or a point, or its length overflows.
    pub fn new(low: f64, high: f64) -> Result<ValueRange, ParamError> {
        if low < high && (high - low).is_finite() {
            // + 0.0 turns −0 into 0, so that equal ranges have equal canonical texts.
            Ok(ValueRange { low: low + 0.0, high: high + 0.0 })
        } else {
            Err(ParamError::BadRange { low, high })
        }
    }

    /// Lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// high − low.
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// (low + high)/2.
    pub fn middle(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    /// Where `x`, clipped to the range, lies in it: 0 at the lower, 1 at the upper end. `None` for
    /// NaN.
    pub(super) fn position(self, x: f64) -> Option<f64> {
        (!x.is_nan()).then(|| (x.clamp(self.low, self.high) - self.low) / self.width())
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The shortest text that reads back as the same float: different ranges never look alike.
        write!(f, "{}..{}", self.low, self.high)
    }
}

impl FromStr for ValueRange {
    type Err = String;

    fn from_str(text: &str) -> Result<ValueRange, String> {
        let ends = text.split_once("..").and_then(|(low, high)| low.parse().ok().zip(high.parse().ok()));
        let (low, high) = ends.ok_or_else(|| format!("{text:?} is not a range such as 0..1"))?;
        ValueRange::new(low, high).map_err(|error| error.to_string())
    }
}

/// As its text: a JSON number need not read back as the same float.
impl Serialize for ValueRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ValueRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ValueRange, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
