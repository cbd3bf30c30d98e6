//! Products with a matrix of zeros and ones: C = A·B, where a row of C is the sum of those rows of
//! B that a row of A selects.
//!
//! The rows of B are taken six at a time. The sums of all 64 subsets of the six are stored in a
//! table, from which every row of C takes its own: one addition instead of six (the method of the
//! four Russians: Arlazarov, Dinic, Kronrod and Faradzhev 1970). Four tables of up to 16 columns
//! fill half of the first-level cache. Every number of C is one sum in a fixed order, whatever the
//! number of threads. Nothing is multiplied, so all instruction sets give the same bits.

use super::level::{Kernel, Level};
use super::parallel::over_equal_rows;

/// Columns of A per table.
const GROUP: usize = 6;
/// Sums per table.
const SUMS: usize = 1 << GROUP;
/// Tables used at a time: a row of C is read and written once for all of them.
const TABLES: usize = 4;

/// A matrix of zeros and ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    rows: usize,
    columns: usize,
    /// For each block of tables and each row, the index of the row's sum in each table.
    codes: Vec<[u8; TABLES]>,
}

impl Bits {
    /// The matrix with ones at these (row, column) places, which may repeat.
    ///
    /// # Panics
    /// If a place is out of range.
    pub fn new(rows: usize, columns: usize, ones: impl Iterator<Item = (usize, usize)>) -> Bits {
        let mut codes = vec![[0; TABLES]; columns.div_ceil(GROUP * TABLES) * rows];
        for (row, column) in ones {
            assert!(row < rows && column < columns, "a place inside the matrix");
            let table = column / GROUP;
            codes[table / TABLES * rows + row][table % TABLES] |= 1 << (column % GROUP);
        }
        Bits { rows, columns, codes }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// C = A·B. B and C have rows of `stride` floats, a width from [`padded`](crate::tensor::padded).
///
/// # Panics
/// If the shapes do not fit.
pub fn bit_product(a: &Bits, b: &[f32], stride: usize, c: &mut [f32]) {
    assert!(b.len() == a.columns * stride && c.len() == a.rows * stride, "shapes of a product");
    let level = Level::detect();
    // An addition does the work of a few multiply-adds, and every part builds its own tables, so
    // parts have many rows.
    over_equal_rows(a.rows * a.columns * stride / 64, stride, [c], |first, [c]| match stride {
        4 => level.run(Lookup::<4> { a, b, stride, first, c }),
        8 => level.run(Lookup::<8> { a, b, stride, first, c }),
        _ => level.run(Lookup::<16> { a, b, stride, first, c }),
    });
}

/// The rows of C from `first` on.
struct Lookup<'a, const WIDTH: usize> {
    a: &'a Bits,
    b: &'a [f32],
    stride: usize,
    first: usize,
    c: &'a mut [f32],
}

/// Tables aligned to a cache line.
#[repr(C, align(64))]
struct Tables<const WIDTH: usize>([[[f32; WIDTH]; SUMS]; TABLES]);

impl<const WIDTH: usize> Kernel for Lookup<'_, WIDTH> {
    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Lookup { a, b, stride, first, c } = self;
        c.fill(0.0);
        let (c, _) = c.as_chunks_mut::<WIDTH>();
        let panels = stride / WIDTH;
        let mut tables = Tables([[[0.0; WIDTH]; SUMS]; TABLES]);
        for panel in 0..panels {
            for (block, codes) in a.codes.chunks_exact(a.rows.max(1)).enumerate() {
                for (index, table) in tables.0.iter_mut().enumerate() {
                    fill(table, b, stride, (block * TABLES + index) * GROUP, panel * WIDTH);
                }
                for (c, codes) in c.chunks_exact_mut(panels).zip(&codes[first..]) {
                    let c = &mut c[panel];
                    let mut sums = *c;
                    for index in 0..TABLES {
                        let sum = &tables.0[index][codes[index] as usize % SUMS];
                        for lane in 0..WIDTH {
                            sums[lane] += sum[lane];
                        }
                    }
                    *c = sums;
                }
            }
        }
    }
}

/// All sums of rows `from`, `from + 1`, … of B, in the columns from `start` on: bit i of an index
/// tells whether row `from + i` is included. Rows beyond the end of B are zero.
#[inline(always)]
fn fill<const WIDTH: usize>(table: &mut [[f32; WIDTH]; SUMS], b: &[f32], stride: usize, from: usize, start: usize) {
    for bit in 0..GROUP {
        let mut row = [0.0; WIDTH];
        if let Some(values) = b.get((from + bit) * stride + start..).and_then(|b| b.first_chunk()) {
            row = *values;
        }
        let (without, with) = table.split_at_mut(1 << bit);
        for (without, with) in without.iter().zip(with) {
            for lane in 0..WIDTH {
                with[lane] = without[lane] + row[lane];
            }
        }
    }
}
