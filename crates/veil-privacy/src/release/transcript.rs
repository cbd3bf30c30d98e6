//! The transcript of a cascade and its file `cascade.csv`: one line per node in the order,
//! `node,batch,classes,0,1,…`. Batch 0 are the senders, which have no row. `classes` are those of
//! the row's pairs, separated by blanks; without pairs it is empty, and number j is that of class
//! j.
//!
//! `beliefs.csv` has probabilities of the classes, computed from everything that was released.

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

    pub(super) fn add(&mut self, order: &Order, rows: Rows) {
        self.order.get_or_insert_with(|| order.clone());
        self.batches.push(rows);
    }
}

/// The file of a transcript, if there is a batch.
pub(super) fn to_csv(transcript: &Transcript) -> Option<String> {
    let order = transcript.order.as_ref()?;
    let mut text = String::from("node,batch,classes");
    // Writing into a String cannot fail.
    for place in 0..transcript.batches.first().map_or(0, Rows::width) {
        let _ = write!(text, ",{place}");
    }
    text.push('\n');
    for node in order.senders() {
        let _ = writeln!(text, "{node},0,");
    }
    for (batch, rows) in (0..).zip(&transcript.batches) {
        for (at, (node, row)) in order.batch(batch).iter().zip(rows.iter()).enumerate() {
            let classes: Vec<String> = rows.classes(at).iter().copied().flatten().map(u32::to_string).collect();
            let _ = write!(text, "{node},{},{}", batch + 1, classes.join(" "));
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
    let width = header.split(',').count().saturating_sub(3);
    if !header.starts_with("node,batch,classes,") || width == 0 {
        return Err("line 1: expected node,batch,classes,0,1,… with one column per released number".to_owned());
    }
    let (mut sequence, mut senders): (Vec<NodeId>, usize) = (Vec::new(), 0);
    let mut batches: Vec<(Vec<i64>, Vec<u32>)> = Vec::new();
    for (at, line) in lines {
        let wrong = |what: String| format!("line {}: {what}", at + 1);
        let fields: Vec<&str> = line.split(',').collect();
        let [node, batch, classes, numbers @ ..] = &fields[..] else {
            return Err(wrong("expected a node, its batch and the classes of its row".to_owned()));
        };
        let node = node.parse().ok().filter(|&node: &NodeId| (node as usize) < nodes);
        sequence.push(node.ok_or_else(|| wrong(format!("not one of the {nodes} nodes")))?);
        let batch: usize = batch.parse().map_err(|_| wrong(format!("{batch:?} is not a batch")))?;
        let expected = if batch == 0 { 0 } else { width };
        if numbers.len() != expected {
            return Err(wrong(format!("{} numbers, where {expected} were expected", numbers.len())));
        }
        match batch {
            0 if batches.is_empty() => {
                senders += 1;
                continue;
            }
            0 => return Err(wrong("a sender after a receiver".to_owned())),
            next if next == batches.len() + 1 => batches.push(Default::default()),
            same if same == batches.len() => {}
            _ => return Err(wrong(format!("batch {batch} is not the next one"))),
        }
        let Some((values, pairs)) = batches.last_mut() else { continue };
        for number in numbers {
            values.push(number.parse().map_err(|_| wrong(format!("{number:?} is not a whole number")))?);
        }
        let before = pairs.len();
        for class in classes.split_whitespace() {
            pairs.push(class.parse().map_err(|_| wrong(format!("{class:?} is not a class")))?);
        }
        let mut listed: Vec<u32> = pairs[before..].to_vec();
        listed.sort_unstable();
        let (first, whole) = (values.len() == width, listed.iter().copied().eq(0..listed.len() as u32));
        let rows = values.len() / width;
        let paired = listed.is_empty() || listed.len().div_ceil(2) == width;
        if !whole || !paired || (!first && pairs.len() != rows * listed.len()) {
            return Err(wrong("the classes are not each there once".to_owned()));
        }
    }
    let rows: Vec<Rows> = batches.into_iter().map(|(values, pairs)| Rows::new(width, values, pairs)).collect();
    let count = u32::try_from(rows.len().max(1)).unwrap_or(u32::MAX);
    let order = Order::new(sequence, senders, count).map_err(|error| error.to_string())?;
    let fits = |(batch, rows): (u32, &Rows)| order.batch(batch).len() == rows.iter().len();
    if order.nodes() != nodes || !(0..).zip(&rows).all(fits) {
        return Err(format!("the batches do not have one line for each of {nodes} nodes, in equal parts"));
    }
    Ok(Transcript { order: Some(order), batches: rows })
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

    fn transcript(paired: bool) -> Transcript {
        let order = Order::new(vec![2, 0, 1, 3], 1, 2).unwrap();
        let classes = |rows: &[[u32; 3]]| if paired { rows.concat() } else { Vec::new() };
        let mut transcript = Transcript::default();
        transcript.add(&order, Rows::new(2, vec![5, -1], classes(&[[2, 0, 1]])));
        transcript.add(&order, Rows::new(2, vec![7, 0, -3, 4], classes(&[[0, 1, 2], [1, 0, 2]])));
        transcript
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = to_csv(&transcript(true)).unwrap();
        assert_eq!(text, "node,batch,classes,0,1\n2,0,\n0,1,2 0 1,5,-1\n1,2,0 1 2,7,0\n3,2,1 0 2,-3,4\n");
        for paired in [false, true] {
            let transcript = transcript(paired);
            assert_eq!(from_csv(&to_csv(&transcript).unwrap(), 4).unwrap(), transcript);
        }
        let beliefs = Matrix::from_values(2, 2, vec![0.25, 0.75, 1.0 / 3.0, 2.0 / 3.0]).unwrap();
        assert_eq!(beliefs_from_csv(&beliefs_to_csv(&beliefs), 2).unwrap(), beliefs);
    }

    #[test]
    fn what_is_broken_is_named_with_its_line() {
        for (lines, says) in [
            ("0,1,,x\n", "line 2: \"x\""),
            ("0,1,,1,2\n", "line 2: 2 numbers"),
            ("0,2,,1\n", "line 2: batch 2 is not the next one"),
            ("7,1,,1\n", "line 2: not one of the 2 nodes"),
            ("0,1,,1\n0,1,,1\n", "must occur exactly once"),
            ("0,1,,1\n", "one line for each of 2"),
            ("0,1,,1\n1,0,\n", "line 3: a sender after a receiver"),
            ("0,1,0 0,1\n", "line 2: the classes are not each there once"),
            ("0,1,0 1,1\n1,1,,1\n", "line 3: the classes are not each there once"),
        ] {
            let problem = from_csv(&format!("node,batch,classes,0\n{lines}"), 2).unwrap_err();
            assert!(problem.contains(says), "{problem}");
        }
        assert!(from_csv("node,0\n", 2).unwrap_err().contains("line 1"));
        for (text, says) in [("node,0\n0,2\n", "not a probability"), ("node,0\n0,1\n", "1 lines for 2")] {
            assert!(beliefs_from_csv(text, 2).unwrap_err().contains(says));
        }
    }
}
