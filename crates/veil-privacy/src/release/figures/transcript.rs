//! The transcript of a cascade and its file `cascade.csv`: one line per node in the order,
//! `node,batch,classes,0,1,…`. Batch 0 are the senders, which have no row. `classes` are those of
//! the row's pairs, separated by blanks; without pairs it is empty, and number j is that of class
//! j.

use std::fmt::{self, Formatter, Write as _};

use veil_graph::NodeId;

use super::super::recompute::{NotImplied, Stated};
use super::{Implied, Kind, number};
use crate::guarantee::{Guarantee, ParameterList};
use crate::protocol::cascade::{self, Extension, Heard, Order, Rows};

/// The rows of a cascade.
pub(super) const KIND: Kind = Kind {
    name: "rows of a cascade",
    file: "cascade.csv",
    mechanism: Some(cascade::NAME),
    in_place_of_edges: Some("noisy sums of messages from earlier neighbours"),
    always: false,
    is_there: |figures| figures.cascade.is_some(),
    write: |figures| figures.cascade.as_ref().and_then(to_csv),
    read: |figures, text, nodes| {
        figures.cascade = Some(from_csv(text, nodes)?);
        Ok(())
    },
    fits: |figures, parameters, data| {
        let extends = Extension::of_parameters(parameters).ok().flatten();
        let classes = data.labels().map(|labels| labels.classes() as usize);
        figures.cascade.iter().all(|rows| {
            let grown = |it: Extension| rows.order().is_some_and(|order| it.is_extended_by(order, data.names()));
            is_by(parameters, rows, classes) && extends.is_none_or(grown)
        })
    },
    expected: "rows by these parameters",
    implied: Some(Implied {
        compute: implied,
        #[cfg(test)]
        examples: tests::examples,
    }),
    show: |figures, f| figures.cascade.as_ref().map_or(Ok(()), |rows| show(rows, f)),
};

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

    pub(in crate::release) fn add(&mut self, order: &Order, rows: Rows) {
        self.order.get_or_insert_with(|| order.clone());
        self.batches.push(rows);
    }
}

/// The file of a transcript, if there is a batch.
fn to_csv(transcript: &Transcript) -> Option<String> {
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
fn from_csv(text: &str, nodes: usize) -> Result<Transcript, String> {
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

/// Whether rows of a cascade have the shape of these parameters, and the classes of the labels.
fn is_by(parameters: &ParameterList, rows: &Transcript, of_labels: Option<usize>) -> bool {
    let classes = number(parameters, "classes").unwrap_or(0);
    let paired = parameters.get("paired") == Some("true");
    let width = if paired { classes.div_ceil(2) } else { classes };
    let pairs = if paired { Some(classes) } else { None };
    let fits = rows.batches().iter().all(|batch| {
        let listed = (0..batch.iter().len()).all(|row| batch.classes(row).map(<[u32]>::len) == pairs);
        batch.width() == width && listed
    });
    // No batch has rows where every node only sends.
    let batches = rows.batches().len();
    let all = batches == 0 || Some(batches) == number(parameters, "batches");
    // Rows are read in these steps, whatever a statement says.
    let in_steps = number(parameters, "steps") == Some(cascade::STEPS as usize);
    fits && all && in_steps && of_labels.is_none_or(|it| it == classes)
}

/// The guarantees of the cascade of these parameters.
fn implied(stated: &Stated<'_>) -> Result<Vec<Guarantee>, NotImplied> {
    let params = cascade::Params {
        epsilon: stated.read("epsilon")?,
        unit: stated.read("unit")?,
        classes: stated.read("classes")?,
        batches: stated.read("batches")?,
        steps: stated.read("steps")?,
        paired: stated.read("paired")?,
        // Listed where it is not the usual one.
        heard: stated.read_or("heard", Heard::Earlier)?,
    };
    let cascade = params.check().map_err(|error| stated.refused(error))?;
    let extends = stated.extension()?;
    let cascade = extends.map_or(Ok(cascade), |it| cascade.extending(it).map_err(|error| stated.refused(error)))?;
    Ok(cascade.guarantees())
}

fn show(transcript: &Transcript, f: &mut Formatter<'_>) -> fmt::Result {
    if let Some(order) = transcript.order() {
        write!(f, ", order {:?} with {} senders", order.sequence(), order.senders().len())?;
    }
    for (batch, rows) in transcript.batches().iter().enumerate() {
        write!(f, ", batch {batch} rows")?;
        for (place, row) in rows.iter().enumerate() {
            write!(f, " {row:?}")?;
            if let Some(classes) = rows.classes(place) {
                write!(f, " in pairs of {classes:?}")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Epsilon;
    use crate::guarantee::Unit;

    /// By the owner, by users, and of nodes that were added to an earlier release.
    pub(super) fn examples(epsilon: Epsilon) -> Vec<Guarantee> {
        let params = |unit, batches| {
            let heard = Heard::Earlier;
            cascade::Params { epsilon, unit, classes: 3, batches, steps: 8, paired: true, heard }.check().unwrap()
        };
        let (id, order) = ("ab".repeat(16), "cd".repeat(32));
        let listed =
            ParameterList::default().with("extends", &id).with("first", &id).with("before", 3).with("order", order);
        let extension = Extension::of_parameters(&listed).unwrap().unwrap();
        let grown = params(Unit::Edge, 1).extending(extension).unwrap();
        let all = [params(Unit::Edge, 2), params(Unit::EdgeBit, 2), grown];
        all.iter().flat_map(cascade::Cascade::guarantees).collect()
    }

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
    }

    /// Labels of three classes and rows of eight: whoever reads the rows would look up classes that
    /// do not exist.
    #[test]
    fn rows_of_other_classes_or_steps_are_refused() {
        let params = |classes, steps| cascade::Params {
            epsilon: "1".parse().unwrap(),
            unit: Unit::Edge,
            classes,
            batches: 2,
            steps,
            paired: false,
            heard: Heard::Earlier,
        };
        let by = |classes, steps| params(classes, steps).check().unwrap().guarantees().remove(0).parameters;
        let rows = Transcript::default();
        assert!(is_by(&by(8, cascade::STEPS), &rows, Some(8)) && is_by(&by(8, cascade::STEPS), &rows, None));
        assert!(!is_by(&by(8, cascade::STEPS), &rows, Some(3)));
        assert!(!is_by(&by(8, 16), &rows, Some(8)));
        assert!(!is_by(&ParameterList::default(), &rows, Some(8)));
    }
}
