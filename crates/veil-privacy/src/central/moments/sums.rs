//! Sums of rows and of their products, in whole numbers, and their file.

use std::fmt::Write as _;

use rayon::prelude::*;

use super::points::Row;

/// Rows whose products are added together.
pub(super) const CHUNK: usize = 4096;

/// Products of two coordinates are at most 2²⁴, so that 64 of them fit an i32.
const SMALL: usize = 64;

/// The sum of rows and half the number of them.
pub(super) fn counted(width: usize, rows: impl Iterator<Item = Row>) -> Vec<i64> {
    let mut sum = vec![0; width + 1];
    rows.for_each(|row| row.add_to(&mut sum));
    sum
}

/// The upper triangle of a symmetric matrix, row after row, each from its diagonal on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Triangle {
    width: usize,
    values: Vec<i64>,
}

impl Triangle {
    pub fn zeros(width: usize) -> Triangle {
        Triangle { width, values: vec![0; width * (width + 1) / 2] }
    }

    /// The rows, each from its diagonal on.
    pub fn rows_mut(&mut self) -> Vec<&mut [i64]> {
        let mut rest = &mut self.values[..];
        let mut rows = Vec::with_capacity(self.width);
        for place in 0..self.width {
            let (row, others) = std::mem::take(&mut rest).split_at_mut(self.width - place);
            rows.push(row);
            rest = others;
        }
        rows
    }

    /// Adds z·zᵀ for each row z. Sums of integers do not depend on their order.
    pub fn add(&mut self, rows: &[Row]) {
        let add = |(place, sums): (usize, &mut [i64])| {
            let mut small = vec![0_i32; sums.len()];
            for few in rows.chunks(SMALL) {
                for row in few {
                    let factor = i32::from(row.values[place]);
                    if factor != 0 {
                        let others = row.values[place..].iter();
                        small.iter_mut().zip(others).for_each(|(sum, &it)| *sum += factor * i32::from(it));
                    }
                }
                sums.iter_mut().zip(&mut small).for_each(|(sum, it)| *sum += i64::from(std::mem::take(it)));
            }
        };
        self.rows_mut().into_par_iter().enumerate().for_each(add);
    }
}

/// Released moments, in steps of the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoisyMoments {
    sum: Vec<i64>,
    second: Triangle,
    classes: Vec<Vec<i64>>,
}

impl NoisyMoments {
    pub(super) fn new(sum: Vec<i64>, second: Triangle, classes: Vec<Vec<i64>>) -> NoisyMoments {
        NoisyMoments { sum, second, classes }
    }

    /// The number of dimensions of a row.
    pub fn width(&self) -> usize {
        self.second.width
    }

    /// The sum of the rows and, last, half the number of nodes.
    pub fn sum(&self) -> &[i64] {
        &self.sum
    }

    /// The upper triangle of the second moments, row after row, each from its diagonal on, in
    /// squared steps.
    pub fn second(&self) -> impl Iterator<Item = &[i64]> {
        let row = move |place: usize| {
            let start = place * self.second.width - place * place.saturating_sub(1) / 2;
            &self.second.values[start..start + self.second.width - place]
        };
        (0..self.second.width).map(row)
    }

    /// Per class, the sum of its rows and, last, half the number of its nodes.
    pub fn classes(&self) -> &[Vec<i64>] {
        &self.classes
    }

    /// The lines of the file: `sum,…`, `class,…` for each class, `second,…` for each row.
    pub(crate) fn to_csv(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, values: &[i64]| {
            text.push_str(name);
            for value in values {
                // Writing into a String cannot fail.
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        };
        line("sum", &self.sum);
        self.classes.iter().for_each(|class| line("class", class));
        self.second().for_each(|row| line("second", row));
        text
    }

    /// Parses the file; an error names the line and the problem.
    pub(crate) fn from_csv(text: &str) -> Result<NoisyMoments, String> {
        let (mut sum, mut classes, mut values, mut place): (Vec<i64>, Vec<Vec<i64>>, Vec<i64>, usize) =
            Default::default();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |what: String| format!("line {number}: {what}");
            let (name, numbers) = line.split_once(',').ok_or_else(|| wrong("no numbers".to_owned()))?;
            let parsed = numbers
                .split(',')
                .map(|field| field.parse().map_err(|_| wrong(format!("{field:?} is not a whole number"))));
            let numbers: Vec<i64> = parsed.collect::<Result<_, String>>()?;
            let (expected, width) = (sum.len(), sum.len().saturating_sub(1));
            let found = numbers.len();
            match name {
                "sum" if number == 1 && found > 1 => sum = numbers,
                "class" if values.is_empty() && found == expected => classes.push(numbers),
                "second" if place < width && found == width - place => {
                    values.extend(numbers);
                    place += 1;
                }
                _ => return Err(wrong(format!("{name} with {found} numbers does not belong here"))),
            }
        }
        let width = sum.len().saturating_sub(1);
        if width == 0 || place < width {
            return Err(format!("{place} rows of second moments for {width} dimensions"));
        }
        Ok(NoisyMoments { sum, second: Triangle { width, values }, classes })
    }
}
