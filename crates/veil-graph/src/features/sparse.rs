//! Rows that list their nonzeros.

/// Rows of (column, value) pairs with ascending, distinct columns and no stored zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    width: usize,
}

/// Why parts of a sparse matrix are invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SparseError {
    #[error("the row offsets do not describe {entries} entries (at row {row})")]
    BadOffsets { row: usize, entries: usize },
    #[error("row {row} has an entry in column {column}, but there are {columns} columns")]
    ColumnOutOfRange { row: usize, column: u32, columns: usize },
    #[error("row {row} has duplicate column {column}")]
    RepeatedColumn { row: usize, column: u32 },
    #[error("row {row}, column {column} holds {value}, which is not a finite number")]
    NotFinite { row: usize, column: u32, value: f32 },
}

impl Sparse {
    /// Rows from compressed parts (as scipy's CSR). Rows need not be sorted; zeros are dropped.
    ///
    /// # Errors
    /// If the offsets are invalid, a value is not finite, or a place has two values.
    pub fn from_parts(
        offsets: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f32>,
        width: usize,
    ) -> Result<Sparse, SparseError> {
        let entries = columns.len();
        let starts_at_zero = offsets.first() == Some(&0);
        if !starts_at_zero || values.len() != entries {
            return Err(SparseError::BadOffsets { row: 0, entries });
        }
        if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1] || pair[1] > entries) {
            return Err(SparseError::BadOffsets { row, entries });
        }
        if offsets.last() != Some(&entries) {
            return Err(SparseError::BadOffsets { row: offsets.len() - 1, entries });
        }
        let mut matrix = Sparse { offsets, columns, values, width };
        matrix.tidy()?;
        Ok(matrix)
    }

    /// Rows from (row, column, value) triples in any order.
    ///
    /// # Errors
    /// If a row or column is out of range, a value is not finite, or a place has two values.
    pub fn from_triples(rows: usize, width: usize, triples: &[(u32, u32, f32)]) -> Result<Sparse, SparseError> {
        let mut offsets = vec![0usize; rows + 1];
        for &(row, ..) in triples {
            let count = offsets
                .get_mut(row as usize + 1)
                .ok_or(SparseError::BadOffsets { row: row as usize, entries: triples.len() })?;
            *count += 1;
        }
        for row in 1..offsets.len() {
            offsets[row] += offsets[row - 1];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0; triples.len()];
        let mut values = vec![0.0; triples.len()];
        for &(row, column, value) in triples {
            let place = &mut next[row as usize];
            (columns[*place], values[*place]) = (column, value);
            *place += 1;
        }
        Sparse::from_parts(offsets, columns, values, width)
    }

    /// Rows with ascending columns and finite values; zeros are dropped.
    pub(super) fn from_sorted_rows(rows: impl Iterator<Item = Vec<(u32, f32)>>, width: usize) -> Sparse {
        let mut sparse = Sparse { offsets: vec![0], columns: Vec::new(), values: Vec::new(), width };
        for row in rows {
            for (column, value) in row.into_iter().filter(|&(_, value)| value != 0.0) {
                sparse.columns.push(column);
                sparse.values.push(value);
            }
            sparse.offsets.push(sparse.columns.len());
        }
        sparse
    }

    /// Sorts rows where needed, checks all entries and drops zeros.
    fn tidy(&mut self) -> Result<(), SparseError> {
        let mut scratch: Vec<(u32, f32)> = Vec::new();
        let (mut write, mut start) = (0, 0);
        for row in 0..self.rows() {
            let end = self.offsets[row + 1];
            if !self.columns[start..end].is_sorted() {
                scratch.clear();
                scratch.extend(self.columns[start..end].iter().copied().zip(self.values[start..end].iter().copied()));
                scratch.sort_by_key(|&(column, _)| column);
                for (place, &(column, value)) in (start..end).zip(&scratch) {
                    (self.columns[place], self.values[place]) = (column, value);
                }
            }
            let mut last = None;
            for place in start..end {
                let (column, value) = (self.columns[place], self.values[place]);
                if column as usize >= self.width {
                    return Err(SparseError::ColumnOutOfRange { row, column, columns: self.width });
                }
                if last == Some(column) {
                    return Err(SparseError::RepeatedColumn { row, column });
                }
                if !value.is_finite() {
                    return Err(SparseError::NotFinite { row, column, value });
                }
                last = Some(column);
                if value != 0.0 {
                    (self.columns[write], self.values[write]) = (column, value);
                    write += 1;
                }
            }
            start = end;
            self.offsets[row + 1] = write;
        }
        self.columns.truncate(write);
        self.values.truncate(write);
        Ok(())
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.width
    }

    /// The number of stored values.
    pub fn nonzeros(&self) -> usize {
        self.columns.len()
    }

    /// All stored values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The (column, value) pairs of a row, columns ascending.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (u32, f32)> + '_ {
        let (columns, values) = self.row_parts(row);
        columns.iter().copied().zip(values.iter().copied())
    }

    /// The columns and the values of a row.
    pub fn row_parts(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// One value; zero if none is stored.
    pub fn value(&self, row: usize, column: u32) -> f32 {
        let (columns, values) = self.row_parts(row);
        columns.binary_search(&column).map_or(0.0, |place| values[place])
    }

    pub(super) fn dot(&self, left: usize, right: usize) -> f64 {
        merge(self.row(left), self.row(right))
    }
}

/// Σ a·b over the columns of both rows.
pub(super) fn merge(left: impl Iterator<Item = (u32, f32)>, right: impl Iterator<Item = (u32, f32)>) -> f64 {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    let mut sum = 0.0;
    while let (Some(&(a, x)), Some(&(b, y))) = (left.peek(), right.peek()) {
        match a.cmp(&b) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                sum += f64::from(x) * f64::from(y);
                left.next();
                right.next();
            }
        }
    }
    sum
}
