//! Elementwise operations, and operations of every row with one number or one row.

use super::level::{Kernel, Level, kernel};
use super::parallel::over_equal_rows;

/// Rows per partial sum of [`column_sums`]. Fixed, so that the result does not depend on threads;
/// short, so that rounding errors stay small.
const CHUNK: usize = 1024;

/// Multiplies row v by `scale[v]`.
pub fn scale_rows(scale: &[f32], stride: usize, x: &mut [f32]) {
    assert_eq!(x.len(), scale.len() * stride, "one factor per row");
    let level = Level::detect();
    over_equal_rows(x.len(), stride, [x], |first, [x]| level.run(ScaleRows { scale: &scale[first..], stride, x }));
}

/// Adds one row to every row.
pub fn add_row(row: &[f32], x: &mut [f32]) {
    let level = Level::detect();
    over_equal_rows(x.len(), row.len(), [x], |_, [x]| level.run(AddRow { row, x }));
}

/// Adds `y` to `x`.
pub fn add(y: &[f32], x: &mut [f32]) {
    assert_eq!(x.len(), y.len(), "as many numbers");
    let level = Level::detect();
    over_equal_rows(x.len(), 1, [x], |first, [x]| level.run(Add { y: &y[first..], x }));
}

/// Multiplies `x` by `y`, elementwise.
pub fn multiply(y: &[f32], x: &mut [f32]) {
    assert_eq!(x.len(), y.len(), "as many numbers");
    let level = Level::detect();
    over_equal_rows(x.len(), 1, [x], |first, [x]| level.run(Multiply { y: &y[first..], x }));
}

/// The sum of every column.
pub fn column_sums(x: &[f32], stride: usize) -> Vec<f32> {
    let level = Level::detect();
    let length = CHUNK * stride;
    let mut parts = vec![0.0; x.len().div_ceil(length) * stride];
    over_equal_rows(x.len(), stride, [&mut parts], |first, [parts]| {
        for (chunk, sums) in (first..).zip(parts.chunks_exact_mut(stride)) {
            let x = &x[chunk * length..];
            level.run(AddRows { x: &x[..length.min(x.len())], sums });
        }
    });
    let mut sums = vec![0.0; stride];
    level.run(AddRows { x: &parts, sums: &mut sums });
    sums
}

kernel!(ScaleRows { scale: &'a [f32], stride: usize, x: &'a mut [f32] } {
    for (row, &scale) in x.chunks_exact_mut(stride).zip(scale) {
        for value in row {
            *value *= scale;
        }
    }
});

kernel!(AddRow { row: &'a [f32], x: &'a mut [f32] } {
    for out in x.chunks_exact_mut(row.len()) {
        for (out, &value) in out.iter_mut().zip(row) {
            *out += value;
        }
    }
});

kernel!(Add { y: &'a [f32], x: &'a mut [f32] } {
    for (x, &y) in x.iter_mut().zip(y) {
        *x += y;
    }
});

kernel!(Multiply { y: &'a [f32], x: &'a mut [f32] } {
    for (x, &y) in x.iter_mut().zip(y) {
        *x *= y;
    }
});

kernel!(/// Adds every row of `x` to `sums`, the first row first.
AddRows { x: &'a [f32], sums: &'a mut [f32] } {
    for row in x.chunks_exact(sums.len()) {
        for (sum, &value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
});
