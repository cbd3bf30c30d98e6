//! A network of two layers and its file: its shape (`inputs,hidden,classes`), then one line per row
//! of weights, those of the first layer first.

use std::fmt::Write as _;

use veil_graph::Matrix;

use super::{Kind, number};
use crate::answers::{Layers, gradients};

/// A network that was learned from noisy gradients.
pub(super) const KIND: Kind = Kind {
    name: "a network",
    file: "network.csv",
    mechanism: Some(gradients::NAME),
    in_place_of_edges: None,
    always: true,
    is_there: |figures| figures.network.is_some(),
    write: |figures| figures.network.as_ref().map(to_csv),
    read: |figures, text, _| {
        figures.network = Some(from_csv(text)?);
        Ok(())
    },
    fits: |figures, parameters, _| {
        figures.network.iter().all(|network| {
            let shape = [network.first.rows(), network.first.columns(), network.second.columns()];
            ["dimensions", "hidden", "classes"].map(|name| number(parameters, name)) == shape.map(Some)
        })
    },
    expected: "a network of these parameters",
    // Computed with those of other answers about nodes.
    implied: None,
    show: |figures, f| {
        let Some(network) = &figures.network else { return Ok(()) };
        write!(f, ", network {:?} {:?}", network.first.values(), network.second.values())
    },
};

const HEADER: &str = "inputs,hidden,classes";

fn to_csv(network: &Layers) -> String {
    let Layers { first, second } = network;
    let mut text = format!("{HEADER}\n{},{},{}\n", first.rows(), first.columns(), second.columns());
    for layer in [first, second] {
        for row in 0..layer.rows() {
            let numbers: Vec<String> = layer.row(row).iter().map(f32::to_string).collect();
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}", numbers.join(","));
        }
    }
    text
}

/// Parses the file; an error names the line and the problem.
fn from_csv(text: &str) -> Result<Layers, String> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, line)| line != HEADER) {
        return Err(format!("line 1: expected {HEADER}"));
    }
    let shape: Option<Vec<Option<usize>>> =
        lines.next().map(|(_, line)| line.split(',').map(|it| it.trim().parse().ok()).collect());
    let Some(&[Some(inputs), Some(hidden), Some(classes)]) = shape.as_deref() else {
        return Err("line 2: expected three numbers".to_owned());
    };
    let mut layer = |rows: usize, columns: usize| {
        // Not reserved: the shape is as long as its file only if the lines are there.
        let mut values = Vec::new();
        for _ in 0..rows {
            let (place, line) = lines.next().ok_or("rows of weights are missing")?;
            let before = values.len();
            for number in line.split(',') {
                let number: Option<f32> = number.trim().parse().ok();
                values.push(number.ok_or_else(|| format!("line {}: expected numbers", place + 1))?);
            }
            if values.len() - before != columns {
                return Err(format!("line {}: expected {columns} numbers", place + 1));
            }
        }
        Matrix::from_values(rows, columns, values).map_err(|error| error.to_string())
    };
    let (first, second) = (layer(inputs, hidden)?, layer(hidden, classes)?);
    if let Some((place, _)) = lines.next() {
        return Err(format!("line {}: expected the end of the file", place + 1));
    }
    Layers::new(first, second).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let first = Matrix::from_values(2, 1, vec![0.1, -1e-30]).unwrap();
        let network = Layers::new(first, Matrix::from_values(1, 2, vec![3.0, f32::MAX]).unwrap()).unwrap();
        assert_eq!(from_csv(&to_csv(&network)).unwrap(), network);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (text, says) in [
            ("inputs\n", "line 1"),
            ("inputs,hidden,classes\n1,1\n", "line 2"),
            ("inputs,hidden,classes\n1,1,2\n0.5\n", "missing"),
            ("inputs,hidden,classes\n1,1,2\n0.5\n1\n", "line 4: expected 2 numbers"),
            ("inputs,hidden,classes\n1,1,1\nx\n1\n", "line 3: expected numbers"),
            ("inputs,hidden,classes\n1,1,1\n1\n1\n1\n", "line 5: expected the end"),
            ("inputs,hidden,classes\n99999999999,1,1\n1\n", "missing"),
        ] {
            let problem = from_csv(text).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
    }
}
