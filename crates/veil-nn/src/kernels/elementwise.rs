//! What is done to every number on its own, or to every row with one number.

/// Multiplies row v with `scale[v]`.
pub fn scale_rows(scale: &[f32], stride: usize, x: &mut [f32]) {
    for (row, &scale) in x.chunks_exact_mut(stride).zip(scale) {
        for value in row {
            *value *= scale;
        }
    }
}

/// Adds one row to every row.
pub fn add_row(row: &[f32], x: &mut [f32]) {
    for out in x.chunks_exact_mut(row.len()) {
        for (out, &value) in out.iter_mut().zip(row) {
            *out += value;
        }
    }
}

/// Adds `y` to `x`.
pub fn add(y: &[f32], x: &mut [f32]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

/// Multiplies `x` with `y`, number by number.
pub fn multiply(y: &[f32], x: &mut [f32]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x *= y;
    }
}

/// The sum of every column.
pub fn column_sums(x: &[f32], stride: usize) -> Vec<f32> {
    let mut sums = vec![0.0; stride];
    for row in x.chunks_exact(stride) {
        for (sum, &value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    sums
}
