//! Posteriors of another model.

use std::path::Path;

use veil_graph::Matrix;

use crate::failure::{Failure, read};

/// A table `node,0,1,…`, or `node,class,0,1,…` as in predictions.csv: one line per node, in any
/// order.
pub fn read_posteriors(path: &Path) -> Result<Matrix, Failure> {
    let wrong = |line: usize, what: String| Failure::Unexpected(format!("{}, line {line}: {what}", path.display()));
    let text = read(path)?;
    let header = text.lines().next().unwrap_or_default();
    let skipped = if header.starts_with("node,class,") { 2 } else { 1 };
    let classes = header.split(',').count().saturating_sub(skipped);
    if !header.starts_with("node,") || classes == 0 {
        return Err(wrong(1, "expected a header node,0,1,… with one column per class".to_owned()));
    }
    let mut rows: Vec<(usize, usize, Vec<f32>)> = Vec::new();
    for (place, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let mut fields = line.split(',');
        let node = fields.next().and_then(|field| field.trim().parse().ok());
        let node = node.ok_or_else(|| wrong(place + 1, "the first field is not a node number".to_owned()))?;
        let numbers: Vec<f32> = fields
            .skip(skipped - 1)
            .map(|field| {
                let number: Option<f32> = field.trim().parse().ok();
                let number = number.filter(|number| number.is_finite());
                number.ok_or_else(|| wrong(place + 1, format!("{field:?} is not a finite number")))
            })
            .collect::<Result<_, _>>()?;
        if numbers.len() != classes {
            return Err(wrong(place + 1, format!("{} numbers for {classes} classes", numbers.len())));
        }
        rows.push((node, place + 1, numbers));
    }
    rows.sort_by_key(|&(node, ..)| node);
    let mut values = Vec::with_capacity(rows.len() * classes);
    for (expected, (node, line, numbers)) in rows.iter().enumerate() {
        if *node != expected {
            return Err(wrong(
                *line,
                format!("node {node} instead of node {expected}: a node is missing or duplicate"),
            ));
        }
        values.extend_from_slice(numbers);
    }
    Matrix::from_values(rows.len(), classes, values).map_err(|error| wrong(1, error.to_string()))
}
