//! Probabilities of the classes, computed from everything that was released, and their file
//! `beliefs.csv`: `node,0,1,…`, one line per node.

use std::fmt::Write as _;

use veil_graph::Matrix;

use super::Kind;

/// What is believed of every node.
pub(super) const KIND: Kind = Kind {
    name: "probabilities of the classes",
    file: "beliefs.csv",
    // Post-processing: every guarantee covers them.
    mechanism: None,
    in_place_of_edges: None,
    always: false,
    is_there: |figures| figures.beliefs.is_some(),
    write: |figures| figures.beliefs.as_ref().map(to_csv),
    read: |figures, text, nodes| {
        figures.beliefs = Some(from_csv(text, nodes)?);
        Ok(())
    },
    fits: |figures, _, data| match (&figures.beliefs, data.labels()) {
        (Some(beliefs), Some(labels)) => beliefs.columns() == labels.classes() as usize,
        _ => true,
    },
    expected: "probabilities of the classes of its labels",
    implied: None,
    show: |figures, f| figures.beliefs.as_ref().map_or(Ok(()), |beliefs| write!(f, ", beliefs {:?}", beliefs.values())),
};

fn to_csv(beliefs: &Matrix) -> String {
    let mut text = String::from("node");
    (0..beliefs.columns()).for_each(|class| {
        let _ = write!(text, ",{class}");
    });
    for node in 0..beliefs.rows() {
        let _ = write!(text, "\n{node}");
        beliefs.row(node).iter().for_each(|it| {
            let _ = write!(text, ",{it}");
        });
    }
    text.push('\n');
    text
}

/// Parses the file; an error names the line and the problem.
fn from_csv(text: &str, nodes: usize) -> Result<Matrix, String> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let classes = header.split(',').count().saturating_sub(1);
    if !header.starts_with("node,") {
        return Err("line 1: expected node,0,1,… with one column per class".to_owned());
    }
    let mut values = Vec::new();
    let mut rows = 0;
    for (at, line) in lines {
        let wrong = |what: &str| format!("line {}: {what}", at + 1);
        let mut fields = line.split(',');
        if fields.next().and_then(|node| node.parse::<usize>().ok()) != Some(rows) || rows >= nodes {
            return Err(wrong("expected the next node"));
        }
        let before = values.len();
        for field in fields {
            let value: f32 = field.parse().map_err(|_| wrong("not a number"))?;
            if !(0.0..=1.0).contains(&value) {
                return Err(wrong("not a probability"));
            }
            values.push(value);
        }
        if values.len() - before != classes {
            return Err(wrong("not one number per class"));
        }
        rows += 1;
    }
    if rows != nodes {
        return Err(format!("{rows} lines for {nodes} nodes"));
    }
    Matrix::from_values(nodes, classes, values).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let beliefs = Matrix::from_values(2, 2, vec![0.25, 0.75, 1.0 / 3.0, 2.0 / 3.0]).unwrap();
        assert_eq!(from_csv(&to_csv(&beliefs), 2).unwrap(), beliefs);
    }

    #[test]
    fn what_is_broken_is_named() {
        for (text, says) in [("node,0\n0,2\n", "not a probability"), ("node,0\n0,1\n", "1 lines for 2")] {
            assert!(from_csv(text, 2).unwrap_err().contains(says));
        }
    }
}
