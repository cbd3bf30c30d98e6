//! e^x in 64 bits without the system's library, so that derivatives are the same everywhere.

/// e^x; 0 below −708, never infinite.
pub(super) fn exp(x: f64) -> f64 {
    exp_and_less_one(x).0
}

/// e^x and e^x − 1, the latter also accurate near 0; −1 below −708.
pub(super) fn exp_and_less_one(x: f64) -> (f64, f64) {
    let (power, beyond) = parts(x);
    let value = power * beyond + power;
    (if x < LEAST { 0.0 } else { value }, power * beyond + (power - 1.0))
}

/// Below this, e^x is subnormal.
const LEAST: f64 = -708.0;

/// 1/1!, 1/2!, …, 1/13!.
const FACTORIALS: [f64; 13] = {
    let (mut all, mut factorial, mut term) = ([0.0; 13], 1.0, 0);
    while term < all.len() {
        factorial *= (term + 1) as f64;
        all[term] = 1.0 / factorial;
        term += 1;
    }
    all
};

/// 2ⁿ and e^r − 1, where x = n·ln 2 + r with |r| ≤ ½·ln 2: the Taylor series, whose next term is
/// below 5·10⁻¹⁸.
fn parts(x: f64) -> (f64, f64) {
    let x = x.clamp(LEAST, 709.0);
    let n = (x * std::f64::consts::LOG2_E).round_ties_even();
    // ln 2 in two parts; the first has so few bits that n times it is exact (Cody and Waite 1980).
    let r = (x - n * 6.931_471_803_691_238e-1) - n * 1.908_214_929_270_587_7e-10;
    let sum = FACTORIALS.iter().rev().fold(0.0, |sum, factorial| sum * r + factorial);
    // NaN stays NaN in the product, although `as` turns it into 0 here.
    let power = f64::from_bits(((1023 + n as i64) as u64) << 52);
    (power, sum * r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_accurate_to_a_few_units_in_the_last_place() {
        let mut x = -707.0f64;
        while x < 708.0 {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-15, "{x}");
            let truth = x.exp_m1();
            assert!((exp_and_less_one(x).1 / truth - 1.0).abs() < 1e-15, "{x}");
            x += 0.003_71;
        }
        for power in 1..300 {
            let x = -(0.5f64.powi(power));
            assert!((exp_and_less_one(x).1 / x.exp_m1() - 1.0).abs() < 1e-15, "{x}");
        }
    }

    #[test]
    fn ends_are_finite() {
        assert_eq!((exp(0.0), exp_and_less_one(0.0).1), (1.0, 0.0));
        assert_eq!((exp(-1e300), exp_and_less_one(f64::NEG_INFINITY).1), (0.0, -1.0));
        assert!(exp(1e300).is_finite() && exp(f64::NAN).is_nan());
    }
}
