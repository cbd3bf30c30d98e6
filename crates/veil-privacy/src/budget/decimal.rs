//! Decimal text to and from whole numbers of 10⁻ᵖ, without floating point.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserializer, Error, Visitor};

use super::BudgetError;

/// Reads `text` as a whole number of 10^-places, at most `largest_units`.
pub(super) fn parse(text: &str, places: u32, largest_units: u64, largest: &'static str) -> Result<u64, BudgetError> {
    let given = || text.to_owned();
    let malformed = || BudgetError::Malformed { given: given() };
    let too_large = || BudgetError::TooLarge { given: given(), largest };

    if text.trim_start_matches(['+', '-']).eq_ignore_ascii_case("nan") {
        return Err(BudgetError::NotANumber);
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent).ok_or_else(malformed)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return Err(malformed());
    }

    // The digits' last significant place, counted from the decimal point.
    let significant: Vec<u8> = digits().map(|byte| byte - b'0').skip_while(|&digit| digit == 0).collect();
    if significant.is_empty() {
        return Ok(0);
    }
    if negative {
        return Err(BudgetError::Negative { given: given() });
    }
    let trailing = significant.iter().rev().take_while(|&&digit| digit == 0).count();
    let kept = significant.get(..significant.len() - trailing).unwrap_or_default();
    // value = kept · 10^power, in units of 10^-places.
    let length = |count: usize| i64::try_from(count).unwrap_or(i64::MAX / 4);
    let power = i64::from(exponent) - length(fraction.len()) + length(trailing) + i64::from(places);
    if power < 0 {
        return Err(BudgetError::TooManyDigits { given: given(), places });
    }
    let mut units = 0_u64;
    for &digit in kept {
        units = units.checked_mul(10).and_then(|units| units.checked_add(u64::from(digit))).ok_or_else(too_large)?;
    }
    // kept ≥ 1, so any power above 19 leaves u64.
    let power = u32::try_from(power).map_err(|_| too_large())?;
    let units = 10_u64.checked_pow(power).and_then(|scale| units.checked_mul(scale)).ok_or_else(too_large)?;
    if units > largest_units { Err(too_large()) } else { Ok(units) }
}

fn parse_exponent(text: &str) -> Option<i32> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // An exponent of a million is as absurd as a larger one: both end as "too large" or "too many
    // digits".
    let size = unsigned.parse::<i32>().unwrap_or(1_000_000).min(1_000_000);
    Some(if text.starts_with('-') { -size } else { size })
}

/// The shortest decimal text of `units`·10^-places.
pub(super) fn format(units: u64, places: u32) -> String {
    let scale = 10_u64.pow(places);
    let (whole, fraction) = (units / scale, units % scale);
    if fraction == 0 {
        return whole.to_string();
    }
    let digits = format!("{fraction:0width$}", width = places as usize);
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

/// Reads a budget that was written as text or as a number.
pub(super) fn deserialize<'de, T, D>(deserializer: D, expected: &'static str) -> Result<T, D::Error>
where
    T: FromStr<Err = BudgetError>,
    D: Deserializer<'de>,
{
    struct Read<T>(&'static str, PhantomData<T>);
    impl<T: FromStr<Err = BudgetError>> Visitor<'_> for Read<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
        fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
            self.visit_str(&value.to_string())
        }
        fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
            self.visit_str(&value.to_string())
        }
        fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
            // The shortest decimal of the float is the text that was written, up to 15 digits.
            self.visit_str(&value.to_string())
        }
        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
    deserializer.deserialize_any(Read(expected, PhantomData))
}
