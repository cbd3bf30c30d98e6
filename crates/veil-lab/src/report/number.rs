//! Numbers as people read them, and the spread of a few of them.

/// The 97.5 % points of Student's t for 1, 2, … degrees of freedom; beyond them the normal distribution's is close enough.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL: f64 = 1.96;

/// What the seeds of one point gave together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub seeds: usize,
    pub mean: f64,
    /// The sample deviation; one value has none.
    pub deviation: Option<f64>,
    /// Half of the 95 % interval of the mean.
    pub half: Option<f64>,
}

impl Spread {
    /// Nothing where there is no value.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let seeds = values.len();
        if seeds == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / seeds as f64;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (seeds > 1).then(|| (squares / (seeds - 1) as f64).sqrt());
        // So few seeds need wider intervals than a normal distribution's: three need more than twice as much.
        let factor = STUDENT.get(seeds.wrapping_sub(2)).copied().unwrap_or(NORMAL);
        let half = deviation.map(|deviation| factor * deviation / (seeds as f64).sqrt());
        Some(Spread { seeds, mean, deviation, half })
    }

    pub fn low(&self) -> f64 {
        self.mean - self.half.unwrap_or(0.0)
    }

    pub fn high(&self) -> f64 {
        self.mean + self.half.unwrap_or(0.0)
    }
}

/// Four significant digits, without zeros that say nothing.
pub(super) fn plain(number: f64) -> String {
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

fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// A share as per cent, without the sign.
pub(super) fn percent(share: f64) -> String {
    minus(format!("{:.1}", 100.0 * share))
}

/// The area under a curve.
pub(super) fn area(value: f64) -> String {
    minus(format!("{value:.3}"))
}

/// A typographic minus, and none before a zero.
fn minus(text: String) -> String {
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// A count with commas between thousands.
pub(super) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time, as coarse as it is long.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{} s", plain(seconds.max(0.0))),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A coordinate of a drawing: a tenth of a pixel is enough.
pub(super) fn pixel(place: f64) -> String {
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
        assert_eq!((percent(0.82349), percent(-0.0001), percent(-0.021)), ("82.3".into(), "0.0".into(), "−2.1".into()));
        assert_eq!((area(0.5), area(1.0)), ("0.500".into(), "1.000".into()));
        assert_eq!([7, 1_000, 5_000_000].map(count), ["7", "1,000", "5,000,000"]);
        assert_eq!([0.42, 75.2, 7_260.0].map(duration), ["0.42 s", "1 min 15 s", "2 h 1 min"]);
        assert_eq!([1.0, 2.26, -0.01].map(pixel), ["1", "2.3", "0"]);
    }

    #[test]
    fn a_spread_is_that_of_the_textbook() {
        assert_eq!(Spread::of(&[]), None);
        let one = Spread::of(&[0.5]).unwrap();
        assert_eq!((one.mean, one.deviation, one.half, one.low(), one.high()), (0.5, None, None, 0.5, 0.5));
        let few = Spread::of(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((few.mean, few.deviation), (2.0, Some(1.0)));
        assert!((few.high() - 2.0 - 4.303 / 3f64.sqrt()).abs() < 1e-12);
        let many: Vec<f64> = (0..100).map(|place| f64::from(place % 2)).collect();
        let many = Spread::of(&many).unwrap();
        assert!((many.half.unwrap() - 1.96 * (25.0f64 / 99.0).sqrt() / 10.0).abs() < 1e-12);
    }
}
