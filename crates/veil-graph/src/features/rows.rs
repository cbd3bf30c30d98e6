//! Stacking and selecting rows of features.

use super::{Encoded, Features, Sparse};
use crate::graph::NodeId;
use crate::matrix::Matrix;

/// Why two tables of features cannot be stacked.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StackError {
    #[error("cannot stack features with {first} columns and features with {second}")]
    Columns { first: usize, second: usize },
    #[error("cannot stack {first} features and {second} features")]
    Forms { first: &'static str, second: &'static str },
    #[error("cannot stack encoded features with {what} {first} and {what} {second}")]
    Encoders { what: &'static str, first: f64, second: f64 },
}

impl Features {
    /// The rows of `self`, then those of `other`, in the same form.
    ///
    /// # Errors
    /// If their columns, forms or encoders differ.
    pub fn stacked(&self, other: &Features) -> Result<Features, StackError> {
        let [first, second] = [self, other].map(Features::columns);
        if first != second {
            return Err(StackError::Columns { first, second });
        }
        match (self, other) {
            (Features::Dense(first), Features::Dense(second)) => Ok(Features::Dense(first.stacked(second))),
            (Features::Sparse(first), Features::Sparse(second)) => {
                let tables = [first, second].into_iter();
                let rows = tables.flat_map(|table| (0..table.rows()).map(|row| table.row(row).collect()));
                Ok(Features::Sparse(Sparse::from_sorted_rows(rows, first.columns())))
            }
            (Features::Encoded(first), Features::Encoded(second)) => {
                let encoder = |table: &Encoded| {
                    [
                        ("signs per node", table.per_row() as f64),
                        ("offset", f64::from(table.offset())),
                        ("scale", f64::from(table.scale())),
                    ]
                };
                for ((what, first), (_, second)) in encoder(first).into_iter().zip(encoder(second)) {
                    if first != second {
                        return Err(StackError::Encoders { what, first, second });
                    }
                }
                Ok(Features::Encoded(first.stacked(second)))
            }
            _ => Err(StackError::Forms { first: self.form(), second: other.form() }),
        }
    }

    /// Some of the rows, in the order of the list.
    ///
    /// # Panics
    /// If the row does not exist.
    pub fn selected(&self, rows: &[NodeId]) -> Features {
        let rows = || rows.iter().map(|&row| row as usize);
        match self {
            Features::Dense(matrix) => {
                let mut kept = Matrix::zeros(rows().len(), matrix.columns());
                for (new, old) in rows().enumerate() {
                    kept.row_mut(new).copy_from_slice(matrix.row(old));
                }
                Features::Dense(kept)
            }
            Features::Sparse(sparse) => {
                let kept = rows().map(|row| sparse.row(row).collect());
                Features::Sparse(Sparse::from_sorted_rows(kept, sparse.columns()))
            }
            Features::Encoded(encoded) => Features::Encoded(encoded.selected(rows())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense() -> Features {
        Features::Dense(Matrix::from_values(3, 2, vec![0.0, 1.0, 2.0, 0.0, 0.0, 3.0]).unwrap())
    }

    fn sparse() -> Features {
        Features::Sparse(Sparse::from_triples(3, 2, &[(0, 1, 1.0), (1, 0, 2.0), (2, 1, 3.0)]).unwrap())
    }

    fn encoded(scale: f32) -> Features {
        let reports = Encoded::from_reports((3, 2, 1), (0.5, scale), vec![0, 1, 1], vec![true, false, true]);
        Features::Encoded(reports.unwrap())
    }

    fn rows(features: &Features) -> Vec<[f32; 2]> {
        (0..features.rows()).map(|row| [features.value(row, 0), features.value(row, 1)]).collect()
    }

    #[test]
    fn every_form_is_stacked_and_selected() {
        for features in [dense(), sparse(), encoded(2.0)] {
            let some = features.selected(&[2, 0]);
            assert_eq!(rows(&some), [2, 0].map(|row| rows(&features)[row]));
            let stacked = features.stacked(&some).unwrap();
            assert_eq!(rows(&stacked), [rows(&features), rows(&some)].concat());
            assert_eq!((stacked.form(), stacked.nonzeros()), (features.form(), features.nonzeros() + some.nonzeros()));
            // Stacking no rows changes nothing.
            assert_eq!(features.stacked(&features.selected(&[])).unwrap(), features);
        }
    }

    #[test]
    fn invalid_tables_are_refused_with_a_reason() {
        let narrow = Features::Dense(Matrix::zeros(3, 1));
        assert_eq!(dense().stacked(&narrow), Err(StackError::Columns { first: 2, second: 1 }));
        assert_eq!(dense().stacked(&sparse()), Err(StackError::Forms { first: "dense", second: "sparse" }));
        let message = encoded(2.0).stacked(&encoded(3.0)).unwrap_err().to_string();
        assert_eq!(message, "cannot stack encoded features with scale 2 and scale 3");
        let two_signs = Encoded::from_reports((1, 2, 2), (0.5, 2.0), vec![0, 1], vec![true, true]).unwrap();
        let message = encoded(2.0).stacked(&Features::Encoded(two_signs)).unwrap_err().to_string();
        assert_eq!(message, "cannot stack encoded features with signs per node 1 and signs per node 2");
    }
}
