//! The transcript of a cascade, and its files: `cascade.csv` with one line per node in the order
//! (`node,batch,0,1,…`; batch 0 are the senders, which have no row), and `beliefs.csv` with the
//! probabilities of the classes that were computed from it.

use std::fmt::Write as _;

use veil_graph::{Matrix, NodeId};

use crate::protocol::cascade::{Order, Rows};

/// The file of the rows in a released folder.
pub(super) const FILE: &str = "cascade.csv";

/// The file of the beliefs.
pub(super) const BELIEFS: &str = "beliefs.csv";

/// What a cascade released so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    order: Option<Order>,
    batches: Vec<Rows>,
    beliefs: Option<Matrix>,
}

impl Transcript {
    /// The order, once the first batch was released.
    pub fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }

    /// The rows, batch by batch.
    pub fn batches(&self) -> &[Rows] {
        &self.batches
    }

    /// What was computed from the rows: probabilities of the classes, for each node.
    pub fn beliefs(&self) -> Option<&Matrix> {
        self.beliefs.as_ref()
    }

    pub(super) fn add(&mut self, order: &Order, rows: Rows) {
        self.order.get_or_insert_with(|| order.clone());
        self.batches.push(rows);
    }

    pub(super) fn believe(&mut self, beliefs: Matrix) {
        self.beliefs = Some(beliefs);
    }
}

/// The file of a transcript, if there is a batch.
pub(super) fn to_csv(transcript: &Transcript) -> Option<String> {
    let order = transcript.order.as_ref()?;
    let mut text = String::from("node,batch");
    // Writing into a String cannot fail.
    for place in 0..transcript.batches.first().map_or(0, Rows::width) {
        let _ = write!(text, ",{place}");
    }
    text.push('\n');
    for node in order.senders() {
        let _ = writeln!(text, "{node},0");
    }
    for (batch, rows) in (0..).zip(&transcript.batches) {
        for (node, row) in order.batch(batch).iter().zip(rows.iter()) {
            let _ = write!(text, "{node},{}", batch + 1);
            row.iter().for_each(|it| {
                let _ = write!(text, ",{it}");
            });
            text.push('\n');
        }
    }
    Some(text)
}

/// Parses the file; an error names the line and the problem.
pub(super) fn from_csv(text: &str, nodes: usize) -> Result<Transcript, String> {
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line);
    let width = header.split(',').count().saturating_sub(2);
    if !header.starts_with("node,batch,") || width == 0 {
        return Err("line 1: expected node,batch,0,1,… with one column per released number".to_owned());
    }
    let (mut sequence, mut senders): (Vec<NodeId>, usize) = (Vec::new(), 0);
    let mut batches: Vec<Vec<i64>> = Vec::new();
    for (at, line) in lines {
        let wrong = |what: String| format!("line {}: {what}", at + 1);
        let numbers = line
            .split(',')
            .map(|field| field.trim().parse().map_err(|_| wrong(format!("{field:?} is not a whole number"))))
            .collect::<Result<Vec<i64>, String>>()?;
        let (Some(&node), Some(&batch)) = (numbers.first(), numbers.get(1)) else {
            return Err(wrong("expected a node and its batch".to_owned()));
        };
        let node = NodeId::try_from(node).ok().filter(|&node| (node as usize) < nodes);
        sequence.push(node.ok_or_else(|| wrong(format!("not one of the {nodes} nodes")))?);
        let expected = if batch == 0 { 2 } else { width + 2 };
        if numbers.len() != expected {
            return Err(wrong(format!("{} fields, where {expected} were expected", numbers.len())));
        }
        match usize::try_from(batch).ok() {
            Some(0) if batches.is_empty() => senders += 1,
            Some(batch) if batch > 0 && batch == batches.len() + 1 => batches.push(numbers[2..].to_vec()),
            Some(batch) if batch > 0 && batch == batches.len() => batches[batch - 1].extend_from_slice(&numbers[2..]),
            _ => return Err(wrong(format!("batch {batch} is not the next one"))),
        }
    }
    let rows: Vec<Rows> = batches.into_iter().map(|values| Rows::new(width, values)).collect();
    let count = u32::try_from(rows.len().max(1)).unwrap_or(u32::MAX);
    let order = Order::new(sequence, senders, count).map_err(|error| error.to_string())?;
    let fits = |(batch, rows): (u32, &Rows)| order.batch(batch).len() == rows.iter().len();
    if order.nodes() != nodes || !(0..).zip(&rows).all(fits) {
        return Err(format!("the batches do not have one line for each of {nodes} nodes, in equal parts"));
    }
    Ok(Transcript { order: Some(order), batches: rows, beliefs: None })
}

pub(super) fn beliefs_to_csv(beliefs: &Matrix) -> String {
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

/// Parses the file of beliefs; an error names the line and the problem.
pub(super) fn beliefs_from_csv(text: &str, nodes: usize) -> Result<Matrix, String> {
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

    fn transcript() -> Transcript {
        let order = Order::new(vec![2, 0, 1, 3], 1, 2).unwrap();
        let mut transcript = Transcript::default();
        transcript.add(&order, Rows::new(2, vec![5, -1]));
        transcript.add(&order, Rows::new(2, vec![7, 0, -3, 4]));
        transcript
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = to_csv(&transcript()).unwrap();
        assert_eq!(text, "node,batch,0,1\n2,0\n0,1,5,-1\n1,2,7,0\n3,2,-3,4\n");
        assert_eq!(from_csv(&text, 4).unwrap(), transcript());
        let beliefs = Matrix::from_values(2, 2, vec![0.25, 0.75, 1.0 / 3.0, 2.0 / 3.0]).unwrap();
        assert_eq!(beliefs_from_csv(&beliefs_to_csv(&beliefs), 2).unwrap(), beliefs);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (text, says) in [
            ("node,0\n", "line 1"),
            ("node,batch,0\n0,1,x\n", "line 2: \"x\""),
            ("node,batch,0\n0,1,1,2\n", "line 2: 4 fields"),
            ("node,batch,0\n0,2,1\n", "line 2: batch 2 is not the next one"),
            ("node,batch,0\n7,1,1\n", "line 2: not one of the 2 nodes"),
            ("node,batch,0\n0,1,1\n0,1,1\n", "each node must be there once"),
            ("node,batch,0\n0,1,1\n", "one line for each of 2"),
        ] {
            let problem = from_csv(text, 2).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
        for (text, says) in [("node,0\n0,2\n", "not a probability"), ("node,0\n0,1\n", "1 lines for 2")] {
            assert!(beliefs_from_csv(text, 2).unwrap_err().contains(says));
        }
    }
}
