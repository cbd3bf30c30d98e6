//! The randomisation of labels.

/// How far the sum of a row may be from 1: far more than rounding, far less than a mistake.
const TOLERANCE: f64 = 1e-6;

/// T\[y\]\[y′\] = P\[label y is reported as y′\].
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// By column: a loss reads one column per reported label.
    columns: Vec<f64>,
    classes: usize,
}

/// Why a transition is invalid.
#[allow(missing_docs, reason = "the messages document the variants")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransitionError {
    #[error("a transition requires at least one label")]
    Empty,
    #[error("row {row} of a transition among {classes} labels has {entries} entries")]
    NotSquare { row: usize, entries: usize, classes: usize },
    #[error("the transition of label {row} to label {column} has probability {value}")]
    NotAProbability { row: usize, column: usize, value: f64 },
    #[error("the transition probabilities of label {row} have sum {sum}, not 1")]
    RowSum { row: usize, sum: f64 },
}

impl Transition {
    /// One row per true label, one entry per reported label.
    ///
    /// # Errors
    /// If it is not square, or a row is not a distribution (its sum may differ from 1 by 10⁻⁶).
    pub fn new(rows: Vec<Vec<f64>>) -> Result<Transition, TransitionError> {
        let classes = rows.len();
        if classes == 0 {
            return Err(TransitionError::Empty);
        }
        for (index, row) in rows.iter().enumerate() {
            if row.len() != classes {
                return Err(TransitionError::NotSquare { row: index, entries: row.len(), classes });
            }
            if let Some(column) = row.iter().position(|value| !(0.0..=1.0).contains(value)) {
                return Err(TransitionError::NotAProbability { row: index, column, value: row[column] });
            }
            let sum: f64 = row.iter().sum();
            if (sum - 1.0).abs() > TOLERANCE {
                return Err(TransitionError::RowSum { row: index, sum });
            }
        }
        let columns = (0..classes).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
        Ok(Transition { columns, classes })
    }

    /// The number of labels.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// For every true label, the probability that it is reported as `reported`.
    ///
    /// # Panics
    /// If the label does not exist.
    pub fn given(&self, reported: usize) -> &[f64] {
        &self.columns[reported * self.classes..][..self.classes]
    }

    pub(super) fn never_gives(&self, reported: usize) -> bool {
        self.given(reported).iter().all(|&chance| chance == 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_transitions_are_refused() {
        let error = |rows: &[&[f64]]| Transition::new(rows.iter().map(|row| row.to_vec()).collect()).unwrap_err();
        assert_eq!(error(&[]), TransitionError::Empty);
        assert_eq!(error(&[&[1.0, 0.0], &[1.0]]), TransitionError::NotSquare { row: 1, entries: 1, classes: 2 });
        assert_eq!(
            error(&[&[1.5, -0.5], &[0.0, 1.0]]),
            TransitionError::NotAProbability { row: 0, column: 0, value: 1.5 }
        );
        assert!(matches!(error(&[&[f64::NAN]]), TransitionError::NotAProbability { row: 0, column: 0, .. }));
        assert_eq!(error(&[&[0.5, 0.5], &[0.25, 0.5]]), TransitionError::RowSum { row: 1, sum: 0.75 });
    }

    #[test]
    fn columns_are_the_probabilities_of_a_reported_label() {
        let transition = Transition::new(vec![vec![0.75, 0.25], vec![1.0, 0.0]]).unwrap();
        assert_eq!(transition.given(0), [0.75, 1.0]);
        assert_eq!(transition.given(1), [0.25, 0.0]);
        assert!(!transition.never_gives(1));
        assert!(Transition::new(vec![vec![1.0, 0.0], vec![1.0, 0.0]]).unwrap().never_gives(1));
    }
}
