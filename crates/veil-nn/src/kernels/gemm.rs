//! Dense products: C = A·B and C = Aᵀ·B, where B has few columns.
//!
//! A weight matrix of a graph network is tall and narrow, so nothing needs packing: a tile of 6 rows and 16 columns of C stays in
//! registers while A streams past and B stays in the cache. That beats general libraries on these shapes (docs/performance.md).

use super::level::{Kernel, Level, multiply_add};
use super::parallel;

/// Rows of C in one tile: with 16 columns, two registers of eight floats each, it fills AVX2's sixteen.
const TILE: usize = 6;
/// Rows of A and B that Aᵀ·B takes at a time, so that they stay in the cache.
const BLOCK: usize = 256;
/// Aᵀ·B over more rows than this is a sum of parts, each of so many rows, whatever the number of threads.
const CHUNK: usize = 16_384;

/// The left factor: rows of `columns` floats that lie `stride` apart.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
}

/// C = A·B. B and C have rows of `stride` floats, which [`padded`](crate::tensor::padded) gave.
pub fn product(a: Left, b: &[f32], stride: usize, c: &mut [f32]) {
    assert!(b.len() == a.columns * stride && c.len() == a.rows * stride, "shapes of a product");
    let level = Level::detect();
    parallel::over_equal_rows(a.rows * a.columns * stride / 8, stride, c, |first, c| {
        let a = Left { values: &a.values[first * a.stride..], rows: c.len() / stride, ..a };
        match stride {
            4 => level.run(Product::<4> { a, b, stride, c }),
            8 => level.run(Product::<8> { a, b, stride, c }),
            _ => level.run(Product::<16> { a, b, stride, c }),
        }
    });
}

/// C = Aᵀ·B. B and C have rows of `stride` floats.
pub fn transposed_product(a: Left, b: &[f32], stride: usize, c: &mut [f32]) {
    assert!(b.len() == a.rows * stride && c.len() == a.columns * stride, "shapes of a product");
    c.fill(0.0);
    if a.rows <= CHUNK {
        parallel::over_equal_rows(a.rows * a.columns * stride / 8, stride, c, |first, c| {
            let width = c.len() / stride;
            add_transposed(Left { values: &a.values[first.min(a.values.len())..], columns: width, ..a }, b, stride, c);
        });
        return;
    }
    // Long sums are cut at fixed places, so the order of additions does not depend on the threads.
    let chunks = a.rows.div_ceil(CHUNK);
    let mut parts = vec![0.0; chunks * c.len()];
    let length = c.len();
    parallel::over_equal_rows(a.rows * a.columns * stride / 8, length, &mut parts, |first, parts| {
        for (chunk, part) in (first..).zip(parts.chunks_exact_mut(length)) {
            let rows = CHUNK.min(a.rows - chunk * CHUNK);
            let left = Left { values: &a.values[chunk * CHUNK * a.stride..], rows, ..a };
            add_transposed(left, &b[chunk * CHUNK * stride..][..rows * stride], stride, part);
        }
    });
    for part in parts.chunks_exact(length) {
        for (sum, &value) in c.iter_mut().zip(part) {
            *sum += value;
        }
    }
}

fn add_transposed(a: Left, b: &[f32], stride: usize, c: &mut [f32]) {
    let level = Level::detect();
    match stride {
        4 => level.run(Transposed::<4> { a, b, stride, c }),
        8 => level.run(Transposed::<8> { a, b, stride, c }),
        _ => level.run(Transposed::<16> { a, b, stride, c }),
    }
}

struct Product<'a, const WIDTH: usize> {
    a: Left<'a>,
    b: &'a [f32],
    stride: usize,
    c: &'a mut [f32],
}

impl<const WIDTH: usize> Kernel for Product<'_, WIDTH> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Product { a, b, stride, c } = self;
        let mut row = 0;
        while row < a.rows {
            let left = a.rows - row;
            if left >= TILE {
                tile_rows::<WIDTH, TILE, FMA>(a, b, stride, c, row);
                row += TILE;
            } else {
                tile_rows::<WIDTH, 1, FMA>(a, b, stride, c, row);
                row += 1;
            }
        }
    }
}

/// `TILE` rows of C, all columns.
#[inline(always)]
fn tile_rows<const WIDTH: usize, const TILE: usize, const FMA: bool>(
    a: Left,
    b: &[f32],
    stride: usize,
    c: &mut [f32],
    row: usize,
) {
    let rows: [&[f32]; TILE] = std::array::from_fn(|tile| &a.values[(row + tile) * a.stride..][..a.columns]);
    let mut start = 0;
    while start < stride {
        let mut sums = [[0.0f32; WIDTH]; TILE];
        for (inner, b) in b.chunks_exact(stride).enumerate() {
            let b = &b[start..][..WIDTH];
            for tile in 0..TILE {
                let factor = rows[tile][inner];
                for lane in 0..WIDTH {
                    sums[tile][lane] = multiply_add::<FMA>(factor, b[lane], sums[tile][lane]);
                }
            }
        }
        for tile in 0..TILE {
            c[(row + tile) * stride + start..][..WIDTH].copy_from_slice(&sums[tile]);
        }
        start += WIDTH;
    }
}

struct Transposed<'a, const WIDTH: usize> {
    a: Left<'a>,
    b: &'a [f32],
    stride: usize,
    c: &'a mut [f32],
}

impl<const WIDTH: usize> Kernel for Transposed<'_, WIDTH> {
    type Output = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Transposed { a, b, stride, c } = self;
        let mut from = 0;
        while from < a.rows {
            let rows = BLOCK.min(a.rows - from);
            let values = &a.values[from * a.stride..];
            let b = &b[from * stride..][..rows * stride];
            let mut column = 0;
            while column < a.columns {
                if a.columns - column >= TILE {
                    tile_columns::<WIDTH, TILE, FMA>(values, a.stride, column, b, stride, c);
                    column += TILE;
                } else {
                    tile_columns::<WIDTH, 1, FMA>(values, a.stride, column, b, stride, c);
                    column += 1;
                }
            }
            from += rows;
        }
    }
}

/// Adds one block's share to `TILE` rows of C.
#[inline(always)]
fn tile_columns<const WIDTH: usize, const TILE: usize, const FMA: bool>(
    a: &[f32],
    a_stride: usize,
    column: usize,
    b: &[f32],
    stride: usize,
    c: &mut [f32],
) {
    let mut start = 0;
    while start < stride {
        let mut sums = [[0.0f32; WIDTH]; TILE];
        for tile in 0..TILE {
            sums[tile].copy_from_slice(&c[(column + tile) * stride + start..][..WIDTH]);
        }
        let mut at = column;
        for b in b.chunks_exact(stride) {
            let b = &b[start..][..WIDTH];
            let a = &a[at..][..TILE];
            for tile in 0..TILE {
                for lane in 0..WIDTH {
                    sums[tile][lane] = multiply_add::<FMA>(a[tile], b[lane], sums[tile][lane]);
                }
            }
            at += a_stride;
        }
        for tile in 0..TILE {
            c[(column + tile) * stride + start..][..WIDTH].copy_from_slice(&sums[tile]);
        }
        start += WIDTH;
    }
}

/// The same, plainly: what the tests compare with.
#[cfg(test)]
pub fn naive(a: Left, b: &[f32], stride: usize, transposed: bool) -> Vec<f32> {
    let (rows, inner) = if transposed { (a.columns, a.rows) } else { (a.rows, a.columns) };
    let left = |row: usize, inner: usize| {
        if transposed { a.values[inner * a.stride + row] } else { a.values[row * a.stride + inner] }
    };
    let mut c = Vec::with_capacity(rows * stride);
    for row in 0..rows {
        for column in 0..stride {
            let sum: f64 = (0..inner).map(|k| f64::from(left(row, k)) * f64::from(b[k * stride + column])).sum();
            c.push(sum as f32);
        }
    }
    c
}
