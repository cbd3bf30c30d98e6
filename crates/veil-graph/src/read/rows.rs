//! Helpers of text readers: lines to rows, entries to one value per node.

use std::path::Path;

use super::error::{Place, ReadError};
use super::text::{Line, OwnedLine, Text};
use crate::graph::NodeId;

/// Opens a table and takes its first line.
///
/// # Errors
/// If the file cannot be read or is empty.
pub(super) fn open_with_header(path: &Path) -> Result<(Text, OwnedLine), ReadError> {
    let mut text = Text::open(path)?;
    match text.take_line()? {
        Some(header) => Ok((text, header)),
        None => Err(ReadError::format(Place::file(path), "the table is empty")),
    }
}

/// The column names of a header, in order.
///
/// # Errors
/// If one is not UTF-8 or a quote is not closed.
pub(super) fn names(header: &OwnedLine, separator: u8) -> Result<Vec<String>, ReadError> {
    header.line().fields(separator).map(|field| Ok(field?.as_str()?.to_owned())).collect()
}

/// Parses all remaining lines with `row`, in the order of the file.
///
/// # Errors
/// If the file cannot be read or `row` fails.
pub(super) fn collect<T: Send>(
    text: Text,
    row: impl Fn(Line<'_>) -> Result<T, ReadError> + Sync,
) -> Result<Vec<T>, ReadError> {
    let mut all = Vec::new();
    text.parse(
        |block| block.lines().map(&row).collect::<Result<Vec<T>, ReadError>>(),
        |rows| {
            // Most tables are one block, which is moved.
            if all.is_empty() {
                all = rows;
            } else {
                all.extend(rows);
            }
            Ok(())
        },
    )?;
    Ok(all)
}

/// Parses all remaining lines as edges.
///
/// # Errors
/// If the file cannot be read or a line is not two nodes.
pub(super) fn edges(text: Text, separator: u8, nodes: u32) -> Result<Vec<(NodeId, NodeId)>, ReadError> {
    collect(text, |line| {
        let [source, target] = line.exactly(separator)?;
        Ok((source.as_node(nodes)?, target.as_node(nodes)?))
    })
}

/// A value for one node, and its line.
pub(super) struct Entry<T> {
    pub(super) node: NodeId,
    pub(super) value: T,
    pub(super) line: u64,
}

/// One optional value per node; `what` describes an entry, such as "label of node".
///
/// # Errors
/// If a node has two values.
pub(super) fn one_per_node<T>(
    path: &Path,
    what: &str,
    nodes: u32,
    entries: Vec<Entry<T>>,
) -> Result<Vec<Option<T>>, ReadError> {
    Ok(first_per_node(path, what, nodes, entries, |_, _| false)?.0)
}

/// One optional value per node, of tables of other people: the same value twice is one. Also
/// returns how many were repeated.
///
/// # Errors
/// If a node has two different values.
pub(super) fn same_per_node<T: PartialEq>(
    path: &Path,
    what: &str,
    nodes: u32,
    entries: Vec<Entry<T>>,
) -> Result<(Vec<Option<T>>, usize), ReadError> {
    first_per_node(path, &format!("(and different) {what}"), nodes, entries, |first, other| first == other)
}

fn first_per_node<T>(
    path: &Path,
    what: &str,
    nodes: u32,
    entries: Vec<Entry<T>>,
    may_repeat: impl Fn(&T, &T) -> bool,
) -> Result<(Vec<Option<T>>, usize), ReadError> {
    let mut values: Vec<Option<T>> = (0..nodes).map(|_| None).collect();
    let mut repeated = 0;
    for Entry { node, value, line } in entries {
        match values.get_mut(node as usize) {
            Some(place @ None) => *place = Some(value),
            Some(Some(first)) if may_repeat(first, &value) => repeated += 1,
            Some(Some(_)) => {
                let place = Place::line(path, line, 0);
                return Err(ReadError::repeated(place, format!("{what} {node}")));
            }
            None => {
                return Err(ReadError::NoSuchNode { place: Place::line(path, line, 0), id: node.to_string(), nodes });
            }
        }
    }
    Ok((values, repeated))
}

/// The total size of these files.
pub(super) fn bytes_on_disk<'a>(paths: impl IntoIterator<Item = &'a Path>) -> u64 {
    paths.into_iter().filter_map(|path| std::fs::metadata(path).ok()).map(|found| found.len()).sum()
}
