//! Reports of the multi-bit encoder: m signs per node.

use super::sparse::merge;
use crate::matrix::ShapeError;

/// Rows of m (column, sign) pairs: a value is offset + scale·sign where a sign was sent, and offset
/// elsewhere.
///
/// This is the encoder's unbiased rectifier, stored once for all rows: a report at ε = 3 over 1,433
/// dimensions is one pair, not 1,433 floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    rows: usize,
    width: usize,
    per_row: usize,
    offset: f32,
    scale: f32,
    columns: Vec<u32>,
    positive: Vec<bool>,
}

impl Encoded {
    /// Reports of `per_row` signs each, row after row, columns ascending within a row.
    ///
    /// # Errors
    /// If the numbers of columns and signs are not `rows × per_row`, or a row's columns are not
    /// ascending or not below `width`.
    pub fn from_reports(
        (rows, width, per_row): (usize, usize, usize),
        (offset, scale): (f32, f32),
        columns: Vec<u32>,
        positive: Vec<bool>,
    ) -> Result<Encoded, ShapeError> {
        ShapeError::check("columns of the reports", rows.saturating_mul(per_row), columns.len())?;
        ShapeError::check("signs of the reports", columns.len(), positive.len())?;
        for row in columns.chunks_exact(per_row.max(1)) {
            if let Some(pair) = row.windows(2).find(|pair| pair[0] >= pair[1]) {
                return Err(ShapeError {
                    what: "column of a report, ascending",
                    expected: pair[0] as usize + 1,
                    found: pair[1] as usize,
                });
            }
            if let Some(&last) = row.last().filter(|&&last| last as usize >= width) {
                return Err(ShapeError {
                    what: "column of a report, below the width",
                    expected: width,
                    found: last as usize,
                });
            }
        }
        Ok(Encoded { rows, width, per_row, offset, scale, columns, positive })
    }

    /// The reports of `self`, then those of `other`, which must come from the same encoder.
    pub(super) fn stacked(&self, other: &Encoded) -> Encoded {
        debug_assert_eq!((self.width, self.per_row), (other.width, other.per_row));
        Encoded {
            rows: self.rows + other.rows,
            columns: [self.columns.as_slice(), &other.columns].concat(),
            positive: [self.positive.as_slice(), &other.positive].concat(),
            ..*self
        }
    }

    /// Some of the reports.
    pub(super) fn selected(&self, rows: impl ExactSizeIterator<Item = usize> + Clone) -> Encoded {
        let signs = || rows.clone().flat_map(|row| row * self.per_row..(row + 1) * self.per_row);
        Encoded {
            rows: rows.len(),
            columns: signs().map(|sign| self.columns[sign]).collect(),
            positive: signs().map(|sign| self.positive[sign]).collect(),
            ..*self
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.width
    }

    /// The number of signs per row: the encoder's m.
    pub fn per_row(&self) -> usize {
        self.per_row
    }

    /// The number of stored signs.
    pub fn signs(&self) -> usize {
        self.columns.len()
    }

    /// The value without a sign.
    pub fn offset(&self) -> f32 {
        self.offset
    }

    /// The factor of a sign.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The (column, ±1) pairs of a row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (u32, f32)> + '_ {
        let range = row * self.per_row..(row + 1) * self.per_row;
        let signs = self.positive[range.clone()].iter().map(|&positive| if positive { 1.0 } else { -1.0 });
        self.columns[range].iter().copied().zip(signs)
    }

    /// One rectified value.
    pub fn value(&self, row: usize, column: u32) -> f32 {
        let sign = self.row(row).find(|&(at, _)| at == column).map_or(0.0, |(_, sign)| sign);
        self.offset + self.scale * sign
    }

    pub(super) fn dot(&self, left: usize, right: usize) -> f64 {
        let (offset, scale) = (f64::from(self.offset), f64::from(self.scale));
        let sum_of_signs = |row| self.row(row).map(|(_, sign)| f64::from(sign)).sum::<f64>();
        let shared = merge(self.row(left), self.row(right));
        scale * scale * shared
            + offset * scale * (sum_of_signs(left) + sum_of_signs(right))
            + offset * offset * self.width as f64
    }
}
