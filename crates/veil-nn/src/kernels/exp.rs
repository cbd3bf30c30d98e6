//! e^x without branches or the system's library, so that it is vectorised and the same everywhere.

/// e^x, within two units in the last place (tested over the whole range); 0 below −87.3, never
/// infinite.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let (power, beyond) = parts(x);
    let value = power * beyond + power;
    if x < LEAST { 0.0 } else { value }
}

/// e^x − 1, also accurate near 0; −1 below −87.3.
#[inline(always)]
pub(crate) fn exp_minus_one(x: f32) -> f32 {
    let (power, beyond) = parts(x);
    power * beyond + (power - 1.0)
}

/// Below this, e^x is subnormal.
const LEAST: f32 = -87.3;

/// 2ⁿ and e^r − 1, where x = n·ln 2 + r with |r| ≤ ½·ln 2: Cephes' expf.
#[inline(always)]
fn parts(x: f32) -> (f32, f32) {
    const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: adding it rounds to a whole number.
    let x = x.clamp(LEAST, 88.3);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * 0.693_359_4) - n * -2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    // The last bits of the shifted number are n; the others are shifted out. A conversion to an
    // integer would not be vectorised.
    let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    (power, p * (r * r) + r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_within_two_units_in_the_last_place() {
        let mut worst = 0.0f64;
        let mut x = -87.29f32;
        while x < 88.0 {
            let truth = f64::from(x).exp();
            let unit = f64::from(f32::from_bits((truth as f32).to_bits() + 1)) - f64::from(truth as f32);
            worst = worst.max((f64::from(exp(x)) - truth).abs() / unit);
            x += 0.000_37;
        }
        assert!(worst < 2.0, "{worst}");
    }

    #[test]
    fn exp_minus_one_is_accurate_near_zero() {
        let mut worst = 0.0f64;
        let mut x = -87.0f32;
        while x < -1e-30 {
            let truth = f64::from(x).exp_m1();
            worst = worst.max(((f64::from(exp_minus_one(x)) - truth) / truth).abs());
            x *= 0.999;
        }
        assert!(worst < 2.5e-7, "{worst}");
        assert_eq!((exp_minus_one(0.0), exp_minus_one(-1e30)), (0.0, -1.0));
    }

    #[test]
    fn ends_are_finite() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!((exp(-1e30), exp(f32::NEG_INFINITY)), (0.0, 0.0));
        assert!(exp(1e30).is_finite());
        assert!(exp(f32::NAN).is_nan());
    }
}
