//! Softmax of every row.

use super::exp::exp;
use super::level::{Kernel, Level, kernel};
use super::parallel::over_equal_rows;

/// Replaces the first `columns` numbers of each row of `stride` by their softmax; the padding
/// becomes zero.
pub fn softmax(x: &mut [f32], stride: usize, columns: usize) {
    let level = Level::detect();
    over_equal_rows(x.len(), stride, [x], |_, [x]| level.run(Softmax { x, stride, columns }));
}

kernel!(Softmax { x: &'a mut [f32], stride: usize, columns: usize } {
    for row in x.chunks_exact_mut(stride) {
        let (row, padding) = row.split_at_mut(columns);
        padding.fill(0.0);
        let mut most = f32::NEG_INFINITY;
        for &value in &*row {
            most = if value > most { value } else { most };
        }
        for value in &mut *row {
            *value = exp(*value - most);
        }
        let mut sum = 0.0;
        for &value in &*row {
            sum += value;
        }
        for value in row {
            *value /= sum;
        }
    }
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::level::forced;
    use crate::kernels::tests::fixed;
    use crate::tensor::padded;

    proptest! {
        #![proptest_config(fixed(256))]

        #[test]
        fn equals_a_plain_implementation(rows in 0usize..30, columns in 1usize..70, size in 0.1f32..60.0, seed in 0u32..1000) {
            let stride = padded(columns);
            let x: Vec<f32> = (0..rows * stride).map(|at| (at as f32 * 0.71 + seed as f32).sin() * size).collect();
            for level in Level::available() {
                let mut found = x.clone();
                forced(level, || softmax(&mut found, stride, columns));
                for (found, x) in found.chunks_exact(stride).zip(x.chunks_exact(stride)) {
                    let sum: f64 = x[..columns].iter().map(|&value| f64::from(value).exp()).sum();
                    for column in 0..columns {
                        let truth = f64::from(x[column]).exp() / sum;
                        // The difference to the largest, up to 120, is rounded: 120·6e-8; the sum
                        // of 70 terms adds 70·6e-8.
                        let error = (f64::from(found[column]) - truth).abs();
                        prop_assert!(error <= 2e-5 * truth + 1e-37, "{} {truth}", found[column]);
                    }
                    prop_assert!(found[columns..].iter().all(|&padding| padding == 0.0));
                }
            }
        }
    }

    #[test]
    fn large_numbers_do_not_overflow() {
        let mut x = [1e30, 1e30, -1e30, 5.0];
        softmax(&mut x, 4, 3);
        assert_eq!(x, [0.5, 0.5, 0.0, 0.0]);
    }
}
