//! Dense products: C = A·B and C = Aᵀ·B, where B has few columns.
//!
//! A tile of some rows and up to 16 columns of C stays in registers while A and B are streamed in
//! blocks that fit the caches: a panel of B, `DEPTH` rows of one tile's width, in the first level,
//! a band of A in the second. Every number of C is one sum in a fixed order, whatever the blocks,
//! tiles and threads. Only long sums of Aᵀ·B are split, at fixed places.

use std::borrow::Cow;

use super::level::{Kernel, Level, multiply_add};
use super::parallel::over_equal_rows;

/// Block size of the inner dimension: 256 rows of 16 columns of B are 16 KiB, half of a first-level
/// cache.
const DEPTH: usize = 256;
/// Rows of A (columns, in Aᵀ·B) per panel of B: times `DEPTH`, they stay in the second-level cache.
const BAND: usize = 96;
/// Aᵀ·B over more rows than this is a sum of parts of this size, whatever the number of threads.
const CHUNK: usize = if cfg!(test) { 300 } else { 16_384 };

/// The left factor: rows of `columns` floats at a distance of `stride`; the last row is padded too.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
}

impl Left<'_> {
    fn assert_shape(&self) {
        assert!(
            self.columns <= self.stride && self.values.len() == self.rows * self.stride,
            "whole rows of a left factor"
        );
    }
}

/// C = A·B. B and C have rows of `stride` floats, a width from [`padded`](crate::tensor::padded).
///
/// # Panics
/// If the shapes do not fit, or the last row of A is cut short.
pub fn product(a: Left, b: &[f32], stride: usize, c: &mut [f32]) {
    a.assert_shape();
    assert!(b.len() == a.columns * stride && c.len() == a.rows * stride, "shapes of a product");
    let level = Level::detect();
    let panels = panels(b, stride);
    over_equal_rows(a.rows * a.columns * stride / 8, stride, [c], |first, [c]| {
        let a = Left { values: a.values.get(first * a.stride..).unwrap_or(&[]), rows: c.len() / stride, ..a };
        let panels = &*panels;
        // A tile fills the sixteen registers of eight floats that every level has. AVX-512 has
        // more, but the compiler prefers 256 bits there too, and spilled a tile of twelve rows.
        match stride {
            4 => level.run(Product::<4, 8> { a, panels, stride, c }),
            8 => level.run(Product::<8, 8> { a, panels, stride, c }),
            _ => level.run(Product::<16, 6> { a, panels, stride, c }),
        }
    });
}

/// C = Aᵀ·B. B and C have rows of `stride` floats.
///
/// # Panics
/// As [`product`].
pub fn transposed_product(a: Left, b: &[f32], stride: usize, c: &mut [f32]) {
    a.assert_shape();
    assert!(b.len() == a.rows * stride && c.len() == a.columns * stride, "shapes of a product");
    let level = Level::detect();
    let work = a.rows * a.columns * stride / 8;
    c.fill(0.0);
    if a.rows <= CHUNK || c.is_empty() {
        return over_equal_rows(work, stride, [c], |first, [c]| add_transposed(level, a, b, stride, first, c));
    }
    // Long sums are split at fixed places, so the order of additions does not depend on threads.
    let length = c.len();
    let mut parts = vec![0.0; a.rows.div_ceil(CHUNK) * length];
    over_equal_rows(work, length, [&mut parts], |first, [parts]| {
        for (chunk, part) in (first..).zip(parts.chunks_exact_mut(length)) {
            let rows = CHUNK.min(a.rows - chunk * CHUNK);
            let left = Left { values: &a.values[chunk * CHUNK * a.stride..], rows, ..a };
            add_transposed(level, left, &b[chunk * CHUNK * stride..][..rows * stride], stride, 0, part);
        }
    });
    for part in parts.chunks_exact(length) {
        for (sum, &value) in c.iter_mut().zip(part) {
            *sum += value;
        }
    }
}

/// Adds the rows of Aᵀ·B from `first` on, as many as C has.
fn add_transposed(level: Level, a: Left, b: &[f32], stride: usize, first: usize, c: &mut [f32]) {
    match stride {
        4 => level.run(Transposed::<4, 8> { a, b, stride, first, c }),
        8 => level.run(Transposed::<8, 8> { a, b, stride, first, c }),
        _ => level.run(Transposed::<16, 6> { a, b, stride, first, c }),
    }
}

/// B in panels of at most 16 columns, each stored contiguously.
fn panels(b: &[f32], stride: usize) -> Cow<'_, [f32]> {
    if stride <= 16 {
        return Cow::Borrowed(b);
    }
    let mut panels = Vec::with_capacity(b.len());
    for start in (0..stride).step_by(16) {
        for row in b.chunks_exact(stride) {
            panels.extend_from_slice(&row[start..start + 16]);
        }
    }
    Cow::Owned(panels)
}

struct Product<'a, const WIDTH: usize, const TILE: usize> {
    a: Left<'a>,
    panels: &'a [f32],
    stride: usize,
    c: &'a mut [f32],
}

impl<const WIDTH: usize, const TILE: usize> Kernel for Product<'_, WIDTH, TILE> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Product { a, panels, stride, c } = self;
        let (panels, _) = panels.as_chunks::<WIDTH>();
        if a.columns == 0 {
            c.fill(0.0);
        }
        // A single panel is read once per tile, whatever its depth, so rows of A are read in full.
        let most = if stride == WIDTH { a.columns.max(1) } else { DEPTH };
        for from in (0..a.columns).step_by(most) {
            let depth = most.min(a.columns - from);
            for band in (0..a.rows).step_by(BAND) {
                let end = a.rows.min(band + BAND);
                for start in (0..stride).step_by(WIDTH) {
                    let panel = &panels[start / WIDTH * a.columns + from..][..depth];
                    let mut row = band;
                    while row + TILE <= end {
                        tile_rows::<WIDTH, TILE, FMA>(a, row, from, panel, stride, &mut c[start..]);
                        row += TILE;
                    }
                    while row + 2 <= end {
                        tile_rows::<WIDTH, 2, FMA>(a, row, from, panel, stride, &mut c[start..]);
                        row += 2;
                    }
                    if row < end {
                        tile_rows::<WIDTH, 1, FMA>(a, row, from, panel, stride, &mut c[start..]);
                    }
                }
            }
        }
    }
}

/// Adds one block's contribution to `TILE` rows of C, or sets them for the first block.
#[inline(always)]
fn tile_rows<const WIDTH: usize, const TILE: usize, const FMA: bool>(
    a: Left,
    row: usize,
    from: usize,
    panel: &[[f32; WIDTH]],
    stride: usize,
    c: &mut [f32],
) {
    let depth = panel.len();
    let mut rows: [&[f32]; TILE] = [&[]; TILE];
    for (tile, values) in rows.iter_mut().enumerate() {
        *values = &a.values[(row + tile) * a.stride + from..][..depth];
    }
    let mut sums = [[0.0f32; WIDTH]; TILE];
    if from > 0 {
        for tile in 0..TILE {
            sums[tile].copy_from_slice(&c[(row + tile) * stride..][..WIDTH]);
        }
    }
    for inner in 0..depth {
        for tile in 0..TILE {
            for lane in 0..WIDTH {
                sums[tile][lane] = multiply_add::<FMA>(rows[tile][inner], panel[inner][lane], sums[tile][lane]);
            }
        }
    }
    for tile in 0..TILE {
        c[(row + tile) * stride..][..WIDTH].copy_from_slice(&sums[tile]);
    }
}

struct Transposed<'a, const WIDTH: usize, const TILE: usize> {
    a: Left<'a>,
    b: &'a [f32],
    stride: usize,
    /// The column of A for the first row of C.
    first: usize,
    c: &'a mut [f32],
}

impl<const WIDTH: usize, const TILE: usize> Kernel for Transposed<'_, WIDTH, TILE> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Transposed { a, b, stride, first, c } = self;
        let columns = c.len() / stride;
        let mut tiles = vec![[0.0; TILE]; DEPTH * BAND.div_ceil(TILE)];
        for from in (0..a.rows).step_by(DEPTH) {
            let depth = DEPTH.min(a.rows - from);
            let panels = panels(&b[from * stride..][..depth * stride], stride);
            let (panels, _) = panels.as_chunks::<WIDTH>();
            // With one panel, a tile of A is read once, in place; otherwise it is copied once for
            // all panels. The last columns, fewer than a tile, are copied into a tile whose other
            // columns are computed and discarded.
            let in_place = if stride == WIDTH { columns / TILE * TILE } else { 0 };
            for column in (0..in_place).step_by(TILE) {
                let rows = a.values[from * a.stride..].chunks_exact(a.stride);
                let left = rows.filter_map(|row| row[first + column..].first_chunk());
                tile_columns::<WIDTH, TILE, FMA>(left, panels, stride, TILE, &mut c[column * stride..]);
            }
            for band in (in_place..columns).step_by(BAND) {
                let wide = BAND.min(columns - band);
                for inner in 0..depth {
                    let row = &a.values[(from + inner) * a.stride + first + band..][..wide];
                    let (whole, rest) = row.as_chunks::<TILE>();
                    for (tile, values) in whole.iter().enumerate() {
                        tiles[tile * depth + inner] = *values;
                    }
                    if !rest.is_empty() {
                        tiles[whole.len() * depth + inner][..rest.len()].copy_from_slice(rest);
                    }
                }
                for (panel, start) in panels.chunks_exact(depth).zip((0..).step_by(WIDTH)) {
                    for (tile, left) in tiles.chunks_exact(depth).take(wide.div_ceil(TILE)).enumerate() {
                        let out = &mut c[(band + tile * TILE) * stride + start..];
                        tile_columns::<WIDTH, TILE, FMA>(
                            left.iter(),
                            panel,
                            stride,
                            (wide - tile * TILE).min(TILE),
                            out,
                        );
                    }
                }
            }
        }
    }
}

/// Adds one block's contribution to the first `rows` rows of a tile of C.
#[inline(always)]
fn tile_columns<'a, const WIDTH: usize, const TILE: usize, const FMA: bool>(
    left: impl Iterator<Item = &'a [f32; TILE]>,
    panel: &[[f32; WIDTH]],
    stride: usize,
    rows: usize,
    c: &mut [f32],
) {
    let mut sums = [[0.0f32; WIDTH]; TILE];
    for (sum, c) in sums.iter_mut().zip(c.chunks(stride)).take(rows) {
        sum.copy_from_slice(&c[..WIDTH]);
    }
    for (panel, left) in panel.iter().zip(left) {
        for tile in 0..TILE {
            for lane in 0..WIDTH {
                sums[tile][lane] = multiply_add::<FMA>(left[tile], panel[lane], sums[tile][lane]);
            }
        }
    }
    for (sum, c) in sums.iter().zip(c.chunks_mut(stride)).take(rows) {
        c[..WIDTH].copy_from_slice(sum);
    }
}

/// A plain implementation for the tests.
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
