//! Activation and dropout in one pass, with the derivative for the backward pass.

use serde::{Deserialize, Serialize};

use super::exp::exp_minus_one;
use super::level::{Kernel, Level};
use super::parallel::over_equal_rows;

/// The function applied between two layers. All of them map 0 to 0, so padding stays zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// The identity.
    None,
    /// max(x, 0).
    Relu,
    /// λ·x above 0, λ·α·(eˣ − 1) below (Klambauer et al. 2017).
    Selu,
}

/// λ and α of SELU, as in torch.
pub(crate) const SCALE: f32 = 1.050_701;
pub(crate) const ALPHA: f32 = 1.673_263_2;

/// Which numbers are dropped: a function of key, row and column only, so threads do not matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    /// The probability that a number becomes 0. The others are divided by 1 − p.
    pub probability: f32,
    /// Different for every layer and step.
    pub key: u64,
}

/// out = act(x)·mask/(1 − p); derivative = act′(x)·mask/(1 − p). The padding of `derivative` is
/// unspecified.
pub fn activate(
    kind: Activation,
    x: &[f32],
    stride: usize,
    dropout: Option<Dropout>,
    out: &mut [f32],
    derivative: Option<&mut [f32]>,
) {
    let derivative = derivative.unwrap_or_default();
    assert_eq!(out.len(), x.len(), "as many numbers");
    assert!(derivative.is_empty() || derivative.len() == x.len(), "as many derivatives");
    let level = Level::detect();
    over_equal_rows(x.len(), stride, [out, derivative], |first, [out, derivative]| {
        let x = &x[first * stride..][..out.len()];
        let part = Chunk { kind, x, stride, dropout, first, out, derivative };
        match stride {
            4 => level.run(Activate::<4>(part)),
            8 => level.run(Activate::<8>(part)),
            _ => level.run(Activate::<16>(part)),
        }
    });
}

struct Chunk<'a> {
    kind: Activation,
    x: &'a [f32],
    stride: usize,
    dropout: Option<Dropout>,
    first: usize,
    out: &'a mut [f32],
    derivative: &'a mut [f32],
}

/// Blocks of a constant width, so that the compiler emits no remainder loop.
struct Activate<'a, const WIDTH: usize>(Chunk<'a>);

impl<const WIDTH: usize> Kernel for Activate<'_, WIDTH> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Chunk { kind, x, stride, dropout, first, out, derivative } = self.0;
        let blocks = stride / WIDTH;
        let (x, _) = x.as_chunks::<WIDTH>();
        let (out, _) = out.as_chunks_mut::<WIDTH>();
        let (derivative, _) = derivative.as_chunks_mut::<WIDTH>();
        for (row, (x, out)) in x.chunks_exact(blocks).zip(out.chunks_exact_mut(blocks)).enumerate() {
            let key = dropout.map_or(0, |dropout| mixed(dropout.key ^ mixed((first + row) as u64)));
            for (block, (x, out)) in x.iter().zip(out).enumerate() {
                let (mut values, mut slopes) = both(kind, *x);
                if let Some(dropout) = dropout {
                    let factors = factors::<WIDTH>(dropout.probability, key, (block * WIDTH) as u32);
                    for lane in 0..WIDTH {
                        values[lane] *= factors[lane];
                        slopes[lane] *= factors[lane];
                    }
                }
                *out = values;
                if let Some(derivative) = derivative.get_mut(row * blocks + block) {
                    *derivative = slopes;
                }
            }
        }
    }
}

/// act(x) and act′(x).
#[inline(always)]
fn both<const WIDTH: usize>(kind: Activation, x: [f32; WIDTH]) -> ([f32; WIDTH], [f32; WIDTH]) {
    let (mut values, mut slopes) = (x, [1.0; WIDTH]);
    match kind {
        Activation::None => {}
        Activation::Relu => {
            for lane in 0..WIDTH {
                values[lane] = if x[lane] < 0.0 { 0.0 } else { x[lane] };
                slopes[lane] = if x[lane] > 0.0 { 1.0 } else { 0.0 };
            }
        }
        Activation::Selu => {
            for lane in 0..WIDTH {
                let below = SCALE * ALPHA * exp_minus_one(x[lane]);
                values[lane] = if x[lane] > 0.0 { SCALE * x[lane] } else { below };
                slopes[lane] = if x[lane] > 0.0 { SCALE } else { below + SCALE * ALPHA };
            }
        }
    }
    (values, slopes)
}

/// 0 for a dropped number, else 1/(1 − p), for columns from `start` on.
#[inline(always)]
fn factors<const WIDTH: usize>(probability: f32, key: u64, start: u32) -> [f32; WIDTH] {
    // A fraction of 2³²; for p = 1 the factor is 0, so everything is dropped.
    let below = (f64::from(probability) * 4_294_967_296.0) as u32;
    let factor = if probability < 1.0 { 1.0 / (1.0 - probability) } else { 0.0 };
    let mut factors = [factor; WIDTH];
    for (column, factor) in (start..).zip(&mut factors) {
        *factor = if hash(key, column) < below { 0.0 } else { *factor };
    }
    factors
}

/// 32 bits for a column of a row: the rounds of Wellons' lowbias32, with half of the row's bits
/// added before and half within.
#[inline(always)]
fn hash(row: u64, column: u32) -> u32 {
    let mut bits = column.wrapping_mul(0x9e37_79b9) ^ row as u32;
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x21f0_aaad) ^ (row >> 32) as u32;
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x735a_2d97);
    bits ^ (bits >> 15)
}

/// Spreads the bits of a key: `SplitMix64`'s output function (Steele et al. 2014).
#[inline(always)]
pub(crate) fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::level::forced;
    use crate::kernels::tests::fixed;

    /// act(x) and act′(x), from the definitions.
    fn naive(kind: Activation, x: f32) -> (f64, f64) {
        let (scale, alpha) = (1.050_700_987_355_480_5_f64, 1.673_263_242_354_377_2_f64);
        let x = f64::from(x);
        match kind {
            Activation::None => (x, 1.0),
            Activation::Relu => (x.max(0.0), f64::from(u8::from(x > 0.0))),
            Activation::Selu if x > 0.0 => (scale * x, scale),
            Activation::Selu => (scale * alpha * x.exp_m1(), scale * alpha * x.exp()),
        }
    }

    const KINDS: [Activation; 3] = [Activation::None, Activation::Relu, Activation::Selu];

    /// Which of these numbers a dropout keeps.
    fn kept(dropout: Dropout, rows: usize, stride: usize) -> Vec<bool> {
        let mut out = vec![0.0; rows * stride];
        activate(Activation::None, &vec![1.0; rows * stride], stride, Some(dropout), &mut out, None);
        out.into_iter().map(|value| value != 0.0).collect()
    }

    proptest! {
        #![proptest_config(fixed(256))]

        #[test]
        fn equals_a_plain_implementation(
            rows in 0usize..40,
            stride in prop::sample::select(vec![4usize, 8, 16, 48, 80]),
            seed in 0u32..1000,
            probability in prop::option::of(0.0f32..0.9),
        ) {
            let x: Vec<f32> = (0..rows * stride).map(|at| (at as f32 * 0.37 + seed as f32).sin() * 8.0).collect();
            let dropout = probability.map(|probability| Dropout { probability, key: u64::from(seed) });
            let kept = dropout.map(|dropout| kept(dropout, rows, stride));
            for level in Level::available() {
                for kind in KINDS {
                    let (mut out, mut slope) = (vec![7.0; x.len()], vec![7.0; x.len()]);
                    let mut without_slope = out.clone();
                    forced(level, || {
                        activate(kind, &x, stride, dropout, &mut out, Some(&mut slope));
                        activate(kind, &x, stride, dropout, &mut without_slope, None);
                    });
                    for at in 0..x.len() {
                        let factor = kept.as_ref().map_or(1.0, |kept| f64::from(u8::from(kept[at])))
                            / (1.0 - f64::from(probability.unwrap_or(0.0)));
                        let (value, derivative) = naive(kind, x[at]);
                        // eˣ ≤ 1 within two units, times λα = 1.76, minus λα: some 6e-7; the rest
                        // are a few roundings.
                        let near = |found: f32, truth: f64| {
                            (f64::from(found) - truth * factor).abs() <= factor * (1e-6 + truth.abs() * 5e-7)
                        };
                        prop_assert!(near(out[at], value) && near(without_slope[at], value) && near(slope[at], derivative));
                    }
                }
            }
        }
    }

    #[test]
    fn zero_stays_zero_and_nan_stays_nan() {
        for kind in KINDS {
            let mut out = [1.0; 4];
            activate(kind, &[0.0, -0.0, f32::NAN, 0.0], 4, None, &mut out, None);
            assert!(out[0] == 0.0 && out[1] == 0.0 && out[2].is_nan());
        }
    }

    /// |count − n·p| in standard deviations of Binomial(n, p). Six are exceeded once in 5·10⁸.
    fn deviations(count: usize, n: usize, p: f64) -> f64 {
        (count as f64 - n as f64 * p).abs() / (n as f64 * p * (1.0 - p)).sqrt()
    }

    #[test]
    fn keeps_the_given_share_and_neighbours_are_independent() {
        let (rows, stride) = (4000, 64);
        for (key, probability) in [(1, 0.5f32), (2, 0.1), (3, 0.9), (u64::MAX, 0.25)] {
            let kept = kept(Dropout { probability, key }, rows, stride);
            let p = 1.0 - f64::from(probability);
            let share = kept.iter().filter(|&&kept| kept).count();
            assert!(deviations(share, kept.len(), p) < 6.0, "{share}");
            // Disjoint pairs of neighbours, across and down, are both kept with p².
            let across = kept.chunks_exact(2).filter(|pair| pair[0] && pair[1]).count();
            assert!(deviations(across, kept.len() / 2, p * p) < 6.0, "{across}");
            let down = kept
                .chunks_exact(2 * stride)
                .map(|rows| (0..stride).filter(|&at| rows[at] && rows[at + stride]).count());
            let down = down.sum();
            assert!(deviations(down, kept.len() / 2, p * p) < 6.0, "{down}");
            for column in 0..stride {
                let count = (0..rows).filter(|row| kept[row * stride + column]).count();
                assert!(deviations(count, rows, p) < 6.5, "column {column}: {count}");
            }
        }
    }

    #[test]
    fn another_key_is_another_mask() {
        let mask = |key| kept(Dropout { probability: 0.5, key }, 1000, 64);
        let first = mask(1);
        assert_eq!(first, mask(1));
        for key in [2, 3, 1 << 32, 1 << 63] {
            let alike = first.iter().zip(mask(key)).filter(|(one, other)| *one == other).count();
            assert!(deviations(alike, first.len(), 0.5) < 6.0, "{key}: {alike}");
        }
    }

    #[test]
    fn dropout_of_everything_and_of_nothing() {
        assert!(kept(Dropout { probability: 1.0, key: 5 }, 10, 16).iter().all(|kept| !kept));
        assert!(kept(Dropout { probability: 0.0, key: 5 }, 10, 16).iter().all(|kept| *kept));
    }

    #[test]
    fn names_match_the_configuration() {
        assert_eq!(serde_json::to_string(&KINDS).unwrap(), r#"["none","relu","selu"]"#);
    }
}
