//! Numbers as people read them.

use crate::outcome::rounded_up;
use crate::statistics::Summary;

/// What every interval on the page is.
pub(super) const INTERVAL: &str = "95 % interval (bootstrap; with two or three seeds it is their range)";

/// Four significant digits, without trailing zeros.
pub(crate) fn plain(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    if number == 0.0 || number.is_nan() {
        return if number == 0.0 { "0" } else { "–" }.to_owned();
    }
    let text = format!("{number:.3e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let text = if (-3..6).contains(&exponent) {
        trimmed(&format!("{number:.*}", (3 - exponent).max(0) as usize))
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    };
    text.replace('-', "−")
}

/// An ε or δ, likewise, rounded up.
pub(super) fn at_least(epsilon: f64) -> String {
    if !epsilon.is_finite() || epsilon <= 0.0 {
        return plain(epsilon);
    }
    plain(rounded_up(epsilon, 3 - epsilon.log10().floor() as i32))
}

fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// A share as per cent, without the sign.
pub(crate) fn percent(share: f64) -> String {
    minus(format!("{:.1}", 100.0 * share))
}

/// The area under a curve.
pub(super) fn area(value: f64) -> String {
    minus(format!("{value:.3}"))
}

/// An interval.
pub(super) fn between([low, high]: [f64; 2], number: fn(f64) -> String) -> String {
    format!("{} to {}", number(low), number(high))
}

/// The interval of a figure in a table.
pub(super) fn interval(figure: &Summary, number: fn(f64) -> String) -> String {
    figure.interval.map_or_else(|| "–".to_owned(), |ends| between(ends, number))
}

/// The ends of what is drawn: the mean, where there is no interval.
pub(crate) fn ends(figure: &Summary) -> [f64; 2] {
    figure.interval.unwrap_or([figure.mean; 2])
}

/// A typographic minus, and none before a zero.
fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// A coordinate of a drawing: a tenth of a pixel is enough.
pub(crate) fn pixel(place: f64) -> String {
    let text = format!("{place:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.1 + 0.2, 1.0, 8.0, 1e-5, 123_456.7, 1.5e9, -0.25, 0.0, f64::INFINITY, 0.001].map(plain).to_vec();
        assert_eq!(shown, ["0.3", "1", "8", "1e−5", "123457", "1.5e9", "−0.25", "0", "∞", "0.001"]);
        let held =
            [12.4123, 12.41, 204.74, 9.9999, 4.0, 0.1, 0.1 + 0.2, 1e-5, 8.538_751_921, f64::INFINITY].map(at_least);
        assert_eq!(held, ["12.42", "12.41", "204.8", "10", "4", "0.1", "0.3", "1e−5", "8.539", "∞"]);
        assert_eq!((percent(0.82349), percent(-0.0001), percent(-0.021)), ("82.3".into(), "0.0".into(), "−2.1".into()));
        assert_eq!((area(0.5), area(1.0)), ("0.500".into(), "1.000".into()));
        assert_eq!([1.0, 2.26, -0.01].map(pixel), ["1", "2.3", "0"]);
    }
}
