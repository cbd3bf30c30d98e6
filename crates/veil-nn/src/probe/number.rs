//! The number types of rows: 32-bit floats, or 64-bit dual numbers with a derivative.
//!
//! Powers come from libm and not from the system, so that derivatives are the same everywhere.

use std::ops::{Add, Div, Mul, Sub};

use crate::kernels;

/// The arithmetic that the evaluation of a row needs.
pub(super) trait Number:
    Copy + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// 0.
    const ZERO: Self;
    /// A constant.
    fn constant(value: f32) -> Self;
    /// The value without its derivative.
    fn real(self) -> f64;
    /// Times a constant.
    fn scaled(self, factor: f32) -> Self;
    /// e to this power.
    fn exp(self) -> Self;
    /// e to this power, less 1.
    fn exp_minus_one(self) -> Self;
}

impl Number for f32 {
    const ZERO: f32 = 0.0;

    fn constant(value: f32) -> f32 {
        value
    }

    fn real(self) -> f64 {
        f64::from(self)
    }

    fn scaled(self, factor: f32) -> f32 {
        self * factor
    }

    fn exp(self) -> f32 {
        kernels::exp::exp(self)
    }

    fn exp_minus_one(self) -> f32 {
        kernels::exp::exp_minus_one(self)
    }
}

/// A function of t with its derivative: forward mode (Wengert 1964).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dual {
    pub value: f64,
    pub slope: f64,
}

impl Add for Dual {
    type Output = Dual;

    fn add(self, other: Dual) -> Dual {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Dual;

    fn sub(self, other: Dual) -> Dual {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl Mul for Dual {
    type Output = Dual;

    fn mul(self, other: Dual) -> Dual {
        Dual { value: self.value * other.value, slope: self.value * other.slope + self.slope * other.value }
    }
}

impl Div for Dual {
    type Output = Dual;

    fn div(self, other: Dual) -> Dual {
        let value = self.value / other.value;
        Dual { value, slope: (self.slope - value * other.slope) / other.value }
    }
}

impl Number for Dual {
    const ZERO: Dual = Dual { value: 0.0, slope: 0.0 };

    fn constant(value: f32) -> Dual {
        Dual { value: f64::from(value), slope: 0.0 }
    }

    fn real(self) -> f64 {
        self.value
    }

    fn scaled(self, factor: f32) -> Dual {
        let factor = f64::from(factor);
        Dual { value: self.value * factor, slope: self.slope * factor }
    }

    fn exp(self) -> Dual {
        let value = libm::exp(self.value);
        Dual { value, slope: value * self.slope }
    }

    fn exp_minus_one(self) -> Dual {
        Dual { value: libm::expm1(self.value), slope: libm::exp(self.value) * self.slope }
    }
}

/// Plain 64-bit floats, to compare derivatives with.
#[cfg(test)]
impl Number for f64 {
    const ZERO: f64 = 0.0;

    fn constant(value: f32) -> f64 {
        f64::from(value)
    }

    fn real(self) -> f64 {
        self
    }

    fn scaled(self, factor: f32) -> f64 {
        self * f64::from(factor)
    }

    fn exp(self) -> f64 {
        libm::exp(self)
    }

    fn exp_minus_one(self) -> f64 {
        libm::expm1(self)
    }
}

/// The softmax of a row, in the order of [`kernels::softmax`].
///
/// The largest number is subtracted with its derivative. Its power is then the constant 1, so
/// derivatives keep their relative accuracy when the softmax saturates.
pub(super) fn softmax<N: Number>(row: &mut [N]) {
    let Some(&first) = row.first() else { return };
    let most = row.iter().fold(first, |most, &value| if value.real() > most.real() { value } else { most });
    let mut sum = N::ZERO;
    for value in &mut *row {
        *value = (*value - most).exp();
        sum = sum + *value;
    }
    for value in row {
        *value = *value / sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_32_bits_softmax_has_the_bits_of_the_kernel() {
        for seed in 0..100 {
            let row: Vec<f32> = (0..7).map(|at| ((seed * 7 + at) as f32 * 0.37).sin() * 20.0).collect();
            let (mut found, mut expected) = (row.clone(), row);
            expected.push(0.0);
            softmax(&mut found);
            kernels::softmax::softmax(&mut expected, 8, 7);
            assert_eq!(found, expected[..7]);
        }
    }

    /// With scores 0 and −d the second posterior is s = e^−d/(1 + e^−d), and both derivatives are
    /// ±s·(1 − s) times that of the difference.
    #[test]
    fn derivatives_of_a_saturated_softmax_are_accurate() {
        for difference in [1.0, 30.0, 50.0, 300.0, 600.0f64] {
            let mut row = [Dual { value: 0.0, slope: 3.0 }, Dual { value: -difference, slope: 5.0 }];
            softmax(&mut row);
            let power = (-difference).exp();
            let truth = 2.0 * power / (1.0 + power).powi(2);
            for slope in [row[1].slope, -row[0].slope] {
                assert!((slope / truth - 1.0).abs() < 1e-14, "{difference}: {slope} {truth}");
            }
        }
    }
}
